//! `compile`, `print` and `generate`.

use crate::support::{Scratch, USER, ends, run, shown, text};
use tablepb::DescriptorPool;
use tablepb_schema::SourceBuilder;

#[test]
fn a_set_holds_the_named_files_or_all() {
    let scratch = Scratch::new("compile");
    let proto = scratch.path("user.proto");
    let pool = SourceBuilder::new().source("user.proto", USER).build().expect("a pool");
    let all = pool.encode_to_vec().expect("a set");
    assert_eq!(shown(&["compile", "--include-imports", &proto], ""), all);
    let named = shown(&["compile", &proto], "");
    let file = pool.file("user.proto").expect("a file");
    assert!(named.ends_with(file.file_descriptor_proto_bytes()) && named.len() < all.len());

    let set = scratch.path("set.binpb");
    assert!(shown(&["compile", "-o", &set, "--include-imports", &proto], "").is_empty());
    assert_eq!(std::fs::read(&set).expect("a set"), all);
    let ada = ["decode", "--descriptors", &set, "--type", "app.User", "--to", "ndjson"];
    assert_eq!(text(&ada, b"\x0a\x03Ada"), "{\"name\":\"Ada\"}\n");
    // Standard input, and a set without its imports, which nothing can load.
    let from_input = shown(&["compile", "-"], USER);
    let said = ends(1, &["print"], from_input);
    assert!(said.contains("MissingImport") && said.contains("--include-imports"), "{said}");
}

#[test]
fn names_are_those_under_which_files_are_imported() {
    let scratch = Scratch::new("include");
    let b = scratch.file("protos/app/b.proto", "import \"app/a.proto\"; message B { optional A a = 1; }");
    let a = scratch.file("protos/app/a.proto", "message A {}");
    let root = scratch.path("protos");
    let names = |arguments: &[&str]| -> Vec<String> {
        let set = shown(&[&["compile", "--include-imports", "-I", &root], arguments].concat(), "");
        DescriptorPool::decode(&set).expect("a set").files().map(|file| file.name().to_owned()).collect()
    };
    assert_eq!(names(&[&b]), ["app/a.proto", "app/b.proto"]);
    assert_eq!(names(&["app/a.proto"]), ["app/a.proto"]);
    assert_eq!(names(&[&a, &a]), ["app/a.proto"]);
    // Without -I an absolute path is known by its last part, and its imports are beside it.
    let said = ends(1, &["compile", &b], "");
    assert!(said.contains("b.proto:1:8") && said.contains("app/a.proto"), "{said}");
    let user = scratch.path("user.proto");
    assert!(ends(1, &["compile", "-I", &root, &user], "").contains("is in no directory of -I"));
    assert!(ends(1, &["compile", "-I", &root, "app/c.proto"], "").contains("in no directory of -I"));
}

#[test]
fn several_files_come_in_the_order_of_protoc() {
    let scratch = Scratch::new("order");
    let root = scratch.path("");
    for (name, imports) in [("a", "b"), ("b", "c"), ("c", ""), ("d", "c")] {
        let import = match imports {
            "" => String::new(),
            imports => {
                format!("import \"{imports}.proto\"; message U_{name} {{ optional M_{imports} m = 1; }}")
            }
        };
        let source = format!("{import} message M_{name} {{}}");
        scratch.file(&format!("{name}.proto"), source);
    }
    let names = |files: &[&str], more: &[&str]| {
        let set = shown(&[&["compile", "-I", &root], more, files].concat(), "");
        let files = tablepb::raw::RawFields::new(&set).map(|field| {
            let file = field.expect("a field").bytes();
            String::from_utf8(vec![file[2]]).expect("a letter")
        });
        files.collect::<String>()
    };
    // Imports first, but not through a file that is not named: protoc 36 gives the same.
    assert_eq!(names(&["a.proto", "b.proto"], &[]), "ba");
    assert_eq!(names(&["d.proto", "a.proto", "c.proto"], &[]), "cda");
    assert_eq!(names(&["a.proto", "c.proto"], &[]), "ac");
    assert_eq!(names(&["d.proto", "a.proto"], &["--include-imports"]), "cdba");
}

