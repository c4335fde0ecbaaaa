//! How much of a long input has been read: a line on standard error, if that is a terminal.

use std::io::{self, IsTerminal, Read, Write};
use std::time::{Duration, Instant};

/// Input shorter than this needs no line.
const SILENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(200);

/// Counts what is read and shows it.
pub struct Progress<R> {
    reader: R,
    bytes: u64,
    total: Option<u64>,
    start: Instant,
    next: Duration,
    shown: bool,
}

/// Counts what is read from `reader`, which has `total` bytes if that is known.
pub fn watch(reader: Box<dyn Read>, total: Option<u64>) -> Box<dyn Read> {
    // Where both are terminals, the output itself shows that there is progress.
    if !io::stderr().is_terminal() || io::stdout().is_terminal() {
        return reader;
    }
    Box::new(Progress { reader, bytes: 0, total, start: Instant::now(), next: SILENCE, shown: false })
}

impl<R> Progress<R> {
    fn show(&mut self, time: Duration) {
        self.next = time + PAUSE;
        self.shown = true;
        let line = line(self.bytes, self.total, time);
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
    }
}

/// What has been read, and how fast.
fn line(bytes: u64, total: Option<u64>, time: Duration) -> String {
    let pace = bytes as f64 / time.as_secs_f64().max(1e-9) / 1e6;
    let read = bytes as f64 / 1e6;
    match total.filter(|&total| total > 0) {
        Some(total) => {
            let percent = 100.0 * bytes as f64 / total as f64;
            format!("{read:.0} of {:.0} MB, {percent:.0} %, {pace:.0} MB/s", total as f64 / 1e6)
        }
        None => format!("{read:.0} MB, {pace:.0} MB/s"),
    }
}

impl<R: Read> Read for Progress<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buf)?;
        self.bytes += count as u64;
        let time = self.start.elapsed();
        if time >= self.next {
            self.show(time);
        }
        Ok(count)
    }
}

impl<R> Drop for Progress<R> {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_share_where_the_length_is_known() {
        let time = Duration::from_secs(2);
        assert_eq!(line(50_000_000, Some(200_000_000), time), "50 of 200 MB, 25 %, 25 MB/s");
        assert_eq!(line(50_000_000, None, time), "50 MB, 25 MB/s");
        assert_eq!(line(0, Some(0), Duration::ZERO), "0 MB, 0 MB/s");
    }
}
