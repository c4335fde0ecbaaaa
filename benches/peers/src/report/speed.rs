//! The speed of the binary format and of JSON, over shapes of messages.

use crate::chart::{Axis, Bars, Panel, Series};
use crate::data::{Row, Table, mean};
use crate::page::{Place, heads, image, table};
use std::error::Error;

pub const REGIMES: [&str; 2] = ["in cache", "out of cache"];

/// No shape counts for more than this in a mean.
pub const CAP: f64 = 4.0;

/// What is compared in the summary: a mode, one of ours, and what it is.
const OURS: [(&str, &str, &str); 11] = [
    ("decode", "tablepb Decoder", "decode, reused `Decoder`"),
    ("decode", "tablepb Dynamic", "decode, new `DynamicMessage`"),
    ("decode", "tablepb typed", "decode, struct of `message!`"),
    ("decode", "tablepb borrowed", "decode, struct of `message!` that borrows strings"),
    ("read", "tablepb iterate", "decode by a `Decoder` and read every field, by iteration"),
    ("read", "tablepb handles", "decode by a `Decoder` and read every field, by descriptor"),
    ("read", "tablepb fresh iterate", "decode a new `DynamicMessage` and read every field, by iteration"),
    ("encode", "tablepb setters", "encode a `DynamicMessage` built by setters"),
    ("encode", "tablepb view", "encode a decoded view"),
    ("encode", "tablepb typed", "encode, struct of `message!`"),
    ("edit", "tablepb Dynamic", "decode, change a field, encode"),
];

fn is_ours(row: &Row<'_>) -> bool {
    row.text("contender").starts_with("tablepb")
}

/// Times as fast as prost, of a contender at a shape.
fn times(ratio: &Table, mode: &str, regime: &str, shape: &str, contender: &str) -> Option<f64> {
    let wanted = [("mode", mode), ("regime", regime), ("shape", shape), ("contender", contender)];
    ratio.with(&wanted).first().map(|row| row.number("times"))
}

/// The fastest contender that is not ours.
fn best_rival<'t>(ratio: &'t Table, mode: &str, regime: &str, shape: &str) -> Option<Row<'t>> {
    let mut rows = ratio.with(&[("mode", mode), ("regime", regime), ("shape", shape)]);
    rows.retain(|row| !is_ours(row));
    rows.into_iter().max_by(|a, b| a.number("times").total_cmp(&b.number("times")))
}

/// Shapes that count in means.
fn counting(ratio: &Table) -> Vec<&str> {
    crate::data::distinct(ratio.with(&[("counts", "1")]).iter().map(|row| row.text("shape")))
}

/// The mean over all shapes and the slowest shape, beside prost or the best rival.
fn summed(ratio: &Table, (mode, ours): (&str, &str), regime: &str, beside_best: bool) -> [String; 2] {
    let all: Vec<(f64, &str)> = counting(ratio)
        .into_iter()
        .filter_map(|shape| {
            let mine = times(ratio, mode, regime, shape, ours)?;
            let best = best_rival(ratio, mode, regime, shape)?.number("times");
            Some((if beside_best { mine / best } else { mine }, shape))
        })
        .collect();
    let Some((least, shape)) = all.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0)) else {
        return ["-".into(), "-".into()];
    };
    let mean = mean(all.iter().map(|(ratio, _)| ratio.min(CAP)));
    [marked(mean), format!("{} ({shape})", marked(least))]
}

/// A ratio; losses are bold.
pub fn marked(times: f64) -> String {
    if times < 0.995 { format!("**{times:.2}**") } else { format!("{times:.2}") }
}

fn means(ratio: &Table, beside_best: bool) -> String {
    // Edits have no rival but prost.
    let modes = OURS.iter().filter(|(mode, ..)| !beside_best || *mode != "edit");
    let rows: Vec<Vec<String>> = modes
        .map(|&(mode, ours, what)| {
            let cells = REGIMES.map(|regime| summed(ratio, (mode, ours), regime, beside_best));
            [what.to_owned()].into_iter().chain(cells.into_iter().flatten()).collect()
        })
        .collect();
    table(&heads(&["", "in cache", "slowest shape", "out of cache", "slowest shape"]), &rows)
}

