//! Files on disk and the names under which others import them.

use crate::BuildError;
use std::path::{Component, Path, PathBuf};
use tablepb::DescriptorPool;
use tablepb_schema::SourceBuilder;

/// Compiles the files with all that they import. Also says which files on disk were read.
pub(crate) fn compile(
    protos: &[&Path],
    includes: &[&Path],
) -> Result<(DescriptorPool, Vec<PathBuf>), BuildError> {
    let mut builder = SourceBuilder::new().include_source_info(true);
    for include in includes {
        builder = builder.include(*include);
    }
    for proto in protos {
        builder = builder.file(name(proto, includes)?);
    }
    let pool = builder.build().map_err(|error| BuildError::caused("", error))?;
    let on_disk = |name: &str| includes.iter().map(|include| include.join(name)).find(|path| path.exists());
    let read = pool.files().filter_map(|file| on_disk(file.name())).collect();
    Ok((pool, read))
}

/// The name of a file for those that import it: its path from the directory that has it, as protoc has it.
fn name(proto: &Path, includes: &[&Path]) -> Result<String, BuildError> {
    let path = plain(proto);
    let inside =
        includes.iter().find_map(|include| path.strip_prefix(plain(include)).ok().map(Path::to_path_buf));
    let inside = match inside {
        Some(inside) => Some(inside),
        // Or a path that already begins in such a directory.
        None => includes.iter().any(|include| include.join(&path).exists()).then_some(path),
    };
    let Some(inside) = inside else {
        let includes: Vec<_> = includes.iter().map(|include| include.display().to_string()).collect();
        let (proto, includes) = (proto.display(), includes.join(", "));
        return Err(BuildError::new(format!(
            "{proto} is in none of the directories of includes: {includes}"
        )));
    };
    // Names in imports have slashes on every system.
    let parts: Option<Vec<&str>> = inside.components().map(|part| part.as_os_str().to_str()).collect();
    parts
        .map(|parts| parts.join("/"))
        .ok_or_else(|| BuildError::new(format!("{} is not UTF-8", proto.display())))
}

/// A path without `.` components.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_paths_in_the_directories() {
        let includes = [Path::new("./proto"), Path::new("src")];
        assert_eq!(name(Path::new("proto/a/b.proto"), &includes).unwrap(), "a/b.proto");
        assert_eq!(name(Path::new("./src/c.proto"), &includes).unwrap(), "c.proto");
        assert_eq!(name(Path::new("x.proto"), &[Path::new(".")]).unwrap(), "x.proto");
        // One that is in a directory by its name: this file.
        assert_eq!(name(Path::new("sources.rs"), &includes).unwrap(), "sources.rs");
        let error = name(Path::new("other/d.proto"), &includes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "other/d.proto is in none of the directories of includes: ./proto, src"
        );
    }
}
