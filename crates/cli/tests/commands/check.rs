//! `check`, `print --to rust` and `compile --include-source-info`.

use crate::support::{Scratch, ends, run, text};

const OLD: &str =
    "syntax = \"proto3\"; package app; message User { string name = 1; int32 age = 2; reserved 3; }";

#[test]
fn changes_that_break_data_are_found() {
    let scratch = Scratch::new("check");
    let old = scratch.file("old.proto", OLD);
    let with = |name: &str, change: [&str; 2]| {
        assert!(OLD.contains(change[0]));
        scratch.file(name, OLD.replace(change[0], change[1]))
    };
    assert_eq!(text(&["check", &old, &old], ""), "no differences\n");
    // Compatible.
    let added = with("added.proto", ["reserved 3;", "reserved 3; bool active = 4;"]);
    assert!(text(&["check", &old, &added], "").starts_with("app.User.active: the field is new"));
    assert!(text(&["check", "--strict", &old, &added], "").contains("active"));
    // Breaking.
    let changed = with("changed.proto", ["int32 age", "string age"]);
    let output = run(&["check", &old, &changed], b"");
    assert_eq!(output.status.code(), Some(1));
    let line = String::from_utf8(output.stdout).unwrap();
    assert_eq!(line, "app.User.age: the type changes from int32 to string (breaks the wire format)\n");
    assert!(String::from_utf8(output.stderr).unwrap().contains("1 difference breaks data"));
    // Only with an option.
    let renamed = with("renamed.proto", ["name = 1", "full_name = 1"]);
    assert!(text(&["check", &old, &renamed], "").contains("the name changes from name to full_name"));
    assert!(ends(1, &["check", "--json", &old, &renamed], "").contains("1 difference breaks data"));
    let wider = with("wider.proto", ["int32 age", "int64 age"]);
    assert!(text(&["check", &old, &wider], "").contains("int32 to int64"));
    assert!(ends(1, &["check", "--strict", &old, &wider], "").contains("or may break it: 1"));
    // One type of several, and a set beside a source.
    let two = with("two.proto", ["message User", "message Other {} message User"]);
    let set = scratch.path("set.binpb");
    text(&["compile", "-o", &set, &changed], "");
    assert_eq!(text(&["check", "--type", "app.User", &old, &two], ""), "no differences\n");
    assert!(ends(1, &["check", &two, &set], "").contains("breaks data"));
    // Mistakes.
    ends(2, &["check", &old], "");
    assert!(ends(1, &["check", &old, "missing.proto"], "").contains("missing.proto"));
    ends(2, &["check", "--type", "app.None", &old, &old], "");
}

