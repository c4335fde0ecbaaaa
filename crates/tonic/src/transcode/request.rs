//! [`Route`]: a rule, and the request that it makes of a path, a query and a body.

use super::bind::{Params, is_scalar, resolve};
use super::template::{Template, Variable};
use crate::pb::google_api::HttpRule;
use crate::pb::google_api::http_rule::Pattern;
use http::Method;
use percent_encoding::percent_decode;
use std::borrow::Cow;
use tablepb::schema::MethodDescriptor;
use tablepb::table::Kind;
use tablepb::{DynamicMessage, FieldDescriptor, MessageDescriptor, ParseError, ParseErrorKind, json, wkt};
use tonic::Status;

/// The message whose body is bytes of any type.
const HTTP_BODY: &str = "google.api.HttpBody";

/// One way to call a method.
pub(super) struct Route {
    pub method: MethodDescriptor,
    variables: Vec<(Variable, Vec<FieldDescriptor>)>,
    body: Body,
    /// The field of the response that is the body; all of it by default.
    pub response: Option<FieldDescriptor>,
}

enum Body {
    None,
    All,
    Field(FieldDescriptor),
}

/// What a request of HTTP has.
pub(super) struct Parts<'r> {
    /// Of the path, with their escapes.
    pub segments: &'r [&'r str],
    pub query: &'r str,
    pub content_type: &'r str,
}

/// How requests are read.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub parser: json::Parser,
    pub ignore_unknown: bool,
}

impl Route {
    /// The route of a rule, with its method of HTTP (`None` is any) and its template.
    pub fn new(
        method: MethodDescriptor,
        rule: &HttpRule,
    ) -> Result<(Self, Option<Method>, Template), String> {
        let (verb, path) = match &rule.pattern {
            Some(Pattern::Get(path)) => (Some(Method::GET), path),
            Some(Pattern::Put(path)) => (Some(Method::PUT), path),
            Some(Pattern::Post(path)) => (Some(Method::POST), path),
            Some(Pattern::Delete(path)) => (Some(Method::DELETE), path),
            Some(Pattern::Patch(path)) => (Some(Method::PATCH), path),
            Some(Pattern::Custom(custom)) if custom.kind == "*" => (None, &custom.path),
            Some(Pattern::Custom(custom)) => match custom.kind.parse() {
                Ok(verb) => (Some(verb), &custom.path),
                Err(_) => return Err(format!("{:?} is no method of HTTP", custom.kind)),
            },
            None => return Err("the rule has no path".into()),
        };
        let mut template = Template::parse(path)?;
        let (input, output) = (method.input(), method.output());
        let variables = std::mem::take(&mut template.variables);
        let variables = variables.into_iter().map(|variable| {
            let fields = resolve(&input, &variable.path)?;
            match fields.last() {
                Some(field) if is_scalar(field) && !field.is_list() => Ok((variable, fields)),
                _ => Err(format!("{path:?}: `{}` is not one value", variable.path)),
            }
        });
        let field = |message: &MessageDescriptor, name: &str| {
            let field = message.fields().find(|field| field.name() == name);
            field.ok_or_else(|| format!("{} has no field {name:?}", message.full_name()))
        };
        let body = match rule.body.as_str() {
            "" => Body::None,
            "*" => Body::All,
            name => Body::Field(field(&input, name)?),
        };
        let response = match rule.response_body.as_str() {
            "" | "*" => None,
            name => Some(field(&output, name)?),
        };
        let variables = variables.collect::<Result<_, _>>()?;
        Ok((Self { method, variables, body, response }, verb, template))
    }

    /// Whether requests have a body.
    pub fn has_body(&self) -> bool {
        !matches!(self.body, Body::None)
    }

    /// Whether the body of requests is taken as it is.
    pub fn takes_any_body(&self) -> bool {
        match &self.body {
            Body::None => false,
            Body::All => is_http_body(&self.method.input()),
            Body::Field(field) => matches!(one_message(field), Some(message) if is_http_body(&message)),
        }
    }

