//! Times and wrappers as native types, read and written, beside the oracle.

use crate::columns::row;
use crate::library::choices::Choices;
use crate::oracle;
use arrow_schema::TimeUnit;
use tablepb::{DynamicMessage, Value};
use tablepb_arrow::mapping::Options;
use tablepb_arrow::{BadRows, ReaderBuilder, WriterBuilder};

const UNITS: [(TimeUnit, i64); 4] = [
    (TimeUnit::Second, 1_000_000_000),
    (TimeUnit::Millisecond, 1_000_000),
    (TimeUnit::Microsecond, 1_000),
    (TimeUnit::Nanosecond, 1),
];

/// A message with some of the well-known types, whose times are whole counts of so many nanoseconds.
fn message(choices: &mut Choices, nanos_of_unit: i64) -> DynamicMessage {
    let mut message = DynamicMessage::new(&row());
    for (name, seconds) in [("time", -9_000_000_000), ("span", 0)] {
        if choices.below(3) > 0 {
            let mut time = message.message_mut(name).expect("a message");
            let nanos = choices.next() as i64 % 1_000_000_000 / nanos_of_unit * nanos_of_unit;
            time.set_field("seconds", seconds + choices.next() as i64).expect("seconds");
            time.set_field("nanos", nanos as i32).expect("nanoseconds");
        }
    }
    if choices.below(2) == 0 {
        let number = Value::U32(choices.bits() as u32);
        message.message_mut("count").expect("a message").set_field("value", number).expect("a number");
    }
    if choices.below(2) == 0 {
        let bytes = Value::Bytes(choices.bytes(20));
        message.message_mut("blob").expect("a message").set_field("value", bytes).expect("bytes");
    }
    message
}

#[test]
fn times_and_wrappers_equal_those_of_the_oracle_and_come_back() {
    let mut choices = Choices::seeded(7);
    for (unit, nanos) in UNITS {
        let options =
            Options::new().well_known(true).time_unit(unit).recursion(0).views(choices.below(2) == 0);
        let builder = ReaderBuilder::new(&row()).options(options);
        let rows: Vec<_> = (0..200).map(|_| message(&mut choices, nanos)).collect();
        let mut decoder = builder.build_decoder().expect("a schema");
        for row in &rows {
            decoder.push(&row.encode_to_vec().unwrap()).expect("a valid row");
        }
        let batch = decoder.flush().expect("a batch").expect("rows");
        assert_eq!(batch, oracle::batch(&decoder.schema(), &row(), &rows), "{unit:?}");
        let mut writer = WriterBuilder::new(&row()).build(&batch.schema()).expect("columns of the mapping");
        let back = writer.to_array(&batch).expect("valid rows");
        for (row, back) in rows.iter().zip(back.iter()) {
            assert_eq!(back, Some(&row.encode_to_vec().unwrap()[..]), "{unit:?}");
        }
    }
}

#[test]
fn coarser_units_round_timestamps_down_and_durations_towards_zero() {
    let mut message = DynamicMessage::new(&row());
    for (name, seconds, nanos) in [("time", -2, 999_999_999), ("span", -1, -999_999_999)] {
        let mut time = message.message_mut(name).unwrap();
        time.set_field("seconds", i64::from(seconds)).unwrap();
        time.set_field("nanos", nanos).unwrap();
    }
    for (unit, _) in UNITS {
        let options = Options::new().well_known(true).time_unit(unit).recursion(0);
        let mut decoder = ReaderBuilder::new(&row()).options(options).build_decoder().unwrap();
        decoder.push(&message.encode_to_vec().unwrap()).unwrap();
        let batch = decoder.flush().unwrap().unwrap();
        assert_eq!(
            batch,
            oracle::batch(&decoder.schema(), &row(), std::slice::from_ref(&message)),
            "{unit:?}"
        );
    }
}

#[test]
fn times_that_do_not_fit_are_bad_rows() {
    let builder = ReaderBuilder::new(&row()).options(Options::new().well_known(true).recursion(0));
    let mut decoder = builder.bad_rows(BadRows::Skip).build_decoder().unwrap();
    for seconds in [0, i64::MAX, 9_223_372_037, -9_223_372_037, 5] {
        let mut message = DynamicMessage::new(&row());
        message.message_mut("time").unwrap().set_field("seconds", seconds).unwrap();
        decoder.push(&message.encode_to_vec().unwrap()).unwrap();
    }
    assert_eq!((decoder.skipped(), decoder.flush().unwrap().unwrap().num_rows()), (3, 2));
}

/// A row whose `time` and `span` have these seconds and nanoseconds, whatever they are.
fn of_parts(seconds: i64, nanos: i32) -> Vec<u8> {
    let mut message = DynamicMessage::new(&row());
    for name in ["time", "span"] {
        let mut time = message.message_mut(name).unwrap();
        time.set_field("seconds", seconds).unwrap();
        time.set_field("nanos", nanos).unwrap();
    }
    message.encode_to_vec().unwrap()
}

#[test]
fn the_whole_value_is_rounded_whatever_the_signs_of_its_parts() {
    const SECOND: i128 = 1_000_000_000;
    let parts = [
        (1, -1),
        (-1, 1),
        (0, -1),
        (2, -1_500_000_001),
        (-2, 1_500_000_001),
        (-1, 999_999_999),
        (5, i32::MAX),
        (5, i32::MIN),
        (-62_135_596_800, -1),
        (9_223_372_036, 999_999_999),
        // In nanoseconds seconds alone are too many, and in milliseconds just enough.
        (9_223_372_037, -999_999_999),
        (9_223_372_036_854_776, -200_000_000),
        (i64::MAX, -1),
        (i64::MIN, 1),
        (i64::MIN, i32::MIN),
    ];
    for (unit, divisor) in UNITS {
        let options = Options::new().well_known(true).time_unit(unit).recursion(0);
        let builder = ReaderBuilder::new(&row()).options(options).projection(["time", "span"]);
        for (seconds, nanos) in parts {
            let (total, divisor) = (i128::from(seconds) * SECOND + i128::from(nanos), i128::from(divisor));
            // Down for points in time, towards zero for durations.
            let exact = [total.div_euclid(divisor), total / divisor].map(|count| i64::try_from(count).ok());
            let mut decoder = builder.clone().bad_rows(BadRows::Skip).build_decoder().unwrap();
            decoder.push(&of_parts(seconds, nanos)).unwrap();
            let batch = decoder.flush().unwrap();
            let found = batch.map(|batch| {
                [0, 1].map(|at| {
                    arrow_buffer::ScalarBuffer::<i64>::from(batch.column(at).to_data().buffers()[0].clone())
                        [0]
                })
            });
            let expected = match exact {
                [Some(time), Some(span)] => Some([time, span]),
                _ => None,
            };
            assert_eq!(found, expected, "{seconds} s and {nanos} ns in {unit:?}");
        }
    }
}