#[test]
fn rules_by_the_names_of_buf() {
    let scratch = Scratch::new("check-rules");
    let old = scratch.file(
        "old/app.proto",
        "syntax = \"proto3\";\nmessage User {\n  string name = 1;\n  int32 age = 2;\n}\n",
    );
    let new =
        scratch.file("new/app.proto", "syntax = \"proto3\";\nmessage User {\n  string full_name = 1;\n}\n");
    let rules = |more: &[&str]| run(&[&["check", "--rules"], more, &[&old, &new]].concat(), b"");
    let lines = |more: &[&str]| String::from_utf8(rules(more).stdout).unwrap().replace(&scratch.path(""), "");
    assert_eq!(
        lines(&["WIRE_JSON"]),
        "new/app.proto:2:1: FIELD_NO_DELETE_UNLESS_NAME_RESERVED: field 2 \"age\" of User was deleted and its name is not reserved\n\
         new/app.proto:2:1: FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED: field 2 \"age\" of User was deleted and its number is not reserved\n\
         new/app.proto:3:3: FIELD_SAME_JSON_NAME: field 1 \"full_name\" of User changes its JSON name from \"name\" to \"fullName\"\n\
         new/app.proto:3:10: FIELD_SAME_NAME: field 1 \"full_name\" of User changes its name from \"name\" to \"full_name\"\n"
    );
    let wire = lines(&["WIRE,COLUMNS", "--except", "FIELD_SAME_NAME", "--except=FIELD_NO_DELETE"]);
    assert_eq!(wire.lines().count(), 1, "{wire}");
    let github = lines(&["FIELD_SAME_NAME", "--error-format", "github"]);
    assert!(
        github
            .starts_with("::error file=new/app.proto,line=3,col=10,endLine=3,endColumn=10::FIELD_SAME_NAME"),
        "{github}"
    );
    let failed = rules(&["FIELD_SAME_NAME"]);
    assert_eq!(
        (failed.status.code(), failed.stderr),
        (Some(1), b"tablepb: 1 change breaks a rule\n".to_vec())
    );
    assert_eq!(text(&["check", "--rules", "FIELD_SAME_TYPE", &old, &new], ""), "");
    // A directory, and the other order of arguments.
    let (old_directory, new_directory) = (scratch.path("old"), scratch.path("new"));
    let against = ["check", "--rules", "FIELD_SAME_NAME", &new_directory, "--against", &old_directory];
    assert!(ends(1, &against, "").contains("1 change breaks a rule"));
    // A descriptor set without places.
    let set = scratch.path("new.binpb");
    text(&["compile", "-o", &set, "-I", &new_directory, &new], "");
    let output = run(&["check", "--rules", "FIELD_SAME_NAME", &old, &set], b"");
    assert!(output.stdout.starts_with(b"app.proto: FIELD_SAME_NAME: field 1"), "{output:?}");
    // The list of rules, and names that no rule has.
    assert!(
        text(&["check", "--list-rules"], "")
            .lines()
            .any(|line| line.starts_with("RPC_NO_DELETE ") && line.contains("FILE, PACKAGE"))
    );
    let wrong = ends(2, &["check", "--rules", "FIELD_SAME_NAMES", &old, &new], "");
    assert!(
        wrong.contains("there is no such rule or category: FIELD_SAME_NAMES; did you mean FIELD_SAME_NAME"),
        "{wrong}"
    );
    ends(2, &["check", "--except", "FILE", &old, &new], "");
    ends(2, &["check", "--rules", "FILE", "--json", &old, &new], "");
}

#[test]
#[cfg(not(feature = "grpc"))]
fn servers_are_asked_by_other_builds() {
    let scratch = Scratch::new("check-server");
    let old = scratch.file("a.proto", OLD);
    assert!(ends(2, &["check", &old, "--against", "grpc:localhost:1"], "").contains("feature `grpc`"));
}

#[test]
fn directories_and_commits_are_compared() {
    let scratch = Scratch::new("commits");
    let root = scratch.path("repository");
    let file = |name: &str, content: &str| scratch.file(&format!("repository/{name}"), content);
    file("proto/app/a.proto", "import \"app/b.proto\"; message A { optional B b = 1; }");
    file("proto/app/b.proto", "// \u{e9}\nmessage B { optional int32 x = 1; }");
    file("other/c.proto", "message C {}");
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"]);
        let output = git.args(arguments).current_dir(&root).output();
        output.is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "--quiet", "--initial-branch=main"]) {
        println!("not run: there is no git");
        return;
    }
    assert!(git(&["add", "."]) && git(&["commit", "--quiet", "-m", "first"]) && git(&["tag", "v1"]));
    let check = |arguments: &[&str]| {
        let mut tool = std::process::Command::new(env!("CARGO_BIN_EXE_tablepb"));
        let output = tool.arg("check").args(arguments).current_dir(&root).output().expect("it starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout) + &text(output.stderr))
    };
    let none = (Some(0), String::from("no differences\n"));
    assert_eq!(check(&["proto", "--against", "git:main:proto"]), none);
    assert_eq!(check(&["git:v1:proto/", "proto"]), none);
    assert_eq!(check(&["proto", "proto"]), none);
    file("proto/app/b.proto", "message B { optional string x = 1; }");
    let (code, said) = check(&["proto", "--against", "git:v1:proto"]);
    assert!(code == Some(1) && said.starts_with("B.x: the type changes from int32 to string"), "{said}");
    // The other way round, and from within a directory.
    let (_, said) = check(&["git:main:proto", "--against", "proto"]);
    assert!(said.starts_with("B.x: the type changes from string to int32"), "{said}");
    for (arguments, code, expected) in [
        (["proto", "git:nothing:proto"], 1, "nothing"),
        (["proto", "git:main:nothing"], 1, "no .proto sources there"),
        (["proto", "git:--output=x:proto"], 2, "a commit, branch or tag was expected"),
        (["proto", "git:main"], 1, "app/b.proto"),
    ] {
        let (found, said) = check(&arguments);
        assert!(found == Some(code) && said.contains(expected), "{arguments:?}: {said}");
    }
    let empty = scratch.path("empty");
    std::fs::create_dir(&empty).expect("a directory");
    assert!(ends(1, &["check", &empty, &empty], "").contains("no .proto sources"));
    assert!(ends(2, &["check", &empty], "").contains("NEW"));
    assert!(ends(2, &["check", &empty, &empty, "--against", &empty], "").contains("--against"));
}

