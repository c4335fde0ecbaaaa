//! Imports: every file there is, none twice, no circles.

use super::{Builder, DescriptorErrorKind as Kind, Result};
use crate::error::DescriptorError;
use crate::schema::model::{Import, NONE};
use alloc::{collections::BTreeSet, format, vec, vec::Vec};

impl Builder<'_> {
    /// Files may come in any order, so this waits until all are in. Weak and option imports may be missing.
    pub(super) fn resolve_imports(&mut self) -> Result<()> {
        let mut targets = Vec::new();
        for file in &self.data.files {
            let mut seen = BTreeSet::new();
            for dependency in &file.dependencies {
                let name = self.data.text(dependency.name);
                if !seen.insert(name) {
                    return Err(self.import_error(Kind::DuplicateName, file.name, name, "imported twice"));
                }
                let target = self.files.get(name).copied();
                if target.is_none() && matches!(dependency.import, Import::Plain | Import::Public) {
                    return Err(self.import_error(Kind::MissingImport, file.name, name, "not in the set"));
                }
                targets.push(target.unwrap_or(NONE));
            }
        }
        let dependencies = self.data.files.iter_mut().flat_map(|f| &mut f.dependencies);
        for (dependency, target) in dependencies.zip(targets) {
            dependency.file = target;
        }
        self.check_circles()
    }

    /// Takes away files that import nothing that is left, until none remains; what remains is a circle.
    fn check_circles(&self) -> Result<()> {
        let files = &self.data.files;
        let mut importers: Vec<Vec<u32>> = vec![Vec::new(); files.len()];
        let mut waiting: Vec<usize> = vec![0; files.len()];
        for (i, (file, waiting)) in files.iter().zip(&mut waiting).enumerate() {
            for dependency in &file.dependencies {
                if let Some(list) = importers.get_mut(dependency.file as usize) {
                    list.push(i as u32);
                    *waiting += 1;
                }
            }
        }
        let mut free: Vec<usize> = (0..files.len()).filter(|&i| waiting.get(i) == Some(&0)).collect();
        let mut done = free.len();
        while let Some(file) = free.pop() {
            for &importer in importers.get(file).into_iter().flatten() {
                if let Some(count) = waiting.get_mut(importer as usize) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(importer as usize);
                        done += 1;
                    }
                }
            }
        }
        if done == files.len() {
            return Ok(());
        }
        let stuck = files.iter().zip(&waiting).find(|(_, waiting)| **waiting > 0);
        let name = stuck.map_or("", |(file, _)| self.data.text(file.name));
        Err(DescriptorError::new(Kind::ImportCycle, "", "it imports itself, or a file that does")
            .in_file(name))
    }

    #[cold]
    fn import_error(
        &self,
        kind: Kind,
        file: crate::schema::names::Text,
        import: &str,
        detail: &str,
    ) -> DescriptorError {
        DescriptorError::new(kind, import, format!("import {import:?}: {detail}"))
            .in_file(self.data.text(file))
    }
}
