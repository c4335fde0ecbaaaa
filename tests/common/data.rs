//! Files that tests read: those of the library, in its `tests/data`, and recorded ones, which are not part of it.
//!
//! The files of the crate are made by its own examples: `cargo test --test suite write_data -- --ignored`. Recorded
//! ones have the same names, in the directory that the environment variable `TABLEPB_DATA` names; tests that need them
//! are ignored, and fail where they are asked for without the directory.

use std::path::{Path, PathBuf};

/// Which files.
#[derive(Clone, Copy, Debug)]
pub enum Data {
    Made,
    Recorded,
}

impl Data {
    pub fn path(self, name: &str) -> PathBuf {
        match self {
            // Packages in `crates/` use them too.
            Self::Made => {
                let package = Path::new(env!("CARGO_MANIFEST_DIR"));
                let root = package.ancestors().find(|path| path.join("tests/data").join(name).exists());
                root.unwrap_or(package).join("tests/data").join(name)
            }
            Self::Recorded => {
                let directory = std::env::var_os("TABLEPB_DATA");
                let directory = directory.expect("TABLEPB_DATA names the directory of recorded data");
                Path::new(&directory).join(name)
            }
        }
    }

    pub fn read(self, name: &str) -> Vec<u8> {
        let path = self.path(name);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}
