//! `feature_support`: in which editions there is an option, a feature or an enum value.

use crate::compile::error::{Faults, SourceErrorKind};
use crate::compile::parse::ast::{Ast, NONE, Texts};
use crate::compile::parse::codes::type_code;
use crate::compile::parse::lexer::{Lexer, TokenKind};
use crate::memory::{Room, RoomFull};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A `FeatureSupport`, read from where it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Support {
    pub(crate) introduced: Option<i32>,
    pub(crate) deprecated: Option<i32>,
    pub(crate) removed: Option<i32>,
    warning: bool,
    error: bool,
}

/// Tokens that are looked at: options that are used often must not take long.
const TOKENS: usize = 64;

impl Support {
    /// Reads the value that begins here; nothing is known if there is none.
    pub(crate) fn read(texts: &Texts, at: u32) -> Self {
        let mut this = Self::default();
        if at == NONE {
            return this;
        }
        let mut lexer = Lexer::new(&texts.sources, at);
        let mut name = "";
        for _ in 0..TOKENS {
            let token = lexer.next();
            let text = texts.sources.get(token.start as usize..token.end as usize).unwrap_or_default();
            match token.kind {
                TokenKind::Identifier => {
                    match name {
                        "edition_introduced" => this.introduced = edition(text).or(this.introduced),
                        "edition_deprecated" => this.deprecated = edition(text).or(this.deprecated),
                        "edition_removed" => this.removed = edition(text).or(this.removed),
                        _ => {}
                    }
                    name = text;
                }
                TokenKind::String => match name {
                    "deprecation_warning" => this.warning = true,
                    "removal_error" => this.error = true,
                    _ => {}
                },
                TokenKind::End => break,
                _ if token.symbol == b'}' => break,
                _ => {}
            }
        }
        this
    }

    /// The edition that deprecates something, and the `deprecation_warning`, out of the `feature_support` that begins here.
    pub(super) fn deprecation(texts: &Texts, at: u32) -> (&str, String) {
        let mut lexer = Lexer::new(&texts.sources, at);
        let (mut name, mut edition, mut why) = ("", "", String::new());
        for _ in 0..TOKENS {
            let token = lexer.next();
            let text = texts.sources.get(token.start as usize..token.end as usize).unwrap_or_default();
            match token.kind {
                TokenKind::Identifier => {
                    if name == "edition_deprecated" {
                        edition = text.trim_start_matches("EDITION_");
                    }
                    name = text;
                }
                TokenKind::String if name == "deprecation_warning" => {
                    why.push_str(text.get(1..text.len() - 1).unwrap_or_default());
                }
                TokenKind::End => break,
                _ if token.symbol == b'}' => break,
                _ => {}
            }
        }
        (edition, why)
    }

    /// This one, and `outer` for what it does not say.
    fn or(self, outer: Self) -> Self {
        Self {
            introduced: self.introduced.or(outer.introduced),
            deprecated: self.deprecated.or(outer.deprecated),
            removed: self.removed.or(outer.removed),
            warning: self.warning || outer.warning,
            error: self.error || outer.error,
        }
    }

    /// What contradicts itself.
    fn fault(self) -> Option<&'static str> {
        let introduced = self.introduced.unwrap_or(0);
        let before = |edition: Option<i32>| edition.is_some_and(|edition| edition < introduced);
        Some(match self {
            _ if before(self.deprecated) => "is deprecated before it is introduced",
            Self { deprecated: Some(_), warning: false, .. } => "is deprecated without a deprecation_warning",
            Self { deprecated: None, warning: true, .. } => "has a deprecation_warning and is not deprecated",
            Self { deprecated, removed: Some(removed), .. } if deprecated.unwrap_or(0) >= removed => {
                "is deprecated when it is removed already"
            }
            _ if before(self.removed) => "is removed before it is introduced",
            // What is removed in the edition that introduces it was never there for users, who need no explanation.
            Self { removed: Some(_), error: false, .. } if self.removed != self.introduced => {
                "is removed without a removal_error"
            }
            Self { removed: None, error: true, .. } => "has a removal_error and is not removed",
            _ => return None,
        })
    }

    /// In what an enum value goes beyond the option that has it.
    fn beyond(self, option: Self) -> Option<&'static str> {
        let later =
            |own: Option<i32>, other: Option<i32>| other.is_some_and(|other| own.unwrap_or(0) > other);
        match () {
            () if self.introduced.unwrap_or(0) < option.introduced.unwrap_or(0) => {
                Some("is introduced before the option")
            }
            () if later(self.removed, option.removed) => Some("is removed after the option"),
            () if later(self.deprecated, option.deprecated) => Some("is deprecated after the option"),
            () => None,
        }
    }
}

