//! Compares two services. A method is the same if it has the same name, which is part of the path of a call.

use super::difference::{Compatibility, DifferenceKind};
use super::options;
use super::queue::Comparer;
use Compatibility::{Breaking, Compatible};
use alloc::collections::BTreeMap;
use alloc::string::String;
use tablepb::MessageDescriptor;
use tablepb::schema::{MethodDescriptor, ServiceDescriptor};

/// Calls of old clients fail.
const FAILS: (Compatibility, Compatibility) = (Breaking, Breaking);

pub(super) fn compare(old: &ServiceDescriptor, new: &ServiceDescriptor, out: &mut Comparer) {
    if old.full_name() != new.full_name() {
        let names = (old.full_name(), new.full_name());
        out.add(names.0, DifferenceKind::ServiceRenamed, FAILS, names.0, names.1);
    }
    let bytes = ServiceDescriptor::options_bytes;
    options::compare(old.full_name(), (old, new), bytes, ServiceDescriptor::options, out);
    let by_name = |service: &ServiceDescriptor| -> BTreeMap<String, MethodDescriptor> {
        service.methods().map(|method| (method.name().into(), method)).collect()
    };
    let (before, after) = (by_name(old), by_name(new));
    for method in old.methods() {
        match after.get(method.name()) {
            Some(partner) => methods(&method, partner, out),
            None => out.add(method.full_name(), DifferenceKind::MethodRemoved, FAILS, "", ""),
        }
    }
    for method in new.methods().filter(|method| !before.contains_key(method.name())) {
        out.add(method.full_name(), DifferenceKind::MethodAdded, (Compatible, Compatible), "", "");
    }
}

fn methods(old: &MethodDescriptor, new: &MethodDescriptor, out: &mut Comparer) {
    let packages = [old, new].map(|method| method.parent_service().parent_file());
    for (kind, before, after) in [
        (DifferenceKind::RequestTypeChanged, old.input(), new.input()),
        (DifferenceKind::ResponseTypeChanged, old.output(), new.output()),
    ] {
        let after_package = |message: &MessageDescriptor, package: &str| {
            let name = message.full_name();
            let local = name.strip_prefix(package).and_then(|rest| rest.strip_prefix('.'));
            String::from(if package.is_empty() { name } else { local.unwrap_or(name) })
        };
        let local = [(&before, &packages[0]), (&after, &packages[1])]
            .map(|(message, file)| after_package(message, file.package_name()));
        if local[0] == local[1] {
            out.messages(&before, &after);
        } else {
            // By name, unlike the types of fields: by their content, a request of which a server drops every field would be
            // one with removed fields.
            out.add(old.full_name(), kind, FAILS, before.full_name(), after.full_name());
        }
    }
    let word = |method: &MethodDescriptor| match (method.is_client_streaming(), method.is_server_streaming())
    {
        (false, false) => "unary",
        (true, false) => "client streaming",
        (false, true) => "server streaming",
        (true, true) => "bidirectional streaming",
    };
    let bytes = MethodDescriptor::options_bytes;
    options::compare(old.full_name(), (old, new), bytes, MethodDescriptor::options, out);
    if word(old) != word(new) {
        out.add(old.full_name(), DifferenceKind::StreamingChanged, FAILS, word(old), word(new));
    }
}
