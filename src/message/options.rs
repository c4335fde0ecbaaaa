//! Options of descriptors as messages.

use super::DynamicMessage;
use crate::decode::DecodeOptions;
use crate::schema::{
    DescriptorPool, EnumDescriptor, EnumValueDescriptor, ExtensionDescriptor, FieldDescriptor, FileDescriptor,
    MessageDescriptor, MethodDescriptor, OneofDescriptor, ServiceDescriptor,
};

/// The options message of a type in descriptor.proto, read with the extensions that the pool declares.
fn options(pool: &DescriptorPool, name: &str, bytes: &[u8]) -> DynamicMessage {
    let pool = pool.for_options();
    let Some(descriptor) = pool.get_message_by_name(name) else {
        // A pool with some of descriptor.proto but not with this message: the options cannot be declared either.
        return DynamicMessage::new(&crate::schema::empty_message());
    };
    let mut message = DynamicMessage::new(&descriptor);
    // The bytes were decoded when the pool was made; what an extension does not accept is left out.
    let _ = message.merge_with(bytes, DecodeOptions::new().allow_partial(true));
    message
}

macro_rules! options_of {
    ($($descriptor:ty, $name:literal;)*) => {
        $(impl $descriptor {
            #[doc = concat!("The options, a `", $name, "`: custom options are its extensions. Decoded by each call.")]
            pub fn options(&self) -> DynamicMessage {
                options(self.parent_pool(), $name, self.options_bytes())
            }
        })*
    };
}

options_of! {
    FileDescriptor, "google.protobuf.FileOptions";
    MessageDescriptor, "google.protobuf.MessageOptions";
    FieldDescriptor, "google.protobuf.FieldOptions";
    ExtensionDescriptor, "google.protobuf.FieldOptions";
    OneofDescriptor, "google.protobuf.OneofOptions";
    EnumDescriptor, "google.protobuf.EnumOptions";
    EnumValueDescriptor, "google.protobuf.EnumValueOptions";
    ServiceDescriptor, "google.protobuf.ServiceOptions";
    MethodDescriptor, "google.protobuf.MethodOptions";
}
