//! The files of a set, without copies, and their packages.

use crate::error::{DescriptorError, DescriptorErrorKind};
use crate::program::{Room, sort_indices};
use crate::schema::Result;
use crate::schema::names::{Names, TextRange, is_identifier};
use crate::schema::read::file_names;
use crate::schema::symbols::sort_packages;
use alloc::vec::Vec;

/// The most components of a package name. With messages nested 32 deep, resolving a relative name visits at most
/// 100 scopes.
const MAX_PACKAGE: usize = 68;

/// A file to be declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileSource<'i> {
    pub(super) name: &'i str,
    pub(super) bytes: &'i [u8],
    /// An identical file comes earlier in the set.
    is_copy: bool,
}

/// Lists the files in order. Leaves out identical copies; two different files of one name are an error.
pub(super) fn list<'i>(
    files: &mut dyn Iterator<Item = &'i [u8]>,
    count: usize,
    room: &mut Room,
) -> Result<Vec<FileSource<'i>>> {
    let mut list = Vec::new();
    room.reserve(&mut list, count)?;
    for bytes in files {
        let (name, _) = file_names(bytes)?;
        if name.is_empty() || name.contains('\0') {
            return Err(DescriptorError::new(DescriptorErrorKind::InvalidName, name, "not a file name"));
        }
        room.push(&mut list, FileSource { name, bytes, is_copy: false })?;
    }
    let order = by_name(&list, room)?;
    let mut first: Option<FileSource<'i>> = None;
    for &at in &order {
        let Some(file) = list.get_mut(at as usize) else { continue };
        match first {
            Some(first) if first.name == file.name => {
                if first.bytes != file.bytes {
                    let detail = "two different files of this name";
                    return Err(DescriptorError::new(DescriptorErrorKind::DuplicateName, file.name, detail));
                }
                file.is_copy = true;
            }
            _ => first = Some(*file),
        }
    }
    room.drop_list(order);
    list.retain(|file| !file.is_copy);
    Ok(list)
}

/// The packages of all files with their stored text, sorted by name.
pub(super) fn packages<'i>(
    files: &[FileSource<'i>],
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
    sort_packages(&mut packages);
    for (package, text) in &mut packages {
        *text = names.push(package, room)?;
    }
    Ok(packages)
}

/// Indices of files, sorted by name; copies keep their order.
pub(super) fn by_name(files: &[FileSource<'_>], room: &mut Room) -> Result<Vec<u32>> {
    let mut order = room.list(0..files.len() as u32)?;
    let name = |i: u32| files.get(i as usize).map(|file| file.name);
    sort_indices(&mut order, &mut |a, b| name(a).cmp(&name(b)).then(a.cmp(&b)));
    Ok(order)
}
