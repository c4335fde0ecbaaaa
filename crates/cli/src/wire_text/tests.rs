use super::*;
use tablepb_schema::SourceBuilder;

fn bytes(text: &str) -> Vec<u8> {
    assemble(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

fn fault(text: &str) -> String {
    assemble(text).expect_err(text).to_string()
}

#[test]
fn tokens() {
    let cases: [(&str, &[u8]); 40] = [
        ("", &[]),
        ("# nothing\n`abCD` # more", &[0xab, 0xcd]),
        (r#""a\n\"\\\x41\101\7" "b""#, b"a\n\"\\AA\x07b"),
        ("\"über\n\"", "über\n".as_bytes()),
        ("150 0x96", &[0x96, 1, 0x96, 1]),
        ("-1", &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
        ("-9223372036854775808", &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1]),
        ("18446744073709551615z 0z -1z 1z -2z", &[1, 0, 1, 2, 3]),
        ("true false", &[1, 0]),
        ("1i32 -1i32 4294967295i32", &[1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]),
        ("-2i64", &[254, 255, 255, 255, 255, 255, 255, 255]),
        ("1.5 1.5i64", &[0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f]),
        ("-0.0i32 1.5e1i32", &[0, 0, 0, 0x80, 0, 0, 0x70, 0x41]),
        ("0xf.fi64", &15.9375_f64.to_le_bytes()),
        ("-0x1.ffp52", &(-(511.0 / 256.0) * 2_f64.powi(52)).to_le_bytes()),
        ("0x1.0p-1074", &1_u64.to_le_bytes()),
        ("0x0.000000000000000000000000000000000000000001p168i32", &1_f32.to_le_bytes()),
        ("inf32 -inf32", &[0, 0, 0x80, 0x7f, 0, 0, 0x80, 0xff]),
        ("inf64", &f64::INFINITY.to_le_bytes()),
        ("-inf64", &f64::NEG_INFINITY.to_le_bytes()),
        ("long-form:3 3", &[0x83, 0x80, 0x80, 0]),
        ("1: 55z", &[8, 110]),
        ("2: 1.0", &[0x11, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]),
        ("6: -1i32", &[0x35, 255, 255, 255, 255]),
        ("3: {\"text\"}", b"\x1a\x04text"),
        ("3:{}", &[0x1a, 0]),
        ("8: !{42}", &[0x43, 42, 0x44]),
        ("8: !{1: 2 long-form:2 }", &[0x43, 8, 2, 0xc4, 0x80, 0]),
        ("1: 2: 3", &[8, 16, 3]),
        ("1:", &[8]),
        ("1: \"a\" 2: 5i32", &[8, b'a', 0x15, 5, 0, 0, 0]),
        ("1:VARINT 2:I64 3:LEN 4:SGROUP 5:EGROUP 6:I32 7:7 8:0x6", &[8, 17, 26, 35, 44, 53, 63, 70]),
        ("long-form:1 1:LEN 5", &[0x8a, 0, 5]),
        ("long-form:1 1: {`00`}", &[0x8a, 0, 1, 0]),
        ("1: long-form:2 {`00`}", &[10, 0x81, 0x80, 0, 0]),
        ("0: 1", &[0, 1]),
        ("1: {2: {3: {4}}}", &[10, 5, 18, 3, 26, 1, 4]),
        ("1: !{2: !{}}", &[11, 19, 20, 12]),
        ("1: !{2: {\"a\"}}", &[11, 18, 1, b'a', 12]),
        ("{1 2}", &[2, 1, 2]),
    ];
    for (text, expected) in cases {
        assert_eq!(bytes(text), expected, "{text}");
    }
}

#[test]
fn faults_have_places() {
    assert_eq!(fault("1: {\n  garbage }"), "\"garbage\" means nothing here at line 2, column 3");
    assert_eq!(fault("\"a"), "a string is not closed at line 1, column 1");
    assert_eq!(fault("1 }"), "there is no brace to close at line 1, column 3");
    for text in [
        "`a`",
        "`a",
        "`xy`",
        "\"\\q\"",
        "\"\\x4\"",
        "\"\\400\"",
        "\"\\",
        "{",
        "1: !{",
        "!{}",
        "1:LEN !{}",
        "! {",
        "1 !{}",
        "9:8",
        "1i32:",
        "1:FOO",
        "18446744073709551616",
        "-9223372036854775809",
        "4294967296i32",
        "-2147483649i32",
        "1.0e999",
        "1.0e39i32",
        "1.",
        "1.e3",
        "long-form:2",
        "long-form:2 \"a\"",
        "long-form:2 1i32",
        "long-form:x 1",
        "long-form:1 long-form:1 1",
        "1152921504606846976: 1",
        "1:a-b",
        "[",
        "-",
        "1: {long-form:1}",
    ] {
        fault(text);
    }
    assert!(fault(&"{".repeat(5000)).starts_with("braces are too deep at line 1, column 1001"));
}

#[test]
fn a_text_of_bytes_makes_the_same_bytes() {
    let check = |bytes: &[u8]| {
        let text = disassemble(bytes, None);
        assert_eq!(assemble(&text).unwrap_or_else(|fault| panic!("{fault}\n{text}")), bytes, "{text}");
    };
    let mut state = 7_u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..20_000 {
        // Bytes that are often tags, small lengths, and the ends of groups.
        let len = random(40);
        let bytes: Vec<u8> = (0..len)
            .map(|_| match random(6) {
                0 => (random(4) << 3 | random(6)) as u8,
                1 => random(8) as u8,
                2 => 0x80,
                3 => b'a' + random(26) as u8,
                _ => random(256) as u8,
            })
            .collect();
        check(&bytes);
    }
    check(&[8; 1000]);
    check(&[0x0b; 1000]);
    check(&[[0x0b; 300], [0x0c; 300]].concat());
    check(&[0x80; 1000]);
    check("a long text, in two lines\n of more than one\ttab \u{85}\u{200e}".repeat(20).as_bytes());
    let deep = (0..300).fold(Vec::new(), |inner, _| {
        let mut outer = vec![10];
        varint(inner.len() as u64, 0, &mut outer);
        [outer, inner].concat()
    });
    check(&deep);
}

#[test]
fn what_a_person_reads() {
    assert_eq!(
        disassemble(
            &bytes(
                "1: 150 2: {1: -1 3: {\"Ada\"}} 3: 1.5 4: 1.5i32 5: 77i64 6: !{1: 2} 7:SGROUP long-form:2 1: long-form:1 2 1:LEN 9 \"ab\""
            ),
            None
        ),
        "1: 150\n2: {\n  1: -1\n  3: {\"Ada\"}\n}\n3: 1.5\n4: 1.5i32\n5: 77i64\n6: !{\n  1: 2\n}\n7:SGROUP\nlong-form:2 1: long-form:1 2\n1:LEN 9\n\"ab\"\n"
    );
    let source = "syntax = \"proto2\"; message M { optional sint32 s = 1; optional bool b = 2; repeated fixed32 f = 3 [packed = true]; optional float g = 4; \
                  optional M m = 5; optional string t = 6; optional group Q = 7 { optional uint64 u = 1; } optional bytes e = 8; extensions 100; } extend M { optional double x = 100; }";
    let pool = SourceBuilder::new().source("m.proto", source).build().unwrap();
    let schema = pool.message("M").unwrap();
    let made = "1: -3z  # s\n2: true  # b\n3: {1i32 4294967295i32}  # f\n4: 1.0e30i32  # g\n5: {  # m\n  1: 2z  # s\n  9: 1\n}\n6: {\"\\x08\\x01\"}  # t\n\
                7: !{  # q\n  1: 18446744073709551615  # u\n}\n8: {}  # e\n100: 0.1  # x\n";
    assert_eq!(disassemble(&bytes(made), Some(&schema)), made.replace("\"\\x08\\x01\"", "`0801`"));
    // What is not of its type is shown as what it is, and a run of numbers as one, whatever the schema says.
    assert_eq!(
        disassemble(&bytes("1: {\"a\"} 3: {1} 6: 5"), Some(&schema)),
        "1: {-49z}  # s\n3: {`01`}  # f\n6: 5  # t\n"
    );
}

#[test]
#[ignore = "needs PROTOSCOPE: the module github.com/protocolbuffers/protoscope"]
fn needs_go_cases_of_protoscope() {
    let root = std::env::var_os("PROTOSCOPE").expect("PROTOSCOPE is the directory with scanner.go");
    let root = std::path::Path::new(&root);
    let language = std::fs::read_to_string(root.join("language.txt")).unwrap();
    // An example of a fault, and a group without a field, are in comments there; the rest is a text.
    assert!(!bytes(&language).is_empty());
    let (mut texts, mut messages) = (0, 0);
    for entry in std::fs::read_dir(root.join("testdata")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if let Some(of) = name.strip_suffix(".pb.golden") {
            // What options of their tool make of a message has its name in front.
            let start = of.split('-').next().unwrap();
            let start = if of.contains("-big") { of } else { start };
            let whole = match start {
                "explicit" | "no" => continue,
                start => std::fs::read(root.join("testdata").join(format!("{start}.pb"))).unwrap(),
            };
            assert_eq!(bytes(&std::fs::read_to_string(&path).unwrap()), whole, "{name}");
            texts += 1;
        } else if name.ends_with(".pb") {
            let whole = std::fs::read(&path).unwrap();
            assert_eq!(bytes(&disassemble(&whole, None)), whole, "{name}");
            messages += 1;
        }
    }
    println!("{texts} texts, {messages} messages");
    assert!(texts >= 8 && messages >= 7);
}
