//! Which types are written, and what follows from their members: boxes, lifetimes and traits.
//!
//! Nothing recurses: schemas may be chains of any length.

use super::groups::groups;
use super::options::{MapType, RustOptions, TextType};
use alloc::string::String;
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
        let left_out = |name: &str| {
            of_pool && self.options.well_known && is_well_known(name)
                || !self.options.is_wanted(name)
                || self.options.external(name).is_some()
        };
        let mut enums = file.enums().collect::<Vec<_>>();
        let mut messages = file.messages().collect::<Vec<_>>();
        while let Some(message) = messages.pop() {
            enums.extend(message.child_enums());
            messages.extend(message.child_messages());
            if !left_out(message.full_name()) {
                self.message(message);
            }
        }
        enums.iter().filter(|e| !left_out(e.full_name())).for_each(|e| self.enumeration(e));
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
                    Kind::Message(to) if !self.is_elsewhere(to.full_name(), self.has_message(&to)) => {
                        if !field.is_list() && !field.is_map() {
                            contents[from as usize].push(to.index());
                        }
                        users[to.index() as usize].push(from);
                        self.message(to);
                    }
                    Kind::Enum(e) if !self.is_elsewhere(e.full_name(), self.has_enum(&e)) => {
                        self.enumeration(&e)
                    }
                    _ => {}
                }
            }
            self.traits[from as usize] = traits;
        }
        self.groups = groups(&contents);
        self.spread(&users);
        self
    }

    /// Whether a type is one of `tablepb::wkt`, or has a path that the caller gave.
    fn is_elsewhere(&self, full_name: &str, is_written: bool) -> bool {
        !is_written
            && (self.options.well_known && is_well_known(full_name)
                || self.options.external(full_name).is_some())
    }

    /// The path of a type that is not written. `of_library` makes that of one of `tablepb::wkt`.
    pub(super) fn elsewhere(
        &self,
        full_name: &str,
        is_written: bool,
        of_library: impl FnOnce(&str) -> String,
    ) -> Option<String> {
        if is_written {
            return None;
        }
        let name = full_name.rsplit('.').next().unwrap_or(full_name);
        let library = || (self.options.well_known && is_well_known(full_name)).then(|| of_library(name));
        self.options.external(full_name).or_else(library)
    }

    /// What a field itself brings, without the message in it.
    fn own_traits(&self, field: &FieldDescriptor) -> Traits {
        let mut traits = self.kind_traits(&value_of(field), field);
        if let Kind::Message(entry) = field.kind()
            && let Some(key) = entry.map_entry_key_field()
            && field.is_map()
        {
            traits = traits.with(self.kind_traits(&key, field));
            if self.options.maps_of(field) != MapType::BTreeMap {
                traits = traits.with(Traits::NO_HASH);
            }
        }
        traits
    }

    /// What a value brings; `owner` is the map, or the field itself.
    fn kind_traits(&self, field: &FieldDescriptor, owner: &FieldDescriptor) -> Traits {
        const NO_WKT_EQ: &[&str] = &["Value", "Struct", "ListValue", "DoubleValue", "FloatValue"];
        let no_eq = Traits::NO_EQ.with(Traits::NO_HASH);
        let borrows = |text| match text {
            TextType::Borrowed | TextType::Cow => Traits::BORROWS,
            TextType::Owned | TextType::Shared => Traits::default(),
        };
        match field.kind() {
            Kind::String => borrows(self.options.strings_of(owner)),
            Kind::Bytes => borrows(self.options.bytes_of(owner)),
            Kind::Float | Kind::Double => no_eq,
            Kind::Message(to) if self.options.external(to.full_name()).is_some() => no_eq,
            Kind::Message(to)
                if self.is_elsewhere(to.full_name(), self.has_message(&to))
                    && NO_WKT_EQ.contains(&to.name()) =>
            {
                no_eq
            }
            Kind::Message(to) if self.is_lazy(owner, &to) => Traits::NO_HASH,
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
            && !self.is_lazy(field, to)
            && self.has_message(to)
            && (self.options.is_boxed(field) || group(field.parent_message()) == group(to))
    }

    /// Whether a singular member is decoded on first access: not if its message borrows, or is of `tablepb::wkt`.
    pub(super) fn is_lazy(&self, field: &FieldDescriptor, to: &MessageDescriptor) -> bool {
        let singular = !field.is_list() && !field.is_map() && !field.parent_message().is_map_entry();
        singular
            && self.options.is_lazy(field)
            && self.has_message(to)
            && !self.traits_of(to).has(Traits::BORROWS)
    }
}

/// Whether [`wkt`] has a struct or an enum for the type.
pub(super) fn is_well_known(full_name: &str) -> bool {
    full_name == "google.protobuf.NullValue" || wkt::TABLES.iter().any(|table| table.full_name() == full_name)
}
