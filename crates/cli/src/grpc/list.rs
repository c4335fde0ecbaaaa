//! `tablepb list`: what a gRPC server has.

use super::{Server, block_on, connection};
use crate::failure::Failure;
use crate::target;
use clap::{Arg, ArgMatches, Command};
use std::io::Write;
use tablepb::prost_reflect_names::PoolNames;

const PAGE: &str = "\
Examples:
  tablepb list --plaintext localhost:50051
  tablepb list --plaintext localhost:50051 helloworld.Greeter
  tablepb list --descriptors set.binpb localhost:50051 helloworld.Greeter";

pub fn command() -> Command {
    connection::arguments(Command::new("list"))
        .about("Lists the services of a gRPC server, or the methods of a service")
        .after_help(PAGE)
        .arg(connection::address_argument().required(true))
        .arg(Arg::new("service").value_name("SERVICE").help("A service, whose methods are listed"))
        .arg(target::argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let address = matches.get_one::<String>("address").map_or("", String::as_str);
    let lines = block_on(async {
        let server = Server::new(address, matches)?;
        let Some(service) = matches.get_one::<String>("service") else { return server.services().await };
        let pool = server.pool(&[service]).await?;
        let found = pool.get_service_by_name(service);
        let found = found.ok_or_else(|| Failure::Usage(format!("there is no service {service}")))?;
        Ok(found.methods().map(|method| method.full_name().to_owned()).collect())
    })?;
    let mut target = target::from_arguments(matches)?;
    let result = lines.iter().try_for_each(|line| writeln!(target, "{line}")).map_err(Failure::from);
    target.finish(result)
}
