//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

pub const USAGE: &str = "\
usage: flows [OPTIONS] [CAPTURE]...

Decodes the sFlow, NetFlow and IPFIX datagrams in captures (pcap or pcapng) and writes each flow as a protobuf record
to a length-delimited stream, with a .proto file to match. Then reads the stream back and prints the first flows.
Without CAPTURE, decodes traffic that it makes up. Several captures are one after the other; templates in one are
known in the others.

  --out DIR        where flows.binpb and flows.proto go; default target/flows
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
    pub flows: usize,
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
            flows: 100_000,
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
                Some("--flows") => arguments.flows = count("--flows", &value("--flows")?)?,
                Some(option) if option.starts_with('-') && option != "-" => {
                    return Err(misuse(&format!("there is no option {option}")));
                }
                _ => arguments.captures.push(word.into()),
            }
        }
        Ok(Some(arguments))
    }
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
