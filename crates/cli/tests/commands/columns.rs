//! `--to arrow`, `arrow-stream` and `parquet`.

use crate::support::{Scratch, USERS, ends, with_user};
#[cfg(feature = "arrow")]
use crate::support::{shown, text};

#[test]
#[cfg(not(feature = "arrow"))]
fn columns_are_of_other_builds() {
    let scratch = Scratch::new("no-columns");
    let proto = scratch.path("user.proto");
    let decode = with_user("decode", &proto, &["--from", "ndjson", "--to", "parquet"]);
    assert!(ends(2, &decode, USERS).contains("feature `arrow`"));
    assert!(
        ends(2, &with_user("decode", &proto, &["--from", "parquet"]), "").contains("invalid value 'parquet'")
    );
}

#[cfg(feature = "arrow")]
mod with_arrow {
    use super::*;
    use arrow_ipc::reader::{FileReader, StreamReader};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use std::fs::File;
    use std::io::Cursor;

    /// The schema in a line.
    macro_rules! fields {
        ($schema:expr) => {{
            let fields = $schema.fields().iter().map(|it| format!("{}: {}", it.name(), it.data_type()));
            fields.collect::<Vec<String>>().join(", ")
        }};
    }

    #[test]
    fn messages_become_rows() {
        let scratch = Scratch::new("columns");
        let proto = scratch.path("user.proto");
        let users = shown(&with_user("encode", &proto, &["--from", "ndjson", "--to", "delimited"]), USERS);
        let to = |command: &'static str, more: &[&'static str]| {
            shown(&with_user(command, &proto, &[&["--from", "delimited"], more].concat()), &users)
        };
        let file = FileReader::try_new(Cursor::new(to("decode", &["--to", "arrow"])), None).unwrap();
        let schema = file.schema();
        let rows: usize = file.map(|batch| batch.unwrap().num_rows()).sum();
        let fields = fields!(schema);
        assert_eq!(rows, 4);
        assert!(
            fields.starts_with("name: Utf8View, id: Int64, tags: List(")
                && fields.contains("level: Utf8View, key: BinaryView"),
            "{fields}"
        );
        // A query: fewer rows, fewer columns.
        let query =
            to("query", &["--to", "arrow-stream", "--select", "id,created", "--where", "level = LEVEL_HIGH"]);
        let stream = StreamReader::try_new(Cursor::new(query), None).unwrap();
        let schema = stream.schema();
        let rows: usize = stream.map(|batch| batch.unwrap().num_rows()).sum();
        assert_eq!((rows, fields!(schema).as_str()), (2, "id: Int64, created: Timestamp(ns, \"UTC\")"));
        // Parquet, with what reads it.
        let path = scratch.path("users.parquet");
        text(&with_user("decode", &proto, &["--from", "ndjson", "--to", "parquet", "-o", &path]), USERS);
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
        let schema = reader.schema().clone();
        let rows: usize = reader.build().unwrap().map(|batch| batch.unwrap().num_rows()).sum();
        let fields = fields!(schema);
        assert!(rows == 4 && fields.starts_with("name: Utf8, id: Int64"), "{fields}");
        // Many batches, and none.
        let many = USERS.repeat(5000);
        text(&with_user("decode", &proto, &["--from", "ndjson", "--to", "parquet", "-o", &path]), &many);
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 20_000);
        text(&with_user("decode", &proto, &["--from", "ndjson", "--to", "parquet", "-o", &path]), "");
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    }

    #[test]
    fn bad_messages_and_wrong_calls() {
        let scratch = Scratch::new("bad-columns");
        let proto = scratch.path("user.proto");
        let path = scratch.path("users.parquet");
        // The one at fault is left out, or ends the run without a file.
        let bad = [2, 16, 1, 1, 255, 2, 16, 2];
        let decode = ["--from", "delimited", "--to", "parquet", "-o", &path];
        assert!(ends(1, &with_user("decode", &proto, &decode), bad).contains("message 2"));
        assert!(!std::path::Path::new(&path).exists());
        let skipping = [&decode[..], &["--skip-bad"]].concat();
        assert!(ends(1, &with_user("decode", &proto, &skipping), bad).contains("1 of 3 messages left out"));
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 2);
        let rows = ["--from", "ndjson", "--to", "parquet", "--distinct", "--select", "id"];
        assert!(ends(2, &with_user("query", &proto, &rows), USERS).contains("columns are those of messages"));
        assert!(
            ends(1, &with_user("decode", &proto, &["--to", "arrow"]), [0xfa, 7, 0])
                .contains("all are unknown")
        );
    }
}
