//! Where imported files come from.

use alloc::borrow::Cow;
use alloc::string::String;

/// A place where sources are looked for by the name under which files import them.
///
/// Closures from a name to an optional `String` are resolvers. The builder asks its resolvers in the order in which they were
/// added, each file once, and checks names before: no resolver is asked for a name with `..`, a backslash or a slash in front.
///
/// ```
/// use tablepb_schema::{FileResolver, SourceBuilder};
///
/// struct Registry;
///
/// impl FileResolver for Registry {
///     fn find(&self, name: &str) -> Result<Option<std::borrow::Cow<'_, str>>, String> {
///         Ok((name == "id.proto").then(|| "message Id { required int64 value = 1; }".into()))
///     }
/// }
///
/// let log = "import \"id.proto\"; message Log { optional Id id = 1; }";
/// let pool = SourceBuilder::new().source("log.proto", log).resolver(Registry).build()?;
/// assert!(pool.message("Id").is_ok());
/// # Ok::<(), tablepb_schema::SourceError>(())
/// ```
pub trait FileResolver {
    /// The source of the file of this name, or `None` if it is not here.
    ///
    /// # Errors
    /// What keeps it from being read: the build fails with it, as `Unreadable`.
    fn find(&self, name: &str) -> Result<Option<Cow<'_, str>>, String>;
}

impl<F: Fn(&str) -> Option<String>> FileResolver for F {
    fn find(&self, name: &str) -> Result<Option<Cow<'_, str>>, String> {
        Ok(self(name).map(Cow::Owned))
    }
}

/// The files of protobuf that any file can import.
pub(crate) fn well_known(name: &str) -> Option<&'static str> {
    macro_rules! files {
        ($($name:literal)+) => {
            match name {
                $(concat!("google/protobuf/", $name) => {
                    Some(include_str!(concat!("well_known/", $name)))
                })+
                _ => None,
            }
        };
    }
    files! {
        "any.proto" "api.proto" "compiler/plugin.proto" "cpp_features.proto" "descriptor.proto" "duration.proto"
        "empty.proto" "field_mask.proto" "go_features.proto" "java_features.proto" "source_context.proto"
        "struct.proto" "timestamp.proto" "type.proto" "wrappers.proto"
    }
}
