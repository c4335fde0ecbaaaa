//! Messages in columns of bytes: what the functions return, and what they decode.

use super::common::*;
use datafusion::arrow::array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, LargeBinaryArray, RecordBatch,
    StringArray,
};
use datafusion::arrow::datatypes::Int32Type;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;
use std::sync::Arc;
use tablepb_datafusion::{ProtobufOptions, register_functions};

const TYPE: &str = "'example.Log'";

/// A session with a table `topic` of some messages in several types of columns, a null and a bad one among them.
fn session(bad: bool) -> SessionContext {
    let mut rows: Vec<Option<Vec<u8>>> = (0..300).map(|id| Some(message(id))).collect();
    rows[7] = None;
    if bad {
        // `line`, cut off.
        rows[11] = Some(b"\x08\x0b\x12\x05abc".to_vec());
    }
    let of = |rows: &[Option<Vec<u8>>]| -> Vec<Option<Vec<u8>>> { rows.to_vec() };
    let plain = BinaryArray::from_iter(of(&rows));
    let keys = datafusion::arrow::array::Int32Array::from_iter_values(0..300);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("plain", Arc::new(plain.clone())),
        ("large", Arc::new(LargeBinaryArray::from_iter(of(&rows)))),
        ("views", Arc::new(BinaryViewArray::from_iter(of(&rows)))),
        ("dict", Arc::new(DictionaryArray::<Int32Type>::new(keys, Arc::new(plain)))),
    ];
    let context = SessionContext::new();
    context.register_batch("topic", RecordBatch::try_from_iter(columns).unwrap()).unwrap();
    register_functions(&context, &pool(), &ProtobufOptions::new());
    context
}

/// The rows of a query in which `TYPE` is the message type.
async fn lines(context: &SessionContext, query: &str) -> Result<Vec<String>> {
    let rows = rows(context, &query.replace("TYPE", TYPE)).await?;
    Ok(rows.into_iter().map(|row| row.join("|")).collect())
}

