//! Rows: how they come, batches that are full, bad rows.

use super::*;

#[test]
fn every_chunking_gives_the_same_batch() {
    let messages = messages();
    let expected = read(&mut decoder(&ALL, Options::new().recursion(1), &[]), &messages);
    let bytes = delimited(&messages);
    let mut decoder = decoder(&ALL, Options::new().recursion(1), &[]);
    for first in 0..=bytes.len() {
        for blocks in [false, true] {
            for part in [&bytes[..first], &bytes[first..]] {
                let taken = match blocks {
                    true => decoder.decode_block(&Buffer::from(part.to_vec())),
                    false => decoder.decode(part),
                };
                assert_eq!(taken.unwrap(), part.len());
            }
            assert!(!decoder.has_partial_row());
            assert_eq!(decoder.flush().unwrap().unwrap(), expected, "split at {first}");
        }
    }
    for byte in &bytes {
        assert_eq!(decoder.decode(&[*byte]).unwrap(), 1);
    }
    assert_eq!(decoder.flush().unwrap().unwrap(), expected);
}

#[test]
fn a_full_batch_takes_no_more() {
    let messages = messages();
    let bytes = delimited(&messages);
    let mut decoder = ReaderBuilder::new(&descriptor(&ALL)).batch_size(2).build_decoder().unwrap();
    for size in [1, 3, bytes.len()] {
        let (mut rows, mut chunks) =
            (Vec::new(), bytes.chunks(size).collect::<std::collections::VecDeque<_>>());
        while let Some(chunk) = chunks.pop_front() {
            let taken = decoder.decode(chunk).unwrap();
            if taken < chunk.len() {
                chunks.push_front(&chunk[taken..]);
            }
            if decoder.is_full() {
                assert!(!decoder.push(&messages[1]).unwrap());
                rows.push(decoder.flush().unwrap().unwrap().num_rows());
            }
        }
        rows.extend(decoder.flush().unwrap().map(|batch| batch.num_rows()));
        assert_eq!(rows, [2, 2, 2, 1], "{size} bytes at once");
    }
}

#[test]
fn long_strings_point_into_the_block() {
    let texts: Vec<_> =
        (0..100).map(|at| message(&ALL, &format!("s: 'a string of some length {at}'"))).collect();
    let block = Buffer::from_vec(delimited(&texts));
    let mut decoder = decoder(&ALL, Options::new(), &["s"]);
    assert_eq!(decoder.decode_block(&block).unwrap(), block.len());
    let batch = decoder.flush().unwrap().unwrap();
    let strings: &StringViewArray = batch.column(0).as_any().downcast_ref().unwrap();
    assert_eq!(strings.data_buffers()[0].as_ptr(), block.as_ptr());
    assert_eq!(strings.value(99), "a string of some length 99");
    // Where little of a block is used, it is not kept.
    let mut parts = texts;
    parts.push(message(&ALL, &format!("data: '{}'", "x".repeat(20_000))));
    let block = Buffer::from_vec(delimited(&parts));
    decoder.decode_block(&block).unwrap();
    let batch = decoder.flush().unwrap().unwrap();
    let strings: &StringViewArray = batch.column(0).as_any().downcast_ref().unwrap();
    assert_ne!(strings.data_buffers()[0].as_ptr(), block.as_ptr());
    assert_eq!(strings.value(99), "a string of some length 99");
}

/// A bad message: a good start of every kind of column, then a string that is no UTF-8.
pub(super) fn bad_message() -> Vec<u8> {
    let start = "b: true i: 1 l: [5] s: 'a string of some length' inners { names: 'n' } m { key: 'k' } mm { key: 1 } \
                 y: 3 points { x: 1 } words: 'w' inner { inner { id: 4 } } data: 'd' cs: 7 flags: true";
    let mut message = message(&ALL, start);
    message.extend(b"\x22\x01\xff");
    message
}

