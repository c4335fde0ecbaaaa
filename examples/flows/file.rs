//! A file as bytes, decompressed if it is compressed with gzip.

use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The first bytes of what gzip has compressed, RFC 1952.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The most bytes of a capture: all of it is in memory, and a small file can be compressed a thousand times.
const MOST: u64 = 4 << 30;

/// The bytes of a file; with an error, those before the place where a compressed file breaks off.
///
/// # Errors
/// The file cannot be read.
pub fn read(path: &Path) -> io::Result<(Vec<u8>, Option<io::Error>)> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    let cut = if bytes.starts_with(&GZIP) {
        let mut inflated = Vec::new();
        let result = MultiGzDecoder::new(&bytes[..]).take(MOST + 1).read_to_end(&mut inflated);
        bytes = inflated;
        result.err()
    } else {
        None
    };
    match bytes.len() as u64 > MOST {
        true => Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than 4 GiB")),
        false => Ok((bytes, cut)),
    }
}
