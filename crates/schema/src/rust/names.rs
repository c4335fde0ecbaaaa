//! Where every type stands: a tree of modules, for packages and messages, with unique names in each.

use super::case::{identifier, snake, upper_camel};
use super::needs::Needs;
use alloc::{collections::BTreeMap, format, string::String, vec, vec::Vec};
use tablepb::schema::{FileDescriptor, OneofDescriptor};
use tablepb::{DescriptorPool, EnumDescriptor, MessageDescriptor};

/// Packages of more components have the last ones in one module, which bounds the indentation.
const MAX_PACKAGE: usize = 16;

/// The module of the file itself.
pub(super) const ROOT: u32 = 0;

/// What stands in a module.
pub(super) enum Item {
    Message(MessageDescriptor),
    Enum(EnumDescriptor),
    Oneof(OneofDescriptor),
    Module(u32),
    Comment(String),
}

/// A module of Rust.
pub(super) struct Module {
    pub(super) name: String,
    parent: u32,
    pub(super) depth: usize,
    pub(super) items: Vec<Item>,
    /// The names in it. The number is that of a module, or counts the types that asked for the name.
    used: BTreeMap<String, (bool, u32)>,
    /// The package that it is for, in listings by package.
    pub(super) package: Option<String>,
    /// The message whose nested types are in it.
    message: Option<u32>,
}

/// A type: its module and its name.
#[derive(Clone, Default)]
struct Place {
    module: u32,
    name: String,
}

/// The names of all types of a listing.
pub(super) struct Names {
    pub(super) modules: Vec<Module>,
    messages: BTreeMap<u32, Place>,
    enums: BTreeMap<u32, Place>,
    /// By full name, which the pool keeps unique.
    oneofs: BTreeMap<String, Place>,
    /// The modules of messages, once something stands in them.
    inner: BTreeMap<u32, u32>,
    layout: Layout,
}

/// Which modules there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// One listing of the types of one package, without a module for it.
    OnePackage,
    /// One listing with a module for each package. A message and a package of one name share a module.
    Whole,
    /// A listing for each package. Modules of packages are not in those of others, and have their names alone.
    ByPackage,
}

impl Names {
    /// Names the types in the order of the files.
    pub(super) fn new(
        pool: &DescriptorPool,
        needs: &Needs<'_>,
        services: impl Fn(&FileDescriptor) -> bool,
        by_package: bool,
    ) -> Self {
        let root = Module {
            name: String::new(),
            parent: ROOT,
            depth: 0,
            items: vec![],
            used: BTreeMap::new(),
            package: by_package.then(String::new),
            message: None,
        };
        let mut this = Self {
            modules: vec![root],
            messages: BTreeMap::new(),
            enums: BTreeMap::new(),
            oneofs: BTreeMap::new(),
            inner: BTreeMap::new(),
            layout: Layout::ByPackage,
        };
        let messages = pool.all_messages().filter(|m| needs.has_message(m)).map(|m| m.parent_file());
        let enums = pool.all_enums().filter(|e| needs.has_enum(e)).map(|e| e.parent_file());
        let mut files = messages.chain(enums);
        if by_package {
            let files = files.chain(pool.files().filter(|file| services(file)));
            files.for_each(|file| _ = this.package(&file));
        } else {
            let first = files.next();
            let one =
                files.all(|f| first.as_ref().is_none_or(|first| first.package_name() == f.package_name()));
            this.layout = if one { Layout::OnePackage } else { Layout::Whole };
        }
        for file in pool.files() {
            this.file(&file, needs, services(&file));
        }
        this
    }

