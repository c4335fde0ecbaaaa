//! What a `build.rs` does, by hand: `generate OUT_DIR INCLUDE FILE..`, with options of `Config::parameter` before them.

fn main() -> Result<(), tablepb_build::BuildError> {
    let mut config = tablepb_build::Config::new();
    let mut arguments = std::env::args().skip(1).peekable();
    while let Some(option) = arguments.next_if(|argument| argument.contains('=')) {
        config.parameter(&option)?;
    }
    let out = arguments.next().unwrap_or_default();
    let include = arguments.next().unwrap_or_default();
    let files: Vec<String> = arguments.collect();
    config.include_file("mod.rs").out_dir(out).compile(&files, &[include])
}
