//! A registry that others wrote: `REGISTRY` has its address, such as that of `apicurio start`.

use super::*;
use tablepb_registry::{Schema, Version};
use tablepb_schema::SourceBuilder;

#[test]
#[ignore = "needs REGISTRY, the address of a registry"]
fn needs_registry_for_a_session_with_references() {
    let url = std::env::var("REGISTRY").expect("REGISTRY has the address of a registry");
    let registry = Registry::new(url).unwrap();
    // Other names each time, so that a registry may be used again.
    let run = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    let item = format!("run{run}/item.proto");
    let texts = |extra: &str| {
        let order = format!(
            r#"syntax = "proto3"; package run{run}; import "{item}"; import "google/protobuf/timestamp.proto";
            message Order {{ Item item = 1; google.protobuf.Timestamp at = 2; {extra} }}"#
        );
        [format!(r#"syntax = "proto3"; package run{run}; message Item {{ string name = 1; }}"#), order]
    };
    let subject = format!("orders{run}-value");
    let mut ids = Vec::new();
    // Three versions, the first one out of a pool, which brings its imports.
    let [item_text, order_text] = texts("");
    let pool =
        SourceBuilder::new().source(&item, item_text).source("order.proto", order_text).build().unwrap();
    ids.push(registry.register_file(&subject, &pool.file("order.proto").unwrap()).unwrap());
    for extra in ["int32 count = 3;", "int32 count = 3; map<string, double> prices = 4;"] {
        let schema = Schema::new(&texts(extra)[1]).reference(&item, &item, 1);
        let id = registry.register(&subject, &schema).unwrap();
        assert_eq!(registry.register(&subject, &schema).unwrap(), id);
        assert_eq!(registry.find(&subject, &schema).unwrap().unwrap().id, id);
        ids.push(id);
    }
    // Apicurio does not look for references here.
    let changed = |field: &str| Schema::new(texts("")[0].replace("string name = 1;", field));
    assert!(registry.is_compatible(&item, &changed("string name = 1; bool sold = 2;")).unwrap());
    assert!(!registry.is_compatible(&item, &changed("fixed64 name = 1;")).unwrap());
    assert_eq!(registry.versions(&subject).unwrap(), [1, 2, 3]);
    assert!(registry.subjects().unwrap().contains(&subject));
    assert_eq!(registry.version(&subject, Version::Latest).unwrap().id, ids[2]);
    assert_eq!(registry.version(&subject, Version::Number(2)).unwrap().id, ids[1]);

    // A topic in which the three mix, read by someone who knows nothing yet.
    let reader = Registry::new(std::env::var("REGISTRY").unwrap()).unwrap();
    let full_name = format!("run{run}.Order");
    let json = [
        r#"{"item":{"name":"a"}}"#,
        r#"{"item":{"name":"b"},"count":2}"#,
        r#"{"at":"1970-01-01T00:00:01Z","prices":{"p":0.5}}"#,
    ];
    for round in 0..9 {
        let (id, json) = (ids[round % 3], json[round % 3]);
        let order = registry.file(id).unwrap().parent_pool().message(&full_name).unwrap();
        let message = tablepb::json::message_from_slice(&order, json.as_bytes()).unwrap();
        let mut record = Vec::new();
        registry.append_record(id, &message, &mut record).unwrap();
        let (order, payload) = reader.message(&record).unwrap();
        assert_eq!(order.full_name(), full_name);
        let read = tablepb::DynamicMessage::decode(&order, payload).unwrap();
        assert_eq!(tablepb::json::to_string(&read).unwrap(), json);
    }
    let error = reader.file(2_000_000_000).unwrap_err();
    assert!(matches!(error.kind(), RegistryErrorKind::NotFound(_)), "{error}");
    let error = reader.register(&subject, &Schema::new("no schema")).unwrap_err();
    assert!(matches!(error.kind(), RegistryErrorKind::Refused(..)), "{error}");
}
