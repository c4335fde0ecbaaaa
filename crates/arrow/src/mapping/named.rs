//! [`Options`] by name, as SQL, Python and command lines have them.

use super::{Enums, MappingError, MappingErrorKind, Maps, Oneofs, Options, Presence, Recursive};
use arrow_schema::TimeUnit;

/// The names of the values of an option.
type Names<T> = &'static [(&'static str, T)];

const ENUMS: Names<Enums> =
    &[("number", Enums::Number), ("name", Enums::Name), ("dictionary", Enums::Dictionary)];
const ONEOFS: Names<Oneofs> =
    &[("columns", Oneofs::Columns), ("union", Oneofs::Union), ("named", Oneofs::Named)];
const MAPS: Names<Maps> = &[("map", Maps::Map), ("entries", Maps::Entries), ("lists", Maps::Lists)];
const PRESENCE: Names<Presence> = &[("null", Presence::Null), ("default", Presence::Default)];
const RECURSIVE: Names<Recursive> =
    &[("bytes", Recursive::Bytes), ("json", Recursive::Json), ("error", Recursive::Error)];
const FLAGS: Names<bool> = &[("true", true), ("false", false)];
const UNITS: Names<TimeUnit> = &[
    ("second", TimeUnit::Second),
    ("millisecond", TimeUnit::Millisecond),
    ("microsecond", TimeUnit::Microsecond),
    ("nanosecond", TimeUnit::Nanosecond),
    ("s", TimeUnit::Second),
    ("ms", TimeUnit::Millisecond),
    ("us", TimeUnit::Microsecond),
    ("ns", TimeUnit::Nanosecond),
];

impl Options {
    /// Sets an option by its name, which is that of its method, to a value by its name:
    ///
    /// | name | values |
    /// |---|---|
    /// | `preset` | `portable`, `arrow`: sets all options, so it comes first |
    /// | `enums` | `number`, `name`, `dictionary` |
    /// | `oneofs` | `columns`, `union`, `named` |
    /// | `maps` | `map`, `entries`, `lists` |
    /// | `presence` | `null`, `default` |
    /// | `well_known`, `views`, `unknown_fields`, `extensions` | `true`, `false` |
    /// | `time_unit` | `second`, `millisecond`, `microsecond`, `nanosecond`, or `s`, `ms`, `us`, `ns` |
    /// | `recursion` | a number |
    /// | `recursive` | `bytes`, `json`, `error` |
    /// | `json`, `bytes` | paths and types, with commas between them, beside those there are |
    ///
    /// Upper and lower case are the same, but in paths.
    ///
    /// ```
    /// use tablepb_arrow::mapping::{MappingErrorKind, Maps, Options};
    ///
    /// let mut options = Options::new();
    /// options.set("preset", "arrow")?;
    /// options.set("maps", "lists")?;
    /// options.set("json", "scope, .google.protobuf.Any")?;
    /// assert_eq!(options, Options::arrow().maps(Maps::Lists).json(["scope", ".google.protobuf.Any"]));
    ///
    /// let error = options.set("maps", "pairs").unwrap_err();
    /// assert_eq!(error.to_string(), "the option maps is 'map', 'entries' or 'lists', not 'pairs'");
    /// assert!(matches!(options.set("map", "lists").unwrap_err().kind(), MappingErrorKind::NoSuchOption));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NoSuchOption`; `OptionValue`, with what fits. The options are as before.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), MappingError> {
        let flag = || one_of(FLAGS, name, value);
        let options = self.clone();
        *self = match name {
            "preset" => match value.to_ascii_lowercase().as_str() {
                "portable" => Ok(Self::portable()),
                "arrow" => Ok(Self::arrow()),
                _ => Err(does_not_fit(name, value, "'portable' or 'arrow'")),
            },
            "enums" => one_of(ENUMS, name, value).map(|enums| options.enums(enums)),
            "oneofs" => one_of(ONEOFS, name, value).map(|oneofs| options.oneofs(oneofs)),
            "maps" => one_of(MAPS, name, value).map(|maps| options.maps(maps)),
            "presence" => one_of(PRESENCE, name, value).map(|presence| options.presence(presence)),
            "well_known" => flag().map(|flag| options.well_known(flag)),
            "views" => flag().map(|flag| options.views(flag)),
            "unknown_fields" => flag().map(|flag| options.unknown_fields(flag)),
            "extensions" => flag().map(|flag| options.extensions(flag)),
            "time_unit" => one_of(UNITS, name, value).map(|unit| options.time_unit(unit)),
            "recursion" => value
                .parse()
                .map(|times| options.recursion(times))
                .map_err(|_| does_not_fit(name, value, "a number")),
            "recursive" => one_of(RECURSIVE, name, value).map(|recursive| options.recursive(recursive)),
            "json" => paths(name, value).map(|paths| options.json(paths)),
            "bytes" => paths(name, value).map(|paths| options.bytes(paths)),
            _ => Err(MappingError::new(MappingErrorKind::NoSuchOption, name)),
        }?;
        Ok(())
    }

    /// The options that differ from [`new`](Self::new), as [`set`](Self::set) takes them, in an order that makes the same options again.
    ///
    /// ```
    /// use tablepb_arrow::mapping::Options;
    ///
    /// let mut again = Options::new();
    /// Options::portable().entries().iter().for_each(|(name, value)| again.set(name, value).unwrap());
    /// assert_eq!(again, Options::portable());
    /// ```
    #[must_use]
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        let default = Self::new();
        let entries = [
            ("enums", name_of(ENUMS, &self.enums, &default.enums)),
            ("oneofs", name_of(ONEOFS, &self.oneofs, &default.oneofs)),
            ("maps", name_of(MAPS, &self.maps, &default.maps)),
            ("presence", name_of(PRESENCE, &self.presence, &default.presence)),
            ("well_known", name_of(FLAGS, &self.well_known, &default.well_known)),
            ("views", name_of(FLAGS, &self.views, &default.views)),
            ("unknown_fields", name_of(FLAGS, &self.unknown_fields, &default.unknown_fields)),
            ("extensions", name_of(FLAGS, &self.extensions, &default.extensions)),
            ("time_unit", name_of(UNITS, &self.time_unit, &default.time_unit)),
            ("recursion", (self.recursion != 0).then(|| self.recursion.to_string())),
            ("recursive", name_of(RECURSIVE, &self.recursive, &default.recursive)),
        ];
        let mut entries: Vec<_> =
            entries.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        // One for each, since of several names for a message the last one counts.
        entries.extend(self.whole.iter().map(|(path, what)| match what {
            Recursive::Json => ("json", path.clone()),
            _ => ("bytes", path.clone()),
        }));
        entries
    }
}

