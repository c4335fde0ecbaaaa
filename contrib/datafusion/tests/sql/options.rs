//! The options of tables.

use crate::common::{Files, context_with_pool, delimited, log, message, number, rows};

fn ids(count: u64) -> Vec<u8> {
    delimited((0..count).map(message))
}

#[tokio::test]
async fn options_shape_the_columns() {
    let files = Files::new(2);
    files.write("a.binpb", &ids(12));
    files.create("a.binpb", ", enums 'name', well_known 'true'").await.unwrap();
    let found = files.rows("SELECT level, at FROM t WHERE id = 1 OR id = 3 ORDER BY id").await.unwrap();
    assert_eq!(found, [["LOW", "2023-11-14T22:13:20.000000005Z"], ["3", "null"]]);
    files.create("a.binpb", ", enums 'dictionary'").await.unwrap();
    let found = files.rows("SELECT level, count(*) FROM t GROUP BY level ORDER BY level").await.unwrap();
    assert_eq!(found, [["3", "3"], ["HIGH", "3"], ["LOW", "3"], ["NONE", "3"]]);
    for options in ["", ", recursion '0'"] {
        files.create("a.binpb", options).await.unwrap();
        assert!(files.rows("SELECT part['inner']['name'] FROM t").await.is_err());
    }
    files.create("a.binpb", ", recursion '1'").await.unwrap();
    assert_eq!(files.rows("SELECT part['inner']['name'] FROM t WHERE id = 3").await.unwrap(), [["inner"]]);
}

#[tokio::test]
async fn a_table_may_have_some_of_the_fields() {
    let files = Files::new(2);
    files.write("a.binpb", &ids(31));
    files.create("a.binpb", ", fields 'id, part.name, part.inner.name, parts.name'").await.unwrap();
    let columns = files.rows("SELECT column_name FROM information_schema.columns").await;
    assert!(columns.is_err() || columns.unwrap().len() == 3);
    assert_eq!(files.rows("SELECT * FROM t WHERE id = 1").await.unwrap()[0].len(), 3);
    assert_eq!(files.rows("SELECT part['name'] FROM t WHERE id = 30").await.unwrap(), [["part 30"]]);
    assert_eq!(files.rows("SELECT part['inner']['name'] FROM t WHERE id = 3").await.unwrap(), [["inner"]]);
    let parts = files
        .rows("SELECT part['name'] FROM (SELECT unnest(parts) AS part FROM t WHERE id = 30) ORDER BY 1")
        .await;
    assert_eq!(parts.unwrap(), [[""], ["a30"]]);
    assert!(files.rows("SELECT line FROM t").await.is_err());
    assert!(files.rows("SELECT part['weight'] FROM t").await.is_err());
    assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 31);
}

#[tokio::test]
async fn wrong_options_say_what_is_right() {
    let files = Files::new(1);
    files.write("a.binpb", &ids(3));
    files.write("broken.set", b"not a descriptor set");
    let set = files.path("log.set").display().to_string();
    let broken = files.path("broken.set").display().to_string();
    for (options, hint) in [
        (String::new(), "needs the options message"),
        ("OPTIONS (message 'example.Log')".to_owned(), "descriptors"),
        (format!("OPTIONS (descriptors '{set}')"), "message"),
        (format!("OPTIONS (message 'Log', descriptors '{set}')"), "full name"),
        (format!("OPTIONS (message 'example.Log', descriptors '{set}.no')"), "log.set.no"),
        (format!("OPTIONS (message 'example.Log', descriptors '{broken}')"), "--include_imports"),
        (format!("OPTIONS (message 'example.Log', descriptors '{set}', enum 'name')"), "no option 'enum'"),
        (format!("OPTIONS (message 'example.Log', descriptors '{set}', enums 'text')"), "'dictionary'"),
        (format!("OPTIONS (message 'example.Log', descriptors '{set}', compression 'xz')"), "'zstd'"),
        (format!("OPTIONS (message 'example.Log', descriptors '{set}', fields 'lin')"), "lin"),
    ] {
        let path = files.path("a.binpb");
        let sql =
            format!("CREATE EXTERNAL TABLE t STORED AS PROTOBUF LOCATION '{}' {options}", path.display());
        let error = files.context.sql(&sql).await.unwrap_err().to_string();
        assert!(error.contains(hint), "{options}: {error}");
    }
    files.create("a.binpb", "").await.unwrap();
    assert_eq!(number(&files.context, "SELECT count(*) FROM t").await, 3);
}

