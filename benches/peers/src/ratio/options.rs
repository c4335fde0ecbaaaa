//! The command line.

use crate::contenders::Mode;
use crate::payloads::Regime;
use crate::shapes::{SHAPES, Shape};

pub struct Options {
    shapes: Vec<String>,
    modes: Vec<String>,
    regimes: Vec<String>,
    pub quick: bool,
    pub minima: bool,
    pub check: bool,
    pub csv: bool,
    pub seed: u64,
    /// Bytes of a payload set in cache, and out of it.
    sizes: [usize; 2],
}

const HELP: &str = "\
options: --shape NAME    only this shape (may be repeated); random: those that are drawn at random
         --mode NAME     only this mode (may be repeated)
         --in-cache      only messages in cache
         --out-of-cache  only messages out of cache
         --quick         fewer rounds
         --minima        ratios of the least times, for a machine that has other work
         --check         measure nothing: only compare what the contenders make of the messages
         --csv           comma-separated values of all contenders, without means and growth
         --seed N        other payload sets (default 1)
         --small BYTES   of the payload sets in cache (default 32768)
         --large BYTES   of the payload sets out of cache (default 2097152)
         --list          show the names of shapes and modes";

impl Options {
    /// Those of this process.
    pub fn read() -> Result<Self, String> {
        let mut options = Self {
            shapes: Vec::new(),
            modes: Vec::new(),
            regimes: Vec::new(),
            quick: false,
            minima: false,
            check: false,
            csv: false,
            seed: 1,
            sizes: [32 << 10, 2 << 20],
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} needs a value\n{HELP}"));
            match arg.as_str() {
                "--shape" => options.shapes.push(value()?),
                "--mode" => options.modes.push(value()?),
                "--in-cache" | "--out-of-cache" => options.regimes.push(arg[2..].replace('-', " ")),
                "--quick" => options.quick = true,
                "--minima" => options.minima = true,
                "--check" => options.check = true,
                "--csv" => options.csv = true,
                "--seed" => options.seed = value()?.parse().map_err(|_| "--seed needs a number")?,
                "--small" => options.sizes[0] = value()?.parse().map_err(|_| "--small needs a number")?,
                "--large" => options.sizes[1] = value()?.parse().map_err(|_| "--large needs a number")?,
                "--list" => return Err(list()),
                _ => return Err(HELP.to_owned()),
            }
        }
        let is_mode = |name: &String| mode_names().any(|mode| mode == name);
        if options.shapes.iter().all(|name| is_shape(name)) && options.modes.iter().all(is_mode) {
            Ok(options)
        } else {
            Err(list())
        }
    }

    pub fn has_shape(&self, shape: &Shape) -> bool {
        let named = |name: &String| name == shape.name || shape.name.split(' ').next() == Some(name);
        self.shapes.is_empty() || self.shapes.iter().any(named)
    }

    /// Whether to see how cost grows with size.
    pub fn has_growth(&self) -> bool {
        self.modes.iter().any(|name| name == "growth") || (self.modes.is_empty() && self.shapes.is_empty())
    }

    /// The regimes, and the sizes of their payload sets.
    pub fn regimes(&self) -> impl Iterator<Item = (Regime, usize)> {
        let has =
            |regime: Regime| self.regimes.is_empty() || self.regimes.iter().any(|name| name == regime.name());
        Regime::ALL.iter().copied().zip(self.sizes).filter(move |(regime, _)| has(*regime))
    }

    pub fn has_mode(&self, mode: Mode) -> bool {
        self.modes.is_empty() || self.modes.iter().any(|name| name == mode.name())
    }
}

fn shape_names() -> impl Iterator<Item = &'static str> {
    let random = cfg!(feature = "random").then_some("random");
    random.into_iter().chain(SHAPES.iter().map(|shape| shape.name))
}

fn is_shape(name: &str) -> bool {
    #[cfg(feature = "random")]
    if crate::drawn::SHAPES.iter().any(|shape| shape.name == name) {
        return true;
    }
    shape_names().any(|shape| shape == name)
}

fn mode_names() -> impl Iterator<Item = &'static str> {
    Mode::ALL.iter().map(|mode| mode.name()).chain(["growth"])
}

fn list() -> String {
    let shapes: Vec<&str> = shape_names().collect();
    let modes: Vec<&str> = mode_names().collect();
    format!("shapes: {}\nmodes: {}", shapes.join(" "), modes.join(" "))
}
