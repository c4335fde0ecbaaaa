//! Shapes that were drawn at random when this was compiled (`build/drawn.rs`), and the table of all of them together.

use crate::contenders;
use crate::generated::drawn::prost::drawn as p;
use crate::random::Random;
use crate::report::{CAP, Mean, Table};
use crate::shapes::Shape;

pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/drawn/drawn.binpb"));

/// What runs: prost's struct, run-time schemas, the struct of `message!`, and with the rivals buffa's struct; decoded anew and encoded.
macro_rules! drawn {
    ($($name:literal, $message:ident, $make:ident;)*) => {
        pub const SHAPES: &[Shape] = &[$(Shape {
            name: $name,
            message: concat!("drawn.", stringify!($message)),
            generate: |random| prost::Message::encode_to_vec(&$make(random)),
            same: contenders::prost::same::<p::$message>,
            edit: &[],
            apply: |bytes| bytes.to_vec(),
            contenders: |mode, setup| {
                let mut all = contenders::prost::plain::<p::$message>(mode, setup);
                all.extend(contenders::tablepb::plain(mode, setup));
                all.extend(contenders::typed::plain::<p::$message>(mode, setup));
                #[cfg(feature = "rivals")]
                all.extend(contenders::buffa::plain::<crate::generated::drawn::buffa::drawn::$message>(mode, setup));
                all
            },
        }),*];
    };
}

include!(concat!(env!("OUT_DIR"), "/drawn/shapes.rs"));

/// Prints, for each of ours, the mean and the slow end of the ratios to prost.
pub fn print(tables: &[Table]) {
    let count = tables.first().map_or(0, |table| table.rows.len());
    println!("\n== {count} shapes drawn at random: times as fast as prost ==\n");
    println!(
        "{:<54} {:>6} {:>6} {:>14} {:>6} {:>6}",
        "", "mean", "least", "5th percentile", "median", "slower"
    );
    for table in tables {
        for (name, label) in table.ours() {
            let ratios = table
                .rows
                .iter()
                .filter_map(|row| Some(row.find(name)?.ratio_to(row.timings.first()?).median));
            let mut ratios: Vec<f64> = ratios.collect();
            ratios.sort_by(f64::total_cmp);
            let mut mean = Mean::default();
            ratios.iter().for_each(|ratio| mean.add(*ratio, CAP));
            let at = |part: usize| ratios.get(ratios.len() * part / 100).copied().unwrap_or(f64::NAN);
            println!(
                "{:<54} {:>6.2} {:>6.2} {:>14.2} {:>6.2} {:>6}",
                format!("{}, {}: {name} ({label})", table.mode.name(), table.regime.name()),
                mean.geometric(),
                mean.least,
                at(5),
                at(50),
                ratios.iter().filter(|ratio| **ratio < 1.0).count(),
            );
        }
    }
}