    /// The fields of the path and of the query.
    pub fn params(&self, parts: &Parts<'_>, reading: &Reading) -> Result<Params, Status> {
        let mut params = Params::default();
        for (variable, fields) in &self.variables {
            let value = variable.value(parts.segments);
            let value = value.ok_or_else(|| Status::invalid_argument("the path is not UTF-8"))?;
            params.add(fields, &value)?;
        }
        for pair in parts.query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(name)?, decode(value)?);
            match self.query_field(&name) {
                Ok(fields) => params.add(&fields, &value)?,
                Err(_) if reading.ignore_unknown => {}
                Err(text) => return Err(Status::invalid_argument(format!("{name:?} in the query: {text}"))),
            }
        }
        Ok(params)
    }

    fn query_field(&self, name: &str) -> Result<Vec<FieldDescriptor>, String> {
        let fields = resolve(&self.method.input(), name)?;
        match &self.body {
            Body::All => return Err("all fields are in the body".into()),
            Body::Field(body) if fields.first() == Some(body) => {
                return Err("the field is in the body".into());
            }
            _ => {}
        }
        if self.variables.iter().any(|(_, bound)| *bound == fields) {
            return Err("the field is in the path".into());
        }
        Ok(fields)
    }

    /// A request: the body, and the fields that are not in it.
    pub fn request(
        &self,
        params: &Params,
        body: &[u8],
        parts: &Parts<'_>,
        reading: &Reading,
    ) -> Result<DynamicMessage, Status> {
        // Required fields may come by the path.
        let parser = reading.parser.allow_partial(true);
        let input = self.method.input();
        let mut request = DynamicMessage::new(&input);
        if !body.is_empty() || self.takes_any_body() {
            match &self.body {
                Body::None => {}
                Body::All => request = whole(&input, body, parts.content_type, &parser)?,
                Body::Field(field) => match one_message(field) {
                    Some(message) => {
                        let value = whole(&message, body, parts.content_type, &parser)?;
                        request
                            .set_field(field, value)
                            .map_err(|error| Status::invalid_argument(error.to_string()))?;
                    }
                    None => request = member(&input, field, body, &parser)?,
                },
            }
        }
        if !params.is_empty() {
            // The document is of no use to the sender, so neither is the place in it.
            parser.merge_from_slice(&mut request, &params.to_json()).map_err(|error| {
                let kind = unreadable(error.clone()).code();
                Status::new(kind, format!("{} in the path or the query: {}", error.kind(), error.path()))
            })?;
        }
        if !request.is_initialized() {
            return Err(Status::invalid_argument(format!(
                "a required field of {} is missing",
                input.full_name()
            )));
        }
        Ok(request)
    }
}

/// The message of a field that is one message, and an object in JSON.
fn one_message(field: &FieldDescriptor) -> Option<MessageDescriptor> {
    match field.kind() {
        Kind::Message(message) if !field.is_list() && !field.is_map() => Some(message),
        _ => None,
    }
}

pub(super) fn is_http_body(message: &MessageDescriptor) -> bool {
    message.full_name() == HTTP_BODY
}

fn whole(
    message: &MessageDescriptor,
    body: &[u8],
    content_type: &str,
    parser: &json::Parser,
) -> Result<DynamicMessage, Status> {
    if !is_http_body(message) {
        return parser.message_from_slice(message, body).map_err(unreadable);
    }
    let mut raw = DynamicMessage::new(message);
    raw.set_field("content_type", content_type.to_owned())
        .and_then(|()| raw.set_field("data", body.to_vec()))
        .map_err(|error| Status::invalid_argument(error.to_string()))?;
    Ok(raw)
}

/// A request with one field, which is a list, a map or a value.
fn member(
    message: &MessageDescriptor,
    field: &FieldDescriptor,
    body: &[u8],
    parser: &json::Parser,
) -> Result<DynamicMessage, Status> {
    // One value: what follows it would be other fields.
    parser.from_slice::<wkt::Value>(body).map_err(unreadable)?;
    let mut document = Params::default().to_json();
    document.pop();
    super::bind::write_string(&mut document, field.json_name());
    document.push(b':');
    document.extend(body);
    document.push(b'}');
    parser.message_from_slice(message, &document).map_err(unreadable)
}

/// A name or a value of a query.
fn decode(text: &str) -> Result<String, Status> {
    let text = if text.contains('+') { Cow::from(text.replace('+', " ")) } else { text.into() };
    let decoded = percent_decode(text.as_bytes()).decode_utf8();
    decoded.map(Cow::into_owned).map_err(|_| Status::invalid_argument("the query is not UTF-8"))
}

fn unreadable(error: ParseError) -> Status {
    match error.kind() {
        ParseErrorKind::BudgetExceeded => Status::resource_exhausted(error.to_string()),
        _ => Status::invalid_argument(error.to_string()),
    }
}