    fn file(&mut self, file: &FileDescriptor, needs: &Needs<'_>, services: bool) {
        // Depth first, in the order of the file: enums, then messages with what is nested in them.
        let mut messages: Vec<MessageDescriptor> = file.messages().collect();
        messages.reverse();
        let mut oneofs = Vec::new();
        for enumeration in file.enums().filter(|e| needs.has_enum(e)) {
            let module = self.package(file);
            self.add_enum(module, enumeration);
        }
        while let Some(message) = messages.pop() {
            if needs.has_message(&message) {
                let module = self.module_around(message.parent_message(), file);
                let place = self.place(module, upper_camel(message.name()));
                self.messages.insert(message.index(), place);
                oneofs.extend(message.oneofs().filter(|oneof| !oneof.is_synthetic()));
                self.modules[module as usize].items.push(Item::Message(message.clone()));
            }
            for enumeration in message.child_enums().filter(|e| needs.has_enum(e)) {
                let module = self.module_around(Some(message.clone()), file);
                self.add_enum(module, enumeration);
            }
            let nested = messages.len();
            messages.extend(message.child_messages());
            messages[nested..].reverse();
        }
        // After the nested types, which keep their names.
        for oneof in oneofs {
            let module = self.module_around(Some(oneof.parent_message().clone()), file);
            let place = self.place(module, upper_camel(oneof.name()));
            self.oneofs.insert(oneof.full_name().into(), place);
            self.modules[module as usize].items.push(Item::Oneof(oneof));
        }
        if services && self.layout != Layout::ByPackage {
            for service in file.services() {
                let module = self.package(file);
                let comment = format!("The service {} has no listing.", service.full_name());
                self.modules[module as usize].items.push(Item::Comment(comment));
            }
        }
    }

    fn add_enum(&mut self, module: u32, enumeration: EnumDescriptor) {
        let place = self.place(module, upper_camel(enumeration.name()));
        self.enums.insert(enumeration.index(), place);
        self.modules[module as usize].items.push(Item::Enum(enumeration));
    }

    /// The module of a package: the root if all types are of one package.
    fn package(&mut self, file: &FileDescriptor) -> u32 {
        let (mut module, package) = (ROOT, file.package_name());
        if self.layout != Layout::OnePackage && !package.is_empty() {
            let mut end = 0;
            for component in package.splitn(MAX_PACKAGE, '.') {
                end += component.len();
                module = self.module(module, snake(component), Some(&package[..end]));
                end += 1;
            }
        }
        module
    }

    /// The module of what is nested in a message, or stands at the top level of a file.
    fn module_around(&mut self, message: Option<MessageDescriptor>, file: &FileDescriptor) -> u32 {
        // The messages around it, up to one that has a module.
        let (mut chain, mut next) = (Vec::new(), message);
        let mut module = loop {
            let Some(message) = next else { break self.package(file) };
            if let Some(&module) = self.inner.get(&message.index()) {
                break module;
            }
            next = message.parent_message();
            chain.push(message);
        };
        while let Some(message) = chain.pop() {
            module = self.module(module, snake(message.name()), None);
            self.modules[module as usize].message.get_or_insert(message.index());
            self.inner.insert(message.index(), module);
        }
        module
    }

    /// The module of this name in another, for a package or for what is nested in a message.
    fn module(&mut self, parent: u32, name: String, package: Option<&str>) -> u32 {
        let package = package.filter(|_| self.layout == Layout::ByPackage);
        let mut name = identifier(name);
        let next = self.modules.len() as u32;
        while let Some(&(is_module, found)) = self.modules[parent as usize].used.get(&name) {
            if is_module && self.modules[found as usize].package.as_deref() == package {
                return found;
            }
            name.push('_');
        }
        let module = &mut self.modules[parent as usize];
        module.used.insert(name.clone(), (true, next));
        if package.is_none() {
            module.items.push(Item::Module(next));
        }
        let depth = module.depth + 1;
        let package = package.map(String::from);
        self.modules.push(Module {
            name,
            parent,
            depth,
            items: vec![],
            used: BTreeMap::new(),
            package,
            message: None,
        });
        next
    }

    /// A place for a type of this name. Types that ask for a name that is in use have a number after it.
    fn place(&mut self, module: u32, name: String) -> Place {
        let name = unique(&mut self.modules[module as usize].used, identifier(name), "");
        Place { module, name }
    }

    pub(super) fn message_name(&self, message: &MessageDescriptor) -> &str {
        self.messages.get(&message.index()).map_or("", |place| &place.name)
    }

    pub(super) fn enum_name(&self, enumeration: &EnumDescriptor) -> &str {
        self.enums.get(&enumeration.index()).map_or("", |place| &place.name)
    }

