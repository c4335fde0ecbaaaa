//! Pools made of tables say the same as pools made of files: random sets of files, over packages that need each other, become
//! tables, and any of these are the roots of a pool. The same bytes are then the same JSON, the same text and the same bytes again.

use crate::common::choices::Choices;
use crate::common::rounds;
use crate::common::wire::Wire;
use std::cell::RefCell;
use tablepb::table::{Cardinality, DefaultValue, EnumTable, FieldTable, Kind, MessageTable, Syntax};
use tablepb::{DescriptorPool, DynamicMessage, FieldDescriptor, MessageDescriptor};

/// The most messages, and the most enums, of a set.
const MOST: usize = 32;

thread_local! {
    /// The tables of the set at hand: functions of tables hold nothing.
    static MESSAGES: RefCell<[Option<&'static MessageTable>; MOST]> = const { RefCell::new([None; MOST]) };
    static ENUMS: RefCell<[Option<&'static EnumTable>; MOST]> = const { RefCell::new([None; MOST]) };
}

fn message_at<const AT: usize>() -> &'static MessageTable {
    MESSAGES.with_borrow(|all| all[AT].unwrap())
}

fn enum_at<const AT: usize>() -> &'static EnumTable {
    ENUMS.with_borrow(|all| all[AT].unwrap())
}

macro_rules! functions {
    ($name:ident: $($at:literal)+) => { [$($name::<$at>),+] };
}

