//! `Display` and `Debug` of messages.

use super::options::Printer;
use super::print::message as print;
use crate::message::{DynamicMessage, MessageView};
use alloc::vec::Vec;
use core::fmt;

fn write(
    view: MessageView<'_, '_>,
    f: &mut fmt::Formatter<'_>,
    printer: &Printer,
    named: bool,
) -> fmt::Result {
    let mut buffer = Vec::new();
    print(view, &printer.pretty(f.alternate()), named, &mut buffer).map_err(|_| fmt::Error)?;
    f.write_str(core::str::from_utf8(&buffer).unwrap_or_default())
}

/// [Text format](crate::text) on one line, or indented with `{:#}`.
impl fmt::Display for MessageView<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(*self, f, &Printer::new(), false)
    }
}

/// The type and, in braces, the fields in text format, unknown fields by number: `pkg.Log{line:"hi",9:7}`.
impl fmt::Debug for MessageView<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(*self, f, &Printer::new().skip_unknown_fields(false), true)
    }
}

impl fmt::Display for DynamicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.as_view(), f)
    }
}

impl fmt::Debug for DynamicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_view(), f)
    }
}