/// The value of this name.
fn one_of<T: Copy>(names: Names<T>, name: &str, value: &str) -> Result<T, MappingError> {
    let found = names.iter().find(|(known, _)| known.eq_ignore_ascii_case(value));
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = names.iter().map(|(name, _)| format!("'{name}'")).collect();
        let fits = match names.split_last() {
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        };
        does_not_fit(name, value, &fits)
    })
}

/// The name of a value, unless it is the default.
fn name_of<T: PartialEq>(names: Names<T>, value: &T, default: &T) -> Option<String> {
    let found = names.iter().find(|(_, known)| known == value).filter(|_| value != default);
    found.map(|(name, _)| (*name).to_owned())
}

fn paths(name: &str, value: &str) -> Result<Vec<String>, MappingError> {
    let paths: Vec<_> = value.split(',').map(|path| path.trim().to_owned()).collect();
    match paths.iter().any(String::is_empty) {
        true => Err(does_not_fit(name, value, "paths with commas between them")),
        false => Ok(paths),
    }
}

fn does_not_fit(name: &str, value: &str, fits: &str) -> MappingError {
    MappingError::new(MappingErrorKind::OptionValue(format!("{fits}, not '{value}'")), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_make_the_same_options_again() {
        let all = Options::arrow()
            .maps(Maps::Entries)
            .oneofs(Oneofs::Named)
            .presence(Presence::Default)
            .views(false)
            .unknown_fields(true)
            .extensions(true)
            .time_unit(TimeUnit::Second)
            .recursion(3)
            .recursive(Recursive::Error)
            .json(["a.b", ".x.Y"])
            .bytes(["a.b"])
            .json(["c"]);
        assert_eq!(all.entries().len(), 15);
        for options in [Options::new(), Options::arrow(), Options::portable(), all] {
            let mut again = Options::new();
            for (name, value) in options.entries() {
                again.set(name, &value).unwrap();
                // Names of options are names of methods, and upper case is the same but in paths.
                if !matches!(name, "json" | "bytes") {
                    again.set(name, &value.to_uppercase()).unwrap();
                }
            }
            assert_eq!(again, options);
        }
    }

    #[test]
    fn a_value_that_does_not_fit_changes_nothing_but_names_what_fits() {
        let mut options = Options::portable();
        for (name, value, hint) in [
            ("preset", "parquet", "'portable' or 'arrow'"),
            ("enums", "text", "'number', 'name' or 'dictionary'"),
            ("oneofs", "", "'union'"),
            ("maps", "list", "'lists'"),
            ("presence", "zero", "'default'"),
            ("well_known", "yes", "'true' or 'false'"),
            ("views", "1", "'true'"),
            ("unknown_fields", "no", "'false'"),
            ("extensions", "all", "'false'"),
            ("time_unit", "minute", "'microsecond'"),
            ("recursion", "-1", "a number"),
            ("recursive", "struct", "'json'"),
            ("json", "a,,b", "commas"),
            ("bytes", "", "commas"),
            ("delimiter", ",", "no such option"),
        ] {
            let error = options.set(name, value).unwrap_err().to_string();
            assert!(error.contains(hint) && error.contains(name), "{error}");
        }
        assert_eq!(options, Options::portable());
    }
}