#[test]
fn a_bad_row_leaves_nothing() {
    for options in [
        Options::new().recursion(1),
        Options::new().recursion(0).views(false).oneofs(Oneofs::Union).enums(Enums::Dictionary),
        Options::new().recursion(1).enums(Enums::Name).unknown_fields(true),
    ] {
        let expected = lines(&read(&mut decoder(&ALL, options.clone(), &[]), &messages()));
        for mode in [BadRows::Fail, BadRows::Skip, BadRows::Null] {
            let builder = ReaderBuilder::new(&descriptor(&ALL)).options(options.clone()).bad_rows(mode);
            let mut decoder = builder.build_decoder().unwrap();
            for (row, message) in messages().iter().enumerate() {
                let bad = decoder.push(&bad_message());
                match mode {
                    BadRows::Fail => {
                        let error = bad.unwrap_err();
                        assert_eq!(error.row(), 2 * row as u64);
                        let ErrorKind::Decode(decode) = error.kind() else { panic!("{error}") };
                        assert_eq!(decode.path().to_string(), "s");
                        assert_eq!(decode.offset(), bad_message().len() - 1);
                    }
                    _ => assert!(bad.unwrap()),
                }
                assert!(decoder.push(message).unwrap());
            }
            assert_eq!(decoder.skipped(), if mode == BadRows::Skip { messages().len() as u64 } else { 0 });
            let batch = decoder.flush().unwrap().unwrap();
            if mode != BadRows::Null {
                assert_eq!(lines(&batch), expected);
                continue;
            }
            let errors = batch.column_by_name(ERROR).unwrap();
            for (row, line) in lines(&batch).iter().enumerate() {
                assert_eq!(errors.is_null(row), row % 2 == 1);
                if row % 2 == 1 {
                    assert_eq!(
                        line.trim_end_matches([' ', '|']),
                        expected[row / 2].trim_end_matches([' ', '|'])
                    );
                } else {
                    let nulls = batch.columns().iter().filter(|column| column.is_null(row)).count();
                    let unions =
                        batch.schema().fields().iter().filter(|field| field.name() == "which").count();
                    assert_eq!(nulls, batch.num_columns() - 1 - unions);
                }
            }
        }
    }
}

#[test]
fn budget_depth_and_length_are_bounded() {
    let builder = ReaderBuilder::new(&descriptor(&ALL)).options(Options::new().recursion(2));
    let good = &messages()[1];
    // Two bytes for an element of some columns.
    let hostile = b"\x4a\x00".repeat(100_000);
    let mut decoder = builder.build_decoder().unwrap();
    assert!(matches!(decoder.push(&hostile).unwrap_err().kind(), ErrorKind::BudgetExceeded));
    assert!(decoder.push(good).unwrap());
    assert_eq!(decoder.flush().unwrap().unwrap().num_rows(), 1);
    let mut decoder =
        builder.clone().decode_options(DecodeOptions::new().budget(1 << 30)).build_decoder().unwrap();
    assert!(decoder.push(&hostile).unwrap());
    // The batch ends when it is large.
    let mut decoder = builder.clone().batch_bytes(100_000).build_decoder().unwrap();
    assert!((0..10_000).any(|_| !decoder.push(good).unwrap()));
    assert!(decoder.rows() < 200);
    // Depth.
    let mut decoder =
        builder.clone().decode_options(DecodeOptions::new().max_depth(2)).build_decoder().unwrap();
    let deep = message(&ALL, "inner { inner { inner { inner { } } } }");
    assert!(matches!(decoder.push(&deep).unwrap_err().kind(), ErrorKind::Decode(_)));
    assert!(decoder.push(good).unwrap());
    // A length of 2 GB, which never comes, and one that is not too long for its prefix but for a row.
    let mut decoder = builder.clone().max_row_len(1000).build_decoder().unwrap();
    let error = decoder.decode(b"\xff\xff\xff\xff\x07\x01").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BudgetExceeded));
    let mut decoder = builder.clone().max_row_len(1000).build_decoder().unwrap();
    let bytes = [delimited(&[vec![0; 2000]]), delimited(std::slice::from_ref(good))].concat();
    let error = decoder.decode(&bytes).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BudgetExceeded));
    assert_eq!(decoder.decode(&bytes[error.consumed()..]).unwrap(), bytes.len() - error.consumed());
    assert_eq!(decoder.rows(), 1);
    // A length that is none.
    let error = decoder.decode(b"\xff\xff\xff\xff\xff\x01").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Frame(_)));
    assert_eq!(
        decoder.decode(&delimited(std::slice::from_ref(good))).unwrap(),
        delimited(std::slice::from_ref(good)).len()
    );
    assert_eq!(decoder.flush().unwrap().unwrap().num_rows(), 2);
}

