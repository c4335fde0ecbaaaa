//! Declarations and option values, as ranges of tokens.

use super::scan::Scan;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

/// Deeper sources are refused: the parser and the printer recurse.
const MOST_LEVELS: u32 = 100;

type Fault = (&'static str, u32);

/// A statement: its first tokens, and what follows them.
#[derive(Debug)]
pub(super) struct Declaration {
    /// Up to a value, options in brackets, a body or the semicolon.
    pub(super) head: Range<usize>,
    /// After the `=` of an `option`.
    pub(super) value: Option<Value>,
    pub(super) options: Option<Options>,
    pub(super) body: Option<Body>,
    /// The semicolon, or the closing brace.
    pub(super) end: usize,
}

/// `[name = value, ..]`.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) open: usize,
    pub(super) list: Vec<CompactOption>,
    pub(super) close: usize,
}

#[derive(Debug)]
pub(super) struct CompactOption {
    pub(super) name: Range<usize>,
    pub(super) value: Value,
    pub(super) comma: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Body {
    pub(super) open: usize,
    pub(super) declarations: Vec<Declaration>,
}

#[derive(Debug)]
pub(super) enum Value {
    /// A number with its sign, an identifier or one string.
    Plain(Range<usize>),
    /// Several strings.
    Strings(Range<usize>),
    Message {
        open: usize,
        fields: Vec<MessageField>,
        close: usize,
    },
    List {
        open: usize,
        elements: Vec<(Value, Option<usize>)>,
        close: usize,
    },
}

#[derive(Debug)]
pub(super) struct MessageField {
    pub(super) name: Range<usize>,
    pub(super) value: Box<Value>,
    pub(super) separator: Option<usize>,
}

/// All declarations of a source.
pub(super) fn file(scan: &Scan<'_>) -> Result<Vec<Declaration>, Fault> {
    let mut reader = TreeReader { scan, at: 0, levels: MOST_LEVELS };
    let all = reader.declarations()?;
    if reader.is_end() { Ok(all) } else { Err(reader.fault("a closing brace without an opening one")) }
}

struct TreeReader<'s> {
    scan: &'s Scan<'s>,
    at: usize,
    levels: u32,
}

