//! [`MessageDescriptor`] and [`OneofDescriptor`].

use crate::schema::pool::model::{Container, MessageData, OneofData};
use crate::schema::pool::nearest::not_found_in;
use crate::schema::pool::{
    DescriptorPool, EnumDescriptor, ExtensionDescriptor, FieldDescriptor, FieldRef, FileDescriptor, print,
};
use crate::schema::program::Program;
use crate::schema::table::Kind;
use crate::wire::error::{DescriptorError, FieldPath, PathStep, copy_of};
use alloc::string::String;
use core::ops::Range;

/// A message type of a pool.
///
/// A handle, `Send + Sync`; `Clone` increments a reference count.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
///
/// static USER: MessageTable = MessageTable::new(
///     "pkg.User",
///     &[FieldTable::new("id", 1, Kind::Uint64), FieldTable::map("tags", 2, Kind::String, Kind::String)],
/// );
/// let pool = DescriptorPool::from_tables(&[&USER])?;
/// let user = pool.message("pkg.User")?;
/// assert_eq!(user.fields().map(|f| f.number()).collect::<Vec<_>>(), [1, 2]);
/// assert!(user.get_field(2).unwrap().is_map());
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct MessageDescriptor {
    pool: DescriptorPool,
    index: u32,
}

described!(MessageDescriptor, "message", "`package.Outer.Name`", "MessageOptions", self => (&self.pool, self.data().file), package);

impl MessageDescriptor {
    pub(crate) fn new(pool: &DescriptorPool, index: u32) -> Self {
        Self { pool: pool.clone(), index }
    }

    pub(in crate::schema::pool) fn data(&self) -> &MessageData {
        &self.pool.data().messages[self.index as usize]
    }

