//! The published experiments, with the articles' figures beside ours.

use crate::data::Table;
use crate::experiments::{Text, percent, row, time};
use crate::page::{Place, columns, table};

/// What an article says and what was measured here.
struct Figure {
    what: String,
    article: &'static str,
    here: String,
    /// Whether it is as good here.
    reached: bool,
    /// Why, where it is not.
    reason: &'static str,
}

/// The articles' figures beside ours.
pub fn figures(place: &Place<'_>) -> Text {
    let mut figures = prepared_and_partial(&place.read("partial")?)?;
    figures.extend(flows(&place.read("records")?)?);
    let latency = place.read("latency")?;
    for (shape, bytes) in [("small", "47 and 100 bytes"), ("large", "304912 and 304960 bytes")] {
        let of = |name: &str| {
            row(&latency, &[("record", shape), ("contender", name)]).map(|row| row.text("bytes"))
        };
        let here = format!("{} and {} bytes", of("tablepb typed")?, of("serde_json")?);
        let what = format!("project record, {shape}: protobuf and JSON");
        figures.push(Figure {
            what,
            article: bytes,
            reached: here == bytes,
            here,
            reason: "the record differs",
        });
    }
    let rows: Vec<Vec<String>> = figures
        .iter()
        .map(|figure| {
            let verdict = if figure.reached { "reached" } else { figure.reason };
            vec![figure.what.clone(), figure.article.into(), figure.here.clone(), verdict.into()]
        })
        .collect();
    Ok(format!(
        "## The articles' figures\n\nThe experiments were made again as they were published, but in Rust: the ratios of partial work are those of tablepb to tablepb doing \
         everything, as in the article; of the article's schema the sizes are known, and they are the same here. Percentiles are [below](#latency).\n\n{}",
        table(&columns(&["experiment", "article", "here", "reached, or why not"]), &rows)
    ))
}

/// A metrics message of 100 points, of which everything else is prepared or not read.
fn prepared_and_partial(partial: &Table) -> Result<Vec<Figure>, String> {
    let mut figures = Vec::new();
    for batches in ["one batch", "128 batches"] {
        for (what, case, fast, slow, wanted, article) in [
            ("encode, prepared", "encode", "tablepb struct, prepared", "tablepb struct, full", 2.2, "2.2x"),
            (
                "decode, lazy members",
                "decode and add up the points",
                "tablepb struct, lazy members",
                "tablepb struct, full",
                2.7,
                "2.7x",
            ),
            (
                "decode, projection",
                "decode and add up the points",
                "tablepb decoder, projection",
                "tablepb decoder, full",
                2.7,
                "2.7x",
            ),
        ] {
            let case = format!("article, {case}, {batches}");
            let fast = time(partial, &case, fast)?;
            let ratio = time(partial, &case, slow)? / fast;
            let prost = time(partial, &case, "prost, full")?;
            let companion = prost / time(partial, &case, "prost, companion messages")?;
            figures.push(Figure {
                what: format!("{what}, {batches}"),
                article,
                here: format!("{ratio:.2}x; {:.2}x full prost (its companion messages: {companion:.2}x)", prost / fast),
                reached: ratio >= wanted,
                reason: match prost / fast {
                    beside if beside >= wanted => {
                        "reached beside full prost: tablepb's own full work costs less than prost's, so there is less to gain"
                    }
                    beside if beside < companion => {
                        "not reached; prost gains more by companion messages here"
                    }
                    _ => {
                        "not reached by prost's companion messages either: full work on one message again and again costs less than in the article"
                    }
                },
            });
        }
    }
    Ok(figures)
}

/// Network flows: what decoding and encoding take less than with generated structs.
fn flows(flows: &Table) -> Result<Vec<Figure>, String> {
    let mut figures = Vec::new();
    for (traffic, article, wanted) in [("NetFlow 9", "−40 %", -40.0), ("sFlow", "−48 %", -48.0)] {
        let of = |contender: &str| {
            row(flows, &[("traffic", traffic), ("contender", contender)]).map(|row| row.number("nanoseconds"))
        };
        let record = of("record")?;
        let beside = |rival: f64| 100.0 * (record / rival - 1.0);
        let (new, again) = (of("prost, new")?, of("prost, used again")?);
        figures.push(Figure {
            what: format!("{traffic}: decode and encode a flow, record beside new prost structs"),
            article,
            here: format!("{}; beside one struct used again {}", percent(beside(new)), percent(beside(again))),
            reached: beside(new) <= wanted,
            reason: "decoding the datagram is the same work on both sides and a larger part of the whole here",
        });
    }
    Ok(figures)
}
