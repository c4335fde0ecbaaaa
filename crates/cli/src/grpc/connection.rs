//! A server, and its schema.

use super::failure;
use crate::failure::Failure;
use crate::schema;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;
use std::time::Duration;
use tablepb::DescriptorPool;
use tablepb_tonic::reflection::ReflectionClient;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

/// Adds what all commands of gRPC have in common.
pub fn arguments(command: Command) -> Command {
    server_arguments(schema::source_arguments(command))
        .arg(
            Arg::new("header")
                .short('H')
                .long("header")
                .value_name("NAME: VALUE")
                .help("Metadata of the request; can be given more than once. Values of names that end with -bin are base64")
                .action(ArgAction::Append),
        )
        .arg(
            Arg::new("max-time")
                .long("max-time")
                .value_name("SECONDS")
                .help("The deadline of the call; none by default")
                .value_parser(value_parser!(f64)),
        )
}

/// Adds how a server is reached.
pub fn server_arguments(command: Command) -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("FILE").help(help).value_parser(value_parser!(PathBuf))
    };
    command
        .arg(
            Arg::new("plaintext")
                .long("plaintext")
                .help("Without TLS")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["cacert", "cert"]),
        )
        .arg(file("cacert", "The certificates of authorities, as PEM; otherwise those of the system"))
        .arg(file("cert", "The certificate of the client, as PEM").requires("key"))
        .arg(file("key", "The key of the client, as PEM").requires("cert"))
        .arg(
            Arg::new("authority")
                .long("authority")
                .value_name("NAME")
                .help("The name of the server, if it is not the host"),
        )
        .arg(
            Arg::new("connect-timeout")
                .long("connect-timeout")
                .value_name("SECONDS")
                .help("How long to wait for a connection")
                .default_value("10")
                .value_parser(value_parser!(f64)),
        )
}

/// `HOST:PORT`.
pub fn address_argument() -> Arg {
    Arg::new("address").value_name("HOST:PORT").help("The server")
}

/// A connection that is made when it is needed, and the schema.
pub struct Server {
    pub channel: Channel,
    /// What was named; without it reflection has the schema.
    pool: Option<DescriptorPool>,
    pub metadata: tonic::metadata::MetadataMap,
    pub deadline: Option<Duration>,
}

impl Server {
    /// Reads the schema, if one is named, and prepares the connection.
    pub fn new(address: &str, matches: &ArgMatches) -> Result<Self, Failure> {
        let pool = schema::load(matches)?.map(|schema| schema.pool);
        let (metadata, deadline) = (metadata(matches)?, seconds(matches, "max-time")?);
        Ok(Self { channel: channel(address, matches)?, pool, metadata, deadline })
    }

    /// A pool with these symbols: the one that was named, or from the server.
    pub async fn pool(&self, symbols: &[&str]) -> Result<DescriptorPool, Failure> {
        match &self.pool {
            Some(pool) => Ok(pool.clone()),
            None => self.reflection().pool(symbols).await.map_err(|status| failure(&status)),
        }
    }

    /// The full names of the services.
    pub async fn services(&self) -> Result<Vec<String>, Failure> {
        match &self.pool {
            Some(pool) => Ok(pool.services().map(|service| service.full_name().to_owned()).collect()),
            None => self.reflection().services().await.map_err(|status| failure(&status)),
        }
    }

    fn reflection(&self) -> ReflectionClient<Channel> {
        ReflectionClient::new(self.channel.clone())
    }
}

/// A time that is an argument.
fn seconds(matches: &ArgMatches, name: &str) -> Result<Option<Duration>, Failure> {
    match matches.get_one::<f64>(name) {
        Some(seconds) => Duration::try_from_secs_f64(*seconds)
            .map(Some)
            .map_err(|error| Failure::Usage(format!("--{name}: {error}"))),
        None => Ok(None),
    }
}

/// A connection that is made when it is needed.
fn channel(address: &str, matches: &ArgMatches) -> Result<Channel, Failure> {
    let plaintext = matches.get_flag("plaintext");
    let scheme = if plaintext { "http" } else { "https" };
    let wrong = |error: tonic::transport::Error| Failure::Usage(format!("{address}: {}", cause(&error)));
    let mut endpoint = Endpoint::from_shared(format!("{scheme}://{address}")).map_err(wrong)?;
    if let Some(timeout) = seconds(matches, "connect-timeout")? {
        endpoint = endpoint.connect_timeout(timeout);
    }
    let authority = matches.get_one::<String>("authority");
    if let Some(name) = authority {
        let origin = format!("{scheme}://{name}").parse();
        endpoint = endpoint.origin(origin.map_err(|error| Failure::Usage(format!("--authority: {error}")))?);
    }
    if !plaintext {
        endpoint = endpoint.tls_config(tls(matches, authority)?).map_err(wrong)?;
    }
    Ok(endpoint.connect_lazy())
}

/// The schema of a server, by reflection, with all its services.
pub async fn reflected(address: &str, matches: &ArgMatches) -> Result<DescriptorPool, Failure> {
    let mut client = ReflectionClient::new(channel(address, matches)?);
    let services = client.services().await.map_err(|status| failure(&status))?;
    let names: Vec<&str> = services.iter().map(String::as_str).collect();
    client.pool(&names).await.map_err(|status| failure(&status))
}

/// The innermost cause, which says what is wrong.
fn cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), cause)
}

fn tls(matches: &ArgMatches, authority: Option<&String>) -> Result<ClientTlsConfig, Failure> {
    let read = |name: &str| {
        let file = matches.get_one::<PathBuf>(name);
        let read = |file: &PathBuf| {
            std::fs::read(file).map_err(|error| Failure::file(&file.display().to_string(), &error))
        };
        file.map(read).transpose()
    };
    let mut tls = match read("cacert")? {
        Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
        None => ClientTlsConfig::new().with_native_roots(),
    };
    if let (Some(cert), Some(key)) = (read("cert")?, read("key")?) {
        tls = tls.identity(Identity::from_pem(cert, key));
    }
    if let Some(name) = authority {
        let host = name.rsplit_once(':').map_or(name.as_str(), |(host, _)| host);
        tls = tls.domain_name(host);
    }
    Ok(tls)
}

fn metadata(matches: &ArgMatches) -> Result<tonic::metadata::MetadataMap, Failure> {
    let mut map = http::HeaderMap::new();
    for header in matches.get_many::<String>("header").into_iter().flatten() {
        let wrong = |what: &str| Failure::Usage(format!("--header {header:?}: {what}"));
        let (name, value) = header.split_once(':').ok_or_else(|| wrong("has no colon"))?;
        let name: http::HeaderName = name.trim().parse().map_err(|_| wrong("is no name of a header"))?;
        let value = value.trim().parse().map_err(|_| wrong("is no value of a header"))?;
        map.append(name, value);
    }
    Ok(tonic::metadata::MetadataMap::from_headers(map))
}
