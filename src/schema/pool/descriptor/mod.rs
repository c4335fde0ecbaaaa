//! Descriptors: a pool and an index each.

/// What every named definition has: its pool and file, its names, its options.
macro_rules! described {
    ($type:ident, $what:literal, $full:literal, $options:literal, $self:ident => ($pool:expr, $file:expr) $(, $package:ident)?) => {
        impl $type {
            #[doc = concat!("The pool that the ", $what, " belongs to.")]
            #[inline]
            #[must_use]
            pub fn parent_pool(&$self) -> &DescriptorPool {
                $pool
            }

            #[doc = concat!("The file that declares the ", $what, ".")]
            #[must_use]
            pub fn parent_file(&$self) -> FileDescriptor {
                FileDescriptor::new($pool, $file)
            }

            /// The name, without the package and the definitions around it.
            #[must_use]
            pub fn name(&$self) -> &str {
                $pool.data().text($self.data().name.local())
            }

            #[doc = concat!("The full name: ", $full, ".")]
            #[must_use]
            pub fn full_name(&$self) -> &str {
                $pool.data().text($self.data().name.full())
            }

            #[doc = concat!("The ", $what, "'s `google.protobuf.", $options, "`, encoded, custom options included.")]
            #[must_use]
            pub fn options_bytes(&$self) -> &[u8] {
                $pool.data().bytes($self.data().options)
            }
        }

        $(described!(@$package $type, $self => ($pool, $file));)?
    };
    (@package $type:ident, $self:ident => ($pool:expr, $file:expr)) => {
        impl $type {
            /// The package of the file that declares it, or `""`.
            #[must_use]
            pub fn package_name(&$self) -> &str {
                let data = $pool.data();
                data.files.get($file as usize).map_or("", |file| data.text(file.package))
            }
        }
    };
}

pub(super) mod enumeration;
pub(super) mod field;
pub(super) mod file;
pub(super) mod message;
pub(super) mod options;

macro_rules! shown_by_name {
    ($($room:ident::$type:ident $(<$life:lifetime>)?),*) => {$(
        impl core::fmt::Debug for $room::$type $(<$life>)? {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!(stringify!($type), "({})"), self.full_name())
            }
        }
    )*};
}

shown_by_name! {
    enumeration::EnumDescriptor, message::MessageDescriptor, message::OneofDescriptor, file::ServiceDescriptor,
    file::MethodDescriptor, field::FieldDescriptor, field::FieldRef<'_>, field::ExtensionDescriptor
}