#[test]
fn faults_of_sources_have_a_place_and_leave_the_old_set() {
    let scratch = Scratch::new("faults");
    let wrong = scratch.file("wrong.proto", "syntax = \"proto3\";\nmessage M { strin name = 1; }\n");
    let set = scratch.file("set.binpb", "precious");
    let said = ends(1, &["compile", "-o", &set, &wrong], "");
    assert!(said.contains("wrong.proto:2:13: type not found: strin") && said.contains("^^^^^"), "{said}");
    assert_eq!(std::fs::read(&set).expect("a file"), b"precious");
    ends(2, &["compile"], "");
    ends(1, &["compile", &scratch.path("missing.proto")], "");
}

#[test]
fn print_shows_source_and_json() {
    let scratch = Scratch::new("print");
    let proto = scratch.path("user.proto");
    let source = text(&["print", &proto], "");
    assert!(
        source.starts_with("syntax = \"proto3\";\n") && source.contains("map<string, int32> scores = 5;")
    );
    // What is printed says the same as what was read.
    let again = scratch.file("again/user.proto", &source);
    assert_eq!(shown(&["compile", &again], ""), shown(&["compile", &proto], ""));

    let set = scratch.file("set.binpb", shown(&["compile", "--include-imports", &proto], ""));
    let both = text(&["print", &set], "");
    assert!(
        both.starts_with("// google/protobuf/timestamp.proto\n") && both.contains("\n// user.proto\n"),
        "{both}"
    );
    assert!(both.ends_with(&source));
    let two = scratch.file("two.proto", "message A { message B {} }\nmessage C {}\n");
    let one = text(&["print", "--type", "A.B", &two], "");
    assert!(one.contains("message B {") && !one.contains("message C"), "{one}");
    assert!(ends(2, &["print", "--type", "app.Usr", &set], "").contains("did you mean\n  app.User"));

    // JSON is that of a descriptor set.
    let json = text(&["print", "--to", "json", &proto], "");
    let schema = ["encode", "--proto", "google/protobuf/descriptor.proto", "-I", &scratch.path("")];
    let schema = [&schema[..], &["--type", "google.protobuf.FileDescriptorSet"]].concat();
    let descriptor = DescriptorPool::descriptor_proto();
    let type_of = descriptor.message("google.protobuf.FileDescriptorSet").expect("a type");
    let back = tablepb::json::message_from_slice(&type_of, json.as_bytes()).expect("JSON");
    assert_eq!(back.encode_to_vec().expect("a set"), shown(&["compile", &proto], ""));
    // A file that protobuf has built in need not be there.
    assert_eq!(shown(&schema, &json), shown(&["compile", &proto], ""));
}

#[test]
fn generate_writes_what_the_build_script_writes() {
    let scratch = Scratch::new("generate");
    let proto = scratch.path("user.proto");
    let out = scratch.path("out");
    let generate = ["generate", "-o", &out, "--opt", "bytes=.", "--opt", "include_file=mod.rs", &proto];
    assert!(ends(1, &[&generate[..], &["--check"]].concat(), "").contains("out of date: "));
    assert!(!std::path::Path::new(&out).exists());
    assert!(shown(&generate, "").is_empty());
    assert!(shown(&[&generate[..], &["--check"]].concat(), "").is_empty());
    let pool =
        SourceBuilder::new().source("user.proto", USER).include_source_info(true).build().expect("a pool");
    let mut config = tablepb_build::Config::new();
    config.bytes(["."]).include_file("mod.rs").out_dir(&out);
    for file in config.generate(&pool).expect("files") {
        assert!(file.is_written(std::path::Path::new(&out)), "{}", file.name());
    }
    std::fs::write(scratch.path("out/mod.rs"), "").expect("a file");
    let said = ends(1, &[&generate[..], &["--check"]].concat(), "");
    assert!(said.contains("out of date: ") && said.contains("mod.rs") && !said.contains("app.rs"), "{said}");
    // A set, which has no comments here.
    let set = scratch.path("set.binpb");
    shown(&["compile", "-o", &set, "--include-imports", &proto], "");
    assert!(shown(&["generate", "-o", &out, &set], "").is_empty());
    assert!(ends(2, &["generate", "--opt", "bites=.", &proto], "").contains("--opt: unknown option bites"));
}

