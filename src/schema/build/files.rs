//! The files of a set: each once, by name.

use crate::error::{DescriptorError, DescriptorErrorKind};
use crate::program::Room;
use crate::schema::Result;
use crate::schema::model::NONE;
use crate::schema::names::{Names, TextRange, is_identifier};
use crate::schema::read::file_names;
use alloc::vec::Vec;

/// The most components of a package name. With messages 32 deep, a relative name is looked up in at most 100 scopes.
const MAX_PACKAGE: usize = 68;

/// A file that is to be taken apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed<'i> {
    pub(super) name: &'i str,
    pub(super) bytes: &'i [u8],
    /// Its index, or `NONE` for the copy of one that came before.
    index: u32,
}

/// Lists files by index. One that comes again, byte for byte, is left out.
pub(super) fn list<'i>(
    files: impl Iterator<Item = &'i [u8]> + Clone,
    room: &mut Room,
) -> Result<Vec<Listed<'i>>> {
    let mut list = Vec::new();
    room.reserve(&mut list, files.clone().count())?;
    for (i, bytes) in files.enumerate() {
        let (name, _) = file_names(bytes)?;
        if name.is_empty() || name.contains('\0') {
            return Err(DescriptorError::new(DescriptorErrorKind::InvalidName, name, "not a file name"));
        }
        room.push(&mut list, Listed { name, bytes, index: i as u32 })?;
    }
    list.sort_unstable_by(|a, b| a.name.cmp(b.name).then(a.index.cmp(&b.index)));
    let mut first: Option<Listed<'i>> = None;
    for file in &mut list {
        match first {
            Some(first) if first.name == file.name => {
                if first.bytes != file.bytes {
                    let detail = "two different files of this name";
                    return Err(DescriptorError::new(DescriptorErrorKind::DuplicateName, file.name, detail));
                }
                file.index = NONE;
            }
            _ => first = Some(*file),
        }
    }
    list.sort_unstable_by_key(|file| file.index);
    list.truncate(list.partition_point(|file| file.index != NONE));
    Ok(list)
}

/// The packages of files, and their text.
pub(super) fn packages<'i>(
    files: &[Listed<'i>],
    names: &mut Names,
    room: &mut Room,
) -> Result<Vec<(&'i str, TextRange)>> {
    let mut packages: Vec<(&'i str, TextRange)> = Vec::new();
    room.reserve(&mut packages, files.len())?;
    for file in files {
        let (_, package) = file_names(file.bytes)?;
        let components = || package.split('.');
        if !package.is_empty()
            && (components().any(|c| !is_identifier(c)) || components().count() > MAX_PACKAGE)
        {
            let error = DescriptorError::new(DescriptorErrorKind::InvalidName, package, "not a package name");
            return Err(error.in_file(file.name));
        }
        packages.push((package, TextRange::default()));
    }
    packages.sort_unstable_by(|a, b| a.0.cmp(b.0));
    packages.dedup_by(|a, b| a.0 == b.0);
    for (package, text) in &mut packages {
        *text = names.push(package, room)?;
    }
    Ok(packages)
}

/// Indices of files, sorted by name.
pub(super) fn by_name(files: &[Listed<'_>], room: &mut Room) -> Result<Vec<u32>> {
    let mut order = room.list(0..files.len() as u32)?;
    order.sort_unstable_by_key(|&i| files.get(i as usize).map(|file| file.name));
    Ok(order)
}
