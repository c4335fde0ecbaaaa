//! Message types as plain data, with the features of the language already resolved, and the descriptor set that
//! says the same.

use super::wire::Wire;
use tablepb::DescriptorPool;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Proto2,
    Proto3,
    Edition2023,
}

/// A file: its syntax, and what holds for the definitions in it that do not say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    pub syntax: Syntax,
    pub implicit: bool,
    pub packed: bool,
    pub utf8: bool,
    pub delimited: bool,
    pub closed: bool,
}

impl File {
    pub fn new(syntax: Syntax) -> Self {
        let proto2 = syntax == Syntax::Proto2;
        Self {
            syntax,
            implicit: syntax == Syntax::Proto3,
            packed: !proto2,
            utf8: !proto2,
            delimited: false,
            closed: proto2,
        }
    }

    /// `features` that change the defaults of edition 2023 to these.
    fn features(&self) -> Wire {
        let mut features = Wire::new();
        for (on, number, value) in [
            (self.implicit, 1, 2),
            (self.closed, 2, 2),
            (!self.packed, 3, 2),
            (!self.utf8, 4, 3),
            (self.delimited, 5, 2),
        ] {
            if on {
                features = features.int(number, value);
            }
        }
        features
    }
}

/// The type of a field; messages and enums by their index in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Double,
    Float,
    Int64,
    Uint64,
    Int32,
    Fixed64,
    Fixed32,
    Bool,
    String,
    Bytes,
    Uint32,
    Sfixed32,
    Sfixed64,
    Sint32,
    Sint64,
    Enum(usize),
    Message(usize),
}

pub const SCALARS: [Kind; 15] = [
    Kind::Int32,
    Kind::String,
    Kind::Bool,
    Kind::Int64,
    Kind::Uint32,
    Kind::Uint64,
    Kind::Bytes,
    Kind::Double,
    Kind::Float,
    Kind::Fixed32,
    Kind::Fixed64,
    Kind::Sfixed32,
    Kind::Sfixed64,
    Kind::Sint32,
    Kind::Sint64,
];

impl Kind {
    pub fn is_packable(self) -> bool {
        !matches!(self, Self::String | Self::Bytes | Self::Message(_))
    }

    pub fn is_map_key(self) -> bool {
        self != Self::Bytes && self != Self::Float && self != Self::Double && !self.is_reference()
    }

    fn is_reference(self) -> bool {
        matches!(self, Self::Message(_) | Self::Enum(_))
    }

    pub fn is_signed(self) -> bool {
        use Kind::*;
        matches!(self, Int32 | Int64 | Sint32 | Sint64 | Sfixed32 | Sfixed64)
    }

    /// Four bytes in memory.
    pub fn is_32_bit(self) -> bool {
        use Kind::*;
        matches!(self, Float | Int32 | Fixed32 | Uint32 | Sfixed32 | Sint32 | Bool | Enum(_))
    }

    /// The wire type of one value.
    pub fn wire_type(self) -> u32 {
        use Kind::*;
        match self {
            Double | Fixed64 | Sfixed64 => 1,
            Float | Fixed32 | Sfixed32 => 5,
            String | Bytes | Message(_) => 2,
            _ => 0,
        }
    }

    /// The number in `FieldDescriptorProto.Type`.
    fn code(self) -> u64 {
        use Kind::*;
        match self {
            Double => 1,
            Float => 2,
            Int64 => 3,
            Uint64 => 4,
            Int32 => 5,
            Fixed64 => 6,
            Fixed32 => 7,
            Bool => 8,
            String => 9,
            Message(_) => 11,
            Bytes => 12,
            Uint32 => 13,
            Enum(_) => 14,
            Sfixed32 => 15,
            Sfixed64 => 16,
            Sint32 => 17,
            Sint64 => 18,
        }
    }
}

/// Cardinality and presence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Card {
    Implicit,
    Optional,
    Required,
    Repeated,
    Map,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub number: u32,
    pub kind: Kind,
    pub card: Card,
    pub oneof: Option<usize>,
    pub packed: bool,
    /// A group on the wire.
    pub delimited: bool,
    pub utf8: bool,
    pub extension: bool,
}

impl Field {
    /// A field as the file has it unless it says otherwise.
    pub fn new(file: &File, number: u32, kind: Kind, card: Card) -> Self {
        let packed = card == Card::Repeated && kind.is_packable() && file.packed;
        let delimited = card != Card::Map && matches!(kind, Kind::Message(_)) && file.delimited;
        Self { number, kind, card, oneof: None, packed, delimited, utf8: file.utf8, extension: false }
    }

    pub fn is_list(&self) -> bool {
        matches!(self.card, Card::Repeated | Card::Map)
    }

    pub fn name(&self) -> String {
        format!("f{}", self.number)
    }
}

