//! Sources of a commit, by running git: `git:REF` or `git:REF:DIR`.

use crate::failure::Failure;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

/// The sources of a commit below a directory, with their names from there.
pub fn sources(spec: &str) -> Result<Vec<(String, String)>, Failure> {
    let (reference, directory) = spec.split_once(':').unwrap_or((spec, ""));
    let directory = directory.trim_end_matches('/');
    // Otherwise it would be an option of git.
    if reference.is_empty() || reference.starts_with('-') {
        return Err(Failure::Usage(format!("git:{spec}: a commit, branch or tag was expected after `git:`")));
    }
    let list = ["ls-tree", "-r", "-z", "--name-only", reference, "--"];
    let paths = run(&list, (!directory.is_empty()).then_some(directory), spec)?;
    let mut sources = Vec::new();
    let mut reader = Reader::new(spec)?;
    for path in paths.split('\0').filter(|path| path.ends_with(".proto")) {
        let text = reader.read(&format!("{reference}:./{path}"))?;
        let name = path.strip_prefix(directory).unwrap_or(path).trim_start_matches('/');
        sources.push((name.to_owned(), text));
    }
    if sources.is_empty() {
        return Err(Failure::report(format!("git:{spec}: no .proto sources there")));
    }
    Ok(sources)
}

fn fail(spec: &str, fault: impl std::fmt::Display) -> Failure {
    Failure::report(format!("git:{spec}: {fault}"))
}

/// What git prints.
fn run(arguments: &[&str], more: Option<&str>, spec: &str) -> Result<String, Failure> {
    let output = Command::new("git").args(arguments).args(more).output();
    let output = output.map_err(|error| fail(spec, format_args!("git: {error}")))?;
    if !output.status.success() {
        return Err(fail(spec, String::from_utf8_lossy(&output.stderr).trim()));
    }
    String::from_utf8(output.stdout).map_err(|_| fail(spec, "the name of a file is not UTF-8"))
}

/// `git cat-file --batch`, which reads one file after the other.
struct Reader<'s> {
    child: std::process::Child,
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
    spec: &'s str,
}

impl<'s> Reader<'s> {
    fn new(spec: &'s str) -> Result<Self, Failure> {
        let mut git = Command::new("git");
        git.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = git.spawn().map_err(|error| fail(spec, format_args!("git: {error}")))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Self { child, input, output: BufReader::new(output), spec }),
            _ => Err(fail(spec, "git has no input")),
        }
    }

    fn read(&mut self, name: &str) -> Result<String, Failure> {
        let spec = self.spec;
        // A request is a line.
        if name.contains('\n') {
            return Err(fail(spec, "the name of a file has a line feed"));
        }
        let mut get = || -> std::io::Result<Option<Vec<u8>>> {
            writeln!(self.input, "{name}")?;
            self.input.flush()?;
            let mut head = String::new();
            self.output.read_line(&mut head)?;
            let Some(len) = head.trim_end().rsplit(' ').next().and_then(|len| len.parse::<u64>().ok()) else {
                return Ok(None);
            };
            let mut content = Vec::new();
            self.output.by_ref().take(len).read_to_end(&mut content)?;
            // The line feed after it.
            self.output.read_exact(&mut [0])?;
            Ok(Some(content))
        };
        let found = get().map_err(|error| fail(spec, error))?;
        let found = found.ok_or_else(|| fail(spec, format_args!("{name} cannot be read")))?;
        // As of files on disk: only comments may hold what is not UTF-8.
        Ok(String::from_utf8_lossy(&found).into_owned())
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        // It ends with its input, which is not closed yet.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