/// Checks that what options and enum values say of their editions is possible. Files that are not of the sources are left out.
pub(crate) fn check(ast: &Ast, texts: &Texts, faults: &mut Faults, room: &mut Room) -> Result<(), RoomFull> {
    let hidden = |file: u32| ast.files.get(file as usize).is_none_or(|file| file.hidden);
    let mut fail = |at: u32, len: u32, detail: &dyn fmt::Display| {
        faults.add(SourceErrorKind::InvalidOption, at, at + len, detail);
    };
    // Values by their enum, and fields by their enum. What is said in the same way is compared once: otherwise many fields of one
    // enum of many values would take long.
    let (mut values, mut fields): (Vec<Use>, Vec<Use>) = (Vec::new(), Vec::new());
    for (index, value) in (0..).zip(ast.values.all()).filter(|(_, value)| value.support != NONE) {
        if ast.enums.get(value.owner).is_none_or(|owner| hidden(owner.file)) {
            continue;
        }
        let support = Support::read(texts, value.support);
        if let Some(fault) = support.fault() {
            fail(value.at, value.name.len, &format_args!("{} {fault}", texts.get(value.name)));
        }
        room.push(&mut values, Use { owner: value.owner, support, index })?;
    }
    for (index, field) in (0..).zip(ast.fields.all()).filter(|(_, field)| field.support != NONE) {
        if hidden(field.file) {
            continue;
        }
        let support = Support::read(texts, field.support);
        if let Some(fault) = support.fault() {
            fail(field.at, field.name.len, &format_args!("{} {fault}", texts.get(field.name)));
        } else if i32::from(field.type_code) == type_code::ENUM {
            room.push(&mut fields, Use { owner: field.target, support, index })?;
        }
    }
    for list in [&mut values, &mut fields] {
        list.sort_unstable();
        list.dedup_by(|a, b| (a.owner, a.support) == (b.owner, b.support));
    }
    for found in &fields {
        let Some(field) = ast.fields.get(found.index) else { continue };
        let from = values.partition_point(|value| value.owner < found.owner);
        for value in values.iter().skip(from).take_while(|value| value.owner == found.owner) {
            let own = value.support.or(found.support);
            let Some(fault) = own.fault().or_else(|| own.beyond(found.support)) else { continue };
            let name = ast.values.get(value.index).map_or("", |value| texts.get(value.name));
            let detail = format_args!("{} has the value {name}, which {fault}", texts.get(field.name));
            fail(field.at, field.name.len, &detail);
        }
    }
    room.drop_list(values);
    room.drop_list(fields);
    Ok(())
}

/// What a field or a value says of its editions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Use {
    /// The enum.
    owner: u32,
    support: Support,
    index: u32,
}

/// The number of an edition by its name in the enum.
fn edition(name: &str) -> Option<i32> {
    Some(match name {
        "EDITION_1_TEST_ONLY" => 1,
        "EDITION_2_TEST_ONLY" => 2,
        "EDITION_LEGACY" => 900,
        "EDITION_PROTO2" => 998,
        "EDITION_PROTO3" => 999,
        "EDITION_2023" => 1000,
        "EDITION_2024" => 1001,
        "EDITION_2026" => 1002,
        "EDITION_UNSTABLE" => 9999,
        "EDITION_99997_TEST_ONLY" => 99_997,
        "EDITION_99998_TEST_ONLY" => 99_998,
        "EDITION_99999_TEST_ONLY" => 99_999,
        "EDITION_MAX" => i32::MAX,
        _ => return None,
    })
}
