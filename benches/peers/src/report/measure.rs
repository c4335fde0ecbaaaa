//! The programs that measure, and the machine on which they run.

use crate::data::Table;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A program that prints comma-separated values.
pub struct Program {
    /// The file of its values has this name.
    pub name: &'static str,
    pub command: &'static str,
}

/// All of them; each command is run in the root of the repository.
pub const PROGRAMS: [Program; 9] = [
    Program {
        name: "random",
        command: "cargo run --profile units --manifest-path benches/peers/Cargo.toml --features random --bin ratio -- --shape random --quick --minima --csv",
    },
    Program {
        name: "ratio",
        command: "cargo run --release --manifest-path benches/peers/Cargo.toml --features rivals --bin ratio -- --quick --csv",
    },
    Program {
        name: "json",
        command: "cargo run --profile units --manifest-path benches/peers/Cargo.toml --features json --bin json -- --csv hot to-json to-binary 9",
    },
    Program {
        name: "latency",
        command: "cargo run --release --manifest-path benches/peers/Cargo.toml --features latency --bin latency -- --csv",
    },
    Program { name: "partial", command: "cargo bench --bench partial -- --csv" },
    Program { name: "records", command: "cargo bench --bench records -- --csv" },
    Program {
        name: "growth",
        command: "cargo run --release --manifest-path benches/peers/Cargo.toml --features growth --bin growth -- --quick",
    },
    Program {
        name: "columns",
        command: "cargo run --release --manifest-path benches/peers/Cargo.toml --features columns --bin columns -- --csv",
    },
    Program { name: "sizes", command: "benches/size/measure" },
];

/// Runs a program and stores what it prints.
pub fn run(root: &Path, program: &Program, data: &Path) -> Result<(), Box<dyn Error>> {
    eprintln!("{}", program.command);
    let mut words = program.command.split(' ');
    let name = words.next().unwrap_or_default();
    let name = if name.contains('/') { root.join(name).into_os_string() } else { name.into() };
    let output =
        Command::new(name).args(words).current_dir(root).stderr(std::process::Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("{}: {}", program.command, output.status).into());
    }
    Ok(fs::write(data.join(program.name).with_extension("csv"), output.stdout)?)
}

/// Stores what the machine is, the day, and the versions of what is compared; and where and when each program has measured, which
/// stays as it was for those that were not run now.
pub fn environment(root: &Path, data: &Path, measured: &[&str]) -> Result<(), Box<dyn Error>> {
    let file = data.join("environment.csv");
    let before = if file.exists() { Some(Table::read(&file)?) } else { None };
    let mut text = String::from("name,value\n");
    let mut add = |name: &str, value: &str| text += &format!("{name},\"{}\"\n", value.trim());
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let of = |name: &str| {
        let line = cpu.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(':')).map_or("", |(_, value)| value.trim())
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let model = format!("{} (family {}, model {})", of("model name"), of("cpu family"), of("model"));
    add("CPU", &format!("{model}, {threads} threads"));
    let known = ["avx2", "bmi2", "avx512_vbmi2"];
    let flags: Vec<&str> = of("flags").split(' ').filter(|flag| known.contains(flag)).collect();
    add("instructions", &flags.join(" "));
    let date = said("date", &["-u", "+%F"]);
    add("date", &date);
    add("compiler", &said("rustc", &["--version"]));
    let lock = fs::read_to_string(root.join("benches/peers/Cargo.lock"))?;
    for name in [
        "prost",
        "buffa",
        "quick-protobuf",
        "prost-reflect",
        "pbjson",
        "serde_json",
        "sonic-rs",
        "ptars-core",
        "arrow-avro",
        "arrow-json",
    ] {
        let entry = format!("name = \"{name}\"\nversion = \"");
        let version = lock.split_once(&entry).and_then(|(_, rest)| rest.split_once('"'));
        add(name, version.map_or("unknown", |(version, _)| version));
    }
    for Program { name, .. } in &PROGRAMS {
        let row = format!("{name} measured");
        let now = format!("{}, {model}", date.trim());
        let known =
            before.as_ref().and_then(|before| Some(before.with(&[("name", &row)]).first()?.text("value")));
        match known {
            _ if measured.contains(name) => add(&row, &now),
            Some(known) => add(&row, known),
            None => add(&row, "unknown"),
        }
    }
    Ok(fs::write(file, text)?)
}

/// What a program prints, or nothing.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}