#[test]
fn a_schema_is_printed_as_rust() {
    let scratch = Scratch::new("rust");
    let file = scratch.file("old.proto", OLD);
    let rust = text(&["print", "--to", "rust", &file], "");
    assert!(rust.contains("pub struct User") && rust.contains("User as \"app.User\" {"), "{rust}");
    assert!(text(&["print", "--to", "rust", "--type", "app.User", &file], "").contains("age: int32 = 2"));
}

#[test]
fn comments_are_kept_if_that_is_asked_for() {
    let scratch = Scratch::new("comments");
    let file = scratch.file("old.proto", format!("// Of the syntax.\n{OLD}"));
    let sets = [&[][..], &["--include-source-info"]].map(|more| {
        let set = scratch.path("set.binpb");
        text(&[&["compile", "-o", &set, &file], more].concat(), "");
        (std::fs::read(&set).unwrap().len(), text(&["print", &set], ""))
    });
    assert!(sets[0].0 < sets[1].0);
    assert!(
        !sets[0].1.contains("// Of the syntax.") && sets[1].1.contains("// Of the syntax."),
        "{}",
        sets[1].1
    );
    // A source is printed with its comments.
    assert!(text(&["print", &file], "").contains("// Of the syntax."));
}

#[test]
fn calls_that_fail_and_reservations_that_are_gone_are_found() {
    let scratch = Scratch::new("check-services");
    let source = "syntax = \"proto3\"; package app; message A { reserved 3; } message B {}
        service S { rpc Get(A) returns (A); rpc List(A) returns (stream A); }";
    let old = scratch.file("old.proto", source);
    for (from, to, line) in [
        ("rpc Get(A) returns (A);", "", "app.S.Get: the method is removed (breaks calls)\n"),
        ("Get(A)", "Get(B)", "app.S.Get: the request type changes from app.A to app.B (breaks calls)\n"),
        (
            "returns (A)",
            "returns (B)",
            "app.S.Get: the response type changes from app.A to app.B (breaks calls)\n",
        ),
        (
            "stream A",
            "A",
            "app.S.List: the streaming changes from server streaming to unary (breaks calls)\n",
        ),
    ] {
        let new = scratch.file("new.proto", source.replace(from, to));
        let output = run(&["check", &old, &new], b"");
        assert_eq!(
            (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8")),
            (Some(1), line.into())
        );
        assert!(
            String::from_utf8(output.stderr).expect("UTF-8").contains("1 difference breaks data or calls")
        );
    }
    let gone = scratch.file("gone.proto", &source[..source.find("service").expect("a service")]);
    assert!(ends(1, &["check", &old, &gone], "").contains("1 difference"));
    assert_eq!(text(&["check", &gone, &old], ""), "app.S: the service is new (compatible)\n");
    let free = scratch.file("free.proto", source.replace("reserved 3;", ""));
    let line = "app.A: the reservation is removed: 3 (depends on the values)\n";
    assert_eq!(text(&["check", &old, &free], ""), line);
    ends(1, &["check", "--strict", &old, &free], "");
}
