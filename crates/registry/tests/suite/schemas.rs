//! Schemas by their ids: references, records, subjects, registration.

use super::*;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tablepb::{DescriptorPool, DynamicMessage};
use tablepb_registry::{Schema, Version};
use tablepb_schema::SourceBuilder;

const ITEM: &str = r#"syntax = "proto3"; package shop; message Item { string name = 1; }"#;
const ITEM_2: &str =
    r#"syntax = "proto3"; package shop; message Item { string name = 1; uint32 count = 2; }"#;
const ORDER: &str = r#"syntax = "proto3"; package shop; import "shop/item.proto"; import "google/protobuf/timestamp.proto";
message Meta {} message Order { message Line { Item item = 1; } Line line = 1; google.protobuf.Timestamp at = 2; }"#;

/// A registry with orders, which refer to items; the id of the orders.
fn shop() -> (Server, u32) {
    let server = Server::start();
    server.add("items", schema(ITEM, &[]));
    let id = server.add("orders-value", schema(ORDER, &[("shop/item.proto", "items", 1)]));
    (server, id)
}

fn record(registry: &Registry, id: u32, name: &str, json: &str) -> Vec<u8> {
    let message = registry.file(id).unwrap().parent_pool().message(name).unwrap();
    let message = tablepb::json::message_from_slice(&message, json.as_bytes()).unwrap();
    let mut record = b"before".to_vec();
    registry.append_record(id, &message, &mut record).unwrap();
    record.split_off(6)
}

