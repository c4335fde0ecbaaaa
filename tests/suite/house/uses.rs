//! What users of other crates ask for, each as a program that they would write.

use std::collections::BTreeMap;
use std::sync::Mutex;
use tablepb::compare::{Comparison, assert_message_eq};
use tablepb::raw::RawValue;
use tablepb::record::RecordPlan;
use tablepb::wkt::{FieldMask, MaskOptions};
use tablepb::{
    AnyMessage, DecodeOptions, Decoder, DescriptorPool, EnumValue, Enumeration, Message, UnknownFieldSet,
    Value, text,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Status {
    Open,
    Paid,
}
tablepb::enumeration! { Status as "shop.Status" { Open as "STATUS_OPEN" | "STATUS_NEW" = 0, Paid as "STATUS_PAID" = 1 } }

#[derive(Clone, Debug, Default, PartialEq)]
struct Line {
    sku: String,
    price: f64,
    count: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Order {
    id: u64,
    status: EnumValue<Status>,
    lines: Vec<Line>,
    notes: BTreeMap<String, String>,
    unknown: UnknownFieldSet,
}

#[derive(Debug, Default)]
struct LineRef<'a> {
    sku: &'a str,
}

#[derive(Debug, Default)]
struct OrderRef<'a> {
    lines: Vec<LineRef<'a>>,
}

tablepb::message! {
    Line as "shop.Line" { sku: string = 1, price: double = 2, count: uint32 = 3 }
    Order as "shop.Order" {
        id: uint64 = 1, status: enum Status = 2, lines: repeated message Line = 3, notes: map<string, string> = 4,
        unknown: unknown_fields,
    }
    LineRef<'a> as "shop.Line" { sku: string = 1 }
    OrderRef<'a> as "shop.Order" { lines: repeated message LineRef = 3 }
}

fn order() -> Order {
    let line = |sku: &str, price| Line { sku: sku.into(), price, count: 1 };
    Order {
        id: 7,
        status: Status::Paid.into(),
        lines: vec![line("tea", 3.5), line("cup", 9.0)],
        notes: BTreeMap::from([("gift".into(), "yes".into())]),
        ..Order::default()
    }
}

fn pool() -> Result<DescriptorPool, tablepb::DescriptorError> {
    DescriptorPool::from_tables(&[Order::TABLE])
}

#[test]
fn a_struct_is_changed_by_name_and_is_a_struct_again() -> Outcome {
    let mut message = order().to_dynamic()?;
    message.set_field("id", 8u64)?;
    let changed: Order = message.as_view().to_struct()?;
    assert_eq!(changed, Order { id: 8, ..order() });
    // Strings that borrow from the input of a decoder.
    let bytes = order().encode_to_vec()?;
    let mut decoder = Decoder::new(&pool()?.message("shop.Order")?);
    let view = decoder.decode(&bytes)?;
    let borrowed: OrderRef<'_> = view.to_struct_borrowed()?;
    assert!(bytes.as_ptr_range().contains(&borrowed.lines[1].sku.as_ptr()));
    Ok(())
}

#[cfg(feature = "bytestring")]
#[test]
fn strings_and_bytes_share_the_input() -> Outcome {
    use bytes::Bytes;
    use tablepb::bytestring::ByteString;
    #[derive(Debug, Default)]
    struct Page {
        title: ByteString,
        tags: Vec<ByteString>,
        parts: BTreeMap<String, Bytes>,
    }
    tablepb::message! { Page as "web.Page" { title: string = 1, tags: repeated string = 2, parts: map<string, bytes> = 3 } }
    let page = Page {
        title: "Home".into(),
        tags: vec!["a".into(), "b".into()],
        parts: BTreeMap::from([("x".into(), Bytes::from_static(b"body"))]),
    };
    let input = Bytes::from(page.encode_to_vec()?);
    let read = std::thread::spawn({
        let input = input.clone();
        move || Page::decode_shared(&input)
    });
    let read = read.join().expect("no panic")?;
    for part in [read.title.as_bytes(), read.tags[1].as_bytes(), &read.parts["x"]] {
        assert!(input.as_ptr_range().contains(&part.as_ptr()));
    }
    Ok(())
}

