//! Plans as bytes and back, without a cluster.

use crate::common::{self, Files, delimited, message};
use crate::create;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::DataType;
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_plan::{ExecutionPlan, collect, displayable};
use datafusion::prelude::SessionContext;
use datafusion_proto::bytes::{
    logical_plan_from_bytes_with_extension_codec, logical_plan_to_bytes_with_extension_codec,
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use datafusion_proto::physical_plan::{DefaultPhysicalProtoConverter, PhysicalExtensionCodec};
use std::sync::Arc;
use tablepb_ballista::{LogicalCodec, PhysicalCodec};

const QUERIES: [&str; 9] = [
    "SELECT count(*) FROM t",
    "SELECT level, count(*), sum(id) FROM t GROUP BY level ORDER BY level",
    "SELECT line, id FROM t WHERE id % 7 = 3 ORDER BY id",
    "SELECT id, part['name'], part['inner']['name'] FROM t WHERE part['weight'] > 4 ORDER BY id",
    "SELECT id FROM t ORDER BY id DESC LIMIT 7",
    "SELECT count(*) FROM (SELECT id FROM t LIMIT 5)",
    "SELECT id FROM (SELECT id FROM t LIMIT 5000000000) ORDER BY id",
    "SELECT * FROM t ORDER BY id",
    "SELECT a.id, b.part FROM t AS a JOIN t AS b ON a.id = b.id WHERE a.level = 2 ORDER BY a.id",
];

/// Three files, one in parts, and a session with other settings than the defaults.
fn files() -> Files {
    let files = Files::new(4);
    files.write("d/a.binpb", &delimited((0..300).map(message)));
    files.write("d/b.binpb", &delimited((300..320).map(message)));
    files.write("d/other.txt", b"\xff\xff\xff");
    files.write("d/c.binpb", &[]);
    files
}

/// A session of another process, which knows nothing of tables and formats.
fn session(files: &Files) -> SessionContext {
    SessionContext::new_with_config(files.context.copied_config())
}

/// A session that makes tables for plans that travel.
fn sender(files: &Files) -> SessionContext {
    let context = session(files);
    tablepb_ballista::register(&context).unwrap();
    context
}

fn texts(batches: &[RecordBatch]) -> Vec<Vec<String>> {
    batches.iter().flat_map(common::texts).collect()
}

fn written(plan: Arc<dyn ExecutionPlan>) -> Result<Vec<u8>> {
    Ok(physical_plan_to_bytes_with_extension_codec(plan, &PhysicalCodec::default())?.to_vec())
}

fn read(bytes: &[u8], receiver: &SessionContext) -> Result<Arc<dyn ExecutionPlan>> {
    physical_plan_from_bytes_with_extension_codec(bytes, &receiver.task_ctx(), &PhysicalCodec::default())
}

/// The rows of a query whose logical plan went to a second session, and its physical plan to a third.
async fn far_rows(files: &Files, sender: &SessionContext, sql: &str) -> Result<Vec<Vec<String>>> {
    let plan = sender.sql(sql).await?.into_optimized_plan()?;
    let bytes = logical_plan_to_bytes_with_extension_codec(&plan, &LogicalCodec::default())?;
    let (scheduler, executor) = (session(files), session(files));
    let codec = LogicalCodec::default();
    let plan = logical_plan_from_bytes_with_extension_codec(&bytes, &scheduler.task_ctx(), &codec)?;
    let plan = scheduler.execute_logical_plan(plan).await?.create_physical_plan().await?;
    let far = read(&written(plan.clone())?, &executor)?;
    let shown = |plan: &Arc<dyn ExecutionPlan>| displayable(plan.as_ref()).indent(true).to_string();
    assert_eq!(shown(&far), shown(&plan), "{sql}");
    assert!(shown(&far).contains("file_type=protobuf"), "{sql}: {}", shown(&far));
    Ok(texts(&collect(far, executor.task_ctx()).await?))
}

#[tokio::test]
async fn a_plan_that_travels_gives_the_same_rows() {
    let files = files();
    let sender = sender(&files);
    for options in [
        "",
        ", enums 'name', well_known 'true', views 'false'",
        ", fields 'id,line,level,part', views 'true'",
    ] {
        files.create("d/*.binpb", &format!(", recursion '1'{options}")).await.unwrap();
        sender.sql(&create(&files, "t", "d/*.binpb", options)).await.unwrap();
        for sql in QUERIES {
            if options.contains("enums") && sql.contains("level = 2") {
                continue;
            }
            let rows = far_rows(&files, &sender, sql).await.unwrap();
            assert_eq!(rows, files.rows(sql).await.unwrap(), "{sql}, {options}");
            assert!(!rows.is_empty(), "{sql}");
        }
    }
}

#[tokio::test]
async fn the_order_of_files_and_the_columns_of_a_statement_travel() {
    let files = files();
    let statement = create(&files, "t", "d/a.binpb", "").replace("PROTOBUF", "PROTOBUF WITH ORDER (id ASC)");
    let statement = statement.replace("TABLE t", "TABLE t (level INT, id BIGINT UNSIGNED)");
    let sender = sender(&files);
    sender.sql(&statement).await.unwrap();
    files.context.sql(&statement).await.unwrap();
    for sql in ["SELECT * FROM t ORDER BY id", "SELECT id FROM t WHERE level = 3 ORDER BY id LIMIT 3"] {
        let rows = far_rows(&files, &sender, sql).await.unwrap();
        assert_eq!(rows, files.rows(sql).await.unwrap(), "{sql}");
        let plan = files.rows(&format!("EXPLAIN {sql}")).await.unwrap().concat().concat();
        assert!(!plan.contains("SortExec"), "{plan}");
    }
}

#[tokio::test]
async fn strings_are_copied_unless_a_table_asks_for_views() {
    let files = files();
    let sender = sender(&files);
    for (options, data_type) in [("", DataType::Utf8), (", views 'true'", DataType::Utf8View)] {
        sender.sql(&create(&files, "t", "d/", options)).await.unwrap();
        let table = sender.table("t").await.unwrap();
        assert_eq!(table.schema().field_with_unqualified_name("line").unwrap().data_type(), &data_type);
    }
}

#[tokio::test]
async fn columns_of_directories_and_compressed_files_travel() {
    let files = Files::new(3);
    files.write("d/day=mon/a.binpb.zst", &zstd_file(&delimited((0..5).map(message))));
    files.write("d/day=tue/a.binpb.zst", &zstd_file(&delimited((5..9).map(message))));
    let statement = create(&files, "t", "d/", ", compression 'zstd'");
    let statement = statement.replace("PROTOBUF", "PROTOBUF PARTITIONED BY (day)");
    let sender = sender(&files);
    sender.sql(&statement).await.unwrap();
    files.context.sql(&statement).await.unwrap();
    for sql in [
        "SELECT day, count(*) FROM t GROUP BY day ORDER BY day",
        "SELECT id, day FROM t WHERE day = 'tue' ORDER BY id",
        "SELECT * FROM t ORDER BY id",
    ] {
        let rows = far_rows(&files, &sender, sql).await.unwrap();
        assert_eq!(rows, files.rows(sql).await.unwrap(), "{sql}");
    }
    assert_eq!(far_rows(&files, &sender, "SELECT id FROM t").await.unwrap().len(), 9);
}

#[tokio::test]
async fn declared_strings_and_a_directory_of_plain_and_compressed_files_travel() {
    let files = Files::new(3);
    files.write("d/a.binpb", &delimited((0..50).map(message)));
    files.write("d/b.binpb.zst", &zstd_file(&delimited((50..59).map(message))));
    files.write("d/notes.txt", b"no message");
    let sender = sender(&files);
    for views in ["", ", views 'true'"] {
        let statement = create(&files, "t", "d/", views)
            .replace("TABLE t", "TABLE t (line VARCHAR, id BIGINT UNSIGNED, raw BYTEA)");
        sender.sql(&statement).await.unwrap();
        files.context.sql(&statement).await.unwrap();
        for sql in ["SELECT * FROM t ORDER BY id", "SELECT count(*) FROM t WHERE line = ''"] {
            let rows = far_rows(&files, &sender, sql).await.unwrap();
            assert_eq!(rows, files.rows(sql).await.unwrap(), "{sql}");
        }
        assert_eq!(far_rows(&files, &sender, "SELECT id FROM t").await.unwrap().len(), 59);
    }
}

#[tokio::test]
async fn a_file_that_changed_since_the_plan_was_made_is_refused_elsewhere_too() {
    let files = files();
    let (sender, executor) = (sender(&files), session(&files));
    sender.sql(&create(&files, "t", "d/a.binpb", "")).await.unwrap();
    let sql = "SELECT id FROM t";
    let plan = sender.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
    let bytes = written(plan).unwrap();
    let run = || collect(read(&bytes, &executor).unwrap(), executor.task_ctx());
    assert_eq!(texts(&run().await.unwrap()).len(), 300);
    files.write("d/a.binpb", &delimited((0..301).map(message)));
    let error = run().await.unwrap_err();
    assert!(matches!(error.find_root(), DataFusionError::ObjectStore(_)), "{error}");
    assert!(error.to_string().contains("a.binpb"), "{error}");
    // A new plan reads the file as it is.
    assert_eq!(far_rows(&files, &sender, sql).await.unwrap().len(), 301);
}

#[tokio::test]
async fn an_error_far_away_has_its_place() {
    let files = files();
    let sender = sender(&files);
    let before = delimited((0..20).map(message));
    files.write("bad.binpb", &[before.clone(), delimited([vec![0x12, 1, 0xff]])].concat());
    sender.sql(&create(&files, "t", "bad.binpb", "")).await.unwrap();
    let failed = far_rows(&files, &sender, "SELECT line FROM t").await.unwrap_err();
    let error = common::scan_error(&failed);
    assert_eq!((error.row(), error.offset()), (20, before.len() as u64));
    assert!(error.file().ends_with("bad.binpb"));
    let rows = far_rows(&files, &sender, "SELECT count(*) FROM t").await.unwrap();
    assert_eq!(rows, [["21"]]);
}

#[tokio::test]
async fn bytes_that_are_cut_off_or_of_another_codec_are_errors() {
    let files = files();
    let sender = sender(&files);
    sender.sql(&create(&files, "t", "d/a.binpb", "")).await.unwrap();
    let plan = sender.sql("SELECT id FROM t").await.unwrap().create_physical_plan().await.unwrap();
    let mut scan = plan;
    while let [child] = scan.children()[..] {
        scan = child.clone();
    }
    let (codec, converter) = (PhysicalCodec::default(), DefaultPhysicalProtoConverter {});
    let mut bytes = Vec::new();
    codec.try_encode(scan, &mut bytes, &converter).unwrap();
    let context = session(&files).task_ctx();
    let decode = |bytes: &[u8]| codec.try_decode(bytes, &[], &context, &converter);
    assert!(decode(&bytes).is_ok());
    let whole = (0..bytes.len()).filter(|&len| decode(&bytes[..len]).is_ok()).count();
    assert_eq!(whole, 0, "the last field has the versions of the files");
    assert!(decode(b"").is_err() && decode(b"\xff").is_err());
    assert!(decode(&bytes).is_ok(), "the codec can be used on");
}

fn zstd_file(bytes: &[u8]) -> Vec<u8> {
    // A frame with one raw block: RFC 8878, 3.1.1.
    let mut file = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    file.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    file.extend_from_slice(&((bytes.len() as u32) << 3 | 1).to_le_bytes()[..3]);
    file.extend_from_slice(bytes);
    file
}