    pub(super) fn oneof_name(&self, oneof: &OneofDescriptor) -> &str {
        self.oneofs.get(oneof.full_name()).map_or("", |place| &place.name)
    }

    pub(super) fn message_path(&self, from: u32, message: &MessageDescriptor) -> String {
        self.messages.get(&message.index()).map_or(String::new(), |place| self.path(from, place))
    }

    pub(super) fn enum_path(&self, from: u32, enumeration: &EnumDescriptor) -> String {
        self.enums.get(&enumeration.index()).map_or(String::new(), |place| self.path(from, place))
    }

    pub(super) fn oneof_path(&self, from: u32, oneof: &OneofDescriptor) -> String {
        self.oneofs.get(oneof.full_name()).map_or(String::new(), |place| self.path(from, place))
    }

    /// The path to a type from a module: `super::` up to the module that has both, and down from there.
    fn path(&self, mut from: u32, to: &Place) -> String {
        let (mut down, mut target) = (Vec::new(), to.module);
        let mut path = String::new();
        while from != target {
            let (up, other) = (&self.modules[from as usize], &self.modules[target as usize]);
            if up.depth >= other.depth {
                path.push_str("super::");
                from = up.parent;
            } else {
                down.push(target);
                target = other.parent;
            }
        }
        while let Some(module) = down.pop() {
            path.push_str(&self.modules[module as usize].name);
            path.push_str("::");
        }
        path + &to.name
    }

    /// The modules of packages with their names, in listings by package.
    pub(super) fn packages(&self) -> impl Iterator<Item = (u32, &str)> {
        (0..).zip(&self.modules).filter_map(|(i, module)| Some((i, module.package.as_deref()?)))
    }

    /// The name of the message whose nested types are in this module.
    pub(super) fn message_of(&self, module: u32) -> &str {
        let message = self.modules[module as usize].message;
        message.and_then(|message| self.messages.get(&message)).map_or("", |place| &place.name)
    }

    /// The module around this one; `None` for the root.
    pub(super) fn parent(&self, module: u32) -> Option<u32> {
        (module != ROOT).then(|| self.modules[module as usize].parent)
    }

    /// The module of a package, in listings by package.
    pub(super) fn package_module(&self, package: &str) -> Option<u32> {
        let position = self.modules.iter().position(|module| module.package.as_deref() == Some(package))?;
        Some(position as u32)
    }

    /// Whether a type, or a module, has this name in a module.
    pub(super) fn is_used(&self, module: u32, name: &str) -> bool {
        self.modules[module as usize].used.contains_key(name)
    }
}

/// A name that is not in use: the name itself, or the first number after it that is free.
pub(super) fn unique(used: &mut BTreeMap<String, (bool, u32)>, name: String, separator: &str) -> String {
    let is_module = match used.get(&name) {
        None => {
            used.insert(name.clone(), (false, 1));
            return name;
        }
        Some(&(is_module, _)) => is_module,
    };
    let plain = String::from(name.strip_prefix("r#").unwrap_or(&name).trim_end_matches('_'));
    // Counts on from the last one, so that many equal names take linear time; beside a module, under what is no name.
    let counted = if is_module { name + " " } else { name };
    let mut count = used.get(&counted).map_or(1, |&(_, count)| count);
    loop {
        count += 1;
        let candidate = format!("{plain}{separator}{count}");
        if !used.contains_key(&candidate) {
            used.insert(candidate.clone(), (false, 1));
            used.insert(counted, (false, count));
            return candidate;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// Each name began to count anew, which took the square of their number: a minute here.
    #[test]
    fn many_names_beside_a_module_of_their_name_take_linear_time() {
        let mut used = BTreeMap::from([(String::from("_1"), (true, 7))]);
        let count = if cfg!(debug_assertions) { 10_000 } else { 100_000 };
        let start = Instant::now();
        for n in 2..count {
            assert_eq!(unique(&mut used, "_1".into(), "_"), format!("_1_{n}"));
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        assert_eq!(used.get("_1"), Some(&(true, 7)));
    }
}
