//! `tablepb describe`: a definition as `.proto` source.

use super::{Server, block_on, connection};
use crate::failure::Failure;
use crate::target;
use clap::{Arg, ArgMatches, Command};
use tablepb::DescriptorPool;
use tablepb::prost_reflect_names::PoolNames;
use tablepb::schema::ServiceDescriptor;

const PAGE: &str = "\
Examples:
  tablepb describe --plaintext localhost:50051 helloworld.Greeter
  tablepb describe --plaintext localhost:50051 helloworld.HelloRequest
  tablepb describe --plaintext localhost:50051 helloworld.Greeter.SayHello";

pub fn command() -> Command {
    connection::arguments(Command::new("describe"))
        .about("Shows a definition of a gRPC server: a service, a method, a message or an enum")
        .after_help(PAGE)
        .arg(connection::address_argument().required(true))
        .arg(
            Arg::new("symbol").value_name("SYMBOL").help("The full name; without it, all services are shown"),
        )
        .arg(target::argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let address = matches.get_one::<String>("address").map_or("", String::as_str);
    let symbol = matches.get_one::<String>("symbol");
    let text = block_on(async {
        let server = Server::new(address, matches)?;
        let names = match symbol {
            Some(symbol) => vec![symbol.replace('/', ".")],
            None => server.services().await?,
        };
        let pool = server.pool(&names.iter().map(String::as_str).collect::<Vec<_>>()).await?;
        let mut text = String::new();
        for name in &names {
            let source = describe(&pool, name);
            text += &source.ok_or_else(|| Failure::Usage(format!("there is no {name}")))?;
        }
        Ok(text)
    })?;
    target::print(matches, text.as_bytes())
}

fn describe(pool: &DescriptorPool, name: &str) -> Option<String> {
    if let Some(message) = pool.get_message_by_name(name) {
        return Some(message.to_proto());
    }
    if let Some(enumeration) = pool.get_enum_by_name(name) {
        return Some(enumeration.to_proto());
    }
    if let Some(found) = pool.get_service_by_name(name) {
        return Some(service(&found, None));
    }
    let (parent, method) = name.rsplit_once('.')?;
    let found = pool.get_service_by_name(parent)?;
    found.methods().any(|known| known.name() == method).then(|| service(&found, Some(method)))
}

/// A service with all of its methods, or one.
fn service(service: &ServiceDescriptor, only: Option<&str>) -> String {
    let mut text = format!("// {}\nservice {} {{\n", service.full_name(), service.name());
    for method in service.methods().filter(|method| only.is_none_or(|only| method.name() == only)) {
        let word = |streams: bool| if streams { "stream " } else { "" };
        text += &format!(
            "  rpc {}({}.{}) returns ({}.{});\n",
            method.name(),
            word(method.is_client_streaming()),
            method.input().full_name(),
            word(method.is_server_streaming()),
            method.output().full_name(),
        );
    }
    text + "}\n"
}
