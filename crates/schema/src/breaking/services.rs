//! Rules for services and methods.

use super::files::{Kept, stays};
use super::places::At;
use super::{Checker, Rule};
use alloc::format;
use tablepb::schema::{MethodDescriptor, ServiceDescriptor};

const SERVICES: Kept =
    Kept { what: "service", in_file: Rule::ServiceNoDelete, in_package: Rule::PackageServiceNoDelete };

/// Fields of `MethodDescriptorProto`, and of its options.
const INPUT_TYPE: i32 = 2;
const OUTPUT_TYPE: i32 = 3;
const OPTIONS: i32 = 4;
const IDEMPOTENCY_LEVEL: i32 = 34;

pub(super) fn check(checker: &mut Checker<'_>) {
    let (old, new) = (checker.old, checker.new);
    for (name, before) in &old.services {
        let after = new.services.get(name);
        stays(checker, &SERVICES, name, &before.parent_file(), after.map(|it| it.parent_file()).as_ref());
        if let Some(after) = after {
            compare(checker, before, after);
        }
    }
}

fn compare(checker: &mut Checker<'_>, old: &ServiceDescriptor, new: &ServiceDescriptor) {
    for before in old.methods() {
        match new.methods().find(|method| method.name() == before.name()) {
            Some(after) => methods(checker, &before, &after),
            None => {
                let text = format!("method {} was deleted", before.full_name());
                checker.add(Rule::RpcNoDelete, At::Service(new), &[], text);
            }
        }
    }
}

fn methods(checker: &mut Checker<'_>, old: &MethodDescriptor, new: &MethodDescriptor) {
    let name = new.full_name();
    let streams = |streams: bool| if streams { "streaming" } else { "unary" };
    let level = |method: &MethodDescriptor| {
        let options = method.options();
        match options.get("idempotency_level").and_then(|it| it.as_enum_number()) {
            Some(1) => "NO_SIDE_EFFECTS",
            Some(2) => "IDEMPOTENT",
            _ => "IDEMPOTENCY_UNKNOWN",
        }
    };
    let mut compare = |rule, what: &str, before: &str, after: &str, part: &[i32]| {
        if before != after {
            let text = format!("{what} of method {name} changes from {before} to {after}");
            checker.add(rule, At::Method(new), &[part], text);
        }
    };
    let (client, server) = (MethodDescriptor::is_client_streaming, MethodDescriptor::is_server_streaming);
    compare(Rule::RpcSameClientStreaming, "the client", streams(client(old)), streams(client(new)), &[]);
    compare(Rule::RpcSameServerStreaming, "the server", streams(server(old)), streams(server(new)), &[]);
    let types = (old.input(), new.input());
    let names = (types.0.full_name(), types.1.full_name());
    compare(Rule::RpcSameRequestType, "the request type", names.0, names.1, &[INPUT_TYPE]);
    let types = (old.output(), new.output());
    let names = (types.0.full_name(), types.1.full_name());
    compare(Rule::RpcSameResponseType, "the response type", names.0, names.1, &[OUTPUT_TYPE]);
    let option = [OPTIONS, IDEMPOTENCY_LEVEL];
    compare(Rule::RpcSameIdempotencyLevel, "the idempotency level", level(old), level(new), &option);
}