#[derive(Clone, Debug)]
pub struct Message {
    pub name: String,
    pub file: usize,
    /// Fields in any order, extensions included.
    pub fields: Vec<Field>,
    pub oneofs: usize,
    /// First and last number kept for extensions.
    pub extensions: Option<(u32, u32)>,
    pub message_set: bool,
    /// The message that has the map field, if this is a map entry.
    pub entry_of: Option<usize>,
}

impl Message {
    pub fn field(&self, number: u32) -> Option<&Field> {
        self.fields.iter().find(|f| f.number == number)
    }
}

#[derive(Clone, Debug)]
pub struct Enum {
    pub name: String,
    pub file: usize,
    pub numbers: Vec<i32>,
    pub closed: bool,
}

/// Some files that import each other in order.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    pub files: Vec<File>,
    pub messages: Vec<Message>,
    pub enums: Vec<Enum>,
}

impl Schema {
    pub fn file(&mut self, syntax: Syntax) -> usize {
        self.files.push(File::new(syntax));
        self.files.len() - 1
    }

    pub fn message(&mut self, file: usize, name: &str) -> usize {
        self.messages.push(Message {
            name: name.into(),
            file,
            fields: Vec::new(),
            oneofs: 0,
            extensions: None,
            message_set: false,
            entry_of: None,
        });
        self.messages.len() - 1
    }

    pub fn enumeration(&mut self, file: usize, name: &str, closed: bool, numbers: &[i32]) -> usize {
        self.enums.push(Enum { name: name.into(), file, numbers: numbers.to_vec(), closed });
        self.enums.len() - 1
    }

    /// Adds a field with the defaults of the message's file, to be changed by the caller.
    pub fn add(&mut self, message: usize, number: u32, kind: Kind, card: Card) -> &mut Field {
        let file = &self.files[self.messages[message].file];
        let fields = &mut self.messages[message].fields;
        fields.push(Field::new(file, number, kind, card));
        fields.last_mut().unwrap()
    }

    /// Adds a map field and its entry type; gives the index of the latter.
    pub fn add_map(&mut self, message: usize, number: u32, key: Kind, value: Kind) -> usize {
        let file = self.messages[message].file;
        let entry = self.message(file, &format!("F{number}Entry"));
        self.messages[entry].entry_of = Some(message);
        // Entries and their values are never delimited.
        let file = File { delimited: false, ..self.files[file] };
        let part = |number, kind| Field::new(&file, number, kind, Card::Optional);
        self.messages[entry].fields = vec![part(1, key), part(2, value)];
        self.add(message, number, Kind::Message(entry), Card::Map);
        entry
    }

    pub fn full_name(&self, message: usize) -> String {
        let m = &self.messages[message];
        match m.entry_of {
            Some(parent) => format!("{}.{}", self.full_name(parent), m.name),
            None => format!("p{}.{}", m.file, m.name),
        }
    }

    /// The pool of the schema.
    pub fn pool(&self) -> DescriptorPool {
        DescriptorPool::decode(&self.descriptor_set()).unwrap_or_else(|e| panic!("{e}\n{self:#?}"))
    }

    /// The schema as an encoded `FileDescriptorSet`.
    pub fn descriptor_set(&self) -> Vec<u8> {
        let files = 0..self.files.len();
        files.fold(Wire::new(), |set, file| set.message(1, self.file_proto(file))).0
    }

    fn file_proto(&self, file: usize) -> Wire {
        let File { syntax, .. } = self.files[file];
        let mut proto = Wire::new().bytes(1, format!("f{file}.proto")).bytes(2, format!("p{file}"));
        for import in 0..file {
            proto = proto.bytes(3, format!("f{import}.proto"));
        }
        let messages = || (0..self.messages.len()).filter(|&m| self.messages[m].file == file);
        for message in messages().filter(|&m| self.messages[m].entry_of.is_none()) {
            proto = proto.message(4, self.message_proto(message));
        }
        for enumeration in self.enums.iter().filter(|e| e.file == file) {
            proto = proto.message(5, self.enum_proto(enumeration));
        }
        for message in messages() {
            for field in self.messages[message].fields.iter().filter(|f| f.extension) {
                proto = proto.message(7, self.field_proto(message, field));
            }
        }
        match syntax {
            Syntax::Proto2 => proto,
            Syntax::Proto3 => proto.bytes(12, "proto3"),
            Syntax::Edition2023 => {
                let options = Wire::new().message(50, self.files[file].features());
                proto.message(8, options).bytes(12, "editions").int(14, 1000)
            }
        }
    }

