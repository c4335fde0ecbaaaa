//! Calls under the names of prost-reflect, for programs that come from there: `use tablepb::prost_reflect_names::*`.
//!
//! tablepb names a field by anything that is a [`FieldKey`](crate::FieldKey), and its look-ups by name return an error that says
//! which name is near. These traits have the twins `_by_name` and `_by_number` instead, which return options.
//!
//! ```
//! use tablepb::prost_reflect_names::*;
//! use tablepb::table::{FieldTable, Kind, MessageTable};
//! use tablepb::{DescriptorPool, DynamicMessage};
//!
//! static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
//! let pool = DescriptorPool::from_tables(&[&LOG])?;
//! let log = pool.get_message_by_name("pkg.Log").unwrap();
//! let mut message = DynamicMessage::new(&log);
//! message.set_field_by_name("line", "hi")?;
//! assert_eq!(message.get_field_by_number(1).unwrap().as_str(), Some("hi"));
//! assert!(log.get_field_by_name("no such field").is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "serde")]
use super::json;
use super::text::{self, Parser, Printer as FormatOptions};
use crate::formats::ParseError;
use crate::message::{
    DynamicMessage, MessageMut, MessageView, SetFieldError, SetFieldErrorKind, Value, ValueRef,
};
use crate::schema::pool::{
    DescriptorPool, EnumDescriptor, EnumValueDescriptor, ExtensionDescriptor, FieldDescriptor,
    FileDescriptor, MessageDescriptor, ServiceDescriptor,
};
use alloc::string::String;

/// The look-ups of a pool.
pub trait PoolNames {
    /// As [`DescriptorPool::message`].
    fn get_message_by_name(&self, name: &str) -> Option<MessageDescriptor>;

    /// As [`DescriptorPool::enumeration`].
    fn get_enum_by_name(&self, name: &str) -> Option<EnumDescriptor>;

    /// As [`DescriptorPool::extension`].
    fn get_extension_by_name(&self, name: &str) -> Option<ExtensionDescriptor>;

    /// As [`DescriptorPool::service`].
    fn get_service_by_name(&self, name: &str) -> Option<ServiceDescriptor>;

    /// As [`DescriptorPool::file`].
    fn get_file_by_name(&self, name: &str) -> Option<FileDescriptor>;
}

impl PoolNames for DescriptorPool {
    fn get_message_by_name(&self, name: &str) -> Option<MessageDescriptor> {
        self.find_message(name)
    }

    fn get_enum_by_name(&self, name: &str) -> Option<EnumDescriptor> {
        self.find_enum(name)
    }

    fn get_extension_by_name(&self, name: &str) -> Option<ExtensionDescriptor> {
        self.find_extension(name)
    }

    fn get_service_by_name(&self, name: &str) -> Option<ServiceDescriptor> {
        self.find_service(name)
    }

    fn get_file_by_name(&self, name: &str) -> Option<FileDescriptor> {
        self.find_file(name)
    }
}

/// The look-ups of a message type.
pub trait MessageNames {
    /// As [`MessageDescriptor::field`].
    fn get_field_by_name(&self, name: &str) -> Option<FieldDescriptor>;

    /// The declared field of this JSON name. Takes time in the number of fields.
    fn get_field_by_json_name(&self, name: &str) -> Option<FieldDescriptor>;

    /// The extension of this full name.
    fn get_extension_by_full_name(&self, name: &str) -> Option<ExtensionDescriptor>;

    /// The extension of this JSON name: its full name in brackets.
    fn get_extension_by_json_name(&self, name: &str) -> Option<ExtensionDescriptor>;
}

impl MessageNames for MessageDescriptor {
    fn get_field_by_name(&self, name: &str) -> Option<FieldDescriptor> {
        self.find_field(name)
    }

    fn get_field_by_json_name(&self, name: &str) -> Option<FieldDescriptor> {
        self.fields().find(|field| field.json_name() == name)
    }

    fn get_extension_by_full_name(&self, name: &str) -> Option<ExtensionDescriptor> {
        self.find_extension(name)
    }

    fn get_extension_by_json_name(&self, name: &str) -> Option<ExtensionDescriptor> {
        self.get_extension_by_full_name(name.strip_prefix('[')?.strip_suffix(']')?)
    }
}

