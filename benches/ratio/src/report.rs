//! Tables of the results.

use crate::contenders::{Label, Mode};
use crate::measure::{Spread, Timing};

/// The results of one shape in one mode.
pub struct Row {
    pub shape: &'static str,
    /// In the means.
    pub counts: bool,
    pub messages: usize,
    pub bytes: usize,
    pub timings: Vec<Timing>,
}

impl Row {
    fn find(&self, name: &str) -> Option<&Timing> {
        self.timings.iter().find(|t| t.name == name)
    }

    /// The fastest contender that is not ours; of one label, if one is given.
    fn best_rival(&self, label: Option<Label>) -> Option<&Timing> {
        self.timings
            .iter()
            .filter(|t| !is_ours(t.name) && label.is_none_or(|label| t.label == label))
            .min_by(|a, b| a.seconds().total_cmp(&b.seconds()))
    }
}

fn is_ours(name: &str) -> bool {
    name.starts_with("tablepb")
}

/// No shape counts for more than this in a mean.
const CAP: f64 = 4.0;

/// What a ratio must reach.
struct Target {
    mode: Mode,
    ours: &'static str,
    /// A rival's name, or nobody for the best one of each shape.
    rival: Option<&'static str>,
    /// On every shape.
    least: f64,
    /// In the geometric mean.
    mean: f64,
    /// What no shape counts for more than in that mean.
    cap: f64,
}

#[rustfmt::skip]
const TARGETS: &[Target] = &[
    Target { mode: Mode::Decode, ours: "tablepb Decoder", rival: Some("prost"), least: 1.2, mean: 2.7, cap: CAP },
    Target { mode: Mode::Decode, ours: "tablepb Decoder", rival: None, least: 1.0, mean: 1.6, cap: CAP },
    Target { mode: Mode::Decode, ours: "tablepb Dynamic", rival: Some("prost"), least: 0.0, mean: 2.0, cap: CAP },
    Target { mode: Mode::Decode, ours: "tablepb Dynamic", rival: Some("prost-reflect"), least: 0.0, mean: 8.0, cap: f64::INFINITY },
    Target { mode: Mode::Decode, ours: "tablepb typed", rival: Some("prost"), least: 0.95, mean: 1.2, cap: CAP },
    Target { mode: Mode::Decode, ours: "tablepb borrowed", rival: Some("buffa view"), least: 1.0, mean: 1.0, cap: CAP },
    Target { mode: Mode::Read, ours: "tablepb iterate", rival: Some("prost"), least: 1.0, mean: 2.0, cap: CAP },
    Target { mode: Mode::Read, ours: "tablepb handles", rival: Some("prost"), least: 1.0, mean: 2.0, cap: CAP },
    Target { mode: Mode::Encode, ours: "tablepb setters", rival: Some("prost"), least: 0.8, mean: 1.0, cap: CAP },
    Target { mode: Mode::Encode, ours: "tablepb edited", rival: Some("prost"), least: 0.8, mean: 1.0, cap: CAP },
    Target { mode: Mode::Encode, ours: "tablepb view", rival: Some("prost"), least: 0.8, mean: 1.0, cap: CAP },
    Target { mode: Mode::Encode, ours: "tablepb typed", rival: Some("prost"), least: 0.95, mean: 1.2, cap: CAP },
    Target { mode: Mode::Edit, ours: "tablepb Dynamic", rival: Some("prost"), least: 0.8, mean: 1.0, cap: CAP },
];

/// Prints what was reached and what was not.
pub fn print_targets(results: &[(Mode, Vec<Row>)]) {
    println!("\n== targets ==\n");
    for target in TARGETS {
        let Some((_, rows)) = results.iter().find(|(mode, _)| *mode == target.mode) else { continue };
        let mut mean = Mean::default();
        let mut below = String::new();
        for row in rows {
            let rival = match target.rival {
                Some(name) => row.find(name),
                None => row.best_rival(None),
            };
            let (Some(ours), Some(rival)) = (row.find(target.ours), rival) else { continue };
            let ratio = ours.ratio_to(rival).median;
            if row.counts {
                mean.add(ratio, target.cap);
            }
            if ratio < target.least {
                below += &format!(" {} {ratio:.2}", row.shape);
            }
        }
        println!(
            "{:<6} {:<16} to {:<12} mean {:.2} (target {:.1}) {}; below {:.1}:{}",
            target.mode.name(),
            target.ours,
            target.rival.unwrap_or("best rival"),
            mean.geometric(),
            target.mean,
            if mean.geometric() < target.mean { "MISSED" } else { "met" },
            target.least,
            if below.is_empty() { " none" } else { &below },
        );
    }
}

