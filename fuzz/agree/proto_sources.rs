//! Sources, valid and not: compiling ends, and what compiles is printed and compiles again to the same descriptors.

use tablepb::schema::PoolOptions;
use tablepb_schema::SourceBuilder;

/// Whether the source is accepted.
pub fn check(input: &[u8]) -> bool {
    let Ok(source) = core::str::from_utf8(input) else { return false };
    let options = PoolOptions::new().memory(64 << 20);
    let builder = |source: &str| {
        SourceBuilder::new().source("a.proto", source).with_options(options).include_source_info(true)
    };
    let pool = match builder(source).build() {
        Ok(pool) => pool,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            for fault in error.diagnostics() {
                assert!(fault.line() <= source.lines().count() + 1);
            }
            return false;
        }
    };
    let set = pool.encode_to_vec().expect("short");
    let loaded = options.decode(&set).expect("what was compiled");
    assert!(loaded.encode_to_vec().expect("short") == set);
    let file = pool.file("a.proto").expect("the file");
    let text = file.to_proto();
    let again = builder(&text).build();
    let again = again.unwrap_or_else(|error| panic!("{error}\nprinted from\n{source}"));
    assert_eq!(again.file("a.proto").expect("the file").to_proto(), text);
    true
}
