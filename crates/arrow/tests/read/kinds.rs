//! Every kind of field, and fields out of order.

use super::*;

#[test]
fn every_kind_becomes_a_column() {
    let none = Options::new();
    let numbers = ["b: true i: -3 d: 1.5 f: 9 c: RED", "", "i: 0 c: BLUE"];
    assert_eq!(
        columns(none.clone(), &["b", "i", "c", "d", "f"], &numbers),
        ["true | -3 | 1 | 1.5 | 9", "false |  | 0 | 0.0 | 0", "false | 0 | 5 | 0.0 | 0"],
    );
    let texts = ["s: 'short'", "s: 'more than twelve bytes' data: ''", "data: 'abc'"];
    assert_eq!(
        columns(none.clone(), &["s", "data"], &texts),
        ["short |", "more than twelve bytes |", "| 616263"]
    );
    let lists =
        ["l: [1, -2] cs: [BLUE, 7] flags: [true, false]", "", "words: ['', 'more than twelve bytes']"];
    assert_eq!(
        columns(none.clone(), &["l", "cs", "flags", "words"], &lists),
        [
            "[1, -2] | [5, 7] | [true, false] | []",
            "[] | [] | [] | []",
            "[] | [] | [] | [, more than twelve bytes]"
        ],
    );
    let maps = ["m { key: 'b' value: 1 } m { key: '' }", "mm { key: 3 value { y: 2 } } mm { }"];
    assert_eq!(
        columns(none.clone(), &["m", "mm"], &maps),
        ["{b: 1, : 0} | {}", "{} | {3: {x: 0.0, y: 2.0}, 0: {x: 0.0, y: 0.0}}"],
    );
    let messages = ["", "inner { names: 'a' at { } }", "inner { id: 1 } points { x: 1 } points { }"];
    assert_eq!(
        columns(none, &["inner.id", "inner.names", "inner.at", "points"], &messages),
        [
            "| []",
            "{id: 0, names: [a], at: {x: 0.0, y: 0.0}} | []",
            "{id: 1, names: [], at: } | [{x: 1.0, y: 0.0}, {x: 0.0, y: 0.0}]"
        ],
    );
}

#[test]
fn enums_by_name_and_in_a_dictionary() {
    let texts = ["c: BLUE cs: [RED, 9, NONE]", "", "c: 7"];
    for enums in [Enums::Name, Enums::Dictionary] {
        for views in [true, false] {
            let options = Options::new().enums(enums).views(views);
            let expected = ["BLUE | [RED, 9, NONE]", "NONE | []", "7 | []"];
            assert_eq!(columns(options, &["c", "cs"], &texts), expected);
        }
    }
    let mut decoder = decoder(&ALL, Options::new().enums(Enums::Dictionary), &["c"]);
    for number in [7, 8] {
        let batch = read(&mut decoder, &[message(&ALL, &format!("c: {number}"))]);
        let column = batch
            .column(0)
            .as_any()
            .downcast_ref::<arrow_array::DictionaryArray<arrow_array::types::Int32Type>>();
        // Numbers that were added to one batch are not in the next one.
        let values = column.unwrap().values().to_data();
        assert_eq!(
            values,
            arrow_array::StringArray::from(vec!["NONE", "RED", "BLUE", &number.to_string()]).to_data()
        );
    }
}

#[test]
fn a_oneof_is_columns_or_a_union() {
    let texts = ["", "x: 'a'", "y: 0", "z { x: 1 }", "x: ''"];
    assert_eq!(
        columns(Options::new(), &["x", "y", "z"], &texts),
        ["|  |", "a |  |", "| 0 |", "|  | {x: 1.0, y: 0.0}", "|  |"]
    );
    let union = Options::new().oneofs(Oneofs::Union);
    assert_eq!(
        columns(union, &["x", "y", "z"], &texts),
        ["{none=}", "{x=a}", "{y=0}", "{z={x: 1.0, y: 0.0}}", "{x=}"],
    );
}