#[cfg(feature = "serde")]
#[test]
fn a_configuration_holds_a_struct_by_serde() -> Outcome {
    #[derive(Debug, Default, PartialEq)]
    struct Limits {
        max_bytes: u64,
        names: Vec<String>,
    }
    tablepb::message! { #[serde] Limits as "app.Limits" { max_bytes: uint64 = 1, names: repeated string = 2 } }
    let text = r#"{"a":{"maxBytes":"9","names":["x"]},"b":{}}"#;
    let all: BTreeMap<String, Limits> = serde_json::from_str(text)?;
    assert_eq!((all["a"].max_bytes, &all["b"]), (9, &Limits::default()));
    assert_eq!(serde_json::to_string(&all)?, text);
    Ok(())
}

#[test]
fn an_update_writes_the_paths_of_its_mask() -> Outcome {
    let mut message = order().to_dynamic()?;
    message.set_path("notes[\"to\"]", "Ada")?;
    message.set_path("lines[1].count", 4u32)?;
    message.clear_path("lines[0].price")?;
    assert_eq!(message.get_path("lines[1].count")?.as_u32(), Some(4));
    let error = message.set_path("lines[1].colour", "red").unwrap_err();
    assert!(error.to_string().contains("colour"), "{error}");
    // As a server does: what the mask names comes from the request.
    let mask: FieldMask = ["id", "notes"].into_iter().collect();
    let (mut stored, request) = (order(), Order { id: 9, lines: Vec::new(), ..order() });
    MaskOptions::new().merge(&mask, &request, &mut stored)?;
    assert_eq!(stored, Order { id: 9, ..order() });
    MaskOptions::new().trim(&mask, &mut stored)?;
    assert_eq!(stored, Order { id: 9, notes: order().notes, ..Order::default() });
    Ok(())
}

#[test]
fn an_enum_goes_through_numbers_and_names() -> Outcome {
    assert_eq!((Status::try_from(1)?, "STATUS_NEW".parse::<Status>()?), (Status::Paid, Status::Open));
    assert!(Status::try_from(5).is_err() && "PAID".parse::<Status>().is_err());
    assert_eq!(
        Status::values().iter().map(|status| status.to_string()).collect::<Vec<_>>(),
        ["STATUS_OPEN", "STATUS_PAID"]
    );
    Ok(())
}

#[test]
fn a_name_that_is_wrong_has_a_right_one_near_it() -> Outcome {
    let pool = pool()?;
    let error = |result: Result<(), String>| result.unwrap_err();
    let near = error(pool.message("shop.Oder").map(drop).map_err(|error| error.to_string()));
    assert!(near.contains("did you mean shop.Order?"), "{near}");
    let order = pool.message("shop.Order")?;
    let near = error(order.field("lins").map(drop).map_err(|error| error.to_string()));
    assert!(near.contains("did you mean lines?"), "{near}");
    let near = error(pool.enumeration("shop.Statsu").map(drop).map_err(|error| error.to_string()));
    assert!(near.contains("did you mean shop.Status?"), "{near}");
    Ok(())
}

#[test]
fn an_extension_of_a_struct_is_read_and_written() -> Outcome {
    #[derive(Debug, Default, PartialEq)]
    struct Traced {
        trace: Option<u64>,
        hops: Vec<u32>,
    }
    tablepb::message! { Traced as "shop.Order" { trace: optional fixed64 = 100, hops: repeated uint32 = 101 } }
    let traced = Traced { trace: Some(5), hops: vec![1, 2] };
    let mut order = order();
    order.unknown.write(&traced)?;
    let mut read = Order::decode(&order.encode_to_vec()?)?;
    assert_eq!((read.unknown.read::<Traced>()?, &read), (traced, &order));
    let trace = read.unknown.fields().find_last(100)?.ok_or("not there")?;
    assert_eq!(trace.value(), RawValue::Fixed64(5));
    assert!(read.unknown.remove(100) && read.unknown.remove(101) && read.unknown.is_empty());
    Ok(())
}

#[test]
fn a_test_says_what_differs() -> Outcome {
    let mut other = order();
    other.lines.swap(0, 1);
    other.lines[0].price += 1e-9;
    let dynamic = other.to_dynamic()?;
    let loose = Comparison::new().by_key("lines", ["sku"]).tolerance(1e-6, 0.0);
    assert!(loose.differences(&order(), &dynamic)?.is_empty());
    assert_message_eq!(&order(), &dynamic, loose);
    let all = tablepb::compare::differences(&order(), &dynamic)?;
    let paths: Vec<&str> = all.iter().map(|difference| difference.path()).collect();
    assert_eq!(paths, ["lines[0].sku", "lines[0].price", "lines[1].sku", "lines[1].price"]);
    Ok(())
}

#[test]
fn a_message_is_written_as_text() -> Outcome {
    let order_type = pool()?.message("shop.Order")?;
    let source = "id: 7 status: STATUS_PAID lines { sku: 'tea' price: 3.5 count: 1 } lines { sku: 'cup' price: 9 count: 1 }
        notes { key: 'gift' value: 'yes' }";
    assert_message_eq!(&text::message_from_str(&order_type, source)?, &order());
    let error = text::message_from_str(&order_type, "lines { sku: 5 }").unwrap_err();
    assert!(error.to_string().contains("lines"), "{error}");
    Ok(())
}

#[test]
fn threads_share_a_pool_of_decoders() -> Outcome {
    let order_type = pool()?.message("shop.Order")?;
    let bytes = order().encode_to_vec()?;
    let decoders: Mutex<Vec<Decoder>> = Mutex::default();
    let sum = |_| -> Result<u64, tablepb::DecodeError> {
        let kept = decoders.lock().expect("no panic").pop();
        let mut decoder = kept.unwrap_or_else(|| Decoder::new(&order_type.clone()));
        let id = decoder.decode(&bytes)?.get("id").and_then(|id| id.as_u64()).unwrap_or_default();
        decoders.lock().expect("no panic").push(decoder);
        Ok(id)
    };
    let total: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| (0..50).map(sum).sum::<Result<u64, _>>())).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum::<Result<u64, _>>()
    })?;
    assert_eq!(total, 4 * 50 * 7);
    assert!(decoders.lock().expect("no panic").len() <= 4);
    Ok(())
}

#[test]
fn a_record_has_its_definition_in_its_name() -> Outcome {
    let plan = RecordPlan::new(&pool()?.message("shop.Line")?).disable("price")?.hash_in_name(true);
    let name = plan.message_name();
    assert!(name.starts_with("shop.Line_") && name.ends_with(&format!("{:016x}", plan.schema_hash())));
    assert!(plan.to_proto().contains(name.trim_start_matches("shop.")));
    Ok(())
}

#[test]
fn options_decide_what_a_decode_may_take() -> Outcome {
    let bytes = order().encode_to_vec()?;
    let error = DecodeOptions::new().budget(16).decode::<Order>(&bytes).unwrap_err();
    assert!(error.to_string().contains("memory") || error.to_string().contains("budget"), "{error}");
    let message = DecodeOptions::new().decode_dynamic(&pool()?.message("shop.Order")?, &bytes)?;
    assert_eq!(message.get("id").map(|id| id.to_owned()), Some(Value::U64(7)));
    Ok(())
}
