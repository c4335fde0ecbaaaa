//! The code in `src/generated` is what `tablepb-build` writes; `TABLEPB_BLESS` writes it anew.
#![cfg(feature = "build")]

use std::path::Path;
use tablepb_build::{Config, File};

#[test]
fn the_code_is_what_the_generator_writes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let protos = root.join("protos");
    let names = [
        "google/api/http.proto",
        "google/rpc/status.proto",
        "google/rpc/error_details.proto",
        "grpc/health/v1/health.proto",
        "grpc/reflection/v1/reflection.proto",
        "grpc/reflection/v1alpha/reflection.proto",
    ];
    let pool = names
        .iter()
        .fold(tablepb_schema::SourceBuilder::new().include(&protos), |builder, name| builder.file(*name))
        .include_source_info(true)
        .build()
        .unwrap();
    // `connect` would need the feature `transport`.
    let generator = tablepb_tonic::generator().codec("crate::Codec").build_transport(false);
    // The messages of v1alpha are those of v1.
    let mut config = Config::new();
    config.service_generator(generator).extern_path(".grpc.reflection.v1alpha", "crate::pb::reflection_v1");
    let files: Vec<File> = config.generate(&pool).unwrap();
    assert_eq!(files.len(), 5);
    for file in files {
        let directory = root.join("src/generated");
        if std::env::var_os("TABLEPB_BLESS").is_some() {
            file.write(&directory).unwrap();
        }
        assert!(file.is_written(&directory), "{}: TABLEPB_BLESS=1 writes it anew", file.name());
    }
}
