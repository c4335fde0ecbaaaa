//! Where sources are looked for, and the name that a file on disk has in a schema. The rules are those of protoc.

use crate::failure::Failure;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// The directories of sources; of two files of one name that of the earlier directory counts.
#[derive(Default)]
pub struct Roots {
    directories: Vec<PathBuf>,
    /// They are those of `-I`.
    given: bool,
}

impl Roots {
    /// The directories of `-I`. Without it there is one for each named file: the working directory if the file is below it, and
    /// else the one that the file is in.
    pub fn new(include: &[PathBuf], files: &[PathBuf]) -> Self {
        if !include.is_empty() {
            for missing in include.iter().filter(|directory| !directory.is_dir()) {
                // A warning, as of protoc: the other directories may have all that is needed.
                let _ = writeln!(io::stderr(), "tablepb: -I {}: no such directory", missing.display());
            }
            return Self { directories: include.to_vec(), given: true };
        }
        let mut directories: Vec<PathBuf> = Vec::new();
        for file in files {
            let below = within(file, Path::new(".")).is_some();
            let directory = if below { Path::new(".") } else { file.parent().unwrap_or(Path::new(".")) };
            if !directories.iter().any(|known| known == directory) {
                directories.push(directory.to_owned());
            }
        }
        Self { directories, given: false }
    }

    pub fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// The path of the file that is found under a name, in the first directory that has one.
    pub fn on_disk(&self, name: &str) -> Option<PathBuf> {
        self.directories.iter().map(|root| root.join(name)).find(|path| path.is_file())
    }

    /// The name under which others import a file. The argument is a path on disk, or such a name where no file has that path
    /// or no directory has the file.
    ///
    /// A file is refused if another is found under its name first: that one would be compiled in its place.
    pub fn name(&self, file: &Path) -> Result<String, Failure> {
        let shown = file.display();
        let found = |directory: &PathBuf| within(file, directory);
        let place = self.directories.iter().position(|directory| found(directory).is_some());
        if file.exists()
            && let Some((place, path)) =
                place.and_then(|place| Some((place, found(&self.directories[place])?)))
        {
            let first = self.directories[..place].iter().map(|root| root.join(&path));
            if let Some(first) = { first }.find(|first| first.exists()) {
                let order = if self.given { ", or change the order of -I" } else { "" };
                return Err(Failure::report(format!(
                    "{shown}: the file is shadowed by {}, which an earlier directory has under the same name, {}: \
                     name that file instead{order}",
                    first.display(),
                    path.display(),
                )));
            }
            if file.is_dir() {
                return Err(Failure::report(format!("{shown}: this is a directory")));
            }
            let name = slashes(&path);
            return name.ok_or_else(|| Failure::report(format!("{shown}: the name is not UTF-8")));
        }
        self.as_name(file).ok_or_else(|| self.nowhere(file))
    }

    /// The argument itself, if it is a name under which a file is found.
    fn as_name(&self, file: &Path) -> Option<String> {
        let name = file.to_str()?;
        let plain = name.split('/').all(|part| !matches!(part, "" | "." | ".."));
        let source = |root: &PathBuf| root.join(name).exists() && !root.join(name).is_dir();
        // The compiler has files of protobuf itself, and says so if it has not.
        let found = name.starts_with("google/protobuf/") || self.directories.iter().any(source);
        (plain && found).then(|| name.to_owned())
    }

    fn nowhere(&self, file: &Path) -> Failure {
        let shown = file.display();
        let directories: Vec<String> =
            self.directories.iter().map(|directory| directory.display().to_string()).collect();
        match (std::fs::metadata(file), self.given) {
            (Ok(_), _) => Failure::report(format!(
                "{shown}: the file is in no directory of -I: {}; one of them must be the beginning of its path, \
                 letter by letter",
                directories.join(", ")
            )),
            (Err(error), false) => Failure::file(&shown.to_string(), &error),
            (Err(error), true) => Failure::report(format!(
                "{shown}: {error}; as a name it is in no directory of -I: {}",
                directories.join(", ")
            )),
        }
    }
}

/// The path of a file below a directory, if the path of the directory is the beginning of that of the file. Nothing is looked up: `..`
/// is a name like others, and no path goes up from the directory.
fn within(file: &Path, directory: &Path) -> Option<PathBuf> {
    let plain =
        |path: &Path| path.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>();
    let path = plain(file).strip_prefix(plain(directory)).ok()?.to_owned();
    let below = path.components().all(|part| matches!(part, Component::Normal(_)));
    (below && path.file_name().is_some()).then_some(path)
}

/// The path as a name in a schema.
fn slashes(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.components().map(|part| part.as_os_str().to_str()).collect();
    Some(parts?.join("/"))
}