#[tokio::test]
async fn a_session_may_have_its_own_message_types() {
    let files = Files::new(1);
    files.write("a.binpb", &ids(3));
    let context = context_with_pool();
    let path = files.path("a.binpb").display().to_string();
    let create = format!(
        "CREATE EXTERNAL TABLE t STORED AS PROTOBUF LOCATION '{path}' OPTIONS (message 'example.Log'"
    );
    let other_file = format!("{create}, descriptors '{}')", files.path("log.set").display());
    assert!(context.sql(&other_file).await.unwrap_err().to_string().contains("leave out"));
    context.sql(&format!("{create})")).await.unwrap();
    assert_eq!(rows(&context, "SELECT id FROM t ORDER BY id DESC").await.unwrap(), [["2"], ["1"], ["0"]]);
    // A name is taken once.
    assert!(tablepb_datafusion::register(&context).is_err());
}

#[tokio::test]
async fn a_star_selects_all_fields() {
    let files = Files::new(2);
    files.write("a.binpb", &delimited((0..3).map(message)));
    files.create("a.binpb", ", fields '*'").await.unwrap();
    let some = files.rows("SELECT id, part['name'] FROM t ORDER BY id").await.unwrap();
    let all = files.rows("SELECT * FROM t ORDER BY id").await.unwrap();
    files.create("a.binpb", "").await.unwrap();
    assert_eq!(some, files.rows("SELECT id, part['name'] FROM t ORDER BY id").await.unwrap());
    assert_eq!(all, files.rows("SELECT * FROM t ORDER BY id").await.unwrap());
}

#[tokio::test]
async fn times_that_nanoseconds_do_not_reach_have_a_coarser_unit() {
    let files = Files::new(2);
    // 0001-01-01, where the times of some languages begin.
    let zero = "id: 9 at { seconds: -62135596800 nanos: 1500 }";
    let zero = tablepb::text::message_from_str(&log(), zero).unwrap().encode_to_vec().unwrap();
    files.write("a.binpb", &delimited([message(1), zero]));
    files.create("a.binpb", ", well_known 'true'").await.unwrap();
    let error = files.rows("SELECT at FROM t").await.unwrap_err().to_string();
    assert!(error.contains("a.binpb: row 1"), "{error}");
    for (unit, fraction) in [("second", ""), ("millisecond", ""), ("Microsecond", ".000001")] {
        files.create("a.binpb", &format!(", well_known 'true', time_unit '{unit}'")).await.unwrap();
        let found = files.rows("SELECT at FROM t ORDER BY id").await.unwrap().concat();
        let zero = format!("0001-01-01T00:00:00{fraction}Z");
        assert_eq!(found, ["2023-11-14T22:13:20Z".to_owned(), zero], "{unit}");
    }
    files.create("a.binpb", ", well_known 'true', time_unit 'nanosecond'").await.unwrap();
    assert_eq!(files.rows("SELECT at FROM t WHERE id = 9").await.unwrap_err().to_string(), error);
}

#[tokio::test]
async fn declared_strings_bytes_and_lists_have_the_form_of_the_files() {
    let files = Files::new(2);
    files.write("a.binpb", &ids(12));
    let query = "SELECT raw, line, part['sizes'], id FROM t WHERE id = 9";
    files.create("a.binpb", "").await.unwrap();
    let row = files.rows(query).await.unwrap();
    for views in ["true", "false"] {
        let create = |columns: &str| {
            format!(
                "CREATE OR REPLACE EXTERNAL TABLE t ({columns}) STORED AS PROTOBUF LOCATION '{}'
                 OPTIONS (message 'example.Log', descriptors '{}', views '{views}', fields 'raw, line, part.sizes, id')",
                files.path("a.binpb").display(),
                files.path("log.set").display()
            )
        };
        let columns = "raw BYTEA, line VARCHAR, part STRUCT<sizes INT[]>, id BIGINT UNSIGNED";
        files.context.sql(&create(columns)).await.unwrap();
        assert_eq!(files.rows(query).await.unwrap(), row, "views {views}");
        assert_eq!(
            files.rows("SELECT count(*) FROM t WHERE line = 'xxxxxxxxxxxxxxxxxx'").await.unwrap(),
            [["1"]]
        );
        // Other types are still refused: strings are no bytes, and numbers have their size.
        for columns in
            ["raw VARCHAR", "line BYTEA", "part STRUCT<sizes BIGINT[]>", "part STRUCT<other INT[]>"]
        {
            files.context.sql(&create(columns)).await.unwrap();
            let error = files.rows("SELECT * FROM t").await.unwrap_err().to_string();
            assert!(error.contains("of the table has the type"), "{columns}: {error}");
        }
    }
}
