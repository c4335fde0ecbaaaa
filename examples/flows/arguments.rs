//! The command line.

use crate::collect::tunnels::Tunnels;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

pub const USAGE: &str = "\
usage: flows [OPTIONS] [CAPTURE]...

Decodes the sFlow, NetFlow and IPFIX datagrams in captures (pcap or pcapng, also with gzip) and writes each flow as a
protobuf record to a length-delimited stream, with a .proto file to match. Then reads the stream back and prints the
first flows. Without CAPTURE, decodes traffic that it makes up. Several captures are one after the other; templates in
one are known in the others. The files of an earlier run are replaced when all is written. If a capture is cut off or
cannot be read, the flows of the others are kept, and the exit code is 1.

  --out DIR        where flows.binpb and flows.proto go; default target/flows. With -, the stream goes to the standard
                   output, as into a column store, and everything else to the standard error
  --schema         print the .proto and stop
  --hashed-name    name the message after its definition, as in Flow_63f6c55b97a0dcba
  --listen ADDRESS receive datagrams at this address and UDP port, as 127.0.0.1:2055, and count them each second
  --seconds N      stop to listen after so many seconds; without it, which needs --out -, listen until the program is
                   ended
  --open TUNNELS   take flows out of the packets inside of these tunnels: --open vxlan,gre,ipip
  --disable NAMES  leave out these columns or groups of columns: --disable L2,NAT,TTL
  --only NAMES     leave out all columns but these
  --columns        list the columns and groups, and which are left out
  --rows N         how many flows to print; default 10
  --wide           print all columns that have values, not only those that most flows have
  --flows N        how many flows to make up without CAPTURE; default 100000
  --help           this text
";

/// What to do.
#[derive(Debug)]
pub struct Arguments {
    pub captures: Vec<PathBuf>,
    pub out: PathBuf,
    pub disabled: Vec<String>,
    pub only: Option<Vec<String>>,
    pub list_columns: bool,
    pub rows: usize,
    pub wide: bool,
    /// How many to make up, if that was asked for.
    pub flows: Option<usize>,
    pub schema: bool,
    pub hashed_name: bool,
    pub listen: Option<SocketAddr>,
    pub seconds: Option<u64>,
    pub open: Tunnels,
}

impl Arguments {
    /// `None` if there is nothing to do but to print the usage.
    pub fn parse(words: impl Iterator<Item = OsString>) -> Result<Option<Self>, String> {
        let mut arguments = Self {
            captures: Vec::new(),
            out: PathBuf::from("target/flows"),
            disabled: Vec::new(),
            only: None,
            list_columns: false,
            rows: 10,
            wide: false,
            flows: None,
            schema: false,
            hashed_name: false,
            listen: None,
            seconds: None,
            open: Tunnels::default(),
        };
        let mut words = words;
        let mut no_options = false;
        while let Some(word) = words.next() {
            let mut value = |name: &str| words.next().ok_or_else(|| misuse(&format!("{name} needs a value")));
            match word.to_str() {
                _ if no_options => arguments.captures.push(word.into()),
                Some("--") => no_options = true,
                Some("--help" | "-h") => return Ok(None),
                Some("--out") => arguments.out = value("--out")?.into(),
                Some("--disable") => arguments.disabled.extend(names(value("--disable")?)?),
                Some("--only") => arguments.only.get_or_insert_default().extend(names(value("--only")?)?),
                Some("--columns") => arguments.list_columns = true,
                Some("--rows") => arguments.rows = count("--rows", &value("--rows")?)?,
                Some("--wide") => arguments.wide = true,
                Some("--schema") => arguments.schema = true,
                Some("--hashed-name") => arguments.hashed_name = true,
                Some("--listen") => arguments.listen = Some(address(&value("--listen")?)?),
                Some("--seconds") => {
                    arguments.seconds = Some(count("--seconds", &value("--seconds")?)? as u64);
                }
                Some("--open") => open(&mut arguments.open, value("--open")?)?,
                Some("--flows") => arguments.flows = Some(count("--flows", &value("--flows")?)?),
                Some(option) if option.starts_with('-') && option != "-" => {
                    return Err(misuse(&format!("there is no option {option}")));
                }
                _ => arguments.captures.push(word.into()),
            }
        }
        arguments.check()?;
        Ok(Some(arguments))
    }
}

impl Arguments {
    /// Refuses what would do something else than it says.
    fn check(&self) -> Result<(), String> {
        if self.out.as_os_str().is_empty() {
            return Err(misuse("--out needs the name of a directory"));
        }
        if self.listen.is_some() && !self.captures.is_empty() {
            return Err(misuse("--listen takes no captures"));
        }
        if self.listen.is_some() && self.seconds.is_none() && !self.to_stdout() {
            return Err(misuse(
                "--listen needs --seconds or --out -: the files in a directory get their names when listening stops",
            ));
        }
        if self.flows.is_some() && (self.listen.is_some() || !self.captures.is_empty()) {
            return Err(misuse("--flows is for traffic that is made up, without captures and --listen"));
        }
        if self.only.as_ref().is_some_and(Vec::is_empty) {
            return Err(misuse("--only needs the name of a column or group; --columns lists what there is"));
        }
        if self.listen.is_none() && self.seconds.is_some() {
            return Err(misuse("--seconds is for --listen"));
        }
        Ok(())
    }

    /// Whether the stream goes to the standard output.
    pub fn to_stdout(&self) -> bool {
        self.out.as_os_str() == "-"
    }
}

fn address(word: &OsString) -> Result<SocketAddr, String> {
    let address = word.to_str().and_then(|word| word.parse().ok());
    address.ok_or_else(|| misuse(&format!("--listen needs an address and a port, not {}", word.display())))
}

fn open(tunnels: &mut Tunnels, list: OsString) -> Result<(), String> {
    for name in names(list)? {
        if !tunnels.open(&name) {
            return Err(misuse(&format!("there is no tunnel {name}; there are vxlan, gre and ipip")));
        }
    }
    Ok(())
}

fn names(list: OsString) -> Result<Vec<String>, String> {
    let list = list.into_string().map_err(|_| misuse("a column is not UTF-8"))?;
    Ok(list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(String::from).collect())
}

fn count(option: &str, word: &OsString) -> Result<usize, String> {
    let number = word.to_str().and_then(|word| word.parse().ok());
    number.ok_or_else(|| misuse(&format!("{option} needs a number, not {}", word.display())))
}

fn misuse(what: &str) -> String {
    format!("{what}\n\n{USAGE}")
}