const MESSAGE_AT: [fn() -> &'static MessageTable; MOST] = functions!(message_at: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
const ENUM_AT: [fn() -> &'static EnumTable; MOST] = functions!(enum_at: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);

/// A type of the set: its full name, the place of the file, and whether an enum is closed.
struct Type {
    name: String,
    file: usize,
    is_enum: bool,
    closed: bool,
}

#[derive(Default)]
struct Node {
    fields: Vec<Wire>,
    nested: Vec<usize>,
    enums: Vec<Wire>,
    entries: Vec<Wire>,
    oneofs: Vec<Wire>,
}

/// A set of files, each of which imports all before it.
struct Set {
    types: Vec<Type>,
    nodes: Vec<Node>,
    syntaxes: Vec<&'static str>,
    packages: Vec<&'static str>,
}

const PACKAGES: [&str; 6] = ["", "x", "y", "x.z", "x.z.w", "google.protobuf.any"];

impl Set {
    fn random(choices: &mut Choices) -> Self {
        let mut set = Self { types: vec![], nodes: vec![], syntaxes: vec![], packages: vec![] };
        for file in 0..1 + choices.below(5) {
            let package = *choices.pick(&PACKAGES);
            set.packages.push(package);
            set.syntaxes.push(*choices.pick(&["proto2", "proto3", "editions"]));
            let mut scopes = vec![(String::from(package), None)];
            for _ in 0..1 + choices.below(5) {
                let (scope, parent) = choices.pick(&scopes).clone();
                if set.nodes.len() == MOST || scope.matches('.').count() > 6 {
                    break;
                }
                let at = set.add(&scope, parent, file, choices);
                scopes.push((set.types[at].name.clone(), Some(set.node_of(at))));
            }
        }
        for at in 0..set.types.len() {
            if !set.types[at].is_enum {
                set.fill(at, choices);
            }
        }
        set
    }

    fn node_of(&self, at: usize) -> usize {
        self.types[..at].iter().filter(|of| !of.is_enum).count()
    }

    /// A message, and an enum beside or inside of it.
    fn add(&mut self, scope: &str, parent: Option<usize>, file: usize, choices: &mut Choices) -> usize {
        let count = self.types.len();
        let dot = if scope.is_empty() { "" } else { "." };
        let name = format!("{scope}{dot}M{count}");
        let at = self.nodes.len();
        self.nodes.push(Node::default());
        if let Some(parent) = parent {
            self.nodes[parent].nested.push(at);
        }
        self.types.push(Type { name: name.clone(), file, is_enum: false, closed: false });
        if choices.below(2) == 0 {
            let closed = match self.syntaxes[file] {
                "proto2" => true,
                "proto3" => false,
                _ => choices.below(2) == 0,
            };
            let first = if closed { choices.below(3) as i32 - 1 } else { 0 };
            let values = (0..3)
                .map(|i| Wire::new().bytes(1, format!("V{count}_{i}")).int(2, (first + i * 3) as i64 as u64));
            let mut proto = values.fold(Wire::new().bytes(1, "E"), |proto, value| proto.message(2, value));
            if closed && self.syntaxes[file] == "editions" {
                proto = proto.message(3, Wire::new().message(7, Wire::new().int(2, 2)));
            }
            self.nodes[at].enums.push(proto);
            self.types.push(Type { name: name + ".E", file, is_enum: true, closed });
        }
        count
    }

    fn fill(&mut self, at: usize, choices: &mut Choices) {
        let (file, syntax) = (self.types[at].file, self.syntaxes[self.types[at].file]);
        let index = self.node_of(at);
        let mut node = std::mem::take(&mut self.nodes[index]);
        for number in 1..=choices.below(6) {
            let name = format!("f_{number}");
            // A type of this file or of one before it.
            let number = number as u64;
            let visible: Vec<&Type> = self.types.iter().filter(|of| of.file <= file).collect();
            let of = visible[choices.below(visible.len())];
            let repeated = choices.once_in(4);
            let unfit = of.is_enum && of.closed && syntax == "proto3";
            let (code, type_name) = match choices.below(4) {
                0 => (*choices.pick(&[1, 2, 3, 5, 8, 9, 12, 17]), None),
                _ if unfit => (9, None),
                _ if of.is_enum => (14, Some(format!(".{}", of.name))),
                _ => (11, Some(format!(".{}", of.name))),
            };
            let mut field = Wire::new().bytes(1, &name).int(3, number);
            if choices.once_in(6) && code != 14 {
                let entry = format!("F{number}Entry");
                let mut value = Wire::new().bytes(1, "value").int(3, 2).int(4, 1).int(5, code);
                if let Some(name) = &type_name {
                    value = value.bytes(6, name);
                }
                let key = Wire::new().bytes(1, "key").int(3, 1).int(4, 1).int(5, 9);
                let options = Wire::new().int(7, 1);
                let message =
                    Wire::new().bytes(1, &entry).message(2, key).message(2, value).message(7, options);
                node.entries.push(message);
                let name = format!(".{}.{entry}", self.types[at].name);
                node.fields.push(field.int(4, 3).int(5, 11).bytes(6, name));
                continue;
            }
            field = field.int(4, if repeated { 3 } else { 1 }).int(5, code);
            if let Some(name) = &type_name {
                field = field.bytes(6, name);
            }
            if !repeated && choices.once_in(4) {
                field = field.int(9, node.oneofs.len() as u64);
                node.oneofs.push(Wire::new().bytes(1, format!("o{number}")));
            } else if syntax == "proto2" && code == 5 && !repeated && choices.once_in(2) {
                field = field.bytes(7, "-7");
            }
            node.fields.push(field);
        }
        self.nodes[index] = node;
    }

    fn message(&self, node: usize) -> Wire {
        let at = (0..self.types.len()).filter(|&at| !self.types[at].is_enum).nth(node).unwrap();
        let name = self.types[at].name.rsplit('.').next().unwrap();
        let node = &self.nodes[node];
        let proto = node.fields.iter().fold(Wire::new().bytes(1, name), |p, f| p.message(2, f.clone()));
        let proto = node.nested.iter().fold(proto, |proto, &inner| proto.message(3, self.message(inner)));
        let proto = node.entries.iter().fold(proto, |proto, entry| proto.message(3, entry.clone()));
        let proto = node.enums.iter().fold(proto, |proto, inner| proto.message(4, inner.clone()));
        node.oneofs.iter().fold(proto, |proto, oneof| proto.message(8, oneof.clone()))
    }

    fn pool(&self) -> DescriptorPool {
        let nested: Vec<usize> = self.nodes.iter().flat_map(|node| node.nested.clone()).collect();
        let mut set = Wire::new();
        for (file, (package, syntax)) in self.packages.iter().zip(&self.syntaxes).enumerate() {
            let mut proto = Wire::new().bytes(1, format!("{file}.proto")).bytes(2, package);
            proto = (0..file).fold(proto, |proto, before| proto.bytes(3, format!("{before}.proto")));
            for (node, of) in self.types.iter().filter(|of| !of.is_enum).enumerate() {
                if of.file == file && !nested.contains(&node) {
                    proto = proto.message(4, self.message(node));
                }
            }
            if *syntax != "proto2" {
                proto = proto.bytes(12, syntax);
            }
            if *syntax == "editions" {
                proto = proto.int(14, 1000);
            }
            set = set.message(1, proto);
        }
        DescriptorPool::decode(&set.0).unwrap()
    }
}

fn leaked(text: &str) -> &'static str {
    Box::leak(String::from(text).into_boxed_str())
}

/// Makes tables of all types of a pool. They stay in memory: a hundred kilobytes for each set.
fn tables(pool: &DescriptorPool) -> Vec<&'static MessageTable> {
    let enums: Vec<_> = pool.all_enums().collect();
    for (at, of) in enums.iter().enumerate() {
        let values: Vec<_> = of.values().map(|value| (leaked(value.name()), value.number())).collect();
        let mut table = EnumTable::new(leaked(of.full_name()), Box::leak(values.into_boxed_slice()));
        if of.is_closed() {
            table = table.closed();
        }
        ENUMS.with_borrow_mut(|all| all[at] = Some(Box::leak(Box::new(table))));
    }
    let messages: Vec<_> = pool.all_messages().filter(|message| !message.is_map_entry()).collect();
    let kind = |field: &FieldDescriptor| {
        field.kind().map(
            |message| MESSAGE_AT[messages.iter().position(|other| other == message).unwrap()],
            |of| ENUM_AT[enums.iter().position(|other| other == of).unwrap()],
        )
    };
    let table_of = |(at, message): (usize, &MessageDescriptor)| {
        let proto2 = message.parent_file().edition() == tablepb::schema::Edition::Proto2;
        let fields: Vec<_> = message.fields().map(|field| table_of_field(&field, proto2, &kind)).collect();
        let table = MessageTable::new(leaked(message.full_name()), Box::leak(fields.into_boxed_slice()));
        let table = table.syntax(if proto2 { Syntax::Proto2 } else { Syntax::Proto3 });
        let table: &'static MessageTable = Box::leak(Box::new(table));
        MESSAGES.with_borrow_mut(|all| all[at] = Some(table));
        table
    };
    messages.iter().enumerate().map(table_of).collect()
}

