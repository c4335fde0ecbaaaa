//! Where the stream goes. The files of an earlier run stay until all of this one is written.

use super::file_error;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

const STREAM: &str = "flows.binpb";
const SCHEMA: &str = "flows.proto";

/// A stream that is being written.
pub struct Output<'o> {
    stream: Box<dyn Write + 'o>,
    written: u64,
    directory: Option<Directory>,
}

/// A directory with the files of earlier runs, and the unfinished one of this run.
struct Directory {
    path: PathBuf,
    unfinished: Unfinished,
}

/// A file that is removed unless it gets its name.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After it got its name there is no such file.
        let _ = fs::remove_file(&self.0);
    }
}

impl<'o> Output<'o> {
    /// A stream without files.
    pub fn to(stream: Box<dyn Write + 'o>) -> Self {
        Self { stream, written: 0, directory: None }
    }

    /// A stream that becomes a file in this directory.
    pub fn in_directory(path: &Path) -> Result<Self, Box<dyn Error>> {
        if path.is_file() {
            return Err(format!("{}: this is a file; --out needs a directory", path.display()).into());
        }
        fs::create_dir_all(path).map_err(|error| file_error(path, &error))?;
        // Two runs at once do not write into the same file.
        let unfinished = Unfinished(path.join(format!("{STREAM}.{}.part", std::process::id())));
        let stream = File::create(&unfinished.0).map_err(|error| file_error(&unfinished.0, &error))?;
        let directory = Directory { path: path.to_path_buf(), unfinished };
        Ok(Self { stream: Box::new(stream), written: 0, directory: Some(directory) })
    }

    /// Writes some records, whole ones.
    pub fn write(&mut self, records: &[u8]) -> Result<(), Box<dyn Error>> {
        self.stream.write_all(records)?;
        self.stream.flush()?;
        self.written += records.len() as u64;
        Ok(())
    }

    /// The bytes of the stream so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Gives the stream its name, and writes its schema beside it; the path of the stream if it is a file.
    pub fn keep(&self, schema: &str) -> Result<Option<PathBuf>, Box<dyn Error>> {
        let Some(Directory { path, unfinished }) = &self.directory else { return Ok(None) };
        let (stream, proto) = (path.join(STREAM), path.join(SCHEMA));
        let part = Unfinished(path.join(format!("{SCHEMA}.{}.part", std::process::id())));
        fs::write(&part.0, schema).map_err(|error| file_error(&part.0, &error))?;
        fs::rename(&part.0, &proto).map_err(|error| file_error(&proto, &error))?;
        fs::rename(&unfinished.0, &stream).map_err(|error| file_error(&stream, &error))?;
        Ok(Some(stream))
    }
}
