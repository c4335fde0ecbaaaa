//! One family of structs with messages in every position, for the kinds of members that keep bytes.

use super::schema::{Card, Kind, Schema, Syntax};

/// The family in a module of this name, with messages in members of this type: `Box`, or one that keeps bytes.
#[allow(unused_macros, reason = "each test uses a part of this")]
macro_rules! family {
    ($module:ident, $($member:tt)+) => {
        mod $module {
            use std::collections::BTreeMap;
            use tablepb::UnknownFieldSet;

            pub type Member<T> = $($member)+<T>;

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Root {
                pub number: Option<i64>,
                pub one: Option<Member<Inner>>,
                pub list: Vec<Member<Inner>>,
                pub map: BTreeMap<i32, Member<Inner>>,
                pub group: Option<Member<Inner>>,
                pub choice: Option<Choice>,
                pub root: Option<Member<Root>>,
                pub unknown: UnknownFieldSet,
            }

            #[derive(Clone, Debug, PartialEq)]
            pub enum Choice {
                Inner(Member<Inner>),
                Number(i32),
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Inner {
                pub id: Option<i32>,
                pub name: Option<String>,
                pub packed: Vec<i64>,
                pub inner: Option<Member<Inner>>,
                pub groups: Vec<Member<Strict>>,
                pub unknown: UnknownFieldSet,
            }

            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct Strict {
                pub must: Option<u32>,
            }

            tablepb::message! {
                Root as "pkg.Root" {
                    number: optional int64 = 1,
                    one: message Inner = 2,
                    list: repeated message Inner = 3,
                    map: map<int32, message Inner> = 4,
                    group: group Inner = 5,
                    choice: oneof Choice { Inner: message Inner = 6, Number: int32 = 7 },
                    root: message Root = 9,
                    unknown: unknown_fields,
                }
                Inner as "pkg.Inner" {
                    id: optional int32 = 1,
                    name: optional string = 2,
                    packed: repeated sint64 = 3,
                    inner: message Inner = 4,
                    groups: repeated group Strict = 5,
                    unknown: unknown_fields,
                }
                Strict as "pkg.Strict" syntax "proto2" { must: required uint32 = 1 }
            }
        }
    };
}

#[allow(unused_imports, reason = "each test uses a part of this")]
pub(crate) use family;

/// The family for the payload generator.
pub fn schema() -> Schema {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto3);
    let root = schema.message(file, "Root");
    let inner = schema.message(file, "Inner");
    let strict = schema.message(file, "Strict");
    schema.add(root, 1, Kind::Int64, Card::Optional);
    schema.add(root, 2, Kind::Message(inner), Card::Optional);
    schema.add(root, 3, Kind::Message(inner), Card::Repeated);
    schema.add_map(root, 4, Kind::Int32, Kind::Message(inner));
    schema.add(root, 5, Kind::Message(inner), Card::Optional).delimited = true;
    schema.messages[root].oneofs = 1;
    schema.add(root, 6, Kind::Message(inner), Card::Optional).oneof = Some(0);
    schema.add(root, 7, Kind::Int32, Card::Optional).oneof = Some(0);
    schema.add(root, 9, Kind::Message(root), Card::Optional);
    schema.add(inner, 1, Kind::Int32, Card::Optional);
    schema.add(inner, 2, Kind::String, Card::Optional);
    schema.add(inner, 3, Kind::Sint64, Card::Repeated);
    schema.add(inner, 4, Kind::Message(inner), Card::Optional);
    schema.add(inner, 5, Kind::Message(strict), Card::Repeated).delimited = true;
    schema.add(strict, 1, Kind::Uint32, Card::Required);
    schema
}