/// The table of the README.
pub fn summary(place: &Place<'_>) -> Result<String, Box<dyn Error>> {
    let ratio = place.read("ratio")?;
    let count = counting(&ratio).len();
    let uncounted = match ratio.with(&[("counts", "0")]).first() {
        Some(row) => format!(" The shape `{}` counts in no mean.", row.text("shape")),
        None => String::new(),
    };
    Ok(format!(
        "Times as fast as prost's generated code: the geometric mean over {count} shapes of messages, each capped at {CAP}, and the \
         slowest shape, in cache (32 KB of messages again and again) and out of it (2 MB of distinct ones). \
         Below 1, in bold, prost is faster.{}\n\n{}",
        uncounted,
        means(&ratio, false)
    ))
}

pub fn protobuf(place: &Place<'_>) -> Result<String, Box<dyn Error>> {
    let ratio = place.read("ratio")?;
    let mut text = String::from("## The binary format\n\n");
    for (mode, bars) in [
        ("decode", [("tablepb Decoder", "tablepb Decoder"), ("tablepb DynamicMessage", "tablepb Dynamic")]),
        ("encode", [("tablepb DynamicMessage", "tablepb setters"), ("", "")]),
    ] {
        picture(place, &ratio, mode, &bars)?;
        text += &image(mode, &format!("{mode}: times as fast as prost, per shape"));
    }
    text += &crate::drawn::summary(place)?;
    text += &summary(place)?;
    text += "The same beside the best rival of any kind at each shape (prost, buffa and its views, quick-protobuf, prost-reflect), \
        which may borrow where ours owns:\n\n";
    text += &means(&ratio, true);
    for mode in ["decode", "read", "encode", "edit"] {
        for regime in REGIMES {
            text += &shapes(&ratio, mode, regime);
        }
    }
    Ok(text)
}

/// Bars per shape: some of ours, structs, and the best rival that is not prost's struct.
fn picture(
    place: &Place<'_>,
    ratio: &Table,
    mode: &str,
    dynamic: &[(&str, &str)],
) -> Result<(), Box<dyn Error>> {
    let shapes = counting(ratio);
    let panel = |regime: &str| {
        let of = |name: &str, contender: &str| Series {
            name: name.to_owned(),
            values: shapes.iter().map(|shape| times(ratio, mode, regime, shape, contender)).collect(),
        };
        let dynamic = dynamic.iter().filter(|(name, _)| !name.is_empty());
        let mut series: Vec<Series> = dynamic.map(|(name, contender)| of(name, contender)).collect();
        series.push(of("tablepb struct", "tablepb typed"));
        let best = |shape: &&str| best_rival(ratio, mode, regime, shape).map(|row| row.number("times"));
        series.push(Series { name: "best rival".into(), values: shapes.iter().map(best).collect() });
        let groups = shapes.iter().map(|shape| (*shape).to_owned()).collect();
        Panel { title: regime.to_owned(), groups, series }
    };
    let (title, low) = match mode {
        "decode" => ("Decoding, per shape of message", 0.5),
        _ => ("Encoding, per shape of message", 0.5),
    };
    let axis = Axis::Times("times as fast as prost (bars end at 8x)", low, 8.0);
    Bars { title, axis, panels: REGIMES.map(panel).into(), names: 72, single: false }
        .draw(&place.picture(mode))
}

