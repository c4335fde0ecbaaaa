/// Prints a line as `println!` does, but ends the program quietly once the reader of its output has gone, as `| head` goes, where that one panics.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        if let Err(error) = writeln!(std::io::stdout(), $($text)*) {
            std::process::exit(i32::from(error.kind() != std::io::ErrorKind::BrokenPipe));
        }
    }};
}
