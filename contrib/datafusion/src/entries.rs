//! Options as messages: names and values.

use crate::options::ProtobufOptions;
use datafusion::error::Result;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) value: String,
}

tablepb::message! {
    Entry as "tablepb.datafusion.Entry" {
        name: string = 1,
        value: string = 2,
    }
}

/// The options that differ from their defaults.
pub(crate) fn of(options: &ProtobufOptions) -> Vec<Entry> {
    options.entries().into_iter().map(|(name, value)| Entry { name: name.to_owned(), value }).collect()
}

/// The options that [`of`] made entries of.
pub(crate) fn options(entries: &[Entry]) -> Result<ProtobufOptions> {
    let mut options = ProtobufOptions::new();
    entries.iter().try_for_each(|Entry { name, value }| options.set(name, value))?;
    Ok(options)
}
