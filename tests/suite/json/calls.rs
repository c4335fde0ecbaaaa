//! The calls of JSON and the text format: one name for structs, views and dynamic messages, and the errors of readers, writers and names.

use std::io::{self, ErrorKind, Write};
use tablepb::schema::DescriptorErrorKind;
use tablepb::{
    DescriptorPool, DynamicMessage, EncodeError, EncodeErrorKind, Message, ParseError, ParseErrorKind,
};
use tablepb::{json, text, wkt};

#[derive(Debug, Default, PartialEq)]
struct Log {
    line: String,
    level: i32,
    value: Option<wkt::Value>,
}

tablepb::message! {
    Log as "calls.Log" { line: string = 1, level: int32 = 2, value: message wkt::Value = 3 }
}

fn pool() -> DescriptorPool {
    DescriptorPool::from_tables(&[Log::TABLE]).unwrap()
}

fn log() -> Log {
    Log { line: "a\n".into(), level: -7, value: None }
}

#[test]
fn all_forms_of_a_message_print_the_same() {
    let descriptor = pool().message("calls.Log").unwrap();
    let plain = log();
    let mut dynamic = DynamicMessage::decode(&descriptor, &plain.encode_to_vec().unwrap()).unwrap();
    for pretty in [false, true] {
        let (json, text) = (json::Printer::new().pretty(pretty), text::Printer::new().pretty(pretty));
        let expected = (json.to_string(&plain).unwrap(), text.to_string(&plain).unwrap());
        assert_eq!((json.to_string(&dynamic).unwrap(), text.to_string(&dynamic).unwrap()), expected);
        let view = dynamic.as_view();
        assert_eq!((json.to_string(&view).unwrap(), text.to_string(&view).unwrap()), expected);
        let edited = dynamic.as_mut();
        assert_eq!((json.to_string(&edited).unwrap(), text.to_string(&edited).unwrap()), expected);
        let mut written = (b"before".to_vec(), Vec::new());
        json.append(&mut written.0, &plain).unwrap();
        text.to_writer(&mut written.1, &plain).unwrap();
        assert_eq!(written.0, [b"before", expected.0.as_bytes()].concat());
        assert_eq!(written.1, expected.1.as_bytes());
        // And back, by each way in.
        assert_eq!(json::from_str::<Log>(&expected.0).unwrap(), plain);
        assert_eq!(json::from_reader::<Log>(expected.0.as_bytes()).unwrap(), plain);
        assert_eq!(text::from_slice::<Log>(expected.1.as_bytes()).unwrap(), plain);
        assert_eq!(text::from_reader::<Log>(expected.1.as_bytes()).unwrap(), plain);
        assert_eq!(json::message_from_str(&descriptor, &expected.0).unwrap(), dynamic);
        assert_eq!(text::message_from_slice(&descriptor, expected.1.as_bytes()).unwrap(), dynamic);
        let (mut merged, mut other) = (Log::default(), DynamicMessage::new(&descriptor));
        json::merge_from_str(&mut merged, &expected.0).unwrap();
        text::merge_from_slice(&mut other, expected.1.as_bytes()).unwrap();
        assert_eq!((merged, &other), (log(), &dynamic));
    }
}

/// Takes nothing.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn readers_and_writers_keep_their_errors_and_show_ours() {
    assert_eq!(json::to_writer(Full, &log()).unwrap_err().kind(), ErrorKind::StorageFull);
    let odd = Log { value: Some(wkt::Value::from(f64::NAN)), ..log() };
    let mut written = Vec::new();
    let error = json::to_writer(&mut written, &odd).unwrap_err();
    assert_eq!((error.kind(), written.len()), (ErrorKind::InvalidInput, 0));
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<EncodeError>()).unwrap();
    assert_eq!((inner.kind(), inner.path().to_string().as_str()), (EncodeErrorKind::NotFinite, "value"));
    let error = text::from_reader::<Log>(&b"lin: 1"[..]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ParseError>()).unwrap();
    assert_eq!((inner.kind(), inner.found()), (ParseErrorKind::UnknownField, Some("lin")));
}

#[test]
fn text_that_is_not_utf_8_is_an_error_at_its_place_in_both_formats() {
    for error in [
        json::from_slice::<Log>(b"{\"line\": \"\xff\"}").unwrap_err(),
        text::from_slice::<Log>(b"line:    \"\xff\"").unwrap_err(),
        text::merge_from_slice(&mut log(), b"line:    \"\xff\"").unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.offset()), (ParseErrorKind::InvalidUtf8, 10), "{error}");
    }
}

#[test]
fn names_that_are_not_found_show_the_nearest() {
    let pool = DescriptorPool::descriptor_proto();
    let file = pool.message("google.protobuf.FileDescriptorProto").unwrap();
    let label = pool.enumeration("google.protobuf.FieldDescriptorProto.Label").unwrap();
    for (error, text) in [
        (
            pool.message("google.protobuf.FileDescriptorPorto").unwrap_err(),
            "google.protobuf.FileDescriptorPorto (no such message; did you mean google.protobuf.FileDescriptorProto?)",
        ),
        (
            pool.message("filedescriptorproto").unwrap_err(),
            "filedescriptorproto (no such message; did you mean google.protobuf.FileDescriptorProto?)",
        ),
        (pool.enumeration("google.protobuf.Label").unwrap_err(), "google.protobuf.Label (no such enum)"),
        (pool.file("google/protobuf/descriptor").unwrap_err(), "google/protobuf/descriptor (no such file)"),
        (pool.service("Greeter").unwrap_err(), "Greeter (no such service)"),
        (pool.extension("e").unwrap_err(), "e (no such extension)"),
        (
            file.field("dependencies").unwrap_err(),
            "google.protobuf.FileDescriptorProto.dependencies (no such field; did you mean dependency?)",
        ),
        (
            label.value("LABEL_OPTIONL").unwrap_err(),
            "google.protobuf.FieldDescriptorProto.Label.LABEL_OPTIONL (no such value; did you mean LABEL_OPTIONAL?)",
        ),
    ] {
        assert_eq!(error.kind(), DescriptorErrorKind::NotFound);
        assert_eq!(error.to_string(), format!("not found: {text}"));
    }
}