#[test]
fn a_reader_goes_on_after_a_bad_row() {
    let good = messages();
    let bytes = delimited(&[good[1].clone(), bad_message(), good[2].clone()]);
    let mut reader = ReaderBuilder::new(&descriptor(&ALL)).build(&bytes[..]).unwrap();
    let error = reader.next_batch().unwrap_err();
    assert_eq!(error.row(), 1);
    assert_eq!(reader.next_batch().unwrap().unwrap().num_rows(), 2);
    assert!(reader.next_batch().unwrap().is_none());
    // An input that ends early.
    let mut reader = ReaderBuilder::new(&descriptor(&ALL)).build(&bytes[..bytes.len() - 1]).unwrap();
    assert!(reader.next_batch().is_err());
    assert!(matches!(reader.next_batch().unwrap_err().kind(), ErrorKind::Incomplete));
    assert_eq!(reader.next_batch().unwrap().unwrap().num_rows(), 1);
    assert!(reader.next_batch().unwrap().is_none());
}

#[test]
fn a_row_that_is_too_long_and_never_ends_is_told_once() {
    let good = messages()[1].clone();
    let bytes = [&delimited(std::slice::from_ref(&good))[..], b"\xff\xff\xff\xff\x07\x01"].concat();
    let reader = |mode| ReaderBuilder::new(&descriptor(&ALL)).bad_rows(mode).build(&bytes[..]).unwrap();
    let mut failing = reader(BadRows::Fail);
    let error = failing.next_batch().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BudgetExceeded));
    assert_eq!(error.row(), 1);
    assert_eq!(failing.next_batch().unwrap().unwrap().num_rows(), 1);
    assert!(failing.next_batch().unwrap().is_none());
    for (mode, rows, skipped) in [(BadRows::Skip, 1, 1), (BadRows::Null, 2, 0)] {
        let mut reader = reader(mode);
        assert_eq!(reader.next_batch().unwrap().unwrap().num_rows(), rows, "{mode:?}");
        assert!(reader.next_batch().unwrap().is_none());
        assert_eq!(reader.decoder().skipped(), skipped, "{mode:?}");
    }
    // Within a length the row was not told yet.
    let mut reader = ReaderBuilder::new(&descriptor(&ALL)).build(&bytes[..bytes.len() - 3]).unwrap();
    let error = reader.next_batch().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Incomplete));
    assert_eq!(error.row(), 1);
}

#[test]
fn a_full_batch_refuses_bad_rows_too() {
    let store = SchemaStore::new();
    let bad = b"\0\0\0\0\x09\0\x08\x01";
    let frames = delimited(&vec![bad_message(); 5]);
    let builder = ReaderBuilder::new(&descriptor(&ALL)).batch_size(3).bad_rows(BadRows::Null);
    for way in ["framed", "push", "decode", "block", "too long"] {
        let builder = if way == "too long" { builder.clone().max_row_len(1) } else { builder.clone() };
        let mut decoder = builder.build_decoder().unwrap();
        for _ in 0..2 {
            let of = |bytes: usize| bytes * 5 / frames.len();
            let taken = match way {
                "framed" => (0..5).filter(|_| decoder.push_framed(&store, bad).unwrap()).count(),
                "push" => (0..5).filter(|_| decoder.push(&bad_message()).unwrap()).count(),
                "block" => of(decoder.decode_block(&Buffer::from(&frames[..])).unwrap()),
                _ => of(decoder.decode(&frames).unwrap()),
            };
            assert_eq!(taken, 3, "{way}");
            assert!(decoder.is_full());
            let batch = decoder.flush().unwrap().unwrap();
            assert_eq!(
                (batch.num_rows(), batch.column_by_name(ERROR).unwrap().null_count()),
                (3, 0),
                "{way}"
            );
        }
    }
}

#[test]
fn a_batch_of_no_bytes_takes_a_row() {
    let bytes = delimited(&messages());
    let reader = ReaderBuilder::new(&descriptor(&ALL)).batch_bytes(0).build(&bytes[..]).unwrap();
    assert_eq!(reader.map(|batch| batch.unwrap().num_rows()).collect::<Vec<_>>(), [1; 7]);
}
