//! Nodes to bytes.

use super::{Done, Halt, Node, NodeValue, Options};
use crate::compile::check::warnings::Deprecated;
use crate::compile::error::SourceErrorKind;
use crate::compile::parse::ast::{Chain, Encodings, Field, MessageKind, NONE, Presence};
use crate::compile::parse::codes::{label, type_code};
use crate::compile::wire::Out;
use crate::memory::Room;
use tablepb::schema::Edition;

impl<'a> Options<'a> {
    /// Writes the fields of a message in the order of their numbers.
    pub(super) fn message(
        &mut self,
        chain: Chain,
        message: u32,
        out: &mut Out,
        room: &mut Room,
        depth: usize,
    ) -> Done {
        self.settle_oneofs(chain, room)?;
        let base = self.sorted(chain, |field| Some(field.number as u32), room)?;
        let mut at = base;
        while let Some(&index) = self.order.get(at) {
            let field = self.nodes.get(index).map_or(NONE, |node| node.field);
            let rest = self.order.get(at..).unwrap_or_default();
            let same = |&&index: &&u32| self.nodes.get(index).is_some_and(|node| node.field == field);
            let count = rest.iter().take_while(same).count().max(1);
            self.field(field, at, count, out, room, depth)?;
            at += count;
        }
        let checked = self.check_required(base, message, (0, 0));
        self.order.truncate(base);
        checked
    }

    /// Puts the nodes of a chain that have a key into `order`, by it and in the order of the source; where they begin there.
    pub(super) fn sorted(
        &mut self,
        chain: Chain,
        key: impl Fn(&Field) -> Option<u32>,
        room: &mut Room,
    ) -> Done<usize> {
        let (nodes, ast, base) = (&self.nodes, self.ast, self.order.len());
        let key = |node: &Node| ast.fields.get(node.field).and_then(&key);
        for (index, node) in nodes.of(chain) {
            if key(node).is_some() {
                room.push(&mut self.order, index)?;
            }
        }
        if let Some(order) = self.order.get_mut(base..) {
            order.sort_unstable_by_key(|&index| (nodes.get(index).and_then(key), index));
        }
        Ok(base)
    }

    /// Of the members of a oneof that several options set, the last one stays, with what was set of it since it is the one.
    fn settle_oneofs(&mut self, chain: Chain, room: &mut Room) -> Done {
        let base = self.sorted(chain, |field| (field.oneof != NONE).then_some(field.oneof), room)?;
        let mut last = (NONE, NONE, false);
        while self.order.len() > base {
            let Some(node) = self.order.pop().and_then(|index| self.nodes.get_mut(index)) else { continue };
            let oneof = self.ast.fields.get(node.field).map_or(NONE, |field| field.oneof);
            let lost = last.0 == oneof && (last.2 || last.1 != node.field);
            node.lost |= lost;
            last = (oneof, node.field, lost);
        }
        Ok(())
    }

    /// Writes the nodes of one field.
    fn field(
        &mut self,
        index: u32,
        at: usize,
        count: usize,
        out: &mut Out,
        room: &mut Room,
        depth: usize,
    ) -> Done {
        let ast = self.ast;
        let Some(field) = ast.fields.get(index) else { return Ok(()) };
        let before = out.bytes.len();
        self.values(field, at, count, out, room, depth)?;
        if self.in_any || out.bytes.len() == before {
            return Ok(());
        }
        self.check_field(field, at, room)?;
        if depth == 0 && self.target == super::Target::ExtensionRange && field.extendee.is_empty() {
            let encoded = out.bytes.get(before..).unwrap_or_default();
            self.declarations.note(field.number, encoded, room)?;
        }
        if field.source_retention && !self.retain {
            // It is checked like any other, and then left out.
            out.bytes.truncate(before);
        }
        Ok(())
    }

