//! What is measured beside the speed of shapes: partial work, records, latency, growth, memory and sizes.

use crate::chart::{Axis, Bars, Lines, Panel, Plot, Series, short};
use crate::data::{Row, Table};
use crate::page::{Place, heads, image, table};
use crate::speed::marked;
use std::error::Error;

pub type Text = Result<String, Box<dyn Error>>;

/// The one row with these values.
pub fn row<'t>(values: &'t Table, wanted: &[(&'t str, &str)]) -> Result<Row<'t>, String> {
    values.with(wanted).into_iter().next().ok_or_else(|| format!("no row with {wanted:?}"))
}

pub fn time(values: &Table, case: &str, contender: &str) -> Result<f64, String> {
    Ok(row(values, &[("case", case), ("contender", contender)])?.number("nanoseconds"))
}

/// A change, with a minus sign as long as the plus.
pub fn percent(change: f64) -> String {
    format!("{change:+.0} %").replace('-', "−")
}

pub fn partial(place: &Place<'_>) -> Text {
    let partial = place.read("partial")?;
    let mut text = String::from("## Partial work\n\n");
    let mut panels = Vec::new();
    for (title, cases) in [
        ("encode", ["article, encode, 128 batches", "metric, encode", "OTLP metrics, encode"]),
        (
            "decode and read",
            [
                "article, decode and add up the points, 128 batches",
                "metric, decode and add up the points",
                "OTLP traces, read the names of the spans",
            ],
        ),
    ] {
        let mut groups = Vec::new();
        let mut values = Vec::new();
        for case in cases {
            let prost = time(&partial, case, "prost, full")?;
            for row in partial.with(&[("case", case)]) {
                let name = row.text("contender");
                if name != "prost, full" {
                    let subject = case.split([',', ' ']).next().unwrap_or_default();
                    groups.push(format!(
                        "{subject}: {}",
                        name.trim_start_matches("tablepb ").trim_start_matches("tablepb, ")
                    ));
                    values.push((name.starts_with("tablepb"), prost / row.number("nanoseconds")));
                }
            }
        }
        let series =
            [("tablepb struct", true), ("prost, companion messages", false)].map(|(name, ours)| Series {
                name: if ours { "tablepb".into() } else { name.into() },
                values: values.iter().map(|(of, times)| (*of == ours).then_some(*times)).collect(),
            });
        panels.push(Panel { title: title.into(), groups, series: series.into() });
    }
    let axis = Axis::Times("times as fast as prost doing everything", 0.5, 32.0);
    let title = "Partial work beside prost doing everything";
    Bars { title, axis, panels, names: 205, single: true }.draw(&place.picture("partial"))?;
    text += &image("partial", "Partial work: times as fast as prost doing everything");
    text += "`prepared`: constant parts are encoded once. `lazy members`, `projection`, `raw fields`: only what is read is decoded. `visit`: values go to a sink, no message is made. \
        Companion messages have bytes where the original has messages; with `Bytes` these share the input.\n\n";
    let rows: Vec<Vec<String>> = partial
        .rows()
        .map(|row| {
            let prost = time(&partial, row.text("case"), "prost, full").unwrap_or(f64::NAN);
            let share = 100.0 * row.number("selected") / row.number("bytes");
            vec![
                row.text("case").into(),
                row.text("contender").into(),
                format!("{share:.0} %"),
                short(row.number("nanoseconds")),
                marked(prost / row.number("nanoseconds")),
            ]
        })
        .collect();
    let names = ["case", "", "bytes selected", "ns per message", "times as fast as prost"];
    text += &table(&heads(&names), &rows);
    Ok(text)
}

pub fn records(place: &Place<'_>) -> Text {
    let flows = place.read("records")?;
    let traffic = flows.values("traffic");
    let contenders =
        ["prost, new", "prost, used again", "typed, used again", "record", "record, five columns"];
    let of = |traffic: &str, contender: &str, column: &str| {
        row(&flows, &[("traffic", traffic), ("contender", contender)]).map(|row| row.number(column))
    };
    let panel = |name: &&str| {
        let groups = contenders.map(str::to_owned).to_vec();
        let series = contenders.map(|contender| Series {
            name: if contender.starts_with("prost") {
                "prost".into()
            } else if contender.starts_with("typed") {
                "tablepb typed".into()
            } else {
                contender.to_owned()
            },
            values: contenders
                .iter()
                .map(|other| (*other == contender).then(|| of(name, contender, "nanoseconds").ok()).flatten())
                .collect(),
        });
        Panel { title: (*name).to_owned(), groups, series: series.into() }
    };
    let axis = Axis::Amount("ns per flow, decoding and encoding");
    let title = "Network flows: decode a datagram and write protobuf";
    Bars { title, axis, panels: traffic.iter().map(panel).collect(), names: 118, single: true }
        .draw(&place.picture("records"))?;
    let mut text = String::from("## Records: network flows\n\n");
    text += &image("records", "Nanoseconds per flow");
    text += "The whole cost of a flow, in nanoseconds: decoding the datagram and encoding the flow. Beside it the difference to new prost structs. \
        Captures are datagrams of files, replayed, with the templates in them, which allocate: recorded ones if `TABLEPB_DATA` names them, those of the tests otherwise.\n\n";
    let mut names = vec![String::new()];
    for name in &traffic {
        names.extend([format!("{name}, ns"), "beside prost".into(), "allocations".into()]);
    }
    let mut rows = Vec::new();
    for contender in ["decoding alone"].into_iter().chain(contenders) {
        let mut cells = vec![contender.to_owned()];
        for name in &traffic {
            let time = of(name, contender, "nanoseconds")?;
            let change = 100.0 * (time / of(name, "prost, new", "nanoseconds")? - 1.0);
            let allocations = of(name, contender, "allocations")?;
            cells.extend([short(time), percent(change), format!("{allocations:.1}")]);
        }
        rows.push(cells);
    }
    text += &table(&names, &rows);
    Ok(text)
}

const PERCENTILES: [&str; 6] = ["p50", "p90", "p95", "p99", "p99.9", "max"];

pub fn latency(place: &Place<'_>) -> Text {
    let latency = place.read("latency")?;
    let mut panels = Vec::new();
    for record in ["small", "large"] {
        for operation in ["encode", "decode"] {
            let rows = latency.with(&[("record", record), ("operation", operation), ("place", "pool")]);
            let lines = rows.iter().map(|row| {
                let points = PERCENTILES.iter().take(5).enumerate();
                let points = points.map(|(at, name)| (at as f64, row.number(name))).collect();
                (row.text("contender").to_owned(), points)
            });
            panels.push(Plot {
                title: format!("{record} record, {operation}"),
                x: "percentile",
                y: "microseconds",
                places: PERCENTILES[..5].iter().map(|name| (*name).to_owned()).collect(),
                lines: lines.collect(),
            });
        }
    }
    let title = "Latency of single operations on a pool of threads";
    Lines { title, panels, columns: 2 }.draw(&place.picture("latency"))?;
    let mut text = String::from("## Latency\n\n");
    text += &image("latency", "Percentiles of single encodes and decodes");
    text += "Single operations, 10 000 of each, on a pool with a thread for each processor and on threads of their own, of which 500 run at once. The picture is of the pool. \
        The highest percentiles are those of the scheduler. Microseconds:\n\n";
    for place in ["pool", "threads"] {
        for record in ["small", "large"] {
            let rows = latency.with(&[("record", record), ("place", place)]);
            let lines: Vec<Vec<String>> = rows
                .iter()
                .map(|row| {
                    let first = format!("{}, {}", row.text("operation"), row.text("contender"));
                    let cells = ["bytes", "allocations"].map(|name| row.text(name).to_owned());
                    let times = PERCENTILES.map(|name| short(row.number(name)));
                    [first].into_iter().chain(cells).chain(times).collect()
                })
                .collect();
            let mut names = heads(&["", "bytes", "allocations"]);
            names.extend(PERCENTILES.map(str::to_owned));
            text += &format!(
                "<details><summary>{record} record, {place}</summary>\n\n{}</details>\n\n",
                table(&names, &lines)
            );
        }
    }
    Ok(text)
}

/// Lines of one measure.
fn plot(growth: &Table, measure: &str, title: &str, x: &'static str, y: &'static str) -> Plot {
    let rows = growth.with(&[("measure", measure)]);
    let names = crate::data::distinct(rows.iter().map(|row| row.text("contender")));
    let lines = names.into_iter().map(|name| {
        let own = rows.iter().filter(|row| row.text("contender") == name);
        (name.to_owned(), own.map(|row| (row.number("number"), row.number("value"))).collect())
    });
    Plot { title: title.to_owned(), x, y, places: Vec::new(), lines: lines.collect() }
}

/// A row for each contender of one measure, a column for each size.
fn growth_table(growth: &Table, measure: &str) -> String {
    let rows = growth.with(&[("measure", measure)]);
    let numbers = crate::data::distinct(rows.iter().map(|row| row.text("number")));
    let lines: Vec<Vec<String>> = crate::data::distinct(rows.iter().map(|row| row.text("contender")))
        .into_iter()
        .map(|name| {
            let of = |number: &&str| {
                let mut found = rows.iter().filter(|row| row.text("contender") == name);
                let found = found.find(|row| row.text("number") == *number);
                found.map_or("-".to_owned(), |row| short(row.number("value")))
            };
            [name.to_owned()].into_iter().chain(numbers.iter().map(of)).collect()
        })
        .collect();
    let mut names = vec![String::new()];
    names.extend(numbers.iter().map(|number| (*number).to_owned()));
    table(&names, &lines)
}

pub fn growth(place: &Place<'_>) -> Text {
    let growth = place.read("growth")?;
    let panels = vec![
        plot(&growth, "fields decode", "decode, fields of a type", "fields, all of them set", "ns per field"),
        plot(&growth, "fields encode", "encode, fields of a type", "fields, all of them set", "ns per field"),
        plot(&growth, "depth decode", "decode, messages in messages", "levels", "ns per level"),
        plot(&growth, "size decode", "decode, a list of records", "bytes of the message", "ns per byte"),
    ];
    let title = "How cost grows: a flat line is a cost in proportion";
    Lines { title, panels, columns: 2 }.draw(&place.picture("growth"))?;
    let mut text = String::from("## How cost grows\n\n");
    text += &image("growth", "Cost per field, level and byte");
    for (measure, what) in [
        ("fields decode", "decode, by fields of the type, all of them set: ns per field"),
        ("fields encode", "encode, by fields of the type, all of them set: ns per field"),
        ("depth decode", "decode, by levels of messages: ns per level"),
        ("size decode", "decode, by bytes of a list of records: ns per byte"),
    ] {
        let numbers = growth_table(&growth, measure);
        text += &format!("<details><summary>{what}</summary>\n\n{numbers}</details>\n\n");
    }
    let memory = growth.with(&[("measure", "memory")]);
    let groups: Vec<&str> = crate::data::distinct(memory.iter().map(|row| row.text("number")));
    let names = crate::data::distinct(memory.iter().map(|row| row.text("contender")));
    let of = |group: &str, name: &str| {
        let row = memory.iter().find(|row| row.text("number") == group && row.text("contender") == name);
        row.map(|row| row.number("value"))
    };
    let series = names.iter().map(|name| Series {
        name: (*name).to_owned(),
        values: groups.iter().map(|group| of(group, name)).collect(),
    });
    let groups_owned = groups.iter().map(|group| (*group).to_owned()).collect();
    let panel = Panel { title: String::new(), groups: groups_owned, series: series.collect() };
    let title = "Memory of a decode: most bytes of heap for each byte of input";
    let axis = Axis::Log("bytes per byte of input");
    Bars { title, axis, panels: vec![panel], names: 110, single: false }.draw(&place.picture("memory"))?;
    text += "## Memory\n\n";
    text += &image("memory", "Bytes of heap for each byte of input");
    text += "A `Decoder` borrows strings and bytes from its input, which is counted for no contender; the next message uses its memory again.\n\n";
    let lines: Vec<Vec<String>> = groups
        .iter()
        .map(|group| {
            let cells =
                names.iter().map(|name| of(group, name).map_or("-".into(), |value| format!("{value:.2}")));
            [(*group).to_owned()].into_iter().chain(cells).collect()
        })
        .collect();
    let mut head = vec![String::new()];
    head.extend(names.iter().map(|name| (*name).to_owned()));
    text += &table(&head, &lines);
    Ok(text)
}

pub fn sizes(place: &Place<'_>) -> Text {
    let (json, latency, builds) = (place.read("json")?, place.read("latency")?, place.read("sizes")?);
    let mut rows = Vec::new();
    for record in ["small", "large"] {
        let of = |name: &str| {
            row(&latency, &[("record", record), ("contender", name)]).map(|row| row.number("bytes"))
        };
        rows.push((format!("project record, {record}"), of("tablepb typed")?, of("serde_json")?));
    }
    for shape in json.values("shape") {
        let own = row(&json, &[("shape", shape), ("mode", "to-json"), ("contender", "tablepb")])?;
        let messages = own.number("messages");
        rows.push((shape.to_owned(), own.number("binary") / messages, own.number("json") / messages));
    }
    let series = [("tablepb", 1), ("JSON", 2)].map(|(name, which)| Series {
        name: if which == 1 { "protobuf".into() } else { name.into() },
        values: rows.iter().map(|(_, binary, json)| Some(if which == 1 { *binary } else { *json })).collect(),
    });
    let groups = rows.iter().map(|(name, ..)| name.clone()).collect();
    let panels = vec![Panel { title: String::new(), groups, series: series.into() }];
    let title = "Bytes of one message, protobuf and JSON";
    Bars { title, axis: Axis::Log("bytes of a message"), panels, names: 130, single: false }
        .draw(&place.picture("sizes"))?;
    let mut text = String::from("## Sizes\n\n");
    text += &image("sizes", "Bytes of a message in protobuf and JSON");
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|(name, binary, json)| {
            vec![name.clone(), format!("{binary:.0}"), format!("{json:.0}"), format!("{:.2}", json / binary)]
        })
        .collect();
    text += &table(&heads(&["bytes of a message", "protobuf", "JSON", "JSON / protobuf"]), &lines);
    text += "## Compile time and size of programs\n\n\
        A release build of a program with one small message, from clean, and what its stripped binary has above a program without any. \
        `structs` and `default` are tablepb, with the features for structs alone and with the default ones. prost and buffa generate code \
        in a build script, from a descriptor set, so protoc is not in it. JSON by serde's derives for reference.\n\n";
    let mut lines = Vec::new();
    for program in ["empty", "structs", "default", "prost", "buffa", "serde_json"] {
        let row = row(&builds, &[("program", program)])?;
        let kilobytes = |column: &str| format!("{:.0}", row.number(column) / 1e3);
        let name = match program {
            "structs" | "default" => format!("tablepb, {program}"),
            name => name.to_owned(),
        };
        lines.push(vec![
            name,
            format!("{:.1}", row.number("seconds")),
            kilobytes("bytes"),
            kilobytes("above"),
        ]);
    }
    text += &table(&heads(&["program", "processor seconds", "KB", "KB above an empty one"]), &lines);
    Ok(text)
}
