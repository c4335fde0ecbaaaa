//! `Debug` of messages: on one line, or indented with `{:#?}`. Does not recurse.

use super::{DynamicMessage, MessageView, ValueRef};
use crate::slab::{Walk, WalkStep};
use core::fmt::{self, Write};

impl fmt::Debug for DynamicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_view().fmt(f)
    }
}

/// `pkg.Log { line: "hi", attributes { key: "a" }, #9: 3 bytes }`: fields by name, sub-messages in braces, unknown
/// fields by number, raw messages by length.
impl fmt::Debug for MessageView<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {{", self.descriptor().full_name())?;
        Printer { pretty: f.alternate(), depth: 0, first: true }.message(*self, f)?;
        f.write_char('}')
    }
}

struct Printer {
    pretty: bool,
    depth: usize,
    first: bool,
}

impl Printer {
    fn message(&mut self, root: MessageView<'_, '_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut walk = Walk::new(root.raw(), ());
        let mut here = root;
        loop {
            match walk.next(()) {
                WalkStep::Field(position, _, slot) => {
                    let (name, value) = here.field_value(position, slot);
                    self.separate(f)?;
                    write!(f, "{name}: ")?;
                    compact(value, f)?;
                }
                WalkStep::Enter(position) => {
                    self.separate(f)?;
                    write!(f, "{} {{", here.field_name(position))?;
                    self.depth += 1;
                    self.first = true;
                    here = here.with_raw(walk.view());
                    if here.raw().is_raw() {
                        let len: usize = here.raw().spans().map(|span| span.len as usize).sum();
                        self.separate(f)?;
                        write!(f, "{len} raw bytes")?;
                    }
                }
                WalkStep::End => {
                    for field in here.unknown_fields() {
                        self.separate(f)?;
                        write!(f, "#{}: {} bytes", field.number(), field.value().len())?;
                    }
                    let empty = self.first;
                    let ended = walk.leave().is_none();
                    self.first = false;
                    if !empty {
                        self.close(f)?;
                    }
                    if ended {
                        return Ok(());
                    }
                    f.write_char('}')?;
                    self.depth -= 1;
                    here = here.with_raw(walk.view());
                }
            }
        }
    }

    fn separate(&mut self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.first {
            f.write_char(',')?;
        }
        self.first = false;
        self.line(f, self.depth + 1)
    }

    fn close(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.line(f, self.depth)
    }

    fn line(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        if !self.pretty {
            return f.write_char(' ');
        }
        f.write_char('\n')?;
        // Deep messages would print mostly spaces.
        for _ in 0..depth.min(64) {
            f.write_str("    ")?;
        }
        Ok(())
    }
}

/// Prints a value on one line, also under `{:#?}`.
fn compact(value: ValueRef<'_, '_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        ValueRef::List(list) => {
            f.write_char('[')?;
            for (i, element) in list.iter().enumerate() {
                if i > 0 {
                    f.write_str(", ")?;
                }
                write!(f, "{element:?}")?;
            }
            f.write_char(']')
        }
        value => write!(f, "{value:?}"),
    }
}
