//! Registries that fail, answer nonsense or refuse; bounds of the cache.

use super::*;

const TEXT: &str = r#"syntax = "proto3"; message A {}"#;

#[test]
fn what_may_pass_is_asked_for_again() {
    let server = Server::start();
    let id = server.add("a", schema(TEXT, &[]));
    for failures in [vec![503, 500], vec![429], vec![0, 502]] {
        let count = failures.len();
        server.state().failures = failures;
        assert!(registry(&server).file(id).is_ok());
        assert_eq!(server.asked(), count + 1);
    }
    // Three times and no more; then nothing is remembered.
    server.state().failures = vec![503; 4];
    let registry = registry(&server);
    let error = registry.file(id).unwrap_err();
    assert!(matches!(error.kind(), RegistryErrorKind::Refused(503, 0, _)) && error.is_transient(), "{error}");
    assert_eq!(
        error.to_string(),
        "the registry refused the request: it says nothing more (503), at /schemas/ids/1"
    );
    assert_eq!(server.asked(), 3);
    assert!(registry.file(id).is_ok());
    // What is wrong stays wrong.
    server.state().failures = vec![400];
    assert!(matches!(registry.subjects().unwrap_err().kind(), RegistryErrorKind::Refused(400, ..)));
}

#[test]
fn waits_grow_unless_the_registry_says_how_long() {
    let server = Server::start();
    let id = server.add("a", schema(TEXT, &[]));
    let took = |wait, failures: Vec<u16>| {
        server.state().failures = failures;
        let registry = Registry::builder(&server.url).attempts(4, wait).build().unwrap();
        let begin = std::time::Instant::now();
        assert!(registry.file(id).is_ok());
        begin.elapsed()
    };
    // 40, 80 and 160 ms, each up to a quarter less.
    assert!(took(Duration::from_millis(40), vec![503; 3]) >= Duration::from_millis(210));
    // As long as it says, and neither the first wait nor twice as long the second time.
    server.state().retry_after = 1;
    let waited = took(Duration::from_secs(20), vec![429; 2]);
    assert!((Duration::from_secs(2)..Duration::from_secs(10)).contains(&waited), "{waited:?}");
}

#[test]
fn a_schema_that_refers_to_too_many_is_refused() {
    let server = Server::start();
    let names: Vec<String> = (0..1001).map(|at| format!("part{at}.proto")).collect();
    for name in &names {
        server.add(
            name,
            schema(&format!("syntax = \"proto3\"; message Of{} {{}}", &name[..name.len() - 6]), &[]),
        );
    }
    let text = |count: usize| {
        let imports: String = names[..count].iter().map(|name| format!("import \"{name}\"; ")).collect();
        format!("syntax = \"proto3\"; {imports} message All {{}}")
    };
    let references: Vec<_> = names.iter().map(|name| (&**name, &**name, 1)).collect();
    let few = server.add("few", schema(&text(1000), &references[..1000]));
    let many = server.add("many", schema(&text(1001), &references));
    let registry = registry(&server);
    assert!(registry.file(few).is_ok());
    let error = registry.file(many).unwrap_err();
    assert!(
        matches!(error.kind(), RegistryErrorKind::References(text) if text.contains("too many")),
        "{error}"
    );
}