    /// The position among [`DescriptorPool::all_messages`] of this pool: the key of a table beside the schema. Another pool
    /// of the same files may have other positions.
    ///
    /// ```
    /// use tablepb::DescriptorPool;
    ///
    /// let pool = DescriptorPool::descriptor_proto();
    /// let mut lists = vec![0; pool.all_messages().len()];
    /// for message in pool.all_messages() {
    ///     lists[message.index() as usize] = message.fields().filter(|field| field.is_list()).count();
    /// }
    /// let file = pool.message("google.protobuf.FileDescriptorProto")?;
    /// assert_eq!(lists[file.index() as usize], 8);
    /// # Ok::<(), tablepb::DescriptorError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn index(&self) -> u32 {
        // It is the index of the program too.
        self.index
    }

    /// The message, lowered.
    #[inline]
    pub(crate) fn program(&self) -> &Program {
        self.pool.programs().program(self.index)
    }

    /// The message that this one is nested in.
    #[must_use]
    pub fn parent_message(&self) -> Option<MessageDescriptor> {
        crate::schema::pool::descriptor_pool::index(self.data().parent).map(|i| Self::new(&self.pool, i))
    }

    /// The declared fields, in the order of the file; no extensions.
    #[must_use]
    pub fn fields(&self) -> impl ExactSizeIterator<Item = FieldDescriptor> + '_ {
        (0..self.data().declared).map(|i| FieldDescriptor::new(self, i))
    }

    /// All extensions of this message in the pool, wherever they are declared.
    #[must_use]
    pub fn extensions(&self) -> impl ExactSizeIterator<Item = ExtensionDescriptor> + '_ {
        let extensions = self.data().fields.get(self.data().declared as usize..).unwrap_or(&[]);
        extensions.iter().map(|f| ExtensionDescriptor::new(&self.pool, f.extension))
    }

    /// The oneofs, in the order of the file, synthetic ones included.
    #[must_use]
    pub fn oneofs(&self) -> impl ExactSizeIterator<Item = OneofDescriptor> + '_ {
        (0..self.pool.data().oneofs(self.data()).len() as u32).map(|i| OneofDescriptor::new(self, i))
    }

    /// The messages nested directly in this one, in the order of the file, map entries included.
    #[must_use]
    pub fn child_messages(&self) -> impl ExactSizeIterator<Item = MessageDescriptor> + '_ {
        self.pool.data().messages_in(Container::Message(self.index)).iter().map(|&i| Self::new(&self.pool, i))
    }

    /// The enums nested directly in this message, in the order of the file.
    #[must_use]
    pub fn child_enums(&self) -> impl ExactSizeIterator<Item = EnumDescriptor> + '_ {
        self.pool
            .data()
            .enums_in(Container::Message(self.index))
            .iter()
            .map(|&i| EnumDescriptor::new(&self.pool, i))
    }

    /// The extensions declared in this message, whatever they extend.
    #[must_use]
    pub fn child_extensions(&self) -> impl ExactSizeIterator<Item = ExtensionDescriptor> + '_ {
        self.pool
            .data()
            .extensions_in(Container::Message(self.index))
            .iter()
            .map(|&i| ExtensionDescriptor::new(&self.pool, i))
    }

    /// The declared field of this number. Takes constant time for small numbers.
    pub fn get_field(&self, number: u32) -> Option<FieldDescriptor> {
        self.field_by_number(number).filter(|f| !f.is_extension()).map(FieldRef::to_owned)
    }

    /// The declared field of this name.
    ///
    /// ```
    /// use tablepb::DescriptorPool;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
    /// assert_eq!(log.field("line")?.number(), 1);
    /// let error = log.field("lien").unwrap_err();
    /// assert_eq!(error.to_string(), "not found: pkg.Log.lien (no such field; did you mean line?)");
    /// # Ok::<(), tablepb::DescriptorError>(())
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::schema::DescriptorErrorKind::NotFound), with the nearest name of a field.
    pub fn field(&self, name: &str) -> Result<FieldDescriptor, DescriptorError> {
        self.find_field(name).ok_or_else(|| not_found_in("field", self.full_name(), name, self.field_names()))
    }

    pub(crate) fn find_field(&self, name: &str) -> Option<FieldDescriptor> {
        self.field_by_name(name).map(FieldRef::to_owned)
    }

    /// The extension of this full name.
    pub(crate) fn find_extension(&self, name: &str) -> Option<ExtensionDescriptor> {
        self.pool.find_extension(name).filter(|extension| extension.containing_message() == *self)
    }

    /// The names of the declared fields.
    pub(crate) fn field_names(&self) -> impl Iterator<Item = &str> {
        (0..)
            .map_while(|index| self.field_at(index))
            .filter(|field| !field.is_extension())
            .map(|field| field.name())
    }

    /// The extension of this number.
    #[must_use]
    pub fn get_extension(&self, number: u32) -> Option<ExtensionDescriptor> {
        self.field_by_number(number)?.as_extension()
    }

    /// The field or extension of this number.
    #[inline]
    pub(crate) fn field_by_number(&self, number: u32) -> Option<FieldRef<'_>> {
        let program = self.program();
        let (entry, _) = program.by_number(number)?;
        self.field_at(program.field_of(entry))
    }

    /// The declared field of this name.
    pub(crate) fn field_by_name(&self, name: &str) -> Option<FieldRef<'_>> {
        self.pool.field_by_name(self.index, name)
    }

    /// The field or extension at this position of the message's list, the field index of its program.
    #[inline]
    pub(crate) fn field_at(&self, index: usize) -> Option<FieldRef<'_>> {
        let fields = self.pool.data().messages.get(self.index as usize).map_or(0, |m| m.fields.len());
        (index < fields).then(|| FieldRef::new(&self.pool, self.index, index as u32))
    }

    /// The same path with the field names that the pool knows.
    #[cold]
    pub(crate) fn name_path(&self, path: &FieldPath) -> FieldPath {
        let mut named = FieldPath::default();
        let mut message = Some(self.clone());
        for step in path.steps() {
            let current = message.take();
            let field = current.as_ref().and_then(|m| m.field_by_number(step.number()));
            let name = field.and_then(|f| copy_of(if f.is_extension() { f.json_name() } else { f.name() }));
            named.push_inner(PathStep::new(step.number(), name, step.index()));
            if let Some(Kind::Message(index)) = field.map(|f| f.raw_kind()) {
                message = self.pool.message_at(index);
            }
        }
        named
    }

    /// Whether the message is the entry of a map field: protoc makes one for each, with the fields `key` = 1 and
    /// `value` = 2.
    #[must_use]
    pub fn is_map_entry(&self) -> bool {
        self.data().map_entry
    }

    /// The key of a map entry; `None` for other messages.
    #[must_use]
    pub fn map_entry_key_field(&self) -> Option<FieldDescriptor> {
        self.is_map_entry().then(|| self.get_field(1))?
    }

    /// The value of a map entry; `None` for other messages.
    #[must_use]
    pub fn map_entry_value_field(&self) -> Option<FieldDescriptor> {
        self.is_map_entry().then(|| self.get_field(2))?
    }

    /// Whether the message has the MessageSet wire format.
    #[must_use]
    pub fn is_message_set(&self) -> bool {
        self.data().message_set
    }

    /// Whether the message is marked `deprecated`.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.data().deprecated
    }

    /// The numbers that may be given to extensions; the end is not included.
    #[must_use]
    pub fn extension_ranges(&self) -> impl ExactSizeIterator<Item = Range<u32>> + '_ {
        self.data().extension_ranges.of(&self.pool.data().extension_ranges).iter().map(|r| r.start..r.end)
    }

    /// The numbers that no field may have; the end is not included.
    #[must_use]
    pub fn reserved_ranges(&self) -> impl ExactSizeIterator<Item = Range<u32>> + '_ {
        self.data()
            .reserved_ranges
            .of(&self.pool.data().reserved_ranges)
            .iter()
            .map(|&(start, end)| start..end)
    }

    /// The names that no field may have.
    #[must_use]
    pub fn reserved_names(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        let names = self.data().reserved_names.of(&self.pool.data().reserved_names);
        names.iter().map(|&n| self.pool.data().text(n))
    }

    /// A .proto file with this message and the definitions that it needs: the top-level message around it, and the
    /// definitions of its file that it refers to. The output imports other files.
    ///
    /// Compiles to the same descriptors, see [`FileDescriptor::to_proto`].
    #[must_use]
    pub fn to_proto(&self) -> String {
        print::message(&self.pool, self.index)
    }

    /// As [`to_proto`](Self::to_proto), with only the fields and extensions that `keep` accepts. Its arguments are the
    /// index of a message and the position in its list of fields and extensions. The name of this message ends with `suffix`.
    pub(crate) fn to_proto_of(&self, keep: &dyn Fn(u32, u32) -> bool, suffix: &str) -> String {
        print::record(&self.pool, self.index, keep, suffix)
    }
}

