//! Tables of the results.

use crate::contenders::{Label, Mode};
use crate::measure::{Spread, Timing};
use crate::payloads::Regime;

/// The results of one mode in one regime.
pub struct Table {
    pub mode: Mode,
    pub regime: Regime,
    pub rows: Vec<Row>,
}

impl Table {
    fn title(&self) -> String {
        format!("{}, {}", self.mode.name(), self.regime.name())
    }

    /// All contenders, in the order of their first rows.
    fn contenders(&self) -> Vec<(&'static str, Label)> {
        let mut all = Vec::new();
        for timing in self.rows.iter().flat_map(|row| &row.timings) {
            if !all.contains(&(timing.name, timing.label)) {
                all.push((timing.name, timing.label));
            }
        }
        all
    }

    /// Ours of all contenders.
    pub fn ours(&self) -> Vec<(&'static str, Label)> {
        let mut all = self.contenders();
        all.retain(|(name, _)| is_ours(name));
        all
    }
}

/// The results of one shape.
pub struct Row {
    pub shape: &'static str,
    /// In the means.
    pub counts: bool,
    pub messages: usize,
    pub bytes: usize,
    pub timings: Vec<Timing>,
}

impl Row {
    pub fn find(&self, name: &str) -> Option<&Timing> {
        self.timings.iter().find(|t| t.name == name)
    }

    /// The fastest contender that is not ours; of one label, if one is given.
    pub fn best_rival(&self, label: Option<Label>) -> Option<&Timing> {
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
pub const CAP: f64 = 4.0;

/// The columns of comma-separated values. `counts` says whether the shape is in the means, `times` how many times as fast as prost.
pub const CSV: &str = "mode,regime,shape,counts,contender,label,messages,bytes,microseconds,times";

/// A line for each contender and shape, as comma-separated values.
pub fn print_csv(Table { mode, regime, rows }: &Table) {
    for row in rows {
        for timing in &row.timings {
            println!(
                "{},{},{},{},{},{},{},{},{:.2},{:.3}",
                mode.name(),
                regime.name(),
                row.shape,
                u8::from(row.counts),
                timing.name,
                timing.label,
                row.messages,
                row.bytes,
                timing.seconds() * 1e6,
                timing.ratio_to(&row.timings[0]).median
            );
        }
    }
}

/// Prints all about one mode in one regime.
pub fn print(table: &Table) {
    let (title, rows, all) = (table.title(), &table.rows, table.contenders());
    print_grid(&format!("{title}: MB/s"), rows, &all, |row, timing| {
        format!("{:.0}", row.bytes as f64 / timing.seconds() / 1e6)
    });
    print_line("bytes per message", rows, |row| row.bytes / row.messages.max(1));
    print_line("messages", rows, |row| row.messages);
    print_blobs(rows, &all);
    print_grid(&format!("{title}: times as fast as prost"), rows, &all, |row, timing| {
        format!("{:.2}", timing.ratio_to(&row.timings[0]).median)
    });
    for (name, label) in table.ours() {
        println!("\n== {title}: {name} ({label}), median and quartiles of the ratios ==\n");
        print_ratios(rows, name, label);
    }
}

fn print_line(title: &str, rows: &[Row], cell: impl Fn(&Row) -> usize) {
    print!("{title:<33}");
    rows.iter().for_each(|row| print!(" {:>9}", cell(row)));
    println!();
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
    for row in rows.iter().filter(|row| ["blobs", "images"].contains(&row.shape)) {
        print!("\n{}, ns per message:", row.shape);
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

/// A geometric mean.
pub struct Mean {
    logs: f64,
    pub count: usize,
    pub least: f64,
}

impl Default for Mean {
    fn default() -> Self {
        Self { logs: 0.0, count: 0, least: f64::INFINITY }
    }
}

impl Mean {
    pub fn add(&mut self, ratio: f64, cap: f64) {
        self.logs += ratio.min(cap).ln();
        self.count += 1;
        self.least = self.least.min(ratio);
    }

    pub fn geometric(&self) -> f64 {
        (self.logs / self.count.max(1) as f64).exp()
    }
}
