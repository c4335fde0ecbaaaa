//! The calls of JSON and the text format: the same names in both, for structs, views and dynamic messages.
//!
//! [`calls!`] writes the functions of a format, and the same as methods of its `Printer` and `Parser`. What they take is in
//! `any_message.rs`, what parsing does in `parsing.rs`.

/// Writes the calls of a format: functions, and methods of its `Printer` and `Parser`.
///
/// `$name` is the format as it stands in a sentence, `$module` its module, `$printed` and `$value` a `pkg.Log` with `line` and `level` in it.
macro_rules! calls {
    (
        $name:literal, $module:literal,
        compact $printed:literal, pretty $pretty:literal, value $value:literal,
        $print:ident, $merge:ident, $from:ident
    ) => {
        use crate::engine::slab::BodyRef;
        use crate::formats::any_message::{AnyMessage, MergeText, ParseText};
        use crate::formats::error::ParseError;
        use crate::formats::parsing::{Parsing, make};
        use crate::message::{DynamicMessage, MessageBuilder};
        use crate::schema::pool::{DescriptorPool, MessageDescriptor};
        use crate::wire::Buffer;
        use crate::wire::error::EncodeError;
        use crate::wire::options::budget_for;
        use alloc::{string::String, vec::Vec};
        #[cfg(feature = "std")]
        use std::io::{self, Read, Write};

        /// A struct for the examples.
        macro_rules! example {
            ($code:expr) => {
                concat!(
                    "```\nuse tablepb::", $module, ";\n",
                    "# use tablepb::{DescriptorPool, DynamicMessage, Message};\n",
                    "# #[derive(Debug, Default, PartialEq)]\n",
                    "# struct Log { line: String, level: i32 }\n",
                    "# tablepb::message! { Log as \"pkg.Log\" { line: string = 1, level: int32 = 2 } }\n",
                    "# let descriptor = DescriptorPool::from_tables(&[Log::TABLE])?.message(\"pkg.Log\")?;\n",
                    $code,
                    "\n# Ok::<(), Box<dyn std::error::Error>>(())\n```"
                )
            };
        }

        #[doc = concat!("The message as ", $name, ", in a new string.\n\n# Errors\nAs [`append`].\n")]
        #[doc = example!(concat!(
            "let log = Log { line: \"a\".into(), level: 7 };\n",
            "assert_eq!(", $module, "::to_string(&log)?, ", stringify!($printed), ");"
        ))]
        pub fn to_string<M: AnyMessage>(message: &M) -> Result<String, EncodeError> {
            Printer::new().to_string(message)
        }

        #[doc = concat!("As [`to_string`], with a line for each field, indented.\n\n# Errors\nAs [`append`].\n")]
        #[doc = example!(concat!(
            "let log = Log { line: \"a\".into(), level: 7 };\n",
            "assert_eq!(", $module, "::to_string_pretty(&log)?, ", stringify!($pretty), ");"
        ))]
        pub fn to_string_pretty<M: AnyMessage>(message: &M) -> Result<String, EncodeError> {
            Printer::new().pretty(true).to_string(message)
        }

        #[doc = concat!("The message as ", $name, ", as bytes of UTF-8.\n\n# Errors\nAs [`append`].\n")]
        #[doc = example!(concat!(
            "let log = Log { line: \"a\".into(), level: 7 };\n",
            "assert_eq!(", $module, "::to_vec(&log)?, ", $module, "::to_string(&log)?.as_bytes());"
        ))]
        pub fn to_vec<M: AnyMessage>(message: &M) -> Result<Vec<u8>, EncodeError> {
            Printer::new().to_vec(message)
        }

        #[doc = concat!("Appends the message as ", $name, " to a buffer, which can be reused.\n")]
        ///
        /// Fields come in the order of their numbers. Nothing is allocated but room in the buffer, and memory for what has to be decoded
        /// first: the content of an `Any`, and fields that are kept as bytes. The first call for a type of structs makes its schema, which
        /// is kept for the type.
        ///
        /// # Errors
        /// No memory, a struct whose tables are no schema, and what has no form in the format; see
        /// [`EncodeErrorKind`](crate::EncodeErrorKind). The buffer keeps its length.
        ///
        #[doc = example!(concat!(
            "let mut lines = Vec::new();\n",
            "for level in [7, 8] {\n",
            "    ", $module, "::append(&mut lines, &Log { line: String::new(), level })?;\n",
            "    lines.push(b'\\n');\n",
            "}\n",
            "assert_eq!(lines.iter().filter(|&&byte| byte == b'\\n').count(), 2);"
        ))]
        pub fn append<M: AnyMessage>(buffer: &mut impl Buffer, message: &M) -> Result<(), EncodeError> {
            Printer::new().append(buffer, message)
        }

        #[doc = concat!("Writes the message as ", $name, ".\n")]
        ///
        /// It is printed as a whole first, and then written at once.
        ///
        /// # Errors
        /// Those of the writer; of kind [`InvalidInput`](io::ErrorKind::InvalidInput) around an [`EncodeError`] as of [`append`], and then
        /// nothing is written.
        ///
        #[doc = example!(concat!(
            "let mut written = Vec::new();\n",
            $module, "::to_writer(&mut written, &Log { line: \"a\".into(), level: 7 })?;\n",
            "assert_eq!(written, ", stringify!($printed), ".as_bytes());"
        ))]
        #[cfg(feature = "std")]
        pub fn to_writer<M: AnyMessage>(writer: impl Write, message: &M) -> io::Result<()> {
            Printer::new().to_writer(writer, message)
        }

        #[doc = concat!("Makes a struct of ", $name, ".\n")]
        ///
        /// # Errors
        /// What is wrong, at which byte, line and column, in which field.
        ///
        #[doc = example!(concat!(
            "let log: Log = ", $module, "::from_slice(", stringify!($value), ".as_bytes())?;\n",
            "assert_eq!(log, Log { line: \"a\".into(), level: 7 });"
        ))]
        pub fn from_slice<M: ParseText>(input: &[u8]) -> Result<M, ParseError> {
            Parser::new().from_slice(input)
        }

        /// As [`from_slice`], of a string.
        ///
        /// # Errors
        /// As [`from_slice`].
        ///
        #[doc = example!(concat!(
            "let log: Log = ", $module, "::from_str(", stringify!($value), ")?;\n",
            "assert_eq!(log, Log { line: \"a\".into(), level: 7 });"
        ))]
        pub fn from_str<M: ParseText>(input: &str) -> Result<M, ParseError> {
            Parser::new().from_slice(input.as_bytes())
        }

        /// As [`from_slice`], of all that a reader has. It is read to its end first, without a bound of its own: give it a
        /// [`take`](Read::take) of what you accept.
        ///
        /// # Errors
        /// Those of the reader; of kind [`InvalidData`](io::ErrorKind::InvalidData) around a [`ParseError`] as of [`from_slice`].
        ///
        #[doc = example!(concat!(
            "let log: Log = ", $module, "::from_reader(", stringify!($value), ".as_bytes())?;\n",
            "assert_eq!(log, Log { line: \"a\".into(), level: 7 });"
        ))]
        #[cfg(feature = "std")]
        pub fn from_reader<M: ParseText>(reader: impl Read) -> io::Result<M> {
            Parser::new().from_reader(reader)
        }

        #[doc = concat!("Makes a dynamic message of ", $name, ".\n")]
        ///
        /// # Errors
        /// As [`from_slice`].
        ///
        #[doc = example!(concat!(
            "let message = ", $module, "::message_from_slice(&descriptor, ", stringify!($value), ".as_bytes())?;\n",
            "assert_eq!(message.get(\"line\").and_then(|line| line.as_str()), Some(\"a\"));"
        ))]
        pub fn message_from_slice(
            descriptor: &MessageDescriptor,
            input: &[u8],
        ) -> Result<DynamicMessage, ParseError> {
            Parser::new().message_from_slice(descriptor, input)
        }

        /// As [`message_from_slice`], of a string.
        ///
        /// # Errors
        /// As [`from_slice`].
        ///
        #[doc = example!(concat!(
            "let message = ", $module, "::message_from_str(&descriptor, ", stringify!($value), ")?;\n",
            "assert_eq!(message.get(\"level\").and_then(|level| level.as_i32()), Some(7));"
        ))]
        pub fn message_from_str(
            descriptor: &MessageDescriptor,
            input: &str,
        ) -> Result<DynamicMessage, ParseError> {
            Parser::new().message_from_slice(descriptor, input.as_bytes())
        }

        #[doc = concat!("Merges ", $name, " into a struct or a dynamic message: singular fields are replaced, messages merged, lists appended to, ")]
        /// map entries inserted.
        ///
        /// Required fields are not checked. A struct takes time in proportion to the message and the text.
        ///
        /// # Errors
        /// As [`from_slice`]; [`InvalidMessage`](crate::ParseErrorKind::InvalidMessage) if bytes that the message has not decoded yet
        /// are not a message. A dynamic message is valid afterwards and holds what was read before the fault, but for the map entry or
        /// the content of an `Any` that the fault is in. A struct is as it was, unless memory runs out when the merged one
        /// takes its place: then it holds a part of that.
        ///
        #[doc = example!(concat!(
            "let mut log = Log { line: \"b\".into(), level: 8 };\n",
            $module, "::merge_from_slice(&mut log, ", stringify!($value), ".as_bytes())?;\n",
            "assert_eq!(log, Log { line: \"a\".into(), level: 7 });"
        ))]
        pub fn merge_from_slice<M: MergeText>(message: &mut M, input: &[u8]) -> Result<(), ParseError> {
            Parser::new().merge_from_slice(message, input)
        }

        /// As [`merge_from_slice`], of a string.
        ///
        /// # Errors
        /// As [`merge_from_slice`].
        ///
        #[doc = example!(concat!(
            "let mut message = DynamicMessage::new(&descriptor);\n",
            $module, "::merge_from_str(&mut message, ", stringify!($value), ")?;\n",
            "assert!(message.has_field(\"level\"));"
        ))]
        pub fn merge_from_str<M: MergeText>(message: &mut M, input: &str) -> Result<(), ParseError> {
            Parser::new().merge_from_slice(message, input.as_bytes())
        }

        impl Printer {
            /// As the function [`to_string`], with these options.
            ///
            /// # Errors
            /// As [`append`].
            pub fn to_string<M: AnyMessage>(&self, message: &M) -> Result<String, EncodeError> {
                // What is printed is UTF-8.
                Ok(String::from_utf8(self.to_vec(message)?).unwrap_or_default())
            }

            /// As the function [`to_vec`], with these options.
            ///
            /// # Errors
            /// As [`append`].
            pub fn to_vec<M: AnyMessage>(&self, message: &M) -> Result<Vec<u8>, EncodeError> {
                let mut buffer = Vec::new();
                message.$print(&mut buffer, self)?;
                Ok(buffer)
            }

            /// As the function [`append`], with these options.
            ///
            /// # Errors
            /// As [`append`].
            pub fn append<M: AnyMessage>(
                &self,
                buffer: &mut impl Buffer,
                message: &M,
            ) -> Result<(), EncodeError> {
                message.$print(buffer, self)
            }

            /// As the function [`to_writer`], with these options.
            ///
            /// # Errors
            /// As [`to_writer`].
            #[cfg(feature = "std")]
            pub fn to_writer<M: AnyMessage>(&self, mut writer: impl Write, message: &M) -> io::Result<()> {
                let printed = self.to_vec(message);
                writer.write_all(&printed.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?)
            }
        }

        impl Parsing for Parser {
            fn budget_for(&self, len: usize) -> usize {
                Self::budget_for(self, len)
            }

            fn allows_partial(&self) -> bool {
                self.allow_partial
            }

            fn fill<'p>(
                &self,
                builder: &mut MessageBuilder<'p>,
                pool: &'p DescriptorPool,
                root: BodyRef,
                text: &str,
            ) -> Result<(), ParseError> {
                parse::parse(builder, pool, root, text, *self)
            }
        }

        impl Default for Printer {
            fn default() -> Self {
                Self::new()
            }
        }

        impl Default for Parser {
            fn default() -> Self {
                Self::new()
            }
        }

        impl Parser {
            /// Sets the memory that one call may allocate, in bytes.
            pub const fn budget(mut self, bytes: usize) -> Self {
                self.budget = Some(bytes);
                self
            }

            /// The memory budget for an input of `len` bytes, in bytes.
            #[must_use]
            pub const fn budget_for(&self, len: usize) -> usize {
                budget_for(self.budget, len)
            }

            /// As the function [`from_slice`], with these options.
            ///
            /// # Errors
            /// As [`from_slice`].
            pub fn from_slice<M: ParseText>(&self, input: &[u8]) -> Result<M, ParseError> {
                M::$from(input, self)
            }

            /// As the function [`from_str`], with these options.
            ///
            /// # Errors
            /// As [`from_slice`].
            pub fn from_str<M: ParseText>(&self, input: &str) -> Result<M, ParseError> {
                M::$from(input.as_bytes(), self)
            }

            /// As the function [`from_reader`], with these options.
            ///
            /// # Errors
            /// As [`from_reader`].
            #[cfg(feature = "std")]
            pub fn from_reader<M: ParseText>(&self, mut reader: impl Read) -> io::Result<M> {
                let mut input = Vec::new();
                reader.read_to_end(&mut input)?;
                self.from_slice(&input).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
            }

            /// As the function [`message_from_slice`], with these options.
            ///
            /// # Errors
            /// As [`from_slice`].
            pub fn message_from_slice(
                &self,
                descriptor: &MessageDescriptor,
                input: &[u8],
            ) -> Result<DynamicMessage, ParseError> {
                make(descriptor, input, self)
            }

            /// As the function [`message_from_str`], with these options.
            ///
            /// # Errors
            /// As [`from_slice`].
            pub fn message_from_str(
                &self,
                descriptor: &MessageDescriptor,
                input: &str,
            ) -> Result<DynamicMessage, ParseError> {
                make(descriptor, input.as_bytes(), self)
            }

            /// As the function [`merge_from_slice`], with these options.
            ///
            /// # Errors
            /// As [`merge_from_slice`].
            pub fn merge_from_slice<M: MergeText>(&self, message: &mut M, input: &[u8]) -> Result<(), ParseError> {
                message.$merge(input, self)
            }

            /// As the function [`merge_from_str`], with these options.
            ///
            /// # Errors
            /// As [`merge_from_slice`].
            pub fn merge_from_str<M: MergeText>(&self, message: &mut M, input: &str) -> Result<(), ParseError> {
                message.$merge(input.as_bytes(), self)
            }
        }
    };
}
pub(super) use calls;
