//! A plugin of protoc and buf: what the program `protoc-gen-tablepb` does.
//!
//! ```sh
//! protoc --tablepb_out=src/proto --tablepb_opt=include_file=mod.rs -I proto proto/shop.proto
//! ```
//!
//! Parameters are those of [`Config::parameter`], with commas between them; a comma in a value is `\,`. buf is told `strategy: all`, so that a
//! package is in one request.

use crate::{BuildError, Config};
use std::collections::BTreeSet;
use tablepb::{DescriptorPool, Message, message};

/// `google.protobuf.compiler.CodeGeneratorRequest`, with the files as they are.
#[derive(Default)]
struct Request<'a> {
    names: Vec<&'a str>,
    parameter: &'a str,
    files: Vec<&'a [u8]>,
}

/// `google.protobuf.FileDescriptorSet`.
#[derive(Default)]
struct Set<'a> {
    files: Vec<&'a [u8]>,
}

#[derive(Default)]
struct Response<'a> {
    error: Option<String>,
    features: u64,
    minimum_edition: i32,
    maximum_edition: i32,
    files: Vec<Generated<'a>>,
}

#[derive(Default)]
struct Generated<'a> {
    name: &'a str,
    content: &'a str,
}

message! {
    Request<'a> as "tablepb.build.Request" {
        names as "file_to_generate": repeated string = 1,
        parameter: string = 2,
        files as "proto_file": repeated bytes = 15,
    }
    Set<'a> as "tablepb.build.Set" {
        files as "file": repeated bytes = 1,
    }
    Response<'a> as "tablepb.build.Response" {
        error: optional string = 1,
        features as "supported_features": uint64 = 2,
        minimum_edition: int32 = 3,
        maximum_edition: int32 = 4,
        files as "file": repeated message Generated = 15,
    }
    Generated<'a> as "tablepb.build.Generated" {
        name: string = 1,
        content: string = 15,
    }
}

/// `FEATURE_PROTO3_OPTIONAL` and `FEATURE_SUPPORTS_EDITIONS`, from `EDITION_PROTO2` to `EDITION_2024`.
const FEATURES: (u64, i32, i32) = (3, 998, 1001);

/// The `CodeGeneratorResponse` to a `CodeGeneratorRequest`. `config` has what the parameters change.
///
/// Code is written for the packages of the files that are asked for. What they import from others is expected beside them, or at an
/// `extern_path`.
///
/// # Errors
/// The request is no request, or the response is too large. Faults in what it asks for are in the response, as protoc wants it.
pub fn respond(request: &[u8], config: &mut Config) -> Result<Vec<u8>, BuildError> {
    let request =
        Request::decode(request).map_err(|error| BuildError::caused("no request of protoc: ", error))?;
    let files = generate(&request, config);
    let mut response = Response { features: FEATURES.0, minimum_edition: FEATURES.1, ..Response::default() };
    response.maximum_edition = FEATURES.2;
    match &files {
        Ok(files) => {
            response.files =
                files.iter().map(|file| Generated { name: file.name(), content: file.content() }).collect();
        }
        Err(error) => response.error = Some(error.to_string()),
    }
    response.encode_to_vec().map_err(|error| BuildError::caused("", error))
}

fn generate(request: &Request<'_>, config: &mut Config) -> Result<Vec<crate::File>, BuildError> {
    for parameter in parameters(request.parameter) {
        config.parameter(&parameter)?;
    }
    let set = Set { files: request.files.clone() }
        .encode_to_vec()
        .map_err(|error| BuildError::caused("", error))?;
    let pool = DescriptorPool::decode(&set).map_err(|error| BuildError::caused("", error))?;
    let mut packages = BTreeSet::new();
    for name in &request.names {
        let file = pool.file(name).map_err(|error| BuildError::caused("", error))?;
        packages.insert(file.package_name().to_owned());
    }
    let mut files = config.generate(&pool)?;
    files.retain(|file| file.package().is_none_or(|package| packages.contains(package)));
    Ok(files)
}

/// The parameters between commas.
fn parameters(text: &str) -> Vec<String> {
    let (mut all, mut one) = (Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.next_if_eq(&',').is_some() => one.push(','),
            ',' => all.push(std::mem::take(&mut one)),
            c => one.push(c),
        }
    }
    all.push(one);
    all.retain(|one| !one.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_commas_between_them() {
        assert_eq!(parameters(""), [""; 0]);
        assert_eq!(parameters("a,b=c\\,d,,e\\f"), ["a", "b=c,d", "e\\f"]);
    }
}
