//! Settings as text, for the plugin and the command line.

use crate::{BuildError, Config, MapType, OpenEnumType, TextType};

impl Config {
    /// Sets an option by its name: `name=value`, or `name=path=value` where the method takes two.
    ///
    /// The names are those of the methods. Options of a path alone take it as their value (`bytes=.`, `lazy=.a.M`); `bytes_type`,
    /// `string_type` and `map_type` take `path=` and `owned`, `borrowed`, `cow`, `shared`, and `btree`, `hash`, `small`;
    /// `open_enums` takes `number`, `value` or `listed`. What is on or off is on without a value.
    ///
    /// ```
    /// let mut config = tablepb_build::Config::new();
    /// config.parameter("unknown_fields")?.parameter("map_type=.=btree")?.parameter("type_attribute=.a.M=#[derive(Eq)]")?;
    /// let error = config.parameter("bites=.").unwrap_err();
    /// assert_eq!(error.to_string(), "unknown option bites");
    /// # Ok::<(), tablepb_build::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// There is no such option, or no such value.
    pub fn parameter(&mut self, text: &str) -> Result<&mut Self, BuildError> {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let (path, rest) = value.and_then(|value| value.split_once('=')).unwrap_or_default();
        let bad = |what: &str| {
            BuildError::new(format!("{name} takes {what}, and not {:?}", value.unwrap_or_default()))
        };
        let path_alone = || value.filter(|value| !value.is_empty()).ok_or_else(|| bad("a path"));
        let both = || if path.is_empty() { Err(bad("PATH=VALUE")) } else { Ok((path, rest)) };
        let switch = || match value {
            None | Some("" | "true") => Ok(true),
            Some("false") => Ok(false),
            _ => Err(bad("true or false")),
        };
        let text_type = || match both()?.1 {
            "owned" => Ok(TextType::Owned),
            "borrowed" => Ok(TextType::Borrowed),
            "cow" => Ok(TextType::Cow),
            "shared" => Ok(TextType::Shared),
            _ => Err(bad("PATH=owned, borrowed, cow or shared")),
        };
        Ok(match name {
            "type_attribute" => self.type_attribute(both()?.0, rest),
            "message_attribute" => self.message_attribute(both()?.0, rest),
            "enum_attribute" => self.enum_attribute(both()?.0, rest),
            "oneof_attribute" => self.oneof_attribute(both()?.0, rest),
            "field_attribute" => self.field_attribute(both()?.0, rest),
            "extern_path" => self.extern_path(both()?.0, rest),
            "bytes" => self.bytes([path_alone()?]),
            "bytes_type" => self.bytes_type(text_type()?, [path]),
            "string_type" => self.string_type(text_type()?, [path]),
            "btree_map" => self.btree_map([path_alone()?]),
            "map_type" => {
                let maps = match both()?.1 {
                    "btree" => MapType::BTreeMap,
                    "hash" => MapType::HashMap,
                    "small" => MapType::SmallMap,
                    _ => return Err(bad("PATH=btree, hash or small")),
                };
                self.map_type(maps, [path])
            }
            "open_enums" => self.open_enums(match value {
                Some("number") => OpenEnumType::Number,
                Some("value") => OpenEnumType::EnumValue,
                Some("listed") => OpenEnumType::Listed,
                _ => return Err(bad("number, value or listed")),
            }),
            "boxed" => self.boxed(path_alone()?),
            "lazy" => self.lazy([path_alone()?]),
            "serde" => self.serde([path_alone()?]),
            "disable_comments" => self.disable_comments([path_alone()?]),
            "only" => self.only([path_alone()?]),
            "except" => self.except([path_alone()?]),
            "unknown_fields" => self.unknown_fields(switch()?),
            "no_std" => self.no_std(switch()?),
            "strip_enum_prefix" => self.strip_enum_prefix(switch()?),
            "default_package_filename" => self.default_package_filename(path_alone()?),
            "include_file" => self.include_file(path_alone()?),
            _ => return Err(BuildError::new(format!("unknown option {name}"))),
        })
    }
}
