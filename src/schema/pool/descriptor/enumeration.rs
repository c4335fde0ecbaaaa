//! [`EnumDescriptor`] and [`EnumValueDescriptor`].

use crate::schema::pool::model::{EnumData, EnumValueData};
use crate::schema::pool::nearest::not_found_in;
use crate::schema::pool::{DescriptorPool, FileDescriptor, MessageDescriptor, print};
use crate::wire::error::DescriptorError;
use alloc::string::String;
use core::fmt;
use core::ops::RangeInclusive;

/// An enum type of a pool.
///
/// A handle, `Send + Sync`; `Clone` increments a reference count.
///
/// ```
/// use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
///
/// static COLOR: EnumTable = EnumTable::new("pkg.Color", &[("RED", 0), ("GREEN", 1)]);
/// static CAR: MessageTable =
///     MessageTable::new("pkg.Car", &[FieldTable::new("color", 1, Kind::Enum(|| &COLOR))]);
/// let pool = DescriptorPool::from_tables(&[&CAR])?;
/// let color = pool.enumeration("pkg.Color")?;
/// assert_eq!(color.get_value(1).unwrap().name(), "GREEN");
/// assert_eq!(color.default_value().number(), 0);
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EnumDescriptor {
    pool: DescriptorPool,
    index: u32,
}

described!(EnumDescriptor, "enum", "`package.Outer.Name`", "EnumOptions", self => (&self.pool, self.data().file), package);

impl EnumDescriptor {
    pub(in crate::schema::pool) fn new(pool: &DescriptorPool, index: u32) -> Self {
        Self { pool: pool.clone(), index }
    }

    fn data(&self) -> &EnumData {
        &self.pool.data().enums[self.index as usize]
    }

    /// The message that the enum is nested in.
    #[must_use]
    pub fn parent_message(&self) -> Option<MessageDescriptor> {
        crate::schema::pool::descriptor_pool::index(self.data().parent)
            .map(|i| MessageDescriptor::new(&self.pool, i))
    }

    /// The values, in the order of the file; at least one. Several may share a number.
    #[must_use]
    pub fn values(&self) -> impl ExactSizeIterator<Item = EnumValueDescriptor> + '_ {
        (0..self.pool.data().values(self.index).len() as u32).map(|i| EnumValueDescriptor::new(self, i))
    }

    /// The first value, which is the default of fields without an explicit default.
    #[must_use]
    pub fn default_value(&self) -> EnumValueDescriptor {
        EnumValueDescriptor::new(self, 0)
    }

    /// The first value with this number.
    #[must_use]
    pub fn get_value(&self, number: i32) -> Option<EnumValueDescriptor> {
        self.pool.data().value_position(self.index, number).map(|i| EnumValueDescriptor::new(self, i))
    }

    /// The value of this name.
    ///
    /// # Errors
    /// [`NotFound`](crate::schema::DescriptorErrorKind::NotFound), with the nearest name of a value.
    pub fn value(&self, name: &str) -> Result<EnumValueDescriptor, DescriptorError> {
        self.find_value(name).ok_or_else(|| {
            let data = self.pool.data();
            let names = data.values(self.index).iter().map(|value| data.text(value.name.local()));
            not_found_in("value", self.full_name(), name, names)
        })
    }

    pub(crate) fn find_value(&self, name: &str) -> Option<EnumValueDescriptor> {
        self.pool.data().enum_value(self.index, name).map(|i| EnumValueDescriptor::new(self, i))
    }

    /// The position among [`DescriptorPool::all_enums`] of this pool, as [`MessageDescriptor::index`] is for messages.
    ///
    /// ```
    /// use tablepb::DescriptorPool;
    ///
    /// let pool = DescriptorPool::descriptor_proto();
    /// assert!(pool.all_enums().zip(0..).all(|(enumeration, at)| enumeration.index() == at));
    /// ```
    #[inline]
    #[must_use]
    pub fn index(&self) -> u32 {
        self.index
    }

    /// The name of the first value with this number.
    pub(crate) fn value_name(&self, number: i32) -> Option<&str> {
        let data = self.pool.data();
        let value = data.values(self.index).get(data.value_position(self.index, number)? as usize)?;
        Some(data.text(value.name.local()))
    }

    /// Whether the enum is closed: decoding keeps numbers that it does not list as unknown fields,
    /// <https://protobuf.dev/programming-guides/enum/>.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.data().closed
    }

    /// Whether several names may share a number.
    #[must_use]
    pub fn allows_alias(&self) -> bool {
        self.data().allow_alias
    }

    /// Whether the enum is marked `deprecated`.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.data().deprecated
    }

    /// The numbers that no value may have, both ends included.
    #[must_use]
    pub fn reserved_ranges(&self) -> impl ExactSizeIterator<Item = RangeInclusive<i32>> + '_ {
        let ranges = self.data().reserved_ranges.of(&self.pool.data().enum_reserved_ranges);
        ranges.iter().map(|&(first, last)| first..=last)
    }

    /// The names that no value may have.
    #[must_use]
    pub fn reserved_names(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        let names = self.data().reserved_names.of(&self.pool.data().reserved_names);
        names.iter().map(|&n| self.pool.data().text(n))
    }

    /// A .proto file with this enum, or with the top-level message around it, as [`MessageDescriptor::to_proto`] prints
    /// it.
    #[must_use]
    pub fn to_proto(&self) -> String {
        print::enumeration(&self.pool, self.index)
    }
}

/// A value of an enum: a name and a number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EnumValueDescriptor {
    parent: EnumDescriptor,
    index: u32,
}

described!(EnumValueDescriptor, "value", "in the scope around the enum: `pkg.RED`, not `pkg.Color.RED`", "EnumValueOptions", self => (&self.parent.pool, self.parent.data().file));

impl EnumValueDescriptor {
    fn new(parent: &EnumDescriptor, index: u32) -> Self {
        Self { parent: parent.clone(), index }
    }

    fn data(&self) -> &EnumValueData {
        &self.parent.pool.data().values(self.parent.index)[self.index as usize]
    }

    /// The enum.
    #[must_use]
    pub fn parent_enum(&self) -> &EnumDescriptor {
        &self.parent
    }

    /// The name in JSON: what the option `(pb.enumvalue.json).string` says, or else the name.
    ///
    /// ProtoJSON prints this name and parses both.
    #[must_use]
    pub fn json_name(&self) -> &str {
        let custom = self.parent.pool.data().json_value(self.parent.index, self.index);
        custom.unwrap_or_else(|| self.name())
    }

    /// The number.
    #[must_use]
    pub fn number(&self) -> i32 {
        self.data().number
    }

    /// Whether the value is marked `deprecated`.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.data().deprecated
    }
}

impl fmt::Debug for EnumValueDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EnumValueDescriptor({} = {})", self.full_name(), self.number())
    }
}
