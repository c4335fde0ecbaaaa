//! The file that a run has not finished, removed if a signal ends the run. A run that ends by itself removes it, or renames it.

use std::fs::File;
use std::io;
use std::path::Path;

/// Creates a file that is removed if the program is told to end. A run has at most one.
pub fn create(file: &Path) -> io::Result<File> {
    let open = || File::options().write(true).create_new(true).open(file);
    #[cfg(unix)]
    return signals::watched(file, open);
    #[cfg(not(unix))]
    open()
}

#[cfg(unix)]
mod signals {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::fs::{self, File};
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, PoisonError};

    static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

    pub fn watched(file: &Path, open: impl FnOnce() -> io::Result<File>) -> io::Result<File> {
        // A signal waits until it is known whether the file is ours.
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM].into_iter().filter(|&it| !is_ignored(it)))?;
        std::thread::Builder::new().spawn(move || {
            for signal in signals.forever() {
                let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
                let _ = unfinished.as_ref().map(fs::remove_file);
                // The program ends by the signal, as its parent expects.
                let _ = emulate_default_handler(signal);
            }
        })?;
        let opened = open()?;
        *unfinished = Some(file.to_owned());
        Ok(opened)
    }

    /// Whether the program was started with this signal ignored, as `nohup` does, and shells for jobs in the background.
    /// Only Linux says so.
    fn is_ignored(signal: i32) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        mask >> (signal - 1) & 1 == 1
    }
}
