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
    /// In the geometric mean, capped.
    mean: f64,
}

#[rustfmt::skip]
const TARGETS: &[Target] = &[
    Target { mode: Mode::Decode, ours: "tablepb Decoder", rival: Some("prost"), least: 1.2, mean: 2.7 },
    Target { mode: Mode::Decode, ours: "tablepb Decoder", rival: None, least: 1.0, mean: 1.6 },
    Target { mode: Mode::Decode, ours: "tablepb Dynamic", rival: Some("prost"), least: 0.0, mean: 2.0 },
    Target { mode: Mode::Decode, ours: "tablepb Dynamic", rival: Some("prost-reflect"), least: 0.0, mean: 4.0 },
    Target { mode: Mode::Decode, ours: "tablepb typed", rival: Some("prost"), least: 0.95, mean: 1.2 },
    Target { mode: Mode::Decode, ours: "tablepb borrowed", rival: Some("buffa view"), least: 1.0, mean: 1.0 },
    Target { mode: Mode::Read, ours: "tablepb iterate", rival: Some("prost"), least: 1.0, mean: 2.0 },
    Target { mode: Mode::Read, ours: "tablepb handles", rival: Some("prost"), least: 1.0, mean: 2.0 },
    Target { mode: Mode::Encode, ours: "tablepb setters", rival: Some("prost"), least: 0.8, mean: 1.0 },
    Target { mode: Mode::Encode, ours: "tablepb edited", rival: Some("prost"), least: 0.8, mean: 1.0 },
    Target { mode: Mode::Encode, ours: "tablepb view", rival: Some("prost"), least: 0.8, mean: 1.0 },
    Target { mode: Mode::Encode, ours: "tablepb typed", rival: Some("prost"), least: 0.95, mean: 1.2 },
    Target { mode: Mode::Edit, ours: "tablepb Dynamic", rival: Some("prost"), least: 0.8, mean: 1.0 },
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
                mean.add(ratio);
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
    let mut names: Vec<(&str, Label)> = Vec::new();
    for timing in rows.iter().flat_map(|row| &row.timings) {
        if !names.contains(&(timing.name, timing.label)) {
            names.push((timing.name, timing.label));
        }
    }
    println!("\n== {}: MB/s ==\n", mode.name());
    print_speeds(rows, &names);
    for (name, label) in names.iter().filter(|(name, _)| is_ours(name)) {
        println!("\n== {}: {name} ({label}), how many times as fast ==\n", mode.name());
        print_ratios(rows, name, *label);
    }
}

fn print_speeds(rows: &[Row], names: &[(&str, Label)]) {
    print!("{:<10} {:>9}", "shape", "B/message");
    for (name, _) in names {
        print!(" {:>16}", name);
    }
    print!("\n{:<10} {:>9}", "", "");
    for (_, label) in names {
        print!(" {label:>16}");
    }
    println!();
    for row in rows {
        print!("{:<10} {:>9}", row.shape, row.bytes / row.messages);
        for (name, _) in names {
            match row.find(name) {
                Some(timing) => print!(" {:>16.0}", row.bytes as f64 / timing.seconds() / 1e6),
                None => print!(" {:>16}", "-"),
            }
        }
        println!();
    }
    for row in rows.iter().filter(|row| row.shape == "blobs") {
        print!("{:<10} {:>9}", "blobs", "ns/msg");
        for (name, _) in names {
            match row.find(name) {
                Some(timing) => print!(" {:>16.1}", timing.seconds() / row.messages as f64 * 1e9),
                None => print!(" {:>16}", "-"),
            }
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
                means[column].add(ratio.median);
            }
            match column {
                0 => print!(" {}  ", show(ratio)),
                _ => print!(" {} {:<18}", show(ratio), rival.name),
            }
        }
        println!();
    }
    print!("{:<10}", "mean");
    for mean in &means {
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
    fn add(&mut self, ratio: f64) {
        self.logs += ratio.min(CAP).ln();
        self.count += 1;
        self.least = self.least.min(ratio);
    }

    fn geometric(&self) -> f64 {
        (self.logs / self.count.max(1) as f64).exp()
    }
}
