//! Messages to columns and back, beside other ways to do it: docs/columns.md.

use crate::chart::{Axis, Bars, Panel, Series};
use crate::data::{Row, Table, mean};
use crate::page::{Place, heads, table};
use crate::speed::marked;
use std::error::Error;

const OURS: &str = "tablepb-arrow";
const PTARS: &str = "ptars";

/// What is compared in each direction, and its name in a table. Messages without columns and skipping are no rivals.
const DIRECTIONS: [(&str, &[(&str, &str)]); 2] = [
    (
        "to columns",
        &[
            (PTARS, PTARS),
            ("arrow-avro, from Avro", "arrow-avro"),
            ("prost and builders by hand", "prost by hand"),
            ("JSON values, arrow-json", "arrow-json"),
        ],
    ),
    ("to messages", &[(PTARS, PTARS), ("decoding and encoding", "decode, encode")]),
];

/// The row of a contender.
fn of<'t>(values: &'t Table, direction: &str, shape: &str, contender: &str) -> Option<Row<'t>> {
    values.with(&[("direction", direction), ("shape", shape), ("contender", contender)]).first().copied()
}

/// How many times as long as tablepb-arrow a contender takes. Avro has no columns that are left out.
fn times(values: &Table, direction: &str, shape: &str, contender: &str) -> Option<f64> {
    let reads_all = of(values, "to messages", shape, OURS).is_some();
    let row = of(values, direction, shape, contender).filter(|_| reads_all || !contender.contains("Avro"));
    row.map(|row| row.number("times"))
}

/// The picture, and a table for each direction.
pub fn tables(place: &Place<'_>) -> Result<String, Box<dyn Error>> {
    let values = place.read("columns")?;
    let shapes = |direction: &str| {
        let rows = values.with(&[("direction", direction), ("contender", OURS)]);
        rows.into_iter().map(|row| row.text("shape")).collect::<Vec<_>>()
    };
    picture(place, &values, &shapes("to columns"))?;
    let mut text =
        String::from("![Columns: how many times as long others take, per shape](benchmarks/columns.svg)\n\n");
    for (direction, rivals) in DIRECTIONS {
        let mut names = heads(&["rows", "bytes", "million rows/s"]);
        names.extend(rivals.iter().map(|(_, name)| (*name).to_owned()));
        let shapes = shapes(direction);
        let mut lines: Vec<Vec<String>> = shapes
            .iter()
            .filter_map(|shape| {
                let ours = of(&values, direction, shape, OURS)?;
                let size = ours.number("bytes") / ours.number("rows");
                let speed = 1e3 / ours.number("nanoseconds");
                let others = rivals.iter().map(|(contender, _)| {
                    times(&values, direction, shape, contender).map_or("-".into(), marked)
                });
                let first = [(*shape).to_owned(), format!("{size:.0}"), format!("{speed:.1}")];
                Some(first.into_iter().chain(others).collect())
            })
            .collect();
        let whole = |shape: &&&str| of(&values, "to messages", shape, OURS).is_some();
        let means = rivals.iter().map(|(contender, _)| {
            let all = || {
                shapes.iter().filter(whole).filter_map(|shape| times(&values, direction, shape, contender))
            };
            let least = all().fold(f64::INFINITY, f64::min);
            format!("{}, least {}", marked(mean(all())), marked(least))
        });
        let first = heads(&["mean of those whose fields are all read", "", ""]);
        lines.push(first.into_iter().chain(means).collect());
        let from = if direction == "to columns" { "Messages" } else { "Columns" };
        text += &format!("{from} {direction}, and how many times as long others take:\n\n");
        text += &table(&names, &lines);
    }
    let environment = place.read("environment")?;
    let value = |name: &str| {
        environment.with(&[("name", name)]).first().map_or("", |row| row.text("value")).to_owned()
    };
    text += &format!(
        "Measured on {}; ptars-core {}, arrow-avro {}, arrow-json {}, prost {}.\n",
        value("columns measured"),
        value("ptars-core"),
        value("arrow-avro"),
        value("arrow-json"),
        value("prost"),
    );
    Ok(text)
}

fn picture(place: &Place<'_>, values: &Table, shapes: &[&str]) -> Result<(), Box<dyn Error>> {
    let panels = DIRECTIONS.map(|(direction, rivals)| {
        // JSON is beyond the end of the axis.
        let rivals = rivals.iter().filter(|(_, name)| *name != "arrow-json");
        let series = rivals.map(|(contender, name)| Series {
            name: (*name).to_owned(),
            values: shapes.iter().map(|shape| times(values, direction, shape, contender)).collect(),
        });
        let groups = shapes.iter().map(|shape| (*shape).to_owned()).collect();
        Panel { title: direction.to_owned(), groups, series: series.collect() }
    });
    let axis = Axis::Times("times as long as tablepb-arrow (bars end at 8x)", 0.5, 8.0);
    let title = "Messages to columns and back, per shape";
    Bars { title, axis, panels: panels.into(), names: 118, single: false }.draw(&place.picture("columns"))
}