#[test]
fn faults_are_shown_to_other_programs() {
    let scratch = Scratch::new("forms");
    let root = scratch.path("");
    let source =
        "syntax = \"proto3\";\nmessage M { strin name = 1; int32 a = 0; }\nmessage N { int32 b = 0; }\n";
    let wrong = scratch.file("dir, x/wrong.proto", source);
    let said = |form: &str| ends(1, &["compile", "-I", &root, "--error-format", form, &wrong], "");
    let human = said("human");
    assert!(
        human.starts_with("tablepb: dir, x/wrong.proto:2:13: type not found: strin\n  | message"),
        "{human}"
    );
    assert_eq!(human.matches("wrong.proto:").count(), 3);
    let lines = |text: String| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let gcc = lines(said("gcc"));
    assert_eq!(gcc[0], format!("{wrong}:2:13: type not found: strin"));
    assert_eq!(gcc.len(), 3);
    assert_eq!(lines(said("msvc"))[0], format!("{wrong}(2) : error in column=13: type not found: strin"));
    let escaped = wrong.replace(',', "%2C");
    assert_eq!(
        lines(said("github"))[0],
        format!("::error file={escaped},line=2,col=13,endLine=2,endColumn=18::type not found: strin")
    );
    assert_eq!(
        lines(said("json"))[0],
        format!(
            "{{\"path\":\"{wrong}\",\"start_line\":2,\"start_column\":13,\"end_line\":2,\"end_column\":18,\
             \"type\":\"UnresolvedType\",\"message\":\"type not found: strin\"}}"
        )
    );
    let two = ends(1, &["compile", "-I", &root, "--error_format=gcc", "--max-errors", "2", &wrong], "");
    assert_eq!(two.lines().count(), 2);
    assert!(ends(2, &["compile", "--max-errors", "0", &wrong], "").contains("max-errors"));
}

#[test]
fn unused_imports_are_warnings_and_a_failure_if_that_is_asked_for() {
    let scratch = Scratch::new("warnings");
    let (root, set) = (scratch.path(""), scratch.path("set.binpb"));
    scratch.file("b.proto", "import \"c.proto\"; message B {}");
    scratch.file("c.proto", "message C {}");
    let a = scratch.file("a.proto", "import \"b.proto\";\nmessage A {}");
    let compile = |more: &[&str]| run(&[&["compile", "-I", &root, "-o", &set], more, &[&a]].concat(), b"");
    let fatal = compile(&["--fatal_warnings"]);
    let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let line = format!("{a}:1:8: warning: unused import: b.proto\n");
    assert_eq!((fatal.status.code(), said(&fatal)), (Some(1), line.clone()));
    assert!(!std::path::Path::new(&set).exists());
    let made = compile(&[]);
    assert_eq!((made.status.code(), said(&made)), (Some(0), line));
    assert!(std::path::Path::new(&set).exists());
    let form = |form: &str| said(&compile(&["--error-format", form]));
    assert_eq!(form("msvc"), format!("{a}(1) : warning in column=8: unused import: b.proto\n"));
    assert!(form("github").starts_with("::warning file="));
    assert!(form("json").contains("\"type\":\"UnusedImport\""));
    // Only in the files that are named.
    let b = scratch.file("user.proto", "import \"b.proto\"; message U { optional B b = 1; }");
    assert_eq!(said(&run(&["compile", "--fatal-warnings", "-I", &root, &b], b"")), "");
}

#[test]
fn directories_and_files_of_arguments_stand_for_sources() {
    let scratch = Scratch::new("many");
    let root = scratch.path("p");
    scratch.file("p/a.proto", "import \"b/c.proto\"; message A { optional C c = 1; }");
    scratch.file("p/b/c.proto", "message C {}");
    scratch.file("p/b/d.proto", "message D {}");
    scratch.file("p/b/no.txt", "no");
    std::fs::create_dir(scratch.path("empty")).expect("a directory");
    let names = |arguments: &[&str]| -> Vec<String> {
        let set = shown(&[&["compile", "-I", &root], arguments].concat(), "");
        DescriptorPool::decode(&set).expect("a set").files().map(|file| file.name().to_owned()).collect()
    };
    assert_eq!(names(&[&root]), ["b/c.proto", "a.proto", "b/d.proto"]);
    assert!(ends(1, &["compile", "-I", &root, &scratch.path("empty")], "").contains("no .proto sources"));
    let list = scratch.file("list", "b/d.proto\n\n  b/c.proto\n");
    assert_eq!(names(&[&format!("@{list}")]), ["b/d.proto", "b/c.proto"]);
    assert!(ends(1, &["compile", "@no such file"], "").contains("no such file"));
    // A rule for make has what is on disk, and not the files of protobuf itself.
    let imports = "import \"google/protobuf/any.proto\"; import \"b/c.proto\";";
    scratch.file(
        "p/e.proto",
        format!("{imports} message E {{ optional google.protobuf.Any a = 1; optional C c = 2; }}"),
    );
    let (set, rule) = (scratch.path("set.binpb"), scratch.path("set.d"));
    shown(&["compile", "-I", &root, "-o", &set, "--dependency_out", &rule, "e.proto"], "");
    let rule = std::fs::read_to_string(rule).expect("a rule");
    assert_eq!(rule, format!("{set}: {root}/b/c.proto\\\n {root}/e.proto\n"));
}