/// The look-up of an enum.
pub trait EnumNames {
    /// As [`EnumDescriptor::value`].
    fn get_value_by_name(&self, name: &str) -> Option<EnumValueDescriptor>;
}

impl EnumNames for EnumDescriptor {
    fn get_value_by_name(&self, name: &str) -> Option<EnumValueDescriptor> {
        self.find_value(name)
    }
}

/// Reading fields.
pub trait ReadNames {
    /// As [`MessageView::get_field`]; `None` if no field has the name.
    fn get_field_by_name(&self, name: &str) -> Option<ValueRef<'_, '_>>;

    /// As [`MessageView::get_field`]; `None` if no field or extension has the number.
    fn get_field_by_number(&self, number: u32) -> Option<ValueRef<'_, '_>>;

    /// As [`MessageView::has_field`].
    fn has_field_by_name(&self, name: &str) -> bool;

    /// As [`MessageView::has_field`].
    fn has_field_by_number(&self, number: u32) -> bool;

    /// As [`MessageView::has_field`].
    fn has_extension(&self, extension: &ExtensionDescriptor) -> bool;

    /// As [`MessageView::get_field`].
    ///
    /// # Panics
    /// If the extension is of another message.
    fn get_extension(&self, extension: &ExtensionDescriptor) -> ValueRef<'_, '_>;
}

