//! The tables of the shapes that are drawn at random.

use crate::data::{Row, Table, distinct, mean};
use crate::page::{Place, heads, table};
use crate::speed::{CAP, REGIMES, marked};
use std::error::Error;

const OURS: [(&str, &str, &str); 5] = [
    ("decode", "tablepb Decoder", "decode by a reused `Decoder`"),
    ("decode", "tablepb Dynamic", "decode a new `DynamicMessage`"),
    ("decode", "tablepb typed", "decode a struct of `message!`"),
    ("encode", "tablepb setters", "encode a `DynamicMessage` made by setters"),
    ("encode", "tablepb typed", "encode a struct of `message!`"),
];

/// From so many bytes on; the last one has no end.
const SIZES: [f64; 5] = [0.0, 16.0, 64.0, 256.0, 1024.0];

fn rows<'t>(random: &'t Table, mode: &str, contender: &str, regime: &str) -> Vec<Row<'t>> {
    random.with(&[("mode", mode), ("contender", contender), ("regime", regime)])
}

fn capped_mean<'t>(rows: impl Iterator<Item = Row<'t>>) -> f64 {
    mean(rows.map(|row| row.number("times").min(CAP)))
}

/// Mean, median, 5th percentile, and how many are slower than prost.
fn summed(rows: &[Row<'_>]) -> [String; 4] {
    let mut times: Vec<f64> = rows.iter().map(|row| row.number("times")).collect();
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or(f64::NAN);
    let slower = times.iter().filter(|times| **times < 1.0).count();
    [marked(capped_mean(rows.iter().copied())), marked(at(50)), marked(at(5)), slower.to_string()]
}

/// The tables of the README: all shapes, and means by the size of a message.
pub fn summary(place: &Place<'_>) -> Result<String, Box<dyn Error>> {
    let random = place.read("random")?;
    let count = random.values("shape").len();
    let mut text = format!(
        "**{count} shapes of messages drawn at random**, of any size: times as fast as prost's generated code. The geometric mean (each capped \
         at {CAP}), the median, the 5th percentile, and the number of shapes where prost is faster; in cache (32 KB of messages again and again) and out of it (2 MB of \
         distinct ones); built as Cargo builds by default.\n\n"
    );
    let lines: Vec<Vec<String>> = OURS
        .iter()
        .map(|&(mode, contender, what)| {
            let cells = REGIMES.map(|regime| summed(&rows(&random, mode, contender, regime)));
            [what.to_owned()].into_iter().chain(cells.into_iter().flatten()).collect()
        })
        .collect();
    let names = ["", "in cache", "median", "5th", "slower", "out of cache", "median", "5th", "slower"];
    text += &table(&heads(&names), &lines);
    text += "By the bytes of a message, in cache: how many shapes, and the geometric mean of times as fast as prost.\n\n";
    let mut names = heads(&["bytes", "shapes"]);
    names.extend(OURS.map(|(.., what)| what.to_owned()));
    let size = |row: &Row<'_>| row.number("bytes") / row.number("messages");
    let lines = SIZES.iter().enumerate().map(|(at, low)| {
        let high = SIZES.get(at + 1).copied().unwrap_or(f64::INFINITY);
        let within = |row: &Row<'_>| (*low..high).contains(&size(row));
        let of = |mode, contender| rows(&random, mode, contender, REGIMES[0]).into_iter().filter(within);
        let range =
            if high.is_finite() { format!("{low} to {}", high - 1.0) } else { format!("{low} and more") };
        let (mode, contender, _) = OURS[0];
        let shapes = distinct(of(mode, contender).map(|row| row.text("shape"))).len();
        let means = OURS.map(|(mode, contender, _)| marked(capped_mean(of(mode, contender))));
        [range, shapes.to_string()].into_iter().chain(means).collect()
    });
    text += &table(&names, &lines.collect::<Vec<_>>());
    Ok(text)
}
