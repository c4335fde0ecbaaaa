//! Both regimes side by side: means over all shapes, and what was to be reached.

use crate::contenders::Mode;
use crate::payloads::Regime;
use crate::report::{CAP, Mean, Row, Table};

/// What a ratio must reach; of two numbers, the first one in cache, the second one out of it.
struct Target {
    mode: Mode,
    ours: &'static str,
    /// The name of a rival, or `None` for the best one of each shape.
    rival: Option<&'static str>,
    /// On every shape.
    least: [f64; 2],
    /// In the geometric mean.
    mean: [f64; 2],
    /// What no shape counts for more than in that mean.
    cap: f64,
}

#[rustfmt::skip]
const TARGETS: &[Target] = &[
    Target { mode: Mode::Decode, ours: "tablepb Decoder", rival: Some("prost"), least: [1.2; 2], mean: [2.7; 2], cap: CAP },
    Target { mode: Mode::Decode, ours: "tablepb Decoder", rival: None, least: [1.0; 2], mean: [1.6; 2], cap: CAP },
    Target { mode: Mode::Decode, ours: "tablepb Dynamic", rival: Some("prost"), least: [0.0; 2], mean: [2.0; 2], cap: CAP },
    Target { mode: Mode::Decode, ours: "tablepb Dynamic", rival: Some("prost-reflect"), least: [0.0; 2], mean: [8.0; 2], cap: f64::INFINITY },
    Target { mode: Mode::Decode, ours: "tablepb typed", rival: Some("prost"), least: [1.0; 2], mean: [1.3; 2], cap: CAP },
    Target { mode: Mode::Decode, ours: "tablepb typed merge", rival: Some("prost merge"), least: [1.0; 2], mean: [1.0; 2], cap: CAP },
    Target { mode: Mode::Decode, ours: "tablepb borrowed", rival: Some("buffa view"), least: [1.0; 2], mean: [1.0; 2], cap: CAP },
    Target { mode: Mode::Read, ours: "tablepb iterate", rival: Some("prost"), least: [1.0; 2], mean: [2.0; 2], cap: CAP },
    Target { mode: Mode::Read, ours: "tablepb handles", rival: Some("prost"), least: [1.0; 2], mean: [2.0; 2], cap: CAP },
    Target { mode: Mode::Encode, ours: "tablepb setters", rival: Some("prost"), least: [0.95, 0.95], mean: [1.3, 1.6], cap: CAP },
    Target { mode: Mode::Encode, ours: "tablepb edited", rival: Some("prost"), least: [0.95, 0.95], mean: [1.3, 1.6], cap: CAP },
    Target { mode: Mode::Encode, ours: "tablepb view", rival: Some("prost"), least: [0.95, 0.95], mean: [1.3, 1.6], cap: CAP },
    Target { mode: Mode::Encode, ours: "tablepb typed", rival: Some("prost"), least: [1.0; 2], mean: [1.3; 2], cap: CAP },
    Target { mode: Mode::Edit, ours: "tablepb Dynamic", rival: Some("prost"), least: [0.8; 2], mean: [1.0; 2], cap: CAP },
];

/// The geometric mean of the shapes that count, and all shapes below a number.
fn mean(rows: &[Row], ours: &str, rival: Option<&str>, cap: f64, least: f64) -> (Mean, String) {
    let (mut mean, mut below) = (Mean::default(), String::new());
    for row in rows {
        let rival = rival.map_or_else(|| row.best_rival(None), |name| row.find(name));
        let (Some(ours), Some(rival)) = (row.find(ours), rival) else { continue };
        let ratio = ours.ratio_to(rival).median;
        if row.counts {
            mean.add(ratio, cap);
        }
        if ratio < least {
            below += &format!(" {} {ratio:.2}", row.shape);
        }
    }
    (mean, below)
}

fn find(tables: &[Table], mode: Mode, regime: Regime) -> Option<&Table> {
    tables.iter().find(|table| (table.mode, table.regime) == (mode, regime))
}

/// Prints the means and the least ratios of all of ours.
pub fn print_means(tables: &[Table]) {
    println!("\n== geometric means, and the least of all shapes in them ==\n");
    print!("{:<29}", "");
    for rival in ["prost", "best rival"] {
        for regime in Regime::ALL {
            print!(" {:>24}", format!("{rival}, {}", regime.name()));
        }
    }
    println!();
    for &mode in Mode::ALL {
        let of_mode: Vec<&Table> = tables.iter().filter(|table| table.mode == mode).collect();
        for (name, _) in of_mode.first().map_or(Vec::new(), |table| table.ours()) {
            print!("{:<6} {name:<22}", mode.name());
            for rival in [Some("prost"), None] {
                for &regime in Regime::ALL {
                    let Some(table) = find(tables, mode, regime) else {
                        print!(" {:>24}", "-");
                        continue;
                    };
                    let (mean, _) = mean(&table.rows, name, rival, CAP, 0.0);
                    print!(" {:>24}", format!("{:.2}, {:.2}", mean.geometric(), mean.least));
                }
            }
            println!();
        }
    }
}

/// Prints what was reached and what was not.
pub fn print_targets(tables: &[Table]) {
    println!("\n== targets ==\n");
    for target in TARGETS {
        for (&regime, (least, goal)) in Regime::ALL.iter().zip(target.least.into_iter().zip(target.mean)) {
            let Some(table) = find(tables, target.mode, regime) else { continue };
            let (mean, below) = mean(&table.rows, target.ours, target.rival, target.cap, least);
            if mean.count == 0 {
                continue;
            }
            println!(
                "{:<6} {:<12} {:<19} to {:<13} mean {:.2} (target {goal:.1}) {}; below {least:.2}:{}",
                target.mode.name(),
                regime.name(),
                target.ours,
                target.rival.unwrap_or("best rival"),
                mean.geometric(),
                if mean.geometric() < goal { "MISSED" } else { "met" },
                if below.is_empty() { " none" } else { &below },
            );
        }
    }
}
