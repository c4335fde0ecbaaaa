//! Options of descriptors as messages.

use super::DynamicMessage;
use crate::schema::pool::{
    DescriptorPool, EnumDescriptor, EnumValueDescriptor, ExtensionDescriptor, FieldDescriptor,
    FileDescriptor, MessageDescriptor, MethodDescriptor, OneofDescriptor, ServiceDescriptor,
};
use crate::wire::options::DecodeOptions;

/// Decodes options with the extensions that the pool declares.
fn options(pool: &DescriptorPool, name: &str, bytes: &[u8]) -> DynamicMessage {
    let mut message = DynamicMessage::new(&pool.options_message(name));
    // Loading the pool has decoded the bytes without extensions. A fault in an extension's value ends the merge here.
    let _ = message.merge_with(bytes, DecodeOptions::new().allow_partial(true));
    message
}

macro_rules! options_of {
    ($($descriptor:ty $(, $parent:ident)? => $name:literal;)*) => {
        $(impl $descriptor {
            #[doc = concat!("The options, a `", $name, "`: custom options are its extensions. Decoded by each call.")]
            pub fn options(&self) -> DynamicMessage {
                options(self$(.$parent())?.parent_pool(), $name, self.options_bytes())
            }
        })*
    };
}

options_of! {
    FileDescriptor => "google.protobuf.FileOptions";
    MessageDescriptor => "google.protobuf.MessageOptions";
    FieldDescriptor => "google.protobuf.FieldOptions";
    ExtensionDescriptor => "google.protobuf.FieldOptions";
    OneofDescriptor, parent_message => "google.protobuf.OneofOptions";
    EnumDescriptor => "google.protobuf.EnumOptions";
    EnumValueDescriptor, parent_enum => "google.protobuf.EnumValueOptions";
    ServiceDescriptor => "google.protobuf.ServiceOptions";
    MethodDescriptor, parent_service => "google.protobuf.MethodOptions";
}
