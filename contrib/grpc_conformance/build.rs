//! Compiles the schema of the suite, which comes with its program: `CONFORMANCE_PROTOS` is the directory with `connectrpc`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-env-changed=CONFORMANCE_PROTOS");
    let protos =
        std::env::var("CONFORMANCE_PROTOS").map_err(|_| "CONFORMANCE_PROTOS is not set: see README.md")?;
    let file = |name: &str| format!("{protos}/connectrpc/conformance/v1/{name}.proto");
    tablepb_build::Config::new()
        .service_generator(tablepb_tonic::generator())
        .compile(&[file("service"), file("server_compat"), file("client_compat")], &[&protos])?;
    Ok(())
}