/// The plan that runs.
async fn plan(context: &SessionContext, query: &str) -> String {
    let explain = format!("EXPLAIN {}", query.replace("TYPE", TYPE));
    let batches = context.sql(&explain).await.unwrap().collect().await.unwrap();
    batches
        .iter()
        .map(|batch| batch.column(1).as_any().downcast_ref::<StringArray>().unwrap().value(0))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_type_of_column_is_decoded() -> Result<()> {
    let context = session(false);
    let expected = lines(&context, "SELECT m['id'], m['line'], m['part']['name'] FROM (SELECT protobuf_decode(plain, TYPE) AS m FROM topic)").await?;
    assert_eq!(expected.len(), 300);
    for column in ["plain", "large", "views", "dict"] {
        let query = format!(
            "SELECT protobuf_decode({column}, TYPE)['id'], protobuf_decode({column}, TYPE)['line'], protobuf_decode({column}, TYPE)['part']['name'] FROM topic"
        );
        assert_eq!(lines(&context, &query).await?, expected, "{column}");
    }
    // The same as the library.
    let pool = pool();
    let log = pool.message("example.Log").unwrap();
    for (id, line) in expected.iter().enumerate().filter(|(id, _)| *id != 7) {
        let decoded = tablepb::DynamicMessage::decode(&log, &message(id as u64)[..]).unwrap();
        let id = decoded.get_field("id").unwrap().as_u64().unwrap();
        assert!(line.starts_with(&id.to_string()), "{line}");
    }
    assert!(!expected[7].chars().any(|c| c.is_ascii_digit()), "{}", expected[7]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_taken_is_decoded() -> Result<()> {
    let context = session(false);
    let both = "SELECT protobuf_decode(plain, TYPE)['id'] AS id, protobuf_decode(plain, TYPE)['part']['name'] FROM topic";
    let shown = plan(&context, both).await;
    assert!(shown.contains(r#"Utf8("example.Log"), Utf8("id"), Utf8("part.name")"#), "{shown}");
    // A list and a map end a path; so does the whole message around a part of it.
    let deep = "SELECT protobuf_decode(plain, TYPE)['parts'][1]['name'], protobuf_decode(plain, TYPE)['part'], protobuf_decode(plain, TYPE)['part']['name'] FROM topic";
    let shown = plan(&context, deep).await;
    assert!(shown.contains(r#"Utf8("example.Log"), Utf8("part"), Utf8("parts")"#), "{shown}");
    // Used as a whole, it has all fields.
    let whole = "SELECT protobuf_decode(plain, TYPE)['id'], protobuf_decode(plain, TYPE) FROM topic";
    assert!(!plan(&context, whole).await.contains(r#"Utf8("example.Log"), Utf8("#));
    // Each part of a plan takes its own.
    let filtered = "SELECT protobuf_decode(plain, TYPE)['id'] FROM topic WHERE protobuf_decode(plain, TYPE)['level'] = 2";
    let shown = plan(&context, filtered).await;
    assert!(shown.contains(r#"Utf8("level"))"#) && shown.contains(r#"Utf8("id"))"#), "{shown}");
    // The names of columns do not change, and neither does what comes out.
    let names = |frame: &datafusion::prelude::DataFrame| frame.schema().field_names();
    let frame = context.sql(&both.replace("TYPE", TYPE)).await?;
    assert_eq!(names(&frame)[0], "id");
    let nested = context.sql(&format!("SELECT sum(protobuf_decode(plain, {TYPE})['id']) FROM topic")).await?;
    assert!(names(&nested)[0].starts_with("sum(protobuf_decode(topic.plain"), "{:?}", names(&nested));
    let with_paths = "SELECT protobuf_decode(plain, TYPE, 'id', 'part.name')['id'], protobuf_decode(plain, TYPE, 'id', 'part.name')['part']['name'] FROM topic";
    assert_eq!(lines(&context, both).await?, lines(&context, with_paths).await?);
    let query =
        "SELECT count(protobuf_decode(dict, TYPE)['id']), sum(protobuf_decode(dict, TYPE)['id']) FROM topic";
    let sum: u64 = (0..300).filter(|id| *id != 7).sum();
    assert_eq!(lines(&context, query).await?, [format!("299|{sum}")]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_stands_around_a_call_returns_the_same() -> Result<()> {
    let context = session(false);
    // `M` is the decoded message: a call in each place, or a column of a subquery that has all fields.
    for query in [
        "SELECT M['level'] AS level, count(*), sum(M['id']) FROM T WHERE M['id'] > 10 GROUP BY M['level'] HAVING sum(M['id']) > 5 ORDER BY level",
        "SELECT M['id'] FROM T ORDER BY M['line'] DESC, M['id'] LIMIT 7",
        "SELECT DISTINCT M['part']['name'] AS n FROM T ORDER BY n",
        "SELECT M['id'], row_number() OVER (PARTITION BY M['level'] ORDER BY M['id']) FROM T ORDER BY M['id']",
        "SELECT CASE WHEN M['level'] = 1 THEN M['line'] ELSE M['part']['name'] END FROM T ORDER BY M['id']",
        "SELECT M['id'] FROM T WHERE M['id'] IN (SELECT M['id'] FROM T WHERE M['level'] = 2) ORDER BY M['id']",
        "SELECT M['id'] FROM T UNION ALL SELECT M['id'] + 1 FROM T ORDER BY 1",
        "SELECT coalesce(M['part']['weight'], -1.0), M IS NULL FROM T ORDER BY M['id']",
        "SELECT M['parts'][1]['name'], array_length(M['parts']) FROM T ORDER BY M['id']",
    ] {
        let calls = query
            .replace("M[", "protobuf_decode(plain, TYPE)[")
            .replace("M IS", "protobuf_decode(plain, TYPE) IS");
        let calls = calls.replace("FROM T", "FROM topic");
        let column = query.replace("M[", "m[").replace("M IS", "m IS");
        let column = column.replace("FROM T", "FROM (SELECT protobuf_decode(plain, TYPE, 'id', 'line', 'level', 'part', 'parts') AS m FROM topic)");
        assert_eq!(lines(&context, &calls).await?, lines(&context, &column).await?, "{query}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_message_is_an_error_or_null() -> Result<()> {
    let context = session(true);
    let all = "SELECT protobuf_decode(plain, TYPE) FROM topic";
    let error = lines(&context, all).await.unwrap_err().to_string();
    assert!(error.contains("protobuf_decode: row 11:") && error.contains("example.Log: line"), "{error}");
    // The session goes on; what is skipped is not checked but for its length.
    for function in ["try_protobuf_decode", "try_protobuf_to_json"] {
        let query = format!("SELECT count(*), count({function}(plain, TYPE)) FROM topic");
        let found = lines(&context, &query).await?;
        assert!(found[0].contains("300") && found[0].contains("298"), "{function}: {found:?}");
    }
    for (query, message) in [
        ("SELECT protobuf_to_json(plain, TYPE) FROM topic", "row 11"),
        ("SELECT protobuf_decode(plain, 'example.Lag') FROM topic", "example.L"),
        ("SELECT protobuf_decode(plain) FROM topic", "its arguments are bytes"),
        ("SELECT protobuf_to_json(plain, TYPE, 'id') FROM topic", "its arguments are bytes"),
        ("SELECT protobuf_decode(plain, TYPE, 'nope') FROM topic", "nope"),
        (
            "SELECT protobuf_decode(plain, concat('example.', 'Log', CAST(random() AS VARCHAR))) FROM topic",
            "literal",
        ),
        ("SELECT protobuf_decode(1, TYPE)", "Int64"),
        ("SELECT protobuf_to_json('{}', TYPE)", "not bytes"),
        ("SELECT json_to_protobuf('{\"idd\": 1}', TYPE)", "idd"),
        ("SELECT protobuf_encode(1, TYPE)", "struct"),
        ("SELECT protobuf_encode(named_struct('id', -1), TYPE)", "id"),
        ("SELECT protobuf_encode(named_struct('nope', 1), TYPE)", "nope"),
    ] {
        let error = lines(&context, query).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains(message), "{query}: {text}");
        assert!(!matches!(error, DataFusionError::Internal(_)), "{query}: {text}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn there_and_back() -> Result<()> {
    let context = session(false);
    for query in [
        "SELECT count(*) FROM topic WHERE json_to_protobuf(protobuf_to_json(plain, TYPE), TYPE) = plain",
        "SELECT count(*) FROM topic WHERE protobuf_to_json(protobuf_encode(protobuf_decode(views, TYPE), TYPE), TYPE) = protobuf_to_json(views, TYPE)",
    ] {
        let found = lines(&context, query).await?;
        assert!(found[0].contains("299"), "{query}: {found:?}");
    }
    for (query, expected) in [
        ("SELECT protobuf_to_json(X'0807', TYPE)", "{\"id\":\"7\"}"),
        (
            "SELECT protobuf_to_json(json_to_protobuf('{\"line\": \"x\", \"labels\": {\"a\": 1}}', TYPE), TYPE)",
            "{\"line\":\"x\",\"labels\":{\"a\":1}}",
        ),
        (
            "SELECT protobuf_to_json(protobuf_encode(named_struct('id', 5, 'line', 'y'), TYPE), TYPE)",
            "{\"id\":\"5\",\"line\":\"y\"}",
        ),
        ("SELECT protobuf_decode(NULL, TYPE)['id'] IS NULL", "true"),
        ("SELECT try_json_to_protobuf('{', TYPE) IS NULL", "true"),
        ("SELECT try_protobuf_encode(named_struct('id', -1), TYPE) IS NULL", "true"),
    ] {
        let found = lines(&context, query).await?;
        assert!(found[0].contains(expected), "{query}: {found:?}");
    }
    Ok(())
}

#[tokio::test]
async fn records_of_a_registry_are_messages_after_a_header() -> Result<()> {
    let mut records: Vec<Option<Vec<u8>>> = (0..20)
        .map(|id| {
            let mut record = Vec::new();
            tablepb::stream::confluent::append_header(id as u32 % 3 + 7, &[1], &mut record).unwrap();
            record.extend(message(id));
            Some(record)
        })
        .collect();
    records[4] = None;
    let of = |records: &[Option<Vec<u8>>]| records.to_vec();
    let context = SessionContext::new();
    register_functions(&context, &pool(), &ProtobufOptions::new());
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("plain", Arc::new(BinaryArray::from_iter(of(&records)))),
        ("views", Arc::new(BinaryViewArray::from_iter(of(&records)))),
    ];
    context.register_batch("topic", RecordBatch::try_from_iter(columns)?)?;
    for column in ["plain", "views"] {
        let query = format!(
            "SELECT confluent_schema_id({column}) AS schema, count(*), sum(protobuf_decode(confluent_payload({column}), TYPE)['id'])
             FROM topic GROUP BY schema ORDER BY schema"
        );
        assert_eq!(
            lines(&context, &query).await?,
            ["7|7|63", "8|6|66", "9|6|57", "null|1|null"].map(String::from)
        );
    }
    records[9] = Some(b"not framed".to_vec());
    let bad: Vec<(&str, ArrayRef)> = vec![("plain", Arc::new(BinaryArray::from_iter(of(&records))))];
    context.register_batch("bad", RecordBatch::try_from_iter(bad)?)?;
    let error = lines(&context, "SELECT confluent_payload(plain) FROM bad").await.unwrap_err().to_string();
    assert!(error.contains("confluent_payload: row 9"), "{error}");
    let counts = "SELECT count(try_confluent_payload(plain)), count(try_confluent_schema_id(plain)) FROM bad";
    assert_eq!(lines(&context, counts).await?, ["18|18"]);
    assert!(lines(&context, "SELECT confluent_payload(plain, TYPE) FROM bad").await.is_err());
    Ok(())
}
