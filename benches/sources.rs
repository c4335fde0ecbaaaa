//! Compiling `.proto` sources: `cargo bench --bench sources --package tablepb-benches`. Throughput in bytes of source, with the pool that is made.
//!
//! - `descriptor`: descriptor.proto, which is built in, with its options.
//! - `many`: forty copies of its messages in one file.
//!
//! If `TABLEPB_DATA` names the directory of recorded data, descriptor.proto has its comments (61 KB); otherwise it is the one of
//! the crate, which has none.

mod profiler;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tablepb::schema::PoolOptions;
use tablepb_schema::SourceBuilder;

fn descriptor() -> String {
    let recorded = std::env::var_os("TABLEPB_DATA").map(std::path::PathBuf::from);
    let recorded = recorded.map(|data| data.join("protos/google/protobuf/descriptor.proto"));
    recorded.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_else(|| {
        String::from(include_str!("../crates/schema/src/compile/load/well_known/descriptor.proto"))
    })
}

fn sources(criterion: &mut Criterion) {
    let one = descriptor();
    let body = one.split_once("message FileDescriptorSet").expect("the first message").1;
    let mut many = String::from("syntax = \"proto2\";\npackage many;\n");
    for i in 0..40 {
        many += &format!("message W{i} {{ message FileDescriptorSet{body} }}\n");
    }
    let mut group = criterion.benchmark_group(".proto sources");
    for (name, source) in [("descriptor", &one), ("many", &many)] {
        group.throughput(Throughput::Bytes(source.len() as u64));
        group.bench_function(name, |bencher| {
            let builder = || {
                let options = PoolOptions::new().memory(1 << 30);
                SourceBuilder::new().source("a.proto", source.as_str()).with_options(options)
            };
            bencher.iter_batched(builder, |builder| builder.build().expect("valid"), BatchSize::LargeInput);
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_profiler(profiler::profiler());
    targets = sources
}
criterion_main!(benches);
