//! Speed of tablepb beside other Protocol Buffers crates, as ratios in one run; README.md explains how to read it.

mod contenders;
#[cfg(feature = "random")]
mod drawn;
mod generated;
mod growth;
mod measure;
mod options;
mod payloads;
mod random;
mod reading;
mod report;
mod shapes;
mod targets;

use contenders::{Contender, Mode, Setup};
use measure::Effort;
use options::Options;
use payloads::{Payloads, Regime};
use random::Random;
use reading::Handles;
use report::{Row, Table};
use shapes::{SHAPES, Shape};
use std::{process::ExitCode, rc::Rc, time::Duration};
use tablepb::DescriptorPool;

const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/ratio.binpb"));

fn main() -> ExitCode {
    let options = match Options::read() {
        Ok(options) => options,
        Err(text) => {
            println!("{text}");
            return ExitCode::FAILURE;
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            println!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let pool = DescriptorPool::decode(DESCRIPTORS).expect("a descriptor set by protox");
    if options.csv {
        println!("{}", report::CSV);
    }
    let handles = Rc::new(Handles::new(&pool));
    #[cfg(feature = "random")]
    {
        let drawn = DescriptorPool::decode(drawn::DESCRIPTORS).expect("a descriptor set by protox");
        let tables = tables(options, drawn::SHAPES, &drawn, &handles)?;
        if !options.csv && !tables.is_empty() {
            drawn::print(&tables);
        }
    }
    let tables = tables(options, SHAPES, &pool, &handles)?;
    if options.csv || options.check {
        return Ok(());
    }
    tables.iter().for_each(report::print);
    if options.has_growth() {
        growth::print(&pool, options.seed, options.quick);
    }
    if !tables.is_empty() {
        targets::print_means(&tables);
        targets::print_targets(&tables);
    }
    Ok(())
}

/// Measures shapes in each mode and regime that has any; or only checks them, or prints comma-separated values at once.
fn tables(
    options: &Options,
    shapes: &'static [Shape],
    pool: &DescriptorPool,
    handles: &Rc<Handles>,
) -> Result<Vec<Table>, String> {
    let minima = options.minima;
    let effort = match options.quick {
        true => Effort { budget: Duration::from_millis(150), min_rounds: 5, max_rounds: 31, minima },
        false => Effort { budget: Duration::from_millis(450), min_rounds: 11, max_rounds: 101, minima },
    };
    // Contenders borrow from the payloads, so these live as long as the process.
    let sets: Vec<(Regime, Vec<(&Shape, &'static Payloads)>)> = options
        .regimes()
        .map(|(regime, size)| {
            let shapes = shapes.iter().filter(|shape| options.has_shape(shape));
            let sets = shapes.map(|shape| {
                let payloads: &Payloads = Box::leak(Box::new(shape.payloads(options.seed, regime, size)));
                (shape, payloads)
            });
            (regime, sets.collect())
        })
        .collect();
    let mut tables = Vec::new();
    for mode in Mode::ALL.iter().copied().filter(|mode| options.has_mode(*mode)) {
        for (regime, sets) in &sets {
            let mut rows = Vec::new();
            for &(shape, payloads) in sets {
                let descriptor = pool.message(shape.message).expect("in the descriptor set");
                let setup = Setup { payloads, descriptor, handles: handles.clone(), edit: shape.edit };
                let mut contenders = (shape.contenders)(mode, &setup);
                if contenders.is_empty() {
                    continue;
                }
                verify(mode, shape, &mut contenders, payloads)?;
                if options.check {
                    continue;
                }
                let timings = measure::measure(&mut contenders, payloads, effort);
                rows.push(Row {
                    shape: shape.name,
                    counts: shape.counts(),
                    messages: payloads.messages.len(),
                    bytes: payloads.bytes,
                    timings,
                });
            }
            if rows.is_empty() {
                continue;
            }
            let table = Table { mode, regime: *regime, rows };
            if options.csv {
                report::print_csv(&table);
            }
            tables.push(table);
        }
    }
    Ok(tables)
}

/// Checks that all contenders make the same of the messages.
fn verify(
    mode: Mode,
    shape: &Shape,
    contenders: &mut [Box<dyn Contender>],
    set: &Payloads,
) -> Result<(), String> {
    for contender in contenders.iter_mut() {
        for index in (0..set.messages.len()).step_by(set.messages.len().div_ceil(64)) {
            let encoded = contender.encoded(set, index);
            let message = &set.messages[index];
            let edits = mode == Mode::Edit || contender.name() == "tablepb edited";
            let expected = if edits { (shape.apply)(message) } else { message.clone() };
            if !(shape.same)(&encoded, &expected) {
                return Err(format!(
                    "{}: {} makes something else of message {index}",
                    shape.name,
                    contender.name()
                ));
            }
        }
    }
    let order = set.order(&mut Random::new(1));
    let mut sums = contenders.iter_mut().map(|contender| (contender.name(), contender.pass(set, &order)));
    let first = sums.next();
    match sums.find(|(_, sum)| first.is_some_and(|(_, first)| first != *sum)) {
        Some((name, _)) => Err(format!("{}: {name} reads something else", shape.name)),
        None => Ok(()),
    }
}
