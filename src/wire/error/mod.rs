//! Errors: a kind, a byte offset and a field path, one pointer wide.
//!
//! The loops return a [`DecodeErrorKind`], which is one byte and `Copy`; one cold function at the edge adds the
//! offset and the path. On success a caller pays a register at most; an error allocates only when it is made. Without
//! memory for its details an error still has a kind, `OutOfMemory`; without memory for its path or a name, it goes without.
//!
//! Every error of the crate is one pointer to its kind and private details: a [`Report`](report::Report) or an [`Opaque`].

mod decode;
#[cfg(feature = "reflect")]
mod descriptor;
mod path;
mod report;

pub use decode::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
#[cfg(feature = "reflect")]
pub(crate) use descriptor::show as show_descriptor_error;
#[cfg(feature = "reflect")]
pub use descriptor::{DescriptorError, DescriptorErrorKind};
pub use path::{FieldPath, PathStep};
#[cfg(feature = "reflect")]
pub(crate) use path::{NOWHERE, in_place};
#[cfg(not(tablepb_no_alloc))]
pub(crate) use report::copy_of;
pub(crate) use report::{ErrorKind, debug_error, error_kind, text_at, text_lengths};
#[cfg(feature = "reflect")]
pub(crate) use report::{Opaque, boxed, opaque_error, text};

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn errors_are_one_pointer_wide() {
        assert_eq!(size_of::<DecodeError>(), size_of::<usize>());
        assert_eq!(size_of::<EncodeError>(), size_of::<usize>());
        #[cfg(feature = "reflect")]
        assert_eq!(size_of::<DescriptorError>(), size_of::<usize>());
        assert_eq!(size_of::<Result<(), DecodeErrorKind>>(), 1);
    }

    #[test]
    fn long_paths_are_printed_in_part() {
        let path = |len| FieldPath {
            steps: (1..=len).map(|n| PathStep::new(n, None, None)).collect(),
            ..FieldPath::EMPTY
        };
        let whole = path(100).to_string();
        assert!(whole.starts_with("#1.#2.") && whole.ends_with(".#99.#100") && !whole.contains(".."));
        let part = path(10_000).to_string();
        assert!(part.contains(".#50....#9951.#9952.") && part.ends_with(".#10000"), "{part}");
    }

    #[test]
    fn messages_name_place_and_path() {
        let mut path = FieldPath::EMPTY;
        path.push_inner(PathStep::new(4, Some("tags".into()), Some(2)));
        path.push_inner(PathStep::new(3, None, None));
        let error =
            DecodeError::new(DecodeErrorKind::InvalidUtf8, 17).with_path(path).in_message("example.Project");
        assert_eq!(
            error.to_string(),
            "a string is not valid UTF-8 at byte 17, in example.Project: tags[2].#3"
        );
    }
}