#[test]
fn records_have_their_types_with_all_that_they_refer_to() {
    let (server, id) = shop();
    let registry = registry(&server);
    let record = record(&registry, id, "shop.Order.Line", r#"{"item": {"name": "tea"}}"#);
    // Id 2; two indexes, 1 and 0.
    assert_eq!(record, b"\0\0\0\0\x02\x04\x02\0\x0a\x05\x0a\x03tea");
    let (line, payload) = registry.message(&record).unwrap();
    assert_eq!(line.full_name(), "shop.Order.Line");
    let message = DynamicMessage::decode(&line, payload).unwrap();
    assert_eq!(tablepb::json::to_string(&message).unwrap(), r#"{"item":{"name":"tea"}}"#);
    // Two questions, whatever comes.
    assert_eq!(server.asked(), 2);
    for _ in 0..100 {
        registry.message(&record).unwrap();
    }
    assert_eq!(server.asked(), 0);
    assert!(registry.known(id).unwrap().is_ok() && registry.known(9).is_none());
}

#[test]
fn versions_of_a_schema_mix_in_a_topic() {
    let server = Server::start();
    for text in [ITEM, ITEM_2, &ITEM_2.replace("count = 2;", "count = 2; bool sold = 3;")] {
        server.add("items", schema(text, &[]));
    }
    let registry = registry(&server);
    let json = [r#"{"name":"a"}"#, r#"{"name":"b","count":2}"#, r#"{"name":"c","sold":true}"#];
    for round in 0..6 {
        let at = round % 3;
        let record = record(&registry, at as u32 + 1, "shop.Item", json[at]);
        let (item, payload) = registry.message(&record).unwrap();
        let message = DynamicMessage::decode(&item, payload).unwrap();
        assert_eq!(tablepb::json::to_string(&message).unwrap(), json[at]);
    }
    assert_eq!(server.asked(), 3);
    // A message of an older version may be framed with the id of a newer one.
    let old = registry.file(1).unwrap().parent_pool().message("shop.Item").unwrap();
    let message = tablepb::json::message_from_slice(&old, b"{}").unwrap();
    let mut record = Vec::new();
    registry.append_record(3, &message, &mut record).unwrap();
    assert_eq!(record, b"\0\0\0\0\x03\0");
}

#[test]
fn imports_of_imports_are_the_newest_version_that_one_of_them_names() {
    let server = Server::start();
    server.add("items", schema(ITEM, &[]));
    server.add("items", schema(ITEM_2, &[]));
    let list =
        r#"syntax = "proto3"; package shop; import "item.proto"; message List { repeated Item items = 1; }"#;
    server.add("lists", schema(list, &[("item.proto", "items", 2)]));
    let both = r#"syntax = "proto3"; package shop; import "item.proto"; import "list.proto"; message Both { Item item = 1; List list = 2; }"#;
    for references in [
        [("item.proto", "items", 1), ("list.proto", "lists", 1)],
        [("list.proto", "lists", 1), ("item.proto", "items", 1)],
    ] {
        let id = server.add("both", schema(both, &references));
        let file = registry(&server).file(id).unwrap();
        assert!(file.parent_pool().message("shop.Item").unwrap().field("count").is_ok());
        // Subjects are others.
        let other = [references[0], references[1], ("item.proto", "lists", 1)];
        let id = server.add("both", schema(both, &other));
        let error = registry(&server).file(id).unwrap_err();
        assert!(matches!(error.kind(), RegistryErrorKind::References(_)), "{error}");
    }
}

#[test]
fn schemas_that_are_encoded_descriptors_are_read_too() {
    let pool =
        SourceBuilder::new().source("shop/item.proto", ITEM_2).source("order.proto", ORDER).build().unwrap();
    let base64 = |name: &str| STANDARD.encode(pool.file(name).unwrap().file_descriptor_proto_bytes());
    let server = Server::start();
    server.add("items", schema(&base64("shop/item.proto"), &[]));
    let orders = server.add("orders", schema(&base64("order.proto"), &[("shop/item.proto", "items", 1)]));
    let registry = registry(&server);
    let record = record(&registry, orders, "shop.Order", r#"{"line": {"item": {"count": 3}}}"#);
    assert_eq!(registry.message(&record).unwrap().0.full_name(), "shop.Order");

    let bad = server.add("bad", schema(&STANDARD.encode(b"\x0a\x7f"), &[]));
    assert!(matches!(registry.file(bad).unwrap_err().kind(), RegistryErrorKind::Answer(_)));
}

#[test]
fn subjects_and_versions() {
    let (server, id) = shop();
    let registry = registry(&server);
    // A name that has to be escaped.
    server.add("items", schema(ITEM_2, &[]));
    let escaped = "a/b c?ü-value";
    server.add(escaped, schema(ITEM, &[]));
    assert_eq!(registry.subjects().unwrap(), [escaped, "items", "orders-value"]);
    assert_eq!(registry.versions("items").unwrap(), [1, 2]);
    let latest = registry.version("items", Version::Latest).unwrap();
    assert_eq!((latest.subject.as_str(), latest.version, latest.id), ("items", 2, 3));
    assert!(latest.file.parent_pool().message("shop.Item").unwrap().field("count").is_ok());
    let first = registry.version(escaped, Version::Number(1)).unwrap();
    assert_eq!((first.version, first.id), (1, 1));
    let orders = registry.version("orders-value", Version::Latest).unwrap();
    assert_eq!(orders.id, id);
    // What a version has shown is known by its id.
    server.asked();
    registry.file(id).unwrap();
    assert_eq!(server.asked(), 0);
    for error in [
        registry.version("items", Version::Number(3)).unwrap_err(),
        registry.versions("none").unwrap_err(),
        registry.file(77).unwrap_err(),
    ] {
        assert!(matches!(error.kind(), RegistryErrorKind::NotFound(_)) && !error.is_transient(), "{error}");
    }
}

#[test]
fn a_pool_is_registered_with_what_it_imports() {
    let list = r#"syntax = "proto3"; package shop; import "shop/item.proto"; message List { repeated Item items = 1; }"#;
    let main = r#"syntax = "proto3"; package shop; import "list.proto"; import "shop/item.proto"; import "google/protobuf/any.proto";
        message Main { List list = 1; Item item = 2; google.protobuf.Any any = 3; }"#;
    let sources = SourceBuilder::new().source("shop/item.proto", ITEM).source("list.proto", list);
    let pool = sources.source("main.proto", main).build().unwrap();
    let server = Server::start();
    let registry = registry(&server);
    let id = registry.register_file("main-value", &pool.file("main.proto").unwrap()).unwrap();
    assert_eq!(registry.subjects().unwrap(), ["list.proto", "main-value", "shop/item.proto"]);
    let file = registry.file(id).unwrap();
    assert_eq!(file.parent_pool().all_messages().count(), pool.all_messages().count());
    // Once more, nothing is new.
    assert_eq!(registry.register_file("main-value", &pool.file("main.proto").unwrap()).unwrap(), id);
    assert_eq!(registry.versions("list.proto").unwrap(), [1]);
    // And the source of the tables of a program.
    assert_eq!(
        registry.register_file("any", &DescriptorPool::descriptor_proto().files().next().unwrap()).unwrap(),
        id + 1
    );
}

#[test]
fn schemas_are_registered_found_and_compared() {
    let server = Server::start();
    let registry = registry(&server);
    let (first, second) = (Schema::new(ITEM), Schema::new(ITEM_2));
    assert!(registry.find("items", &first).unwrap().is_none());
    assert!(registry.is_compatible("items", &first).unwrap());
    let id = registry.register("items", &first).unwrap();
    assert_eq!(registry.register("items", &first).unwrap(), id);
    let found = registry.find("items", &first).unwrap().unwrap();
    assert_eq!((found.id, found.version, found.subject.as_str()), (id, 1, "items"));
    assert_eq!(found.file.messages().next().unwrap().full_name(), "shop.Item");
    assert!(registry.find("items", &second).unwrap().is_none());
    assert!(registry.is_compatible("items", &second).unwrap());
    assert!(!registry.is_compatible("items", &second.clone().reference("a.proto", "a", 1)).unwrap());
    assert_eq!(registry.register("items", &second).unwrap(), id + 1);
    let error = registry.register("items", &Schema::new("bad")).unwrap_err();
    assert!(matches!(error.kind(), RegistryErrorKind::Refused(422, 42201, _)), "{error}");

    let normalizing = quick(&server).normalize(true).build().unwrap();
    server.asked();
    normalizing.register("items", &first).unwrap();
    normalizing.find("items", &first).unwrap();
    assert_eq!(
        server.state().log[..2],
        ["POST /subjects/items/versions?normalize=true", "POST /subjects/items?normalize=true"]
    );
}