#[test]
fn a_registry_that_says_nothing_is_given_up() {
    // Nobody accepts what connects.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let builder = Registry::builder(format!("http://{}", silent.local_addr().unwrap()));
    let registry = builder.attempts(1, Duration::ZERO).timeout(Duration::from_millis(100)).build().unwrap();
    let begin = std::time::Instant::now();
    assert!(matches!(registry.subjects().unwrap_err().kind(), RegistryErrorKind::Unreachable(_)));
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[test]
fn another_address_is_asked_when_one_does_not_answer() {
    let server = Server::start();
    let id = server.add("a", schema(TEXT, &[]));
    // Nobody listens there any more.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let registry =
        Registry::builder(format!("http://{nobody}")).url(format!("{}/", server.url)).build().unwrap();
    assert!(registry.file(id).is_ok());

    let registry =
        Registry::builder(format!("http://{nobody}")).attempts(2, Duration::from_millis(1)).build().unwrap();
    let error = registry.file(id).unwrap_err();
    assert!(matches!(error.kind(), RegistryErrorKind::Unreachable(_)), "{error}");
    assert!(error.to_string().contains(&nobody.to_string()), "{error}");
}

#[test]
fn ids_without_a_schema_are_asked_for_once_in_a_while() {
    let server = Server::start();
    let registry = quick(&server).absent_for(Duration::from_millis(200)).build().unwrap();
    let record = b"\0\0\0\0\x01\0\x0a\x02hi";
    for _ in 0..50 {
        assert!(matches!(registry.message(record).unwrap_err().kind(), RegistryErrorKind::NotFound(_)));
    }
    assert_eq!(server.asked(), 1);
    assert_eq!(server.add("a", schema(TEXT, &[])), 1);
    std::thread::sleep(Duration::from_millis(250));
    assert!(registry.message(record).is_ok());
}

#[test]
fn the_cache_keeps_what_was_asked_for_last() {
    let server = Server::start();
    for at in 1..=4 {
        server.add("a", schema(&format!(r#"syntax = "proto3"; message A{at} {{}}"#), &[]));
    }
    let registry = quick(&server).capacity(3).build().unwrap();
    for id in [1, 2, 3, 1, 4] {
        registry.file(id).unwrap();
    }
    assert_eq!(server.asked(), 4);
    assert!([1, 3, 4].iter().all(|id| registry.known(*id).is_some()) && registry.known(2).is_none());
}

#[test]
fn schemas_that_cannot_be_used_say_why() {
    let server = Server::start();
    let references = |error: RegistryError| matches!(error.kind(), RegistryErrorKind::References(_));
    let registry = quick(&server).max_answer_len(2000).build().unwrap();

    let broken = server.add("broken", schema("syntax = 'proto3'; message A { strin b = 1; }", &[]));
    let error = registry.file(broken).unwrap_err();
    assert!(matches!(error.kind(), RegistryErrorKind::Schema(_)), "{error}");
    assert!(error.to_string().starts_with("schemas/ids/1.proto:1:32: type not found: strin"), "{error}");
    assert!(std::error::Error::source(&error).is_some());

    let avro = server.add("avro", serde_json::json!({"schema": "\"string\""}));
    let error = registry.file(avro).unwrap_err();
    assert_eq!(error.to_string(), "the schema is AVRO, not Protocol Buffers, at /schemas/ids/2");

    // One that imports itself, and a chain that does.
    server.add("loop", schema(r#"import "loop.proto";"#, &[("loop.proto", "loop", 1)]));
    assert!(references(registry.file(3).unwrap_err()));
    server.add("b", schema(r#"import "c.proto";"#, &[("c.proto", "c", 1)]));
    server.add("c", schema(r#"import "b.proto";"#, &[("b.proto", "b", 1)]));
    assert!(references(registry.file(4).unwrap_err()));
    // A reference that is not there.
    let lost = server.add("lost", schema(r#"import "d.proto";"#, &[("d.proto", "d", 1)]));
    let error = registry.file(lost).unwrap_err();
    assert!(
        matches!(error.kind(), RegistryErrorKind::NotFound(_)) && error.place() == "/subjects/d/versions/1",
        "{error}"
    );

    // Answers that are too long, alone and together.
    let long = |len: usize| schema(&format!("syntax = 'proto3'; /* {} */", "x".repeat(len)), &[]);
    let id = server.add("long", long(3000));
    let error = registry.file(id).unwrap_err();
    assert!(
        matches!(error.kind(), RegistryErrorKind::Answer(_)) && error.to_string().contains("2000 bytes"),
        "{error}"
    );
    let names: Vec<_> = (0..30).map(|at| (format!("f{at}.proto"), format!("f{at}"))).collect();
    names.iter().for_each(|(_, subject)| _ = server.add(subject, long(1500)));
    let all: Vec<_> = names.iter().map(|(name, subject)| (name.as_str(), subject.as_str(), 1)).collect();
    let id = server.add("many", schema("syntax = 'proto3';", &all));
    let registry = quick(&server).max_answer_len(2200).build().unwrap();
    assert!(references(registry.file(id).unwrap_err()));

    // A chain that is too long, which would take the stack.
    for at in 0..150 {
        let (name, subject) = (format!("c{}.proto", at + 1), format!("c{}", at + 1));
        server.add(&format!("c{at}"), schema(&format!(r#"import "{name}";"#), &[(&name, &subject, 1)]));
    }
    let id = server.add("chain", schema(r#"import "c0.proto";"#, &[("c0.proto", "c0", 1)]));
    assert!(references(registry.file(id).unwrap_err()));

    server.state().answer = Some(b"<html>".to_vec());
    assert!(matches!(registry.subjects().unwrap_err().kind(), RegistryErrorKind::Answer(_)));
}

#[test]
fn records_without_a_type_say_why() {
    let server = Server::start();
    let id = server.add("a", schema(TEXT, &[]));
    let registry = registry(&server);
    for (record, kind) in
        [(&b""[..], "Record"), (b"\x01\0\0\0\x01\0", "Record"), (b"\0\0\0\0\x01\x02\x04", "NoSuchMessage")]
    {
        let error = registry.message(record).unwrap_err();
        assert!(format!("{:?}", error.kind()).starts_with(kind), "{error}");
    }
    // A message of another schema has no place in this one.
    let other = server.add("b", schema(&TEXT.replace('A', "B"), &[]));
    let message = registry.file(other).unwrap().messages().next().unwrap();
    let message = tablepb::DynamicMessage::new(&message);
    let mut record = vec![7];
    let error = registry.append_record(id, &message, &mut record).unwrap_err();
    assert!(matches!(error.kind(), RegistryErrorKind::NoSuchMessage) && error.place() == "B", "{error}");
    assert_eq!(record, [7]);
}

#[test]
fn credentials_are_sent_and_not_shown() {
    let server = Server::start();
    server.state().authorization = Some("Basic dXNlcjpzZWNyZXQ=".into());
    let error = registry(&server).subjects().unwrap_err();
    assert!(matches!(error.kind(), RegistryErrorKind::Unauthorized(_)), "{error}");
    let builder = quick(&server).basic("user", "secret");
    assert!(!format!("{builder:?}").contains("secret"));
    let registry = builder.build().unwrap();
    assert_eq!(registry.subjects().unwrap(), [""; 0]);
    assert!(!format!("{registry:?}").contains("dXNlcjpzZWNyZXQ"));

    server.state().authorization = Some("Bearer token".into());
    assert!(quick(&server).bearer("token").build().unwrap().subjects().is_ok());
    // A token that changes.
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let changing =
        quick(&server).bearer_with(move || match calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            0 => "old".to_owned(),
            _ => "token".to_owned(),
        });
    let registry = changing.build().unwrap();
    assert!(registry.subjects().is_err() && registry.subjects().is_ok());
    // One that no header may have.
    let error = quick(&server).bearer("a\nb").build().unwrap().subjects().unwrap_err();
    assert!(matches!(error.kind(), RegistryErrorKind::Configuration(_)), "{error}");
}

#[test]
fn addresses_show_no_password() {
    let error = Registry::new("http://user:secret@localhost:1").unwrap_err();
    assert!(!error.to_string().contains("secret") && error.to_string().contains("basic"), "{error}");
}

#[test]
fn addresses_that_are_none() {
    for url in ["", "localhost:8081", "ftp://a", "http://a b", "http://a/?b"] {
        let error = Registry::new(url).unwrap_err();
        assert!(matches!(error.kind(), RegistryErrorKind::Configuration(_)), "{url}: {error}");
    }
}

#[test]
fn threads_share_a_registry() {
    let server = Server::start();
    let id = server.add("a", schema(TEXT, &[]));
    let registry = registry(&server);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..100).for_each(|_| assert!(registry.file(id).is_ok())));
        }
    });
    assert!(server.asked() <= 8);
}
