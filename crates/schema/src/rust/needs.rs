//! Which types are written, and what follows from their members: boxes, lifetimes and traits.
//!
//! Nothing recurses: schemas may be chains of any length.

use super::groups::groups;
use super::options::{MapType, RustOptions, TextType};
use alloc::{vec, vec::Vec};
use tablepb::schema::FileDescriptor;
use tablepb::table::Kind;
use tablepb::{DescriptorPool, EnumDescriptor, FieldDescriptor, MessageDescriptor, wkt};

/// What a member brings into its struct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traits(u8);

impl Traits {
    pub(super) const BORROWS: Self = Self(1);
    pub(super) const NO_EQ: Self = Self(2);
    pub(super) const NO_HASH: Self = Self(4);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The types of a listing.
pub(super) struct Needs<'o> {
    options: &'o RustOptions,
    /// Per message and enum of the pool.
    messages: Vec<bool>,
    enums: Vec<bool>,
    traits: Vec<Traits>,
    /// Messages of one group contain each other, so their members need a `Box`.
    groups: Vec<u32>,
    todo: Vec<MessageDescriptor>,
}

/// The field that has the values: of a map, that of its entry.
pub(super) fn value_of(field: &FieldDescriptor) -> FieldDescriptor {
    match field.kind() {
        Kind::Message(entry) if field.is_map() => {
            entry.map_entry_value_field().unwrap_or_else(|| field.clone())
        }
        _ => field.clone(),
    }
}

impl<'o> Needs<'o> {
    pub(super) fn new(pool: &DescriptorPool, options: &'o RustOptions) -> Self {
        let messages = pool.all_messages().len();
        Self {
            options,
            messages: vec![false; messages],
            enums: vec![false; pool.all_enums().len()],
            traits: vec![Traits::default(); messages],
            groups: Vec::new(),
            todo: Vec::new(),
        }
    }