/// All contenders at all shapes.
fn shapes(ratio: &Table, mode: &str, regime: &str) -> String {
    let rows = ratio.with(&[("mode", mode), ("regime", regime)]);
    let contenders = crate::data::distinct(rows.iter().map(|row| row.text("contender")));
    let shapes = crate::data::distinct(rows.iter().map(|row| row.text("shape")));
    let mut names = heads(&["shape", "prost, MB/s"]);
    names.extend(contenders.iter().filter(|name| **name != "prost").map(|name| (*name).to_owned()));
    let lines: Vec<Vec<String>> = shapes
        .iter()
        .map(|shape| {
            let of = |name: &str| {
                rows.iter().find(|row| row.text("shape") == *shape && row.text("contender") == name)
            };
            let speed = of("prost").map_or(0.0, |row| row.number("bytes") / row.number("microseconds"));
            let others = contenders.iter().filter(|name| **name != "prost").map(|name| {
                of(name).map_or("-".to_owned(), |row| match row.number("times") {
                    times if is_ours(row) => marked(times),
                    times => format!("{times:.2}"),
                })
            });
            [(*shape).to_owned(), format!("{speed:.0}")].into_iter().chain(others).collect()
        })
        .collect();
    format!(
        "<details><summary>{mode}, {regime}: each shape and contender, times as fast as prost</summary>\n\n{}</details>\n\n",
        table(&names, &lines)
    )
}

pub fn json(place: &Place<'_>) -> Result<String, Box<dyn Error>> {
    let json = place.read("json")?;
    let shapes = json.values("shape");
    let contenders = ["tablepb", "tablepb struct", "serde_json", "pbjson", "buffa", "prost-reflect"];
    let seconds = |mode: &str, shape: &str, contender: &str| {
        let wanted = [("mode", mode), ("shape", shape), ("contender", contender)];
        json.with(&wanted).first().map(|row| row.number("microseconds"))
    };
    let beside = |mode: &str, shape: &str, contender: &str| {
        Some(seconds(mode, shape, "serde_json")? / seconds(mode, shape, contender)?)
    };
    let modes = [("to-json", "binary to JSON"), ("to-binary", "JSON to binary")];
    let panel = |(mode, title): (&str, &str)| {
        let series = contenders.iter().filter(|name| **name != "serde_json").map(|name| Series {
            name: (*name).to_owned(),
            values: shapes.iter().map(|shape| beside(mode, shape, name)).collect(),
        });
        let groups = shapes.iter().map(|shape| (*shape).to_owned()).collect();
        Panel { title: title.to_owned(), groups, series: series.collect() }
    };
    let axis = Axis::Times("times as fast as serde_json on equal structs (bars end at 8x)", 0.125, 8.0);
    let panels = modes.map(panel).into();
    Bars { title: "ProtoJSON, per shape of message", axis, panels, names: 72, single: false }
        .draw(&place.picture("json"))?;
    let mut text = String::from("## JSON\n\n");
    text += &image("json", "JSON: times as fast as serde_json, per shape");
    text += "`tablepb` is a run-time schema: a `Decoder` to JSON, and a `DynamicMessage` from it. serde_json, on prost's structs with serde's derives, has less to do: \
        enums are numbers, and 64-bit integers have no quotation marks. The mean of times as fast as the best rival, the least of all shapes, and the mean of times as \
        fast as prost-reflect:\n\n";
    let mut rows = Vec::new();
    for (mode, title) in modes {
        for ours in ["tablepb", "tablepb struct"] {
            let best = |shape: &str| {
                let rivals = ["serde_json", "pbjson", "buffa"];
                rivals.iter().filter_map(|rival| seconds(mode, shape, rival)).fold(f64::INFINITY, f64::min)
            };
            let ratios: Vec<(f64, &str)> = shapes
                .iter()
                .filter_map(|shape| Some((best(shape) / seconds(mode, shape, ours)?, *shape)))
                .collect();
            let least = ratios.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NAN, ""));
            let reflect = shapes.iter().filter_map(|shape| {
                Some(seconds(mode, shape, "prost-reflect")? / seconds(mode, shape, ours)?)
            });
            rows.push(vec![
                format!("{title}, {ours}"),
                marked(mean(ratios.iter().map(|(ratio, _)| *ratio))),
                format!("{} ({})", marked(least.0), least.1),
                marked(mean(reflect)),
            ]);
        }
    }
    text += &table(&heads(&["", "best rival", "slowest shape", "prost-reflect"]), &rows);
    Ok(text)
}