    fn message_proto(&self, index: usize) -> Wire {
        let message = &self.messages[index];
        let mut proto = Wire::new().bytes(1, &message.name);
        // Fields of proto3 that are `optional` have oneofs of their own, after all others.
        let mut oneof = message.oneofs;
        for field in message.fields.iter().filter(|f| !f.extension) {
            let mut encoded = self.field_proto(index, field);
            if self.is_proto3_optional(index, field) {
                encoded = encoded.int(9, oneof as u64).int(17, 1);
                oneof += 1;
            }
            proto = proto.message(2, encoded);
        }
        for nested in (0..self.messages.len()).filter(|&m| self.messages[m].entry_of == Some(index)) {
            proto = proto.message(3, self.message_proto(nested));
        }
        if let Some((first, last)) = message.extensions {
            proto = proto.message(5, Wire::new().int(1, first.into()).int(2, last as u64 + 1));
        }
        for oneof in 0..message.oneofs {
            proto = proto.message(8, Wire::new().bytes(1, format!("o{oneof}")));
        }
        for field in message.fields.iter().filter(|f| self.is_proto3_optional(index, f)) {
            proto = proto.message(8, Wire::new().bytes(1, format!("_{}", field.name())));
        }
        let mut options = Wire::new();
        if message.message_set {
            options = options.int(1, 1);
        }
        if message.entry_of.is_some() {
            options = options.int(7, 1);
        }
        if options.0.is_empty() { proto } else { proto.message(7, options) }
    }

    fn is_proto3_optional(&self, message: usize, field: &Field) -> bool {
        let message = &self.messages[message];
        self.files[message.file].syntax == Syntax::Proto3
            && field.card == Card::Optional
            && field.oneof.is_none()
            && message.entry_of.is_none()
            && !matches!(field.kind, Kind::Message(_))
    }

    fn field_proto(&self, owner: usize, field: &Field) -> Wire {
        let message = &self.messages[owner];
        let File { syntax, .. } = self.files[message.file];
        let label = match field.card {
            Card::Required if syntax == Syntax::Proto2 => 2,
            Card::Repeated | Card::Map => 3,
            _ => 1,
        };
        let name = match (message.entry_of, field.number) {
            (Some(_), 1) => "key".into(),
            (Some(_), _) => "value".into(),
            _ if field.extension => format!("x{owner}_{}", field.number),
            _ => field.name(),
        };
        let group = field.delimited && syntax == Syntax::Proto2;
        let mut proto = Wire::new()
            .bytes(1, name)
            .int(3, field.number.into())
            .int(4, label)
            .int(5, if group { 10 } else { field.kind.code() });
        if field.extension {
            proto = proto.bytes(2, format!(".{}", self.full_name(owner)));
        }
        match field.kind {
            Kind::Message(m) => proto = proto.bytes(6, format!(".{}", self.full_name(m))),
            Kind::Enum(e) => {
                proto = proto.bytes(6, format!(".p{}.{}", self.enums[e].file, self.enums[e].name));
            }
            _ => {}
        }
        if let Some(oneof) = field.oneof {
            proto = proto.int(9, oneof as u64);
        }
        let options = self.field_options(message, field);
        if options.0.is_empty() { proto } else { proto.message(8, options) }
    }

    /// Says what differs from the defaults of the file.
    fn field_options(&self, message: &Message, field: &Field) -> Wire {
        let file = &self.files[message.file];
        let usual = Field::new(file, field.number, field.kind, field.card);
        let mut options = Wire::new();
        if file.syntax != Syntax::Edition2023 {
            return if field.packed == usual.packed { options } else { options.int(2, field.packed.into()) };
        }
        let entry = message.entry_of.is_some();
        let is_message = matches!(field.kind, Kind::Message(_));
        let mut features = Wire::new();
        match field.card {
            Card::Required => features = features.int(1, 3),
            Card::Implicit if !file.implicit => features = features.int(1, 2),
            Card::Optional
                if file.implicit && !entry && !is_message && !field.extension && field.oneof.is_none() =>
            {
                features = features.int(1, 1);
            }
            _ => {}
        }
        if field.packed != usual.packed {
            features = features.int(3, if field.packed { 1 } else { 2 });
        }
        if field.kind == Kind::String && field.utf8 != usual.utf8 {
            features = features.int(4, if field.utf8 { 2 } else { 3 });
        }
        if field.delimited != usual.delimited && !entry {
            features = features.int(5, if field.delimited { 2 } else { 1 });
        }
        if !features.0.is_empty() {
            options = options.message(21, features);
        }
        options
    }

    fn enum_proto(&self, enumeration: &Enum) -> Wire {
        let mut proto = Wire::new().bytes(1, &enumeration.name);
        for number in &enumeration.numbers {
            let name = format!("{}_{}", enumeration.name, number).replace('-', "N");
            proto = proto.message(2, Wire::new().bytes(1, name).int(2, *number as i64 as u64));
        }
        let file = &self.files[enumeration.file];
        if file.syntax == Syntax::Edition2023 && enumeration.closed != file.closed {
            let openness = if enumeration.closed { 2 } else { 1 };
            proto = proto.message(3, Wire::new().message(7, Wire::new().int(2, openness)));
        }
        proto
    }
}