/// A oneof of a message.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct OneofDescriptor {
    message: MessageDescriptor,
    index: u32,
}

described!(OneofDescriptor, "oneof", "that of the message, a dot and the name", "OneofOptions", self => (&self.message.pool, self.message.data().file));

impl OneofDescriptor {
    pub(in crate::schema::pool) fn new(message: &MessageDescriptor, index: u32) -> Self {
        Self { message: message.clone(), index }
    }

    fn data(&self) -> &OneofData {
        &self.message.pool.data().oneofs(self.message.data())[self.index as usize]
    }

    /// The message that has the oneof.
    #[must_use]
    pub fn parent_message(&self) -> &MessageDescriptor {
        &self.message
    }

    /// Whether protoc made the oneof for a proto3 `optional` field. Such a field behaves like any field with explicit
    /// presence.
    #[must_use]
    pub fn is_synthetic(&self) -> bool {
        self.data().synthetic
    }

    /// The members, in the order of the file; at least one.
    #[must_use]
    pub fn fields(&self) -> impl ExactSizeIterator<Item = FieldDescriptor> + '_ {
        let members = self.data().fields.of(&self.message.pool.data().members);
        members.iter().map(|&i| FieldDescriptor::new(&self.message, i))
    }

    /// As [`fields`](Self::fields), borrowed.
    pub(crate) fn field_refs(&self) -> impl ExactSizeIterator<Item = FieldRef<'_>> {
        let members = self.data().fields.of(&self.message.pool.data().members);
        members.iter().map(|&i| FieldRef::new(self.message.parent_pool(), self.message.index, i))
    }
}
