//! The published experiments, with the articles' figures beside ours.

use crate::data::Table;
use crate::experiments::{Text, percent, row, time};
use crate::page::{Place, heads, table};

/// What an article says and what was measured here.
struct Figure {
    what: String,
    article: &'static str,
    here: String,
    /// Whether it is as good here.
    reached: bool,
    /// Why, where it is not.
    reason: String,
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
            reason: "the record differs".into(),
        });
    }
    let rows: Vec<Vec<String>> = figures
        .iter()
        .map(|figure| {
            let verdict = if figure.reached { "reached" } else { &figure.reason };
            vec![figure.what.clone(), figure.article.into(), figure.here.clone(), verdict.into()]
        })
        .collect();
    Ok(format!(
        "## The articles' figures\n\nThe experiments were made again as they were published, but in Rust: the ratios of partial work are those of tablepb to tablepb doing \
         everything, as in the article; of the article's schema the sizes are known, and they are the same here. Percentiles are [below](#latency).\n\n{}",
        table(&heads(&["experiment", "article", "here", "reached, or why not"]), &rows)
    ))
}

/// One way of doing a part of the work.
struct Partial {
    what: &'static str,
    case: &'static str,
    /// The contender that does a part, and ours that does everything.
    part: &'static str,
    whole: &'static str,
    wanted: f64,
    /// Why it may gain less.
    reason: &'static str,
}

const PARTIAL: [Partial; 4] = [
    Partial {
        what: "encode, prepared",
        case: "encode",
        part: "tablepb struct, prepared",
        whole: "tablepb struct, full",
        wanted: 2.2,
        reason: "every prepared value is a block of its own to be read",
    },
    Partial {
        what: "decode, lazy members",
        case: "decode and add up the points",
        part: "tablepb struct, lazy members",
        whole: "tablepb struct, full",
        wanted: 2.7,
        reason: "lists and copies of bytes take five of the eight blocks that full work takes for a metric",
    },
    Partial {
        what: "decode, projection",
        case: "decode and add up the points",
        part: "tablepb decoder, projection",
        whole: "tablepb decoder, full",
        wanted: 2.7,
        reason: "the messages on the way to the points are made all the same",
    },
    Partial {
        what: "decode, visiting a projection",
        case: "decode and add up the points",
        part: "tablepb visit, projection",
        whole: "tablepb decoder, full",
        wanted: 2.7,
        reason: "every length on the way is read all the same",
    },
];

/// A metrics message of 100 points, of which everything else is prepared or not read.
fn prepared_and_partial(partial: &Table) -> Result<Vec<Figure>, String> {
    let mut figures = Vec::new();
    for batches in ["one batch", "128 batches"] {
        for Partial { what, case, part, whole, wanted, reason } in PARTIAL {
            let case = format!("article, {case}, {batches}");
            let part = time(partial, &case, part)?;
            let ratio = time(partial, &case, whole)? / part;
            let prost = time(partial, &case, "prost, full")?;
            let (beside, companion) =
                (prost / part, prost / time(partial, &case, "prost, companion messages")?);
            let verdict = match beside {
                _ if ratio < 1.0 => "slower than doing everything here",
                _ if beside >= wanted => "reached beside full prost; tablepb's own full work costs less",
                _ => "not reached",
            };
            figures.push(Figure {
                what: format!("{what}, {batches}"),
                article: if wanted == 2.2 { "2.2x" } else { "2.7x" },
                here: format!(
                    "{ratio:.2}x; {beside:.2}x full prost (its companion messages: {companion:.2}x)"
                ),
                reached: ratio >= wanted,
                reason: format!("{verdict}: {reason}"),
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
        let (alone, record) = (of("decoding alone")?, of("record")?);
        let (new, again) = (of("prost, new")?, of("prost, used again")?);
        let less = |ours: f64, theirs: f64| 100.0 * (ours / theirs - 1.0);
        let beside = less(record, new);
        figures.push(Figure {
            what: format!("{traffic}: decode and encode a flow, record beside new prost structs"),
            article,
            here: format!("{}; beside one reused struct {}", percent(beside), percent(less(record, again))),
            reached: beside.round() <= wanted,
            reason: format!(
                "not reached; decoding the datagram, the same on both sides, is {:.0} % of prost's whole, and without it the difference is {}",
                100.0 * alone / new,
                percent(less(record - alone, new - alone))
            ),
        });
    }
    Ok(figures)
}