    pub(super) fn options(&self) -> &'o RustOptions {
        self.options
    }

    /// Whether a type is written, and not one of `tablepb::wkt`.
    pub(super) fn has_message(&self, message: &MessageDescriptor) -> bool {
        self.messages.get(message.index() as usize).is_some_and(|&has| has)
    }

    pub(super) fn has_enum(&self, enumeration: &EnumDescriptor) -> bool {
        self.enums.get(enumeration.index() as usize).is_some_and(|&has| has)
    }

    /// Writes a message.
    pub(super) fn message(&mut self, message: MessageDescriptor) {
        if let Some(has) = self.messages.get_mut(message.index() as usize)
            && !*has
            && !message.is_map_entry()
        {
            *has = true;
            self.todo.push(message);
        }
    }

    /// Writes an enum.
    pub(super) fn enumeration(&mut self, enumeration: &EnumDescriptor) {
        if let Some(has) = self.enums.get_mut(enumeration.index() as usize) {
            *has = true;
        }
    }

    /// Writes all types of a file, for a pool without those that `tablepb::wkt` has.
    pub(super) fn file(&mut self, file: &FileDescriptor, of_pool: bool) {
        let left_out = |name: &str| of_pool && self.options.well_known && is_well_known(name);
        let enums = file.enums().filter(|e| !left_out(e.full_name())).collect::<Vec<_>>();
        let mut messages = file.messages().filter(|m| !left_out(m.full_name())).collect::<Vec<_>>();
        enums.iter().for_each(|e| self.enumeration(e));
        while let Some(message) = messages.pop() {
            message.child_enums().for_each(|e| self.enumeration(&e));
            messages.extend(message.child_messages());
            self.message(message);
        }
    }

    /// Adds what the types need, and finds what follows from all of it.
    pub(super) fn complete(mut self) -> Self {
        // From a message to those that it has as values, and from one to those that have it as a value of any kind.
        let mut contents = vec![Vec::new(); self.messages.len()];
        let mut users = vec![Vec::new(); self.messages.len()];
        while let Some(message) = self.todo.pop() {
            let from = message.index();
            let mut traits = Traits::default();
            for field in message.fields() {
                traits = traits.with(self.own_traits(&field));
                match value_of(&field).kind() {
                    Kind::Message(to) if !self.is_wkt(to.full_name(), self.has_message(&to)) => {
                        if !field.is_list() && !field.is_map() {
                            contents[from as usize].push(to.index());
                        }
                        users[to.index() as usize].push(from);
                        self.message(to);
                    }
                    Kind::Enum(e) if !self.is_wkt(e.full_name(), self.has_enum(&e)) => self.enumeration(&e),
                    _ => {}
                }
            }
            self.traits[from as usize] = traits;
        }
        self.groups = groups(&contents);
        self.spread(&users);
        self
    }

    fn is_wkt(&self, full_name: &str, is_written: bool) -> bool {
        self.options.well_known && !is_written && is_well_known(full_name)
    }

    /// What a field itself brings, without the message in it.
    fn own_traits(&self, field: &FieldDescriptor) -> Traits {
        let mut traits = self.kind_traits(&value_of(field));
        if let Kind::Message(entry) = field.kind()
            && let Some(key) = entry.map_entry_key_field()
            && field.is_map()
        {
            traits = traits.with(self.kind_traits(&key));
            if self.options.maps != MapType::BTreeMap {
                traits = traits.with(Traits::NO_HASH);
            }
        }
        traits
    }

    fn kind_traits(&self, field: &FieldDescriptor) -> Traits {
        const NO_WKT_EQ: &[&str] = &["Value", "Struct", "ListValue", "DoubleValue", "FloatValue"];
        let no_eq = Traits::NO_EQ.with(Traits::NO_HASH);
        let borrows = |text| match text {
            TextType::Borrowed | TextType::Cow => Traits::BORROWS,
            TextType::Owned | TextType::Shared => Traits::default(),
        };
        match field.kind() {
            Kind::String => borrows(self.options.strings),
            Kind::Bytes => borrows(self.options.bytes),
            Kind::Float | Kind::Double => no_eq,
            Kind::Message(to)
                if self.is_wkt(to.full_name(), self.has_message(&to)) && NO_WKT_EQ.contains(&to.name()) =>
            {
                no_eq
            }
            _ => Traits::default(),
        }
    }

    /// Hands what a message brings to all that have it.
    fn spread(&mut self, users: &[Vec<u32>]) {
        let mut todo: Vec<u32> = (0..users.len() as u32).collect();
        while let Some(from) = todo.pop() {
            let traits = self.traits[from as usize];
            for &user in &users[from as usize] {
                let all = self.traits[user as usize].with(traits);
                if all != self.traits[user as usize] {
                    self.traits[user as usize] = all;
                    todo.push(user);
                }
            }
        }
    }

    /// What a message brings.
    pub(super) fn traits_of(&self, message: &MessageDescriptor) -> Traits {
        self.traits.get(message.index() as usize).copied().unwrap_or_default()
    }

    /// What a field brings, with the message in it.
    pub(super) fn field_traits(&self, field: &FieldDescriptor) -> Traits {
        match value_of(field).kind() {
            Kind::Message(to) => self.own_traits(field).with(self.traits_of(&to)),
            _ => self.own_traits(field),
        }
    }

    /// Whether a singular member needs a `Box`, because its message contains the one that has the field.
    pub(super) fn is_boxed(&self, field: &FieldDescriptor, to: &MessageDescriptor) -> bool {
        let group = |message: &MessageDescriptor| self.groups.get(message.index() as usize);
        !field.is_list()
            && !field.parent_message().is_map_entry()
            && self.has_message(to)
            && group(field.parent_message()) == group(to)
    }
}

/// Whether [`wkt`] has a struct or an enum for the type.
pub(super) fn is_well_known(full_name: &str) -> bool {
    full_name == "google.protobuf.NullValue" || wkt::TABLES.iter().any(|table| table.full_name() == full_name)
}
