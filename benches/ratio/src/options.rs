//! The command line.

use crate::contenders::Mode;
use crate::shapes::{SHAPES, Shape};

pub struct Options {
    shapes: Vec<String>,
    modes: Vec<String>,
    pub quick: bool,
    pub check: bool,
    pub seed: u64,
    pub size: usize,
}

const HELP: &str = "\
options: --shape NAME   only this shape (may be repeated)
         --mode NAME    only this mode (may be repeated)
         --quick        fewer rounds
         --check        measure nothing: only compare what the contenders make of the messages
         --seed N       other payload sets (default 1)
         --size BYTES   of the payload sets (default 2097152); a few KB show what caches and prediction do
         --list         show the names of shapes and modes";

impl Options {
    /// Those of this process.
    pub fn read() -> Result<Self, String> {
        let mut options = Self {
            shapes: Vec::new(),
            modes: Vec::new(),
            quick: false,
            check: false,
            seed: 1,
            size: 2 << 20,
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} needs a value\n{HELP}"));
            match arg.as_str() {
                "--shape" => options.shapes.push(value()?),
                "--mode" => options.modes.push(value()?),
                "--quick" => options.quick = true,
                "--check" => options.check = true,
                "--seed" => options.seed = value()?.parse().map_err(|_| "--seed needs a number")?,
                "--size" => options.size = value()?.parse().map_err(|_| "--size needs a number")?,
                "--list" => return Err(list()),
                _ => return Err(HELP.to_owned()),
            }
        }
        let known = |names: &[String], all: &[&str]| names.iter().all(|name| all.contains(&name.as_str()));
        let shapes: Vec<&str> = SHAPES.iter().map(|shape| shape.name).collect();
        let modes: Vec<&str> = mode_names().collect();
        if known(&options.shapes, &shapes) && known(&options.modes, &modes) {
            Ok(options)
        } else {
            Err(list())
        }
    }

    pub fn has_shape(&self, shape: &Shape) -> bool {
        self.shapes.is_empty() || self.shapes.iter().any(|name| name == shape.name)
    }

    /// Whether to see how cost grows with size.
    pub fn has_growth(&self) -> bool {
        self.modes.iter().any(|name| name == "growth") || (self.modes.is_empty() && self.shapes.is_empty())
    }

    pub fn has_mode(&self, mode: Mode) -> bool {
        self.modes.is_empty() || self.modes.iter().any(|name| name == mode.name())
    }
}

fn mode_names() -> impl Iterator<Item = &'static str> {
    Mode::ALL.iter().map(|mode| mode.name()).chain(["growth"])
}

fn list() -> String {
    let shapes: Vec<&str> = SHAPES.iter().map(|shape| shape.name).collect();
    let modes: Vec<&str> = mode_names().collect();
    format!("shapes: {}\nmodes: {}", shapes.join(" "), modes.join(" "))
}