macro_rules! read_names {
    ($($message:ty: $this:ident => $view:expr;)*) => {$(
        impl ReadNames for $message {
            fn get_field_by_name(&$this, name: &str) -> Option<ValueRef<'_, '_>> {
                $view.find_field(name)
            }

            fn get_field_by_number(&$this, number: u32) -> Option<ValueRef<'_, '_>> {
                $view.find_field(number)
            }

            fn has_field_by_name(&$this, name: &str) -> bool {
                $view.has_field(name)
            }

            fn has_field_by_number(&$this, number: u32) -> bool {
                $view.has_field(number)
            }

            #[cfg_attr(debug_assertions, track_caller)]
            fn has_extension(&$this, extension: &ExtensionDescriptor) -> bool {
                $view.has_field(extension)
            }

            #[track_caller]
            fn get_extension(&$this, extension: &ExtensionDescriptor) -> ValueRef<'_, '_> {
                match $view.get_field(extension) {
                    Ok(value) => value,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    )*};
}

read_names! {
    DynamicMessage: self => self.as_view();
    MessageView<'_, '_>: self => self;
}

/// Changing fields.
pub trait WriteNames {
    /// As [`MessageMut::set_field`].
    ///
    /// # Errors
    /// As [`MessageMut::set_field`].
    fn set_field_by_name(&mut self, name: &str, value: impl Into<Value>) -> Result<(), SetFieldError>;

    /// As [`MessageMut::set_field`].
    ///
    /// # Errors
    /// As [`MessageMut::set_field`].
    fn set_field_by_number(&mut self, number: u32, value: impl Into<Value>) -> Result<(), SetFieldError>;

    /// As [`MessageMut::clear_field`]. Ignores a name that the message does not have.
    ///
    /// # Panics
    /// If the allocator fails, which only messages decoded by a pass-through projection need.
    fn clear_field_by_name(&mut self, name: &str);

    /// As [`MessageMut::clear_field`]. Ignores a number that the message does not have.
    ///
    /// # Panics
    /// As [`clear_field_by_name`](Self::clear_field_by_name).
    fn clear_field_by_number(&mut self, number: u32);

    /// As [`MessageMut::take_field`].
    ///
    /// # Errors
    /// As [`MessageMut::take_field`].
    fn take_field_by_name(&mut self, name: &str) -> Result<Option<Value>, SetFieldError>;

    /// As [`MessageMut::take_field`].
    ///
    /// # Errors
    /// As [`MessageMut::take_field`].
    fn take_field_by_number(&mut self, number: u32) -> Result<Option<Value>, SetFieldError>;
}

/// There is nothing to clear in a field that the message does not have. Any other failure left the field as it was.
fn unless_absent(cleared: Result<(), SetFieldError>) {
    match cleared {
        Err(error) if error.kind() != SetFieldErrorKind::NoSuchField => panic!("{error}"),
        _ => {}
    }
}

macro_rules! write_names {
    ($($message:ty),*) => {$(
        impl WriteNames for $message {
            fn set_field_by_name(&mut self, name: &str, value: impl Into<Value>) -> Result<(), SetFieldError> {
                self.set_field(name, value)
            }

            fn set_field_by_number(&mut self, number: u32, value: impl Into<Value>) -> Result<(), SetFieldError> {
                self.set_field(number, value)
            }

            fn clear_field_by_name(&mut self, name: &str) {
                unless_absent(self.clear_field(name));
            }

            fn clear_field_by_number(&mut self, number: u32) {
                unless_absent(self.clear_field(number));
            }

            fn take_field_by_name(&mut self, name: &str) -> Result<Option<Value>, SetFieldError> {
                self.take_field(name)
            }

            fn take_field_by_number(&mut self, number: u32) -> Result<Option<Value>, SetFieldError> {
                self.take_field(number)
            }
        }
    )*};
}

write_names!(DynamicMessage, MessageMut<'_>);

/// [`json::Printer`] under its name in prost-reflect.
#[cfg(feature = "serde")]
pub type SerializeOptions = json::Printer;

/// [`json::Parser`] under its name in prost-reflect.
#[cfg(feature = "serde")]
pub type DeserializeOptions = json::Parser;

/// Messages through serde, with options.
#[cfg(feature = "serde")]
pub trait SerdeNames: Sized {
    /// As [`json::Printer::serialize`].
    ///
    /// # Errors
    /// As [`json::Printer::serialize`].
    fn serialize_with_options<S: serde::Serializer>(
        &self,
        serializer: S,
        options: &SerializeOptions,
    ) -> Result<S::Ok, S::Error>;

    /// As [`json::Parser::deserialize`].
    ///
    /// # Errors
    /// As [`json::Parser::deserialize`].
    fn deserialize_with_options<'de, D: serde::Deserializer<'de>>(
        desc: MessageDescriptor,
        deserializer: D,
        options: &DeserializeOptions,
    ) -> Result<Self, D::Error>;
}

#[cfg(feature = "serde")]
impl SerdeNames for DynamicMessage {
    fn serialize_with_options<S: serde::Serializer>(
        &self,
        serializer: S,
        options: &SerializeOptions,
    ) -> Result<S::Ok, S::Error> {
        options.serialize(&self.as_view(), serializer)
    }

    fn deserialize_with_options<'de, D: serde::Deserializer<'de>>(
        desc: MessageDescriptor,
        deserializer: D,
        options: &DeserializeOptions,
    ) -> Result<Self, D::Error> {
        options.deserialize(&desc, deserializer)
    }
}

/// The text format.
pub trait TextNames: Sized {
    /// As [`text::to_string`].
    ///
    /// # Panics
    /// If the allocator fails.
    fn to_text_format(&self) -> String;

    /// As [`text::Printer::to_string`].
    ///
    /// # Panics
    /// If the allocator fails.
    fn to_text_format_with_options(&self, options: &FormatOptions) -> String;

    /// As [`text::message_from_str`].
    ///
    /// # Errors
    /// As [`text::message_from_str`].
    fn parse_text_format(desc: MessageDescriptor, input: &str) -> Result<Self, ParseError>;

    /// As [`text::merge_from_str`].
    ///
    /// # Errors
    /// As [`text::merge_from_str`].
    fn merge_text_format(&mut self, input: &str) -> Result<(), ParseError>;
}

impl TextNames for DynamicMessage {
    fn to_text_format(&self) -> String {
        self.to_text_format_with_options(&FormatOptions::new())
    }

    fn to_text_format_with_options(&self, options: &FormatOptions) -> String {
        options.to_string(self).unwrap_or_else(|error| panic!("{error}"))
    }

    fn parse_text_format(desc: MessageDescriptor, input: &str) -> Result<Self, ParseError> {
        text::message_from_str(&desc, input)
    }

    fn merge_text_format(&mut self, input: &str) -> Result<(), ParseError> {
        Parser::new().merge_from_str(self, input)
    }
}