/// Prints all about one mode.
pub fn print(mode: Mode, rows: &[Row]) {
    let mut all: Vec<(&str, Label)> = Vec::new();
    for timing in rows.iter().flat_map(|row| &row.timings) {
        if !all.contains(&(timing.name, timing.label)) {
            all.push((timing.name, timing.label));
        }
    }
    print_grid(&format!("{}: MB/s", mode.name()), rows, &all, |row, timing| {
        format!("{:.0}", row.bytes as f64 / timing.seconds() / 1e6)
    });
    print_blobs(rows, &all);
    print_grid(&format!("{}: times as fast as prost", mode.name()), rows, &all, |row, timing| {
        format!("{:.2}", timing.ratio_to(&row.timings[0]).median)
    });
    for (name, label) in all.iter().filter(|(name, _)| is_ours(name)) {
        println!("\n== {}: {name} ({label}), median and quartiles of the ratios ==\n", mode.name());
        print_ratios(rows, name, *label);
    }
}

/// A line for each contender, a column for each shape.
fn print_grid(title: &str, rows: &[Row], all: &[(&str, Label)], cell: impl Fn(&Row, &Timing) -> String) {
    println!("\n== {title} ==\n");
    print!("{:<33}", "");
    for row in rows {
        print!(" {:>9}", row.shape);
    }
    println!();
    for (name, label) in all {
        print!("{name:<21} {label:<11}");
        for row in rows {
            print!(" {:>9}", row.find(name).map_or("-".to_owned(), |timing| cell(row, timing)));
        }
        println!();
    }
}

/// Blobs are copied or not: what the rest costs shows only per message.
fn print_blobs(rows: &[Row], all: &[(&str, Label)]) {
    for row in rows.iter().filter(|row| row.shape == "blobs") {
        print!("\nblobs, ns per message:");
        for timing in all.iter().filter_map(|(name, _)| row.find(name)) {
            print!(" {} {:.0},", timing.name, timing.seconds() / row.messages as f64 * 1e9);
        }
        println!();
    }
}

fn print_ratios(rows: &[Row], name: &str, label: Label) {
    println!("{:<10} {:>22}   {:>22} {:<18} {:>22} alike", "shape", "prost", "best rival", "", "best rival");
    let mut means = [Mean::default(), Mean::default(), Mean::default()];
    for row in rows {
        let Some(ours) = row.find(name) else { continue };
        let rivals = [row.timings.first(), row.best_rival(None), row.best_rival(Some(label))];
        print!("{:<10}", row.shape);
        for (column, rival) in rivals.into_iter().enumerate() {
            let Some(rival) = rival else { continue };
            let ratio = ours.ratio_to(rival);
            if row.counts {
                means[column].add(ratio.median, CAP);
            }
            match column {
                0 => print!(" {}  ", show(ratio)),
                _ => print!(" {} {:<18}", show(ratio), rival.name),
            }
        }
        println!();
    }
    print!("{:<10}", "mean");
    for mean in means.iter().filter(|mean| mean.count > 0) {
        print!(" {:>6.2} (least {:>5.2})   {:<18}", mean.geometric(), mean.least, "");
    }
    println!();
}

fn show(ratio: Spread) -> String {
    format!("{:>6.2} [{:>6.2} {:>6.2}]", ratio.median, ratio.low, ratio.high)
}

struct Mean {
    logs: f64,
    count: usize,
    least: f64,
}

impl Default for Mean {
    fn default() -> Self {
        Self { logs: 0.0, count: 0, least: f64::INFINITY }
    }
}

impl Mean {
    fn add(&mut self, ratio: f64, cap: f64) {
        self.logs += ratio.min(cap).ln();
        self.count += 1;
        self.least = self.least.min(ratio);
    }

    fn geometric(&self) -> f64 {
        (self.logs / self.count.max(1) as f64).exp()
    }
}