    fn values(
        &mut self,
        field: &Field,
        at: usize,
        count: usize,
        out: &mut Out,
        room: &mut Room,
        depth: usize,
    ) -> Done {
        let repeated = i32::from(field.label) == label::REPEATED;
        let code = i32::from(field.type_code);
        if repeated && type_code::is_packable(code) && self.encodings(field).packed == Some(true) {
            let start = out.begin(room, field.number)?;
            for i in at..at + count {
                if let Some(NodeValue::Number(number)) = self.value(i) {
                    number_value(code, number, out, room)?;
                }
            }
            return Ok(out.end(room, start)?);
        }
        if repeated {
            for i in at..at + count {
                if let Some(value) = self.value(i) {
                    self.single(field, value, out, room, depth)?;
                }
            }
            return Ok(());
        }
        // One value, or one message that several options set; what sets all of it cannot come after anything else.
        let (mut set, mut all) = (false, None);
        for i in at..at + count {
            let Some(node) = self.order.get(i).and_then(|&index| self.nodes.get(index)) else { continue };
            let value = node.value;
            if node.whole && set {
                return Err(self.again(field, i));
            }
            if node.silent {
                continue;
            }
            set = true;
            if !node.lost {
                all = Some(match (all, value) {
                    (Some(NodeValue::Message(before)), NodeValue::Message(chain)) => {
                        NodeValue::Message(self.nodes.join(before, chain))
                    }
                    _ => value,
                });
            }
        }
        match all {
            // The entry of a map has both of its fields.
            Some(value) if !value.is_zero() || self.in_entry(field) || !self.is_implicit(field) => {
                self.single(field, value, out, room, depth)
            }
            _ => Ok(()),
        }
    }

    #[cold]
    fn again(&mut self, field: &Field, at: usize) -> Halt {
        let node = self.order.get(at).and_then(|&index| self.nodes.get(index));
        let (start, end) = node.map_or((0, 0), |node| (node.start, node.end));
        let name = self.texts.get(field.name);
        let detail = format_args!("{name} is set already");
        self.fail(SourceErrorKind::InvalidOption, start, end, &detail)
    }

    fn value(&self, at: usize) -> Option<NodeValue> {
        Some(self.nodes.get(*self.order.get(at)?)?.value)
    }

    /// Writes one value with its tag.
    fn single(
        &mut self,
        field: &Field,
        value: NodeValue,
        out: &mut Out,
        room: &mut Room,
        depth: usize,
    ) -> Done {
        let (number, code) = (field.number, i32::from(field.type_code));
        match value {
            NodeValue::Number(value) => {
                out.tag(room, number, wire_type(code))?;
                number_value(code, value, out, room)?;
            }
            NodeValue::Bytes(start, end) => {
                out.string(room, number, self.bytes.get(start..end).unwrap_or_default())?;
            }
            NodeValue::Message(chain) if code == type_code::GROUP || self.is_delimited(field) => {
                out.tag(room, number, 3)?;
                self.message(chain, field.target, out, room, depth + 1)?;
                out.tag(room, number, 4)?;
            }
            NodeValue::Message(chain) if self.in_message_set(field) => {
                // An item of a MessageSet: a group of field 1 with the number and the message.
                out.tag(room, 1, 3)?;
                out.int(room, 2, number)?;
                let start = out.begin(room, 3)?;
                self.message(chain, field.target, out, room, depth + 1)?;
                out.end(room, start)?;
                out.tag(room, 1, 4)?;
            }
            NodeValue::Message(chain) => {
                let start = out.begin(room, number)?;
                self.message(chain, field.target, out, room, depth + 1)?;
                out.end(room, start)?;
            }
        }
        Ok(())
    }

    fn in_message_set(&self, field: &Field) -> bool {
        self.ast.messages.get(field.message).is_some_and(|message| message.message_set)
    }

    fn in_entry(&self, field: &Field) -> bool {
        self.ast.messages.get(field.message).is_some_and(|of| of.kind == MessageKind::MapEntry)
    }

    /// How the field is encoded, by its options and features and those around it.
    fn encodings(&self, field: &Field) -> Encodings {
        let mut encodings = field.encodings;
        let mut message = field.declared_in;
        while let Some(around) = self.ast.messages.get(message) {
            encodings = encodings.or(around.encodings);
            message = around.parent;
        }
        let Some(file) = self.ast.files.get(field.file as usize) else { return encodings };
        let packed = file.edition != Edition::Proto2;
        let encodings = encodings.or(file.encodings);
        Encodings { packed: encodings.packed.or(Some(packed)), ..encodings }
    }

    /// Whether zero is the same as nothing.
    pub(super) fn is_implicit(&self, field: &Field) -> bool {
        let has_presence = i32::from(field.label) != label::OPTIONAL
            || matches!(i32::from(field.type_code), type_code::MESSAGE | type_code::GROUP)
            || field.oneof != NONE
            || field.proto3_optional
            || !field.extendee.is_empty();
        if has_presence {
            return false;
        }
        match self.encodings(field).presence {
            Some(presence) => presence == Presence::Implicit,
            None => {
                self.ast.files.get(field.file as usize).is_some_and(|file| file.edition == Edition::Proto3)
            }
        }
    }

