//! Imports: every imported file exists, no file imports another one twice, and there are no cycles.

use super::{Builder, DescriptorErrorKind, Result};
use crate::schema::pool::model::names::TextRange;
use crate::schema::pool::model::{FileData, Import, NONE};
use crate::schema::program::sort_list;
use crate::wire::error::DescriptorError;
use alloc::vec::Vec;

impl Builder<'_> {
    /// Resolves imports after all files are declared, since files may come in any order. Weak and option imports may
    /// be missing.
    pub(super) fn resolve_imports(&mut self) -> Result<()> {
        let mut targets: Vec<u32> = Vec::new();
        self.room.reserve(&mut targets, self.data.dependencies.len())?;
        for file in &self.data.files {
            for dependency in file.dependencies.of(&self.data.dependencies) {
                let name = self.data.text(dependency.name);
                let target = self.data.file_position(name);
                if target.is_none() && matches!(dependency.import, Import::Plain | Import::Public) {
                    return Err(self.import_error(
                        DescriptorErrorKind::MissingImport,
                        file.name,
                        name,
                        "not in the set",
                    ));
                }
                targets.push(target.unwrap_or(NONE));
            }
        }
        for (dependency, target) in self.data.dependencies.iter_mut().zip(&targets) {
            dependency.file = *target;
        }
        self.room.drop_list(targets);
        self.check_twice()?;
        self.check_circles()
    }

    fn check_twice(&mut self) -> Result<()> {
        let mut names: Vec<TextRange> = Vec::new();
        for i in 0..self.data.files.len() {
            let Some(file) = self.data.files.get(i) else { break };
            names.clear();
            let dependencies = file.dependencies.of(&self.data.dependencies);
            self.room.reserve(&mut names, dependencies.len())?;
            names.extend(dependencies.iter().map(|d| d.name));
            self.data.names.sort(&mut names);
            let twice =
                names.windows(2).find(|p| matches!(p, [a, b] if self.data.text(*a) == self.data.text(*b)));
            if let Some([name, _]) = twice {
                let name = self.data.text(*name);
                let kind = DescriptorErrorKind::DuplicateName;
                self.keep(self.import_error(kind, file.name, name, "imported twice"))?;
            }
        }
        self.room.drop_list(names);
        Ok(())
    }

    /// Removes files whose imports are all removed already, until none is left (Kahn's algorithm). If files remain,
    /// there is a cycle.
    fn check_circles(&mut self) -> Result<()> {
        let count = self.data.files.len();
        let dependencies = |file: &FileData| file.dependencies.of(&self.data.dependencies).iter();
        // Pairs (imported file, importer), sorted.
        let mut importers: Vec<(u32, u32)> = Vec::new();
        let mut waiting = self.room.filled(0u32, count)?;
        self.room.reserve(&mut importers, self.data.dependencies.len())?;
        for (i, (file, waiting)) in self.data.files.iter().zip(&mut waiting).enumerate() {
            for dependency in dependencies(file).filter(|d| (d.file as usize) < count) {
                importers.push((dependency.file, i as u32));
                *waiting += 1;
            }
        }
        sort_list(&mut importers, |a, b| a < b);
        let mut free: Vec<u32> = Vec::new();
        self.room.reserve(&mut free, count)?;
        free.extend((0..count as u32).filter(|&i| waiting.get(i as usize) == Some(&0)));
        let mut done = free.len();
        while let Some(file) = free.pop() {
            let from = importers.partition_point(|&(imported, _)| imported < file);
            for &(_, importer) in importers.iter().skip(from).take_while(|p| p.0 == file) {
                if let Some(count) = waiting.get_mut(importer as usize) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(importer);
                        done += 1;
                    }
                }
            }
        }
        if done < count {
            let stuck = self.data.files.iter().zip(&waiting).find(|(_, waiting)| **waiting > 0);
            let name = stuck.map_or("", |(file, _)| self.data.text(file.name));
            let detail = "it imports itself, or a file that does";
            let error = DescriptorError::new(DescriptorErrorKind::ImportCycle, "", detail);
            self.keep(error.in_file(name))?;
        }
        self.room.drop_list(importers);
        self.room.drop_list(waiting);
        self.room.drop_list(free);
        Ok(())
    }

    #[cold]
    fn import_error(
        &self,
        kind: DescriptorErrorKind,
        file: TextRange,
        import: &str,
        detail: &str,
    ) -> DescriptorError {
        DescriptorError::new(kind, import, format_args!("import {import:?}: {detail}"))
            .in_file(self.data.text(file))
    }
}