impl TreeReader<'_> {
    fn is_end(&self) -> bool {
        self.at + 1 >= self.scan.pieces.len()
    }

    fn peek(&self) -> &str {
        if self.is_end() { "" } else { self.scan.text(self.at) }
    }

    #[cold]
    fn fault(&self, text: &'static str) -> Fault {
        let piece = self.scan.pieces.get(self.at).or(self.scan.pieces.last());
        (text, piece.map_or(0, |piece| piece.span.start as u32))
    }

    fn deeper(&mut self) -> Result<(), Fault> {
        self.levels = self.levels.checked_sub(1).ok_or_else(|| self.fault("this is nested too deep"))?;
        Ok(())
    }

    /// Up to a closing brace or the end.
    fn declarations(&mut self) -> Result<Vec<Declaration>, Fault> {
        let mut all = Vec::new();
        while !self.is_end() && self.peek() != "}" {
            all.push(self.declaration()?);
        }
        Ok(all)
    }

    fn declaration(&mut self) -> Result<Declaration, Fault> {
        let start = self.at;
        let is_option = self.peek() == "option" && self.scan.text(start + 1) != "=";
        let (mut value, mut options, mut body) = (None, None, None);
        let mut head = start..start;
        loop {
            match self.peek() {
                _ if self.is_end() => return Err(self.fault("a statement without its end")),
                ";" => break,
                "=" if is_option && value.is_none() => {
                    self.at += 1;
                    head.end = self.at;
                    value = Some(self.value()?);
                }
                "[" if options.is_none() => options = Some(self.options()?),
                "{" if body.is_none() => {
                    body = Some(self.body()?);
                    break;
                }
                "}" | "]" => return Err(self.fault("a statement without its end")),
                _ if value.is_some() || options.is_some() => return Err(self.fault("`;` expected")),
                _ => {
                    self.at += 1;
                    head.end = self.at;
                }
            }
        }
        let end = self.at;
        self.at += 1;
        Ok(Declaration { head, value, options, body, end })
    }

    /// At its closing brace after that.
    fn body(&mut self) -> Result<Body, Fault> {
        let open = self.at;
        self.at += 1;
        self.deeper()?;
        let declarations = self.declarations()?;
        self.levels += 1;
        if self.is_end() { Err(self.fault("a brace is not closed")) } else { Ok(Body { open, declarations }) }
    }

    fn options(&mut self) -> Result<Options, Fault> {
        let open = self.at;
        self.at += 1;
        let mut list = Vec::new();
        while self.peek() != "]" {
            let start = self.at;
            while !matches!(self.peek(), "=" | "" | "]" | ";" | "}") {
                self.at += 1;
            }
            let name = start..self.at;
            if self.peek() != "=" {
                return Err(self.fault("an option without a value"));
            }
            self.at += 1;
            let value = self.value()?;
            let comma = self.separator(&[","]);
            list.push(CompactOption { name, value, comma });
            if comma.is_none() && self.peek() != "]" {
                return Err(self.fault("`]` expected"));
            }
        }
        self.at += 1;
        Ok(Options { open, list, close: self.at - 1 })
    }

    fn separator(&mut self, separators: &[&str]) -> Option<usize> {
        let found = separators.contains(&self.peek()).then_some(self.at);
        self.at += usize::from(found.is_some());
        found
    }

    fn value(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        match self.peek() {
            "{" | "<" => self.message(),
            "[" => self.list(),
            text if text.starts_with(['"', '\'']) => {
                while self.peek().starts_with(['"', '\'']) {
                    self.at += 1;
                }
                Ok(if self.at - start == 1 {
                    Value::Plain(start..self.at)
                } else {
                    Value::Strings(start..self.at)
                })
            }
            _ => {
                self.at += usize::from(matches!(self.peek(), "-" | "+"));
                if matches!(self.peek(), "" | ";" | "," | "}" | "]" | ">" | "=" | ":") {
                    return Err(self.fault("a value expected"));
                }
                self.at += 1;
                while self.peek() == "." {
                    self.at += 2;
                }
                Ok(Value::Plain(start..self.at))
            }
        }
    }

    fn message(&mut self) -> Result<Value, Fault> {
        let (open, closing) = (self.at, if self.peek() == "{" { "}" } else { ">" });
        self.at += 1;
        self.deeper()?;
        let mut fields = Vec::new();
        while self.peek() != closing {
            let start = self.at;
            if self.peek() == "[" {
                // An extension, or the type of an `Any`.
                while !matches!(self.peek(), "]" | "") {
                    self.at += 1;
                }
            }
            if self.is_end() {
                return Err(self.fault("a brace is not closed"));
            }
            self.at += 1;
            let name = start..self.at;
            let colon = self.separator(&[":"]);
            if colon.is_none() && !matches!(self.peek(), "{" | "<" | "[") {
                return Err(self.fault("`:` expected"));
            }
            let value = Box::new(self.value()?);
            let separator = self.separator(&[",", ";"]);
            fields.push(MessageField { name, value, separator });
        }
        self.levels += 1;
        self.at += 1;
        Ok(Value::Message { open, fields, close: self.at - 1 })
    }

    fn list(&mut self) -> Result<Value, Fault> {
        let open = self.at;
        self.at += 1;
        self.deeper()?;
        let mut elements = Vec::new();
        while self.peek() != "]" {
            let value = self.value()?;
            let comma = self.separator(&[","]);
            if comma.is_none() && self.peek() != "]" {
                return Err(self.fault("`]` expected"));
            }
            elements.push((value, comma));
        }
        self.levels += 1;
        self.at += 1;
        Ok(Value::List { open, elements, close: self.at - 1 })
    }
}
