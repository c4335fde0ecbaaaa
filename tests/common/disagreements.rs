//! Where prost 0.14 and prost-reflect 0.16, which is made of the same parts, read bytes in another way than this
//! crate: what brings it about, what comes of it, why, and who says so. A difference that no row explains fails the
//! test that finds it, and so does a row that explains nothing.

use super::reference::Event;
use std::collections::{BTreeMap, BTreeSet};

/// What comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// They refuse what is accepted here.
    Refuses,
    /// They accept what is refused here.
    Accepts,
    /// Both accept, and find different fields or values.
    Differs,
}

use Effect::*;

pub struct Disagreement {
    pub event: Event,
    pub effects: &'static [Effect],
    pub reason: &'static str,
    pub source: &'static str,
}

pub const DISAGREEMENTS: &[Disagreement] = &[
    Disagreement {
        event: Event::WrongWireType,
        effects: &[Refuses],
        reason: "a known field of another wire type is an unknown field; they fail",
        source: "C++ TcParser, which hands fields of another wire type to its fallback; Java testUnmatchedWireType",
    },
    Disagreement {
        event: Event::MapWireType,
        effects: &[Refuses, Differs, Accepts],
        reason: "the same for map fields; they read an entry without a look at the wire type",
        source: "C++ TcParser, as for other fields",
    },
    Disagreement {
        event: Event::OverlongTag,
        effects: &[Accepts],
        reason: "a tag has at most five bytes; they take ten if the value is that of a tag",
        source: "conformance suite, required test BadTag_OverlongVarint; C++ ReadTag",
    },
    Disagreement {
        event: Event::OverlongLength,
        effects: &[Accepts],
        reason: "a length has at most five bytes; they take ten if so many bytes follow",
        source: "C++ ReadSizeFallback; https://protobuf.dev/programming-guides/proto-limits/#total",
    },
    Disagreement {
        event: Event::UnlistedEnum,
        effects: &[Differs],
        reason: "a number that a closed enum does not list is an unknown field; they have open enums only",
        source: "https://protobuf.dev/programming-guides/enum/#definitions",
    },
    Disagreement {
        event: Event::UncheckedString,
        effects: &[Refuses],
        reason: "proto2 does not check UTF-8; they have no strings that are not",
        source: "https://protobuf.dev/editions/features/#utf8_validation",
    },
    Disagreement {
        event: Event::UnknownAtLimit,
        effects: &[Refuses],
        reason: "an unknown field that is no group needs no level; they count one for every unknown field",
        source: "C++ ParseContext::depth, which messages and groups count down",
    },
    Disagreement {
        event: Event::NegativeZero,
        effects: &[Differs],
        reason: "-0.0 is not the default of a field without presence; they compare with == and leave it out",
        source: "C++ compares bits; https://protobuf.dev/programming-guides/proto3/#default",
    },
    Disagreement {
        event: Event::MissingRequired,
        effects: &[Differs],
        reason: "a required field that is missing is missing; they have its default",
        source: "https://protobuf.dev/programming-guides/proto2/#field-labels",
    },
];

/// Counts what was explained by what.
#[derive(Debug, Default)]
pub struct Explained(BTreeMap<(Event, Effect), usize>);

impl Explained {
    /// Whether one of the events explains the effect.
    pub fn explain(&mut self, events: &BTreeSet<Event>, effect: Effect) -> bool {
        let rows =
            DISAGREEMENTS.iter().filter(|row| events.contains(&row.event) && row.effects.contains(&effect));
        let mut any = false;
        for row in rows {
            *self.0.entry((row.event, effect)).or_default() += 1;
            any = true;
        }
        any
    }

    /// Prints the counts and fails for rows about these events that explained nothing.
    pub fn finish(&self, events: &[Event]) {
        for row in DISAGREEMENTS.iter().filter(|row| events.contains(&row.event)) {
            for effect in row.effects {
                let count = self.0.get(&(row.event, *effect)).copied().unwrap_or(0);
                println!("{count:6} {:?}, {effect:?}: {} ({})", row.event, row.reason, row.source);
            }
            assert!(self.0.keys().any(|(event, _)| *event == row.event), "{:?} explains nothing", row.event);
        }
    }
}
