//! The files of a set, without copies, and their packages.

use crate::schema::pool::Result;
use crate::schema::pool::model::names::{Names, TextRange, is_identifier};
use crate::schema::pool::model::symbols::sort_packages;
use crate::schema::pool::read::file_names;
use crate::schema::program::{Room, sort_indices};
use crate::wire::error::{DescriptorError, DescriptorErrorKind};
use alloc::vec::Vec;

/// The most components of a package name. With messages nested 32 deep, resolving a relative name visits at most
/// 100 scopes.
const MAX_PACKAGE: usize = 68;

/// An encoded file.
#[derive(Clone, Copy, Debug)]
pub(in crate::schema::pool) struct FileInput<'i> {
    pub(in crate::schema::pool) bytes: &'i [u8],
    /// Made of tables, not read from a set.
    pub(in crate::schema::pool) of_tables: bool,
}

/// A file to be declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileSource<'i> {
    pub(super) name: &'i str,
    pub(super) bytes: &'i [u8],
    pub(super) of_tables: bool,
    /// Another file of this name is used.
    is_copy: bool,
}

/// Lists the files in order. Leaves out identical copies, and well-known files of tables where a set has its own. Any other two
/// files of one name are an error.
pub(super) fn list<'i>(
    files: &mut dyn Iterator<Item = FileInput<'i>>,
    count: usize,
    room: &mut Room,
) -> Result<Vec<FileSource<'i>>> {
    let mut list = Vec::new();
    room.reserve(&mut list, count)?;
    for FileInput { bytes, of_tables } in files {
        let (name, _) = file_names(bytes)?;
        if name.is_empty() || name.contains('\0') {
            return Err(DescriptorError::new(DescriptorErrorKind::InvalidName, name, "not a file name"));
        }
        room.push(&mut list, FileSource { name, bytes, of_tables, is_copy: false })?;
    }
    let order = by_name(&list, room)?;
    // The file of this name that is used so far, and where it is.
    let mut used: Option<(u32, FileSource<'i>)> = None;
    for &at in &order {
        let Some(&file) = list.get(at as usize) else { continue };
        let unused = match used {
            Some((_, first)) if first.name == file.name && first.bytes == file.bytes => Some(at),
            Some((first_at, first)) if first.name == file.name => {
                if !first.of_tables || file.of_tables || !file.name.starts_with("google/protobuf/") {
                    let detail = "two different files of this name";
                    return Err(DescriptorError::new(DescriptorErrorKind::DuplicateName, file.name, detail));
                }
                used = Some((at, file));
                Some(first_at)
            }
            _ => {
                used = Some((at, file));
                None
            }
        };
        if let Some(file) = unused.and_then(|at| list.get_mut(at as usize)) {
            file.is_copy = true;
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
            && (components().any(|c| !is_identifier(c))
                || (components().count() > MAX_PACKAGE && !file.of_tables))
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
