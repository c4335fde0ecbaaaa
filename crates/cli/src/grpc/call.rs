//! `tablepb call`: any method of any server.

use super::documents::Documents;
use super::{Server, block_on, connection, failure};
use crate::failure::Failure;
use crate::messages::Printer;
use crate::source::Payload;
use crate::{format, target};
use clap::{Arg, ArgMatches, Command};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Write};
use std::time::Instant;
use tablepb::schema::MethodDescriptor;
use tablepb::{DynamicMessage, json};
use tablepb_tonic::DynamicClient;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Status};

const PAGE: &str = "\
Requests are JSON, one after another if the method takes a stream: from -d TEXT, from a file by -d @FILE,
from standard input by -d @. Without -d it is one empty message. Responses are printed as they come.
The schema is that of --proto or --descriptors, or the server's own, by reflection.

Exit codes: 64 and the status of the call (69 is NOT_FOUND), whose details are printed; 1 and 2 as
for other commands.

Examples:
  tablepb call --plaintext localhost:50051 helloworld.Greeter/SayHello -d '{\"name\": \"Ada\"}'
  tablepb call api.example.com:443 pkg.Service/Watch -H 'authorization: Bearer ..' --to ndjson --max-time 5
  tablepb call --plaintext --proto shop.proto localhost:50051 shop.Orders/Put -d @ < orders.ndjson";

pub fn command() -> Command {
    connection::arguments(Command::new("call"))
        .about("Calls a method of a gRPC server")
        .after_help(PAGE)
        .arg(connection::address_argument().required(true))
        .arg(
            Arg::new("method")
                .value_name("pkg.Service/Method")
                .help("The method, by its full name")
                .required(true),
        )
        .arg(
            Arg::new("data")
                .short('d')
                .long("data")
                .value_name("JSON")
                .help("The requests; @FILE for a file, @ for standard input"),
        )
        .arg(format::argument("to", "json", "The format of the responses"))
        .arg(target::argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let text = |name: &str| matches.get_one::<String>(name).map_or("", String::as_str);
    let (address, name) = (text("address"), text("method"));
    let data = matches.get_one::<String>("data").cloned();
    let mut target = target::from_arguments(matches)?;
    let mut printer = Printer::new(format::value(matches, "to"));
    let result = block_on(async {
        let server = Server::new(address, matches)?;
        let service =
            name.trim_start_matches('/').rsplit_once(['/', '.']).map_or(name, |(service, _)| service);
        let pool = server.pool(&[service]).await?;
        let client = DynamicClient::new(server.channel.clone(), pool).max_decoding_message_size(usize::MAX);
        let method = client.method(name).map_err(|status| Failure::Usage(status.message().to_owned()))?;
        let work = call(&server, client, &method, data, |message| {
            let wire = message.encode_to_vec().map_err(|error| Failure::report(error.to_string()))?;
            let payload = Payload { name, bytes: &wire, offset: 0, number: None };
            printer.print(&payload, message.as_view(), &mut target)?;
            // A stream is read while it goes on.
            Ok(target.flush()?)
        });
        match server.deadline {
            Some(deadline) => tokio::time::timeout(deadline, work)
                .await
                .unwrap_or_else(|_| Err(failure(&Status::deadline_exceeded("--max-time has passed")))),
            None => work.await,
        }
    });
    target.finish(result)
}

/// Sends the documents, and takes the responses. A document that is no message ends the call.
async fn call(
    server: &Server,
    mut client: DynamicClient<tonic::transport::Channel>,
    method: &MethodDescriptor,
    data: Option<String>,
    mut show: impl FnMut(DynamicMessage) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (sender, receiver) = mpsc::channel(16);
    let (told, mut wrong) = oneshot::channel();
    let (input, streams) = (method.input(), method.is_client_streaming());
    // Standard input may block, which the calls must not.
    std::thread::spawn(move || {
        let sender = &sender;
        let mut first = true;
        let result = read(data.as_deref(), |document, place| {
            if !std::mem::replace(&mut first, false) && !streams {
                return Err(Failure::Usage("the method takes one message, and 2 were given".into()));
            }
            let fault = |error| Failure::report(format!("{place}: {error}"));
            let message = json::message_from_slice(&input, document).map_err(fault)?;
            Ok(sender.blocking_send(message).is_ok())
        });
        match result {
            Ok(0) if !streams => {
                let _ = sender.blocking_send(DynamicMessage::new(&input));
            }
            Ok(_) => {}
            Err(failure) => {
                let _ = told.send(failure);
                // With the sender alive the requests do not end as if all were well: it is the call that ends.
                std::thread::park();
            }
        }
    });
    let mut request = Request::new(());
    *request.metadata_mut() = server.metadata.clone();
    if let Some(deadline) = server.deadline {
        request.set_timeout(deadline);
    }
    let receiver = ReceiverStream::new(receiver);
    let name = method.full_name();
    let start = Instant::now();
    // tonic's channel, which minds the deadline too, says that it cancelled the call.
    let failed = |status: Status| match server.deadline {
        Some(deadline) if status.code() == Code::Cancelled && start.elapsed() >= deadline => {
            failure(&Status::deadline_exceeded("--max-time has passed"))
        }
        _ => failure(&status),
    };
    let work = async {
        // That there is one request only is known after the next one was looked for.
        let responses = if streams {
            client.streaming(name, request.map(|()| receiver)).await
        } else {
            let all: Vec<DynamicMessage> = receiver.collect().await;
            client.streaming(name, request.map(|()| tokio_stream::iter(all))).await
        };
        let mut responses = responses.map_err(failed)?.into_inner();
        while let Some(message) = responses.next().await {
            show(message.map_err(failed)?)?;
        }
        Ok(())
    };
    tokio::select! {
        biased;
        Ok(failure) = &mut wrong => Err(failure),
        result = work => result,
    }
}

/// Hands out all documents, until one is not wanted any more, and counts them.
fn read(
    data: Option<&str>,
    mut each: impl FnMut(&[u8], &str) -> Result<bool, Failure>,
) -> Result<u64, Failure> {
    let (reader, name): (Box<dyn BufRead>, String) = match data {
        None => return Ok(0),
        Some("@") => (Box::new(std::io::stdin().lock()), "standard input".into()),
        Some(text) => match text.strip_prefix('@') {
            Some(file) => {
                let opened = File::open(file).map_err(|error| Failure::file(file, &error))?;
                (Box::new(BufReader::new(opened)), file.into())
            }
            None => (Box::new(Cursor::new(text.as_bytes().to_vec())), "--data".into()),
        },
    };
    let mut documents = Documents::new(reader, name);
    let mut count = 0;
    while let Some(document) = documents.next()? {
        count += 1;
        if !each(&document, &documents.place())? {
            break;
        }
    }
    Ok(count)
}
