//! The speed of JSON: tablepb beside serde_json on equal structs, pbjson, buffa and prost-reflect, as ratios of one run.
//!
//! Every contender passes over the same messages in turn, in another order each round; times are of the thread, and of all rounds
//! the least counts. Two regimes: `hot`, a few messages again and again, and `cold`, more than the caches hold.

mod base64;
mod contenders;
#[path = "../ratio/random.rs"]
#[allow(dead_code)]
mod random;
mod shapes;

use contenders::{Contender, Mode};
use random::Random;
use shapes::{SHAPES, Shape};

/// What the code generators made of the schemas.
mod generated {
    /// With serde's derives.
    #[allow(warnings)]
    pub mod prost {
        include!(concat!(env!("OUT_DIR"), "/serde/prost.rs"));
        pub use self::ratio::*;
    }

    #[allow(warnings)]
    pub mod pbjson {
        include!(concat!(env!("OUT_DIR"), "/pbjson/prost.rs"));
        pub use self::ratio::*;
    }

    #[allow(warnings)]
    pub mod buffa {
        include!(concat!(env!("OUT_DIR"), "/buffa_json/buffa.rs"));
        pub use self::ratio::*;
    }

    /// For tablepb.
    #[allow(warnings)]
    pub mod typed {
        include!(concat!(env!("OUT_DIR"), "/typed.rs"));
    }
}

/// For serde's derives.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Bytes of the messages of a regime.
const REGIMES: [(&str, usize); 2] = [("hot", 20_000), ("cold", 3_000_000)];

fn main() {
    let mut rounds = 15;
    let mut only: Vec<String> = Vec::new();
    let mut csv = false;
    for argument in std::env::args().skip(1) {
        match argument.parse() {
            Ok(number) => rounds = number,
            Err(_) if argument == "--csv" => csv = true,
            Err(_) => only.push(argument),
        }
    }
    if csv {
        println!("mode,regime,shape,contender,messages,binary,json,microseconds");
    }
    let wanted = |name: &str, all: &[&str]| {
        !all.iter().any(|one| only.iter().any(|o| o == one)) || only.iter().any(|o| o == name)
    };
    let names: Vec<&str> = SHAPES.iter().map(|shape| shape.name).collect();
    for (regime, size) in REGIMES {
        for mode in Mode::ALL {
            if !wanted(regime, &["hot", "cold"]) || !wanted(mode.name(), &Mode::ALL.map(Mode::name)) {
                continue;
            }
            let shapes: Vec<&Shape> = SHAPES.iter().filter(|shape| wanted(shape.name, &names)).collect();
            match csv {
                true => lines(regime, size, mode, &shapes, rounds),
                false => table(regime, size, mode, &shapes, rounds),
            }
        }
    }
}

/// Measures one mode in one regime and prints comma-separated values.
fn lines(regime: &str, size: usize, mode: Mode, shapes: &[&Shape], rounds: usize) {
    for shape in shapes {
        let mut random = Random::new(7);
        let set = messages(shape, size, &mut random);
        let binary: usize = set.iter().map(Vec::len).sum();
        let (mut contenders, json) = (shape.contenders)(mode, &set);
        let times = measure(&mut contenders, set.len(), &mut random, rounds);
        for (contender, seconds) in contenders.iter().zip(times) {
            let (mode, shape, name) = (mode.name(), shape.name, contender.name);
            println!("{mode},{regime},{shape},{name},{},{binary},{json},{:.2}", set.len(), seconds * 1e6);
        }
    }
}

/// Messages of a shape, this many bytes in all.
fn messages(shape: &Shape, size: usize, random: &mut Random) -> Vec<Vec<u8>> {
    let mut set: Vec<Vec<u8>> = Vec::new();
    while set.iter().map(Vec::len).sum::<usize>() < size {
        set.push((shape.generate)(random));
    }
    set
}

/// Measures and prints one mode in one regime.
fn table(regime: &str, size: usize, mode: Mode, shapes: &[&Shape], rounds: usize) {
    println!(
        "\n== {}, {regime}: MB/s of JSON of tablepb dynamic, and times of others / its time ==\n",
        mode.name()
    );
    let mut logs: Vec<(&str, f64, f64, f64)> = Vec::new();
    for (row, shape) in shapes.iter().enumerate() {
        let mut random = Random::new(7);
        let set = messages(shape, size, &mut random);
        let (mut contenders, bytes) = (shape.contenders)(mode, &set);
        let times = measure(&mut contenders, set.len(), &mut random, rounds);
        if row == 0 {
            print!("{:<10} {:>6}", "shape", "MB/s");
            contenders.iter().for_each(|c| print!(" {:>14}", c.name));
            println!(" {:>10}", "best rival");
        }
        print!("{:<10} {:>6.0}", shape.name, bytes as f64 / times[0] / 1e6);
        let mut best = f64::INFINITY;
        for (contender, time) in contenders.iter().zip(&times) {
            let ratio = time / times[0];
            print!(" {ratio:>14.2}");
            let rival = !contender.name.starts_with("tablepb");
            if rival {
                best = best.min(ratio);
            }
            match logs.iter_mut().find(|log| log.0 == contender.name) {
                Some(log) => *log = (log.0, log.1 + ratio.ln(), log.2.min(ratio), log.3 + 1.0),
                None => logs.push((contender.name, ratio.ln(), ratio, 1.0)),
            }
        }
        println!(" {best:>10.2}");
        match logs.iter_mut().find(|log| log.0 == "best rival") {
            Some(log) => *log = (log.0, log.1 + best.ln(), log.2.min(best), log.3 + 1.0),
            None => logs.push(("best rival", best.ln(), best, 1.0)),
        }
    }
    println!();
    for (name, sum, least, count) in logs {
        println!("{name:<16} mean {:.2}, least {least:.2}", (sum / count).exp());
    }
}

/// The least time of each contender.
fn measure(contenders: &mut [Contender], messages: usize, random: &mut Random, rounds: usize) -> Vec<f64> {
    let mut order: Vec<usize> = (0..messages).collect();
    let mut times = vec![f64::INFINITY; contenders.len()];
    for round in 0..rounds {
        for i in (1..order.len()).rev() {
            order.swap(i, random.index(i + 1));
        }
        for turn in 0..contenders.len() {
            let at = (turn + round) % contenders.len();
            let start = cpu_seconds();
            (contenders[at].pass)(&order);
            times[at] = times[at].min(cpu_seconds() - start);
        }
    }
    times
}

/// Time that this thread has run.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
