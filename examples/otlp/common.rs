//! The messages that metrics and traces share, after `opentelemetry/proto/common/v1` and `resource/v1`.

use tablepb::UnknownFieldSet;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resource {
    pub attributes: Vec<KeyValue>,
    pub unknown: UnknownFieldSet,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstrumentationScope {
    pub name: String,
    pub version: String,
    pub unknown: UnknownFieldSet,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyValue {
    pub key: String,
    pub value: Option<AnyValue>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnyValue {
    pub value: Option<Value>,
    /// Arrays, lists of keys and values, bytes.
    pub unknown: UnknownFieldSet,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Bool(bool),
    Int(i64),
    Double(f64),
}

tablepb::message! {
    Resource as "opentelemetry.proto.resource.v1.Resource" {
        attributes: repeated message KeyValue = 1,
        unknown: unknown_fields,
    }
    InstrumentationScope as "opentelemetry.proto.common.v1.InstrumentationScope" {
        name: string = 1,
        version: string = 2,
        unknown: unknown_fields,
    }
    KeyValue as "opentelemetry.proto.common.v1.KeyValue" {
        key: string = 1,
        value: message AnyValue = 2,
    }
    AnyValue as "opentelemetry.proto.common.v1.AnyValue" {
        value: oneof Value {
            Text as "string_value": string = 1,
            Bool as "bool_value": bool = 2,
            Int as "int_value": int64 = 3,
            Double as "double_value": double = 4,
        },
        unknown: unknown_fields,
    }
}

/// An attribute with a string.
pub fn attribute(key: &str, value: impl Into<String>) -> KeyValue {
    let value = AnyValue { value: Some(Value::Text(value.into())), ..AnyValue::default() };
    KeyValue { key: key.into(), value: Some(value) }
}

/// The resource of a service in a cluster, as agents fill it in.
pub fn resource() -> Resource {
    let attributes = [
        ("service.name", "checkout"),
        ("service.version", "2.14.3"),
        ("service.instance.id", "9d1c2f4e-1b7a-4c55-9c1e-1d2f3a4b5c6d"),
        ("host.name", "node-17.eu-central-1.example.com"),
        ("k8s.namespace.name", "shop"),
        ("k8s.pod.name", "checkout-7f9c6d5b8-x2x7q"),
        ("cloud.region", "eu-central-1"),
        ("telemetry.sdk.language", "rust"),
    ];
    let attributes = attributes.map(|(key, value)| attribute(key, value)).into();
    Resource { attributes, ..Resource::default() }
}
