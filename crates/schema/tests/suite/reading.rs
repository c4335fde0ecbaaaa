//! Sources in directories: endless, large, missing, and with bytes that are not UTF-8.

use crate::common::protoc::Dir;
use std::time::Instant;
use tablepb::DescriptorPool;
use tablepb::schema::PoolOptions;
use tablepb_schema::{SourceBuilder, SourceError, SourceErrorKind};

fn build(dir: &Dir, name: &str, memory: Option<usize>) -> Result<DescriptorPool, SourceError> {
    let options = memory.map_or(PoolOptions::new(), |bytes| PoolOptions::new().memory(bytes));
    SourceBuilder::new().include(&dir.0).file(name).with_options(options).build()
}

#[track_caller]
fn is_over(result: Result<DescriptorPool, SourceError>, limit: usize) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::BudgetExceeded, "{error}");
    let text = error.to_string();
    assert!(
        text.contains(&format!("more than {limit} bytes; PoolOptions::memory raises the bound")),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn an_endless_device_is_read_up_to_the_bound() {
    let dir = Dir::new("endless");
    std::os::unix::fs::symlink("/dev/zero", dir.0.join("zero.proto")).unwrap();
    dir.write("imports.proto", "import \"zero.proto\";");
    let start = Instant::now();
    is_over(build(&dir, "zero.proto", None), 1 << 20);
    is_over(build(&dir, "imports.proto", None), 1 << 20);
    is_over(build(&dir, "zero.proto", Some(5000)), 5000);
    is_over(build(&dir, "zero.proto", Some(8 << 20)), 8 << 20);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[cfg(unix)]
#[test]
fn a_pipe_that_does_not_end_is_read_up_to_the_bound() {
    use std::io::Write;
    let dir = Dir::new("pipe");
    let path = dir.0.join("pipe.proto");
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    // One pipe that is too long, and one that ends in time.
    for (pieces, taken) in [(usize::MAX, false), (2, true)] {
        let to = path.clone();
        let writer = std::thread::spawn(move || {
            let mut pipe = std::fs::File::create(to).unwrap();
            let mut piece = vec![b'\n'; 1000];
            piece[..12].copy_from_slice(b"/* line */\n;");
            // Ends when the reader is gone.
            let _ = (0..pieces).try_for_each(|_| pipe.write_all(&piece));
        });
        let built = build(&dir, "pipe.proto", None);
        if taken {
            built.unwrap();
        } else {
            is_over(built, 1 << 20);
        }
        writer.join().unwrap();
    }
}

#[test]
fn a_file_over_the_bound_is_taken_with_a_larger_one() {
    let dir = Dir::new("large");
    let source = format!("syntax = \"proto3\"; message M {{ int32 a = 1; }}{}", " ".repeat(100_000));
    dir.write("large.proto", &source);
    is_over(build(&dir, "large.proto", Some(source.len() - 1)), source.len() - 1);
    build(&dir, "large.proto", Some(1 << 20)).unwrap();
    build(&dir, "large.proto", None).unwrap();
    // Holes cost nothing: the length alone is enough to refuse it.
    std::fs::File::create(dir.0.join("holes.proto")).unwrap().set_len(1 << 40).unwrap();
    let start = Instant::now();
    is_over(build(&dir, "holes.proto", Some(1 << 20)), 1 << 20);
    assert_eq!(build(&dir, "holes.proto", None).unwrap_err().kind(), SourceErrorKind::TooMany);
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn bytes_of_comments_may_be_anything() {
    let dir = Dir::new("latin");
    let write = |text: &[u8]| std::fs::write(dir.0.join("latin.proto"), text).unwrap();
    write(b"syntax = \"proto3\"; // Stra\xdfe\n/* \xe9t\xe9 */ message M { /*\xff*/ int32 a = 1; }");
    let pool = SourceBuilder::new().include(&dir.0).file("latin.proto").include_source_info(true).build();
    let file = pool.unwrap().file("latin.proto").unwrap().to_proto();
    assert!(file.contains("?t?"), "{file}");
    for (text, line) in [
        (&b"syntax = \"proto3\";\nmessage \xffM { }"[..], 2),
        (b"syntax = \"proto3\";\n\n// \xff\noption java_package = \"\xff\";", 4),
        (b"\xff", 1),
    ] {
        write(text);
        let error = build(&dir, "latin.proto", None).unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::InvalidToken);
        assert!(
            error.to_string().contains(&format!("latin.proto: invalid token: line {line} has a byte")),
            "{error}"
        );
    }
}

#[test]
fn a_file_that_is_nowhere_names_the_directories_that_were_searched() {
    let dir = Dir::new("missing");
    dir.write("a.proto", "syntax = \"proto3\"; import \"b.proto\";");
    let gone = dir.0.join("gone");
    let build = |file: &str| {
        let builder = SourceBuilder::new().include(&dir.0).include(&gone);
        builder.file(file).build().unwrap_err()
    };
    let searched = format!("searched in {}, {} (no such directory)", dir.0.display(), gone.display());
    for file in ["a.proto", "c.proto"] {
        let error = build(file);
        assert_eq!(error.kind(), SourceErrorKind::MissingImport);
        assert!(error.to_string().contains(&searched), "{error}");
    }
}