#[test]
fn members_of_a_oneof_replace_each_other() {
    let parts = ["x: 'a'", "y: 3", "z { x: 1 }", "z { y: 2 }", "x: 'b' i: 7"].map(|text| message(&ALL, text));
    let join = |at: &[usize]| at.iter().flat_map(|&at| parts[at].clone()).collect::<Vec<_>>();
    let messages = [join(&[0, 1]), join(&[2, 3]), join(&[2, 0, 3]), join(&[1, 2, 4]), join(&[0, 4])];
    for (options, expected) in [
        (Options::new(), ["| 3 |", "|  | {x: 1.0, y: 2.0}", "|  | {x: 0.0, y: 2.0}", "b |  |", "b |  |"]),
        (
            Options::new().oneofs(Oneofs::Union),
            ["{y=3}", "{z={x: 1.0, y: 2.0}}", "{z={x: 0.0, y: 2.0}}", "{x=b}", "{x=b}"],
        ),
    ] {
        let mut decoder = decoder(&ALL, options.clone(), &["x", "y", "z"]);
        assert_eq!(lines(&read(&mut decoder, &messages)), expected);
    }
    // A member that is not selected replaces one that is.
    let mut decoder = decoder(&ALL, Options::new(), &["x", "i"]);
    assert_eq!(lines(&read(&mut decoder, &messages)), ["|", "|", "|", "7 | b", "7 | b"]);
}

#[test]
fn fields_that_come_again_are_merged() {
    let parts = [
        "i: 1 s: 'first of all strings' l: [1, 2] inner { id: 1 names: 'a' at { x: 1 } } m { key: 'k' value: 1 } m { key: 'j' value: 2 }",
        "i: 2 l: 3 inner { names: 'b' at { y: 2 } } m { key: 'k' value: 3 } s: 'second of all strings'",
    ];
    let merged = parts.map(|text| message(&ALL, text)).concat();
    let mut decoder =
        decoder(&ALL, Options::new(), &["i", "l", "s", "inner.id", "inner.names", "inner.at", "m"]);
    let expected =
        "2 | [1, 2, 3] | second of all strings | {id: 1, names: [a, b], at: {x: 1.0, y: 2.0}} | {j: 2, k: 3}";
    assert_eq!(lines(&read(&mut decoder, &[merged])), [expected]);
}

#[test]
fn keys_of_large_maps_are_unique() {
    for keys in [3, 40] {
        let entry =
            |at: usize, value: usize| format!("m {{ key: 'a key of some length {at}' value: {value} }}");
        let mut message_parts: Vec<_> = (0..keys).map(|at| message(&ALL, &entry(at, at))).collect();
        message_parts.push(message(&ALL, &entry(1, 1000)));
        // As in a dynamic message: where the last entry of the key is.
        let others = (0..keys).filter(|&at| at != 1).map(|at| entry(at, at));
        let text: Vec<_> = others.chain([entry(1, 1000)]).collect();
        for views in [true, false] {
            let options = Options::new().views(views);
            let block = Buffer::from_vec(delimited(&[message_parts.concat()]));
            let mut decoder = decoder(&ALL, options.clone(), &["m"]);
            decoder.decode_block(&block).unwrap();
            let batch = decoder.flush().unwrap().unwrap();
            assert_eq!(lines(&batch), columns(options, &["m"], &[&text.join(" ")]));
        }
    }
}

#[test]
fn fields_are_read_that_a_path_names_inside_of_their_own_type() {
    let text = "inner { id: 1 inner { id: 2 names: 'y' inner { id: 3 names: 'x' } } }";
    for paths in [
        &["inner.inner.id", "inner.inner.inner.names"][..],
        &["inner.inner.id", "inner.inner.inner.names", "inner.id"],
    ] {
        let batch = read(&mut decoder(&ALL, Options::new(), paths), &[message(&ALL, text), Vec::new()]);
        let id = if paths.len() == 3 { "id: 1, " } else { "" };
        assert_eq!(
            lines(&batch),
            [format!("{{{id}inner: {{id: 2, inner: {{names: [x]}}}}}}"), String::new()]
        );
    }
}

#[test]
fn recursion_ends_in_bytes() {
    let text = "inner { id: 1 inner { id: 2 inner { id: 3 names: 'x' } } }";
    let deepest = message(&INNER, "id: 3 names: 'x'");
    let mut decoder = decoder(&ALL, Options::new().recursion(1), &["inner"]);
    let batch = read(&mut decoder, &[message(&ALL, text), Vec::new()]);
    let hex: String = deepest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        lines(&batch),
        [
            format!("{{id: 1, names: [], inner: {{id: 2, names: [], inner: {hex}, at: }}, at: }}"),
            String::new()
        ],
    );
    // What is cut off is checked as well: a string that is no UTF-8, and a float that ends early.
    for bad in [&b"\x12\x01\xff"[..], b"\x22\x02\x0d\x00"] {
        let wrap = |bytes: &[u8], tag: u8| [&[tag, bytes.len() as u8], bytes].concat();
        let message = wrap(&wrap(&wrap(bad, 0x1a), 0x1a), 0x42);
        assert!(matches!(decoder.push(&message).unwrap_err().kind(), ErrorKind::Decode(_)));
    }
    assert!(decoder.flush().unwrap().is_none());
}
