//! Where output goes. A file is written beside its name and renamed at the end, so that a run that fails leaves the old one.

use crate::failure::Failure;
use crate::interrupt;
use clap::{Arg, ArgMatches, value_parser};
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};

/// An output that counts once it is committed.
pub struct Target {
    writer: Writer,
    name: String,
    /// The file that is written, and what it is to be called.
    beside: Option<(PathBuf, PathBuf)>,
}

enum Writer {
    Stdout(BufWriter<StdoutLock<'static>>),
    File(BufWriter<File>),
}

/// `--output`.
pub fn argument() -> Arg {
    Arg::new("output")
        .short('o')
        .long("output")
        .value_name("FILE")
        .help("Where to write; - or nothing for standard output. A run that fails leaves files alone")
        .value_parser(value_parser!(PathBuf))
}

/// The file that [`argument`] names; `None` for standard output.
fn file(matches: &ArgMatches) -> Option<&PathBuf> {
    matches.get_one::<PathBuf>("output").filter(|file| file.as_os_str() != "-")
}

/// Whether a person sees the output.
pub fn is_terminal(matches: &ArgMatches) -> bool {
    file(matches).is_none() && io::stdout().is_terminal()
}

/// Whether a stream has colours: on a terminal, without NO_COLOR.
pub fn has_colours(is_terminal: bool) -> bool {
    is_terminal && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty())
}

/// Opens what [`argument`] names.
pub fn from_arguments(matches: &ArgMatches) -> Result<Target, Failure> {
    file(matches).map_or_else(|| Ok(stdout()), |file| to_file(file))
}

/// Writes this and nothing else to what [`argument`] names.
pub fn print(matches: &ArgMatches, bytes: &[u8]) -> Result<(), Failure> {
    let mut target = from_arguments(matches)?;
    let result = target.write_all(bytes).map_err(Failure::from);
    target.finish(result)
}

pub fn stdout() -> Target {
    let writer = Writer::Stdout(BufWriter::with_capacity(64 << 10, io::stdout().lock()));
    Target { writer, name: "standard output".into(), beside: None }
}

/// A file, which has its old content until it is committed.
pub fn to_file(file: &Path) -> Result<Target, Failure> {
    let name = file.display().to_string();
    open(file).map_err(|error| Failure::file(&name, &error)).map(|(file, beside)| Target {
        writer: Writer::File(BufWriter::with_capacity(64 << 10, file)),
        name,
        beside,
    })
}

fn open(file: &Path) -> io::Result<(File, Option<(PathBuf, PathBuf)>)> {
    // Where a link points to is what is replaced, not the link.
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let old = fs::metadata(&file).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A pipe or a device cannot be replaced; opening a directory fails.
        return Ok((File::options().write(true).open(&file)?, None));
    }
    let mut beside = file.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = PathBuf::from(beside);
    let opened = interrupt::create(&beside)?;
    if let Some(old) = old {
        let _ = fs::set_permissions(&beside, old.permissions());
    }
    Ok((opened, Some((beside, file))))
}

impl Target {
    /// Writes what is buffered, and gives the file its name.
    pub fn commit(mut self) -> Result<(), Failure> {
        self.flush()?;
        if let Some((beside, file)) = self.beside.take()
            && let Err(error) = fs::rename(&beside, &file)
        {
            let _ = fs::remove_file(&beside);
            return Err(Failure::file(&self.name, &error));
        }
        Ok(())
    }

    /// Commits what a run has written if the run came to its end, bad messages left out or not; if all were bad there is nothing
    /// to keep.
    pub fn finish(mut self, result: Result<(), Failure>) -> Result<(), Failure> {
        match result {
            Ok(()) => self.commit(),
            Err(failure @ Failure::Skipped { bad, count }) if bad < count => self.commit().and(Err(failure)),
            Err(failure) => {
                // What came before the fault is of use on standard output; a file is removed.
                if let Writer::Stdout(stdout) = &mut self.writer {
                    let _ = stdout.flush();
                }
                Err(failure)
            }
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Writer::Stdout(stdout) => stdout.write(bytes),
            Writer::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Writer::Stdout(stdout) => stdout.flush(),
            Writer::File(file) => file.flush(),
        }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some((beside, _)) = self.beside.take() {
            let _ = fs::remove_file(beside);
        }
    }
}