#[test]
fn what_is_read_is_bounded() {
    let scratch = Scratch::new("bounds");
    let large = scratch.file("large.proto", format!("message M {{}} // {}\n", "x".repeat(3 << 20)));
    assert!(!shown(&["compile", &large], "").is_empty());
    let small = ["compile", "--memory", "1M", &large];
    assert!(ends(1, &small, "").contains("a source of more than 1048576 bytes"));
    let said = ends(1, &["compile", "--memory", "64K", "-"], "message M {}\n".repeat(10_000));
    assert!(said.contains("standard input: more than 65536 bytes"), "{said}");
    assert!(!shown(&["compile", "--memory", "1GiB", &large], "").is_empty());
    for wrong in ["x", "0", "-1", "99999999999G"] {
        assert!(
            ends(2, &["compile", &format!("--memory={wrong}"), &large], "").contains("--memory"),
            "{wrong}"
        );
    }
    // What never ends.
    if std::path::Path::new("/dev/zero").exists() {
        assert!(ends(1, &["print", "/dev/zero"], "").contains("the most of a schema that is read"));
        let said = ends(1, &["compile", "-I", "/dev", "/dev/zero"], "");
        assert!(said.contains("a source of more than"), "{said}");
    }
}

#[test]
fn options_for_the_source_alone_are_kept_if_that_is_asked_for() {
    let scratch = Scratch::new("retain");
    let source = "syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\";
        extend google.protobuf.MessageOptions { optional int32 note = 50000 [retention = RETENTION_SOURCE]; }
        message M { option (note) = 7; option deprecated = true; }";
    let file = scratch.file("m.proto", source);
    let options = |more: &[&str]| {
        let set = shown(&[&["compile", "--include-imports", &file], more].concat(), "");
        DescriptorPool::decode(&set).expect("a set").message("M").expect("a message").options().to_string()
    };
    assert_eq!(options(&[]), "deprecated:true");
    assert_eq!(options(&["--retain-options"]), "deprecated:true,[note]:7");
    assert_eq!(options(&["--retain_options", "--include-source-info"]), "deprecated:true,[note]:7");
}

/// What is imported may be in descriptor sets alone, as for protoc.
#[test]
fn imports_come_out_of_descriptor_sets() {
    let scratch = Scratch::new("compile-sets");
    let a = scratch.file("a.proto", "syntax = \"proto3\"; package a; message A { optional int32 x = 1; }");
    let b = scratch.file("b.proto", "syntax = \"proto3\"; import \"a.proto\"; message B { a.A a = 1; }");
    let c = scratch.file("c.proto", "syntax = \"proto3\"; import \"b.proto\"; message C { B b = 1; }");
    let set = |name: &str, arguments: &[&str]| {
        let out = scratch.path(name);
        let root = scratch.path("");
        let output = run(&[&["compile", "-I", &root, "-o", &out], arguments].concat(), b"");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read(&out).expect("a set")
    };
    let whole = set("whole.binpb", &["--include-imports", &c]);
    set("a.binpb", &[&a]);
    set("b.binpb", &[&b]);
    for file in [&a, &b] {
        std::fs::remove_file(file).expect("a file");
    }
    let sets = std::env::join_paths(["a.binpb", "b.binpb"].map(|name| scratch.path(name))).expect("paths");
    let again =
        set("c.binpb", &["--include-imports", "--descriptor-set-in", sets.to_str().expect("UTF-8"), &c]);
    assert_eq!(again, whole);
    let said = ends(1, &["compile", "-I", &scratch.path(""), "-o", "/dev/null", &c], "");
    assert!(said.contains("b.proto"), "{said}");
}
