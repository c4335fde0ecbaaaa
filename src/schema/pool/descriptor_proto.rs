//! descriptor.proto, complete as of protobuf v36, as a descriptor set.
//!
//! `descriptor.binpb` is what `tablepb compile` makes of the source in `crates/schema`; a test there compares the two byte for byte, and with
//! `WRITE_DESCRIPTOR` in the environment writes the file anew.

use super::DescriptorPool;

const SET: &[u8] = include_bytes!("descriptor.binpb");

/// The pool of descriptor.proto. With `std` it is made once; without, for every call.
pub(super) fn pool() -> DescriptorPool {
    let make = || DescriptorPool::make_builtin(SET).unwrap_or_default();
    #[cfg(feature = "std")]
    {
        static POOL: std::sync::OnceLock<DescriptorPool> = std::sync::OnceLock::new();
        POOL.get_or_init(make).clone()
    }
    #[cfg(not(feature = "std"))]
    make()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_set_makes_a_pool() {
        let pool = DescriptorPool::make_builtin(SET).unwrap();
        let names: Vec<_> = pool.files().map(|f| alloc::string::String::from(f.name())).collect();
        assert_eq!(names, ["google/protobuf/descriptor.proto"]);
        let file = pool.get_file_by_name("google/protobuf/descriptor.proto").unwrap();
        assert_eq!(file.edition(), super::super::Edition::Proto2);
        let field = pool.get_message_by_name("google.protobuf.FieldDescriptorProto").unwrap();
        assert_eq!(field.fields().len(), 11);
        assert!(pool.get_enum_by_name("google.protobuf.FieldDescriptorProto.Type").unwrap().is_closed());
    }
}
