//! Operations with their k-th allocation failing, for every k, alone and with all that follow. Each ends with an error or with the
//! right result, never with an abort.
//!
//! An abort takes the process with it, so every operation runs in a process of its own, which says how far it got.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::process::Command;

/// What a process is asked to do: the name of an operation, whether all later allocations fail too, and the first k.
const ORDER: &str = "TABLEPB_FAILING";
/// Aborts counted before the rest of an operation is given up.
const ABORTS: usize = 40;

/// Whether the operation failed, after it has been checked what that left.
pub type Attempt = Box<dyn FnMut(usize, bool) -> (bool, bool)>;

/// What the process does: tries every k from the one ordered, and says so before each.
pub fn child(operation: impl Fn(&str) -> Vec<Attempt>) {
    let Ok(order) = std::env::var(ORDER) else { return };
    let parts: Vec<&str> = order.split(' ').collect();
    let [name, for_good, first_attempt, first_k] = parts[..] else { panic!("{order}") };
    let number = |text: &str| text.parse::<usize>().expect("a number");
    let mut k = number(first_k);
    for (at, mut attempt) in operation(name).into_iter().enumerate().skip(number(first_attempt)) {
        loop {
            println!("try {at} {k}");
            let (_, failed) = black_box(attempt(k, for_good == "true"));
            if !failed {
                break;
            }
            k += 1;
        }
        k = 0;
    }
    println!("all tried");
}

/// This program, by the emulator that `TABLEPB_EMULATOR` names with its arguments, if it does.
fn this_program() -> Command {
    let program = std::env::current_exe().expect("this program");
    let emulator = std::env::var("TABLEPB_EMULATOR").unwrap_or_default();
    let mut words = emulator.split_whitespace();
    let Some(first) = words.next() else { return Command::new(program) };
    let mut command = Command::new(first);
    command.args(words).arg(program);
    command
}

/// Runs an operation in processes until none of them ends early. `child` is the path of the test that calls [`child`]; at most `arcs` steps
/// may abort.
pub fn run(child: &str, name: &str, for_good: bool, arcs: usize) {
    let mut faults = BTreeSet::new();
    let (mut attempt, mut k, mut tried) = (0, 0, 0);
    loop {
        let output = this_program()
            .args(["--exact", child, "--nocapture", "--test-threads=1"])
            .env(ORDER, format!("{name} {for_good} {attempt} {k}"))
            .env("RUST_BACKTRACE", "0")
            .output()
            .expect("this program runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        tried += text.matches("try ").count();
        if text.contains("all tried") {
            break;
        }
        let last = text.rsplit("try ").next().and_then(|rest| rest.lines().next()).expect("a step");
        let step: Vec<usize> = last.split(' ').map(|n| n.parse().expect("a number")).collect();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let why =
            errors.lines().filter(|line| !line.is_empty()).nth(usize::from(!errors.starts_with("memory")));
        faults.insert(format!("attempt {}, allocation {}: {}", step[0], step[1], why.unwrap_or_default()));
        (attempt, k) = (step[0], step[1] + 1);
        if faults.len() == ABORTS {
            break;
        }
    }
    println!("{name}: {tried} steps, {} faults", faults.len());
    let all_aborts = faults.iter().all(|fault| fault.contains(": memory allocation of"));
    let known = faults.len() <= arcs && all_aborts;
    assert!(faults.is_empty() || known, "{name}, all later ones too: {for_good}\n{faults:#?}");
}