    pub(super) fn is_delimited(&self, field: &Field) -> bool {
        let target = self.ast.messages.get(field.target);
        let is_map = target.is_some_and(|of| of.kind == MessageKind::MapEntry);
        !is_map && !self.in_entry(field) && self.encodings(field).delimited == Some(true)
    }

    /// Whether the option can be set in this file, for this definition.
    fn check_field(&mut self, field: &Field, at: usize, room: &mut Room) -> Done {
        let node = self.order.get(at).and_then(|&index| self.nodes.get(index));
        let (start, end) = node.map_or((0, 0), |node| (node.start, node.end));
        if field.targets != 0 && field.targets & (1 << self.target as u16) == 0 {
            let (name, of) = (self.texts.get(field.name), self.target.names().1);
            let detail = format_args!("{name} cannot be set for a definition of this sort: {of}");
            return Err(self.fail(SourceErrorKind::InvalidOption, start, end, &detail));
        }
        let is_ctype = || self.texts.get(field.name) == "ctype" && field.extendee.is_empty();
        if self.target == super::Target::Field
            && self.edition >= Edition::Edition2024
            && is_ctype()
            && field.message == self.options_message(self.target)
        {
            let detail = "ctype, for which edition 2024 has the feature string_type";
            return Err(self.fail(SourceErrorKind::NotInEdition, start, end, &detail));
        }
        self.check_support(field.support, start, end, room)
    }

    /// Whether the edition of the file has an option or a value, by its `feature_support`.
    pub(super) fn check_support(&mut self, support: u32, start: u32, end: u32, room: &mut Room) -> Done {
        if self.in_any {
            return Ok(());
        }
        let place = support;
        let support = self.fields.support((self.ast, self.texts), support, room)?;
        let edition = self.edition.number();
        let refused = if support.introduced.is_some_and(|number| edition < number) {
            Some("does not have yet")
        } else if support.removed.is_some_and(|number| edition >= number) {
            Some("no longer has")
        } else {
            None
        };
        match refused {
            Some(how) => {
                let detail = format_args!("this is what the edition of this file {how}");
                Err(self.fail(SourceErrorKind::NotInEdition, start, end, &detail))
            }
            None => {
                if support.deprecated.is_some_and(|number| edition >= number) {
                    room.push(&mut self.deprecated, Deprecated { start, end, support: place })?;
                }
                Ok(())
            }
        }
    }

    /// Whether the required fields of a message are set, whose nodes are in `order` by number from `base` on.
    pub(super) fn check_required(&mut self, base: usize, message: u32, place: (u32, u32)) -> Done {
        let ast = self.ast;
        let order = self.order.get(base..).unwrap_or_default();
        let field_of = |&index: &u32| self.nodes.get(index).map_or(NONE, |node| node.field);
        let number_of = |field: u32| ast.fields.get(field).map_or(0, |field| field.number);
        let is_set = |field: u32| {
            let at = order.partition_point(|index| number_of(field_of(index)) < number_of(field));
            order.get(at).map(field_of) == Some(field)
        };
        let missing = self.fields.required(message).iter().find(|&&(_, field)| !is_set(field));
        let Some(field) = missing.and_then(|&(_, field)| ast.fields.get(field)) else { return Ok(()) };
        let first = order.iter().min().and_then(|&index| self.nodes.get(index));
        let (start, end) = first.map_or(place, |node| (node.start, node.end));
        let name = self.texts.get(field.name);
        let detail = format_args!("the required field {name} is not set");
        Err(self.fail(SourceErrorKind::InvalidOption, start, end, &detail))
    }
}

fn wire_type(code: i32) -> u32 {
    match code {
        type_code::DOUBLE | type_code::FIXED64 | type_code::SFIXED64 => 1,
        type_code::FLOAT | type_code::FIXED32 | type_code::SFIXED32 => 5,
        _ => 0,
    }
}

fn number_value(code: i32, number: u64, out: &mut Out, room: &mut Room) -> Done {
    match wire_type(code) {
        1 => room.extend(&mut out.bytes, &number.to_le_bytes())?,
        5 => room.extend(&mut out.bytes, &(number as u32).to_le_bytes())?,
        _ => out.varint(room, number)?,
    }
    Ok(())
}
