//! Rules for files and packages, and for what stays in them.

use super::places::At;
use super::{Checker, Rule};
use alloc::collections::BTreeMap;
use alloc::{format, string::String};
use tablepb::schema::{Edition, FileDescriptor};
use tablepb::{DynamicMessage, ValueRef};

/// Options of files that have a rule: the name, and the number in `FileOptions`.
const OPTIONS: [(Rule, &str, i32); 16] = [
    (Rule::FileSameJavaPackage, "java_package", 1),
    (Rule::FileSameJavaOuterClassname, "java_outer_classname", 8),
    (Rule::FileSameOptimizeFor, "optimize_for", 9),
    (Rule::FileSameJavaMultipleFiles, "java_multiple_files", 10),
    (Rule::FileSameGoPackage, "go_package", 11),
    (Rule::FileSameCcGenericServices, "cc_generic_services", 16),
    (Rule::FileSameJavaGenericServices, "java_generic_services", 17),
    (Rule::FileSamePyGenericServices, "py_generic_services", 18),
    (Rule::FileSameCcEnableArenas, "cc_enable_arenas", 31),
    (Rule::FileSameObjcClassPrefix, "objc_class_prefix", 36),
    (Rule::FileSameCsharpNamespace, "csharp_namespace", 37),
    (Rule::FileSameSwiftPrefix, "swift_prefix", 39),
    (Rule::FileSamePhpClassPrefix, "php_class_prefix", 40),
    (Rule::FileSamePhpNamespace, "php_namespace", 41),
    (Rule::FileSamePhpMetadataNamespace, "php_metadata_namespace", 44),
    (Rule::FileSameRubyPackage, "ruby_package", 45),
];

/// Fields of `FileDescriptorProto`.
const PACKAGE: i32 = 2;
const OPTIONS_FIELD: i32 = 8;
const SYNTAX: i32 = 12;
const EDITION: i32 = 14;

pub(super) fn check(checker: &mut Checker<'_>) {
    let (old, new) = (checker.old, checker.new);
    for (name, before) in &old.files {
        match new.files.get(name) {
            Some(after) => compare(checker, before, after),
            None => checker.add_gone(Rule::FileNoDelete, before, format!("file {name:?} was deleted")),
        }
    }
    let mut gone = BTreeMap::new();
    for file in old.files.values().filter(|file| !checker.packages.contains(file.package_name())) {
        gone.entry(file.package_name()).or_insert(file);
    }
    for (package, file) in gone {
        checker.add_gone(Rule::PackageNoDelete, file, format!("package {package:?} was deleted"));
    }
}

/// How definitions of one sort are kept: in their file, and in their package.
pub(super) struct Kept {
    pub(super) what: &'static str,
    pub(super) in_file: Rule,
    pub(super) in_package: Rule,
}

/// A definition of the old schema. `there` is the file that has its name in the new one.
pub(super) fn stays(
    checker: &mut Checker<'_>,
    kept: &Kept,
    full_name: &str,
    file: &FileDescriptor,
    there: Option<&FileDescriptor>,
) {
    let Kept { what, in_file, in_package } = *kept;
    let package = file.package_name();
    // A file that is deleted is a breach of its own.
    if checker.new.files.contains_key(file.name()) && there.is_none_or(|there| there.name() != file.name()) {
        let text = match there {
            Some(there) => format!("{what} {full_name} was moved to {}", there.name()),
            None => format!("{what} {full_name} was deleted from its file"),
        };
        checker.add_deleted(in_file, file, full_name, true, text);
    }
    // So is a package.
    if there.is_none_or(|there| there.package_name() != package) && checker.packages.contains(package) {
        let text = format!("{what} {full_name} was deleted from package {package:?}");
        checker.add_deleted(in_package, file, full_name, false, text);
    }
}

fn compare(checker: &mut Checker<'_>, old: &FileDescriptor, new: &FileDescriptor) {
    let syntax = |file: &FileDescriptor| match file.edition() {
        Edition::Proto2 => "proto2",
        Edition::Proto3 => "proto3",
        _ => "editions",
    };
    if syntax(old) != syntax(new) {
        let text = format!("the syntax of the file changes from {} to {}", syntax(old), syntax(new));
        checker.add(Rule::FileSameSyntax, At::File(new), &[&[SYNTAX], &[EDITION]], text);
    }
    if old.package_name() != new.package_name() {
        let text = format!(
            "the package of the file changes from {:?} to {:?}",
            old.package_name(),
            new.package_name()
        );
        checker.add(Rule::FileSamePackage, At::File(new), &[&[PACKAGE]], text);
    }
    if old.options_bytes() == new.options_bytes() {
        return;
    }
    let (before, after) = (old.options(), new.options());
    for (rule, name, number) in OPTIONS {
        let value = |file: &FileDescriptor, options: &DynamicMessage| match rule {
            // Editions since 2026 do not have the option: arenas are always enabled.
            Rule::FileSameCcEnableArenas if file.edition() >= Edition::Edition2026 => "true".into(),
            _ => text(options.get(name)),
        };
        let (before, after) = (value(old, &before), value(new, &after));
        if before != after {
            let text = format!("the option {name} changes from {before} to {after}");
            checker.add(rule, At::File(new), &[&[OPTIONS_FIELD, number]], text);
        }
    }
}

fn text(value: Option<ValueRef<'_, '_>>) -> String {
    match value {
        Some(ValueRef::EnumNumber(1)) => "SPEED".into(),
        Some(ValueRef::EnumNumber(2)) => "CODE_SIZE".into(),
        Some(ValueRef::EnumNumber(3)) => "LITE_RUNTIME".into(),
        Some(ValueRef::Bool(value)) => format!("{value}"),
        Some(ValueRef::String(value)) => format!("{value:?}"),
        value => format!("{value:?}"),
    }
}
