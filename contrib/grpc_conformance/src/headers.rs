//! Headers of the suite, and of HTTP.

use crate::conformance::Header;
use http::{HeaderMap, HeaderName, HeaderValue};
use tonic::metadata::MetadataMap;

pub fn to_map(headers: &[Header]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for header in headers {
        for value in &header.value {
            if let (Ok(name), Ok(value)) = (header.name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
                map.append(name, value);
            }
        }
    }
    map
}

pub fn from_map(map: &HeaderMap) -> Vec<Header> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let header = |name: &HeaderName| Header {
        name: name.as_str().into(),
        value: map.get_all(name).iter().map(text).collect(),
    };
    map.keys().map(header).collect()
}

pub fn from_metadata(metadata: &MetadataMap) -> Vec<Header> {
    from_map(&metadata.clone().into_headers())
}