fn table_of_field(
    field: &FieldDescriptor,
    proto2: bool,
    kind: &dyn Fn(&FieldDescriptor) -> tablepb::table::TableKind,
) -> FieldTable {
    let name = leaked(field.name());
    if let Kind::Message(entry) = field.kind()
        && field.is_map()
    {
        let (key, value) = (entry.map_entry_key_field().unwrap(), entry.map_entry_value_field().unwrap());
        return FieldTable::map(name, field.number(), kind(&key), kind(&value));
    }
    let mut table = FieldTable::new(name, field.number(), kind(field));
    if field.cardinality() == Cardinality::Repeated {
        table = table.repeated();
    } else if let Some(oneof) = field.containing_oneof() {
        table = table.oneof(leaked(oneof.name()));
    } else if field.supports_presence() && !proto2 {
        table = table.optional();
    }
    match field.explicit_default() {
        Some(DefaultValue::Int(value)) => table.default_value(DefaultValue::Int(value)),
        _ => table,
    }
}

/// Bytes of a message, with fields of the right wire types.
fn payload(message: &MessageDescriptor, depth: u32, choices: &mut Choices) -> Wire {
    let mut out = Wire::new();
    for field in message.fields() {
        if choices.once_in(3) {
            continue;
        }
        for _ in 0..if field.cardinality() == Cardinality::Repeated { 1 + choices.below(2) } else { 1 } {
            let number = field.number();
            out = match field.kind() {
                Kind::Message(inner) if depth > 0 => out.message(number, payload(&inner, depth - 1, choices)),
                Kind::Message(_) => out,
                Kind::String | Kind::Bytes => out.bytes(number, choices.pick(&["", "a", "é\n"])),
                Kind::Double => out.fixed64(number, choices.pick(&[0.0, 1.5, f64::NAN]).to_bits()),
                Kind::Float => out.fixed32(number, choices.pick(&[0.0, 1.5, f32::NAN]).to_bits()),
                Kind::Enum(_) => out.int(number, choices.below(9) as u64),
                _ => out.int(number, choices.below(2) as u64),
            };
        }
    }
    out
}

#[test]
fn pools_of_tables_agree_with_pools_of_files() {
    for seed in 0..u64::from(rounds(200)) {
        let choices = &mut Choices::seeded(seed);
        let files = Set::random(choices).pool();
        let tables = tables(&files);
        for _ in 0..4 {
            let root = *choices.pick(&tables);
            let mut roots = vec![root];
            roots.extend((0..choices.below(3)).map(|_| *choices.pick(&tables)));
            let pool =
                DescriptorPool::from_tables(&roots).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            // What is made of tables is a set that every implementation takes.
            let again = DescriptorPool::decode(&pool.encode_to_vec().unwrap()).unwrap();
            let named = |pool: &DescriptorPool| pool.message(root.full_name()).unwrap();
            let bytes = payload(&named(&files), 4, choices).0;
            let expected = DynamicMessage::decode(&named(&files), &bytes).unwrap();
            for pool in [&pool, &again] {
                let message = DynamicMessage::decode(&named(pool), &bytes).unwrap();
                assert_eq!(
                    message.encode_to_vec().unwrap(),
                    expected.encode_to_vec().unwrap(),
                    "seed {seed}"
                );
                assert_eq!(
                    tablepb::text::to_string(&message).unwrap(),
                    tablepb::text::to_string(&expected).unwrap(),
                    "seed {seed}"
                );
                let json = tablepb::json::to_string(&expected).unwrap();
                assert_eq!(tablepb::json::to_string(&message).unwrap(), json, "seed {seed}");
                let parsed = tablepb::json::message_from_slice(&named(pool), json.as_bytes()).unwrap();
                assert_eq!(tablepb::json::to_string(&parsed).unwrap(), json, "seed {seed}");
            }
        }
    }
}
