//! Where schemas come from: `.proto` sources or a descriptor set.

use crate::failure::Failure;
use crate::faults::Shown;
use crate::roots::Roots;
use crate::{git, names, source};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use tablepb::schema::{FileDescriptor, PoolOptions};
use tablepb::{DescriptorPool, MessageDescriptor};
use tablepb_schema::{SourceBuilder, SourceDiagnostic};

/// The name of a source that is read from standard input.
const STDIN: &str = "stdin.proto";

/// A pool, and the files of it that were named.
pub struct Schema {
    pub pool: DescriptorPool,
    /// In the order in which they were named; all files of a descriptor set.
    pub files: Vec<String>,
    /// Where it comes from, for failures.
    pub place: String,
    /// Where its sources are on disk; nowhere if it was not made of sources.
    pub roots: Roots,
}

/// Adds `--proto`, `-I`, `--descriptors` and `--type` to a command.
pub fn arguments(command: Command) -> Command {
    source_arguments(command).arg(
        Arg::new("type")
            .long("type")
            .value_name("NAME")
            .help("The full name of the message type, package included; not needed if there is only one")
            .requires("schema"),
    )
}

/// Adds `--proto`, `-I` and `--descriptors` to a command.
pub fn source_arguments(command: Command) -> Command {
    command
        .arg(include_argument())
        .arg(
            Arg::new("proto")
                .long("proto")
                .value_name("FILE")
                .help("A .proto source with the message type; can be given more than once")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("descriptors")
                .long("descriptors")
                .value_name("FILE")
                .help("A descriptor set with the message type, instead of sources")
                .value_parser(value_parser!(PathBuf)),
        )
        .group(ArgGroup::new("schema").args(["proto", "descriptors"]))
}

/// `--type`, for commands that show or compare schemas.
pub fn type_argument() -> Arg {
    Arg::new("type")
        .long("type")
        .value_name("NAME")
        .help("Only the message type of this full name, and what it needs")
}

/// `-I`.
pub fn include_argument() -> Arg {
    Arg::new("include")
        .short('I')
        .long("include")
        .value_name("DIR")
        .help("Where imported files are; without it, where the named files are")
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf))
}

/// The schema that [`arguments`] name, if they name one.
pub fn load(matches: &ArgMatches) -> Result<Option<Schema>, Failure> {
    if let Some(file) = matches.get_one::<PathBuf>("descriptors") {
        return descriptor_set(file).map(Some);
    }
    let files = paths(matches, "proto");
    if files.is_empty() { Ok(None) } else { sources(&files, &paths(matches, "include"), false).map(Some) }
}

/// The message type that [`arguments`] name, if they name a schema.
pub fn message(matches: &ArgMatches) -> Result<Option<MessageDescriptor>, Failure> {
    let name = matches.get_one::<String>("type").map(String::as_str);
    load(matches)?.map(|schema| names::find(&schema.pool, &schema.place, name)).transpose()
}

/// The message type, for commands that cannot do without.
pub fn required(matches: &ArgMatches) -> Result<MessageDescriptor, Failure> {
    message(matches)?.ok_or_else(missing)
}

/// The failure of a command that needs a schema.
pub fn missing() -> Failure {
    Failure::Usage("a schema is missing: --proto FILE or --descriptors FILE".into())
}

/// The values of an argument that can be given more than once.
pub fn paths(matches: &ArgMatches, name: &str) -> Vec<PathBuf> {
    matches.get_many(name).map(|values| values.cloned().collect()).unwrap_or_default()
}

/// The schema of a `.proto` source, with its comments if that is asked for, or of a descriptor set, told by the end of the name; of all
/// sources of a directory, or of one of a commit of git.
pub fn any(file: &Path, include: &[PathBuf], comments: bool) -> Result<Schema, Failure> {
    if let Some(spec) = file.to_str().and_then(|name| name.strip_prefix("git:")) {
        return commit(spec, include, comments);
    }
    if file.is_dir() {
        let own = [file.to_owned()];
        let include = if include.is_empty() { &own } else { include };
        return sources(&in_directories(vec![file.to_owned()])?, include, comments);
    }
    match file.extension() {
        Some(end) if end == "proto" => sources(&[file.to_owned()], include, comments),
        _ => descriptor_set(file),
    }
}

fn commit(spec: &str, include: &[PathBuf], comments: bool) -> Result<Schema, Failure> {
    let mut builder = SourceBuilder::new().include_source_info(comments);
    let mut files = Vec::new();
    for (name, text) in git::sources(spec)? {
        files.push(name.clone());
        builder = builder.source(name, text);
    }
    // For what sources import that the commit does not have.
    for directory in include {
        builder = builder.include(directory);
    }
    let place = format!("git:{spec}");
    let pool = builder.build().map_err(|error| Failure::report(format!("{place}: {error}")))?;
    Ok(Schema { pool, files, place, roots: Roots::default() })
}

/// All sources in the place of a directory, in order.
pub fn in_directories(files: Vec<PathBuf>) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for file in files {
        if !file.is_dir() {
            all.push(file);
            continue;
        }
        let (before, mut todo) = (all.len(), vec![file.clone()]);
        while let Some(directory) = todo.pop() {
            let fail = |error| Failure::file(&directory.display().to_string(), &error);
            for entry in std::fs::read_dir(&directory).map_err(fail)? {
                let path = entry.map_err(fail)?.path();
                // No link to a directory, which may lead in a circle.
                if path.is_dir() && !path.is_symlink() {
                    todo.push(path);
                } else if path.extension().is_some_and(|end| end == "proto") {
                    all.push(path);
                }
            }
        }
        if all.len() == before {
            return Err(Failure::report(format!("{}: no .proto sources in this directory", file.display())));
        }
        all[before..].sort();
    }
    Ok(all)
}

fn descriptor_set(file: &Path) -> Result<Schema, Failure> {
    let (place, bytes) = source::read_schema(file)?;
    let pool =
        DescriptorPool::decode(&bytes).map_err(|error| Failure::descriptors(&place, &bytes, &error))?;
    let files = pool.files().map(|file| file.name().to_owned()).collect();
    Ok(Schema { pool, files, place, roots: Roots::default() })
}

/// Compiles sources with all that they import; with places and comments if `source_info`.
pub fn sources(files: &[PathBuf], include: &[PathBuf], source_info: bool) -> Result<Schema, Failure> {
    sources_with(files, include, source_info, Compiled::default()).map(|sources| sources.schema)
}

/// How sources are compiled, apart from what every command says.
#[derive(Default)]
pub struct Compiled {
    pub shown: Shown,
    pub retain_options: bool,
    /// Has files that are imported, and are not in the directories.
    pub imports: Option<DescriptorPool>,
    /// Whether to look for what is worth a warning.
    pub warn: bool,
}

/// What was compiled.
pub struct Sources {
    pub schema: Schema,
    pub warnings: Vec<SourceDiagnostic>,
}

/// The files of descriptor sets; of two of one name the first one counts.
pub fn imports(sets: &[PathBuf]) -> Result<Option<DescriptorPool>, Failure> {
    let mut pool: Option<DescriptorPool> = None;
    for file in sets {
        let place = file.display().to_string();
        let bytes = source::read_file(file, &place)?;
        let more = match &pool {
            Some(pool) => pool.add_file_descriptor_set(&bytes),
            None => DescriptorPool::decode(&bytes),
        };
        pool = Some(more.map_err(|error| Failure::descriptors(&place, &bytes, &error))?);
    }
    Ok(pool)
}

/// The same, with these choices.
pub fn sources_with(
    files: &[PathBuf],
    include: &[PathBuf],
    source_info: bool,
    Compiled { shown, retain_options, imports, warn }: Compiled,
) -> Result<Sources, Failure> {
    let stdin = |file: &&PathBuf| file.as_os_str() == "-";
    let on_disk: Vec<PathBuf> = files.iter().filter(|file| !stdin(file)).cloned().collect();
    let roots = Roots::new(include, &on_disk);
    let builder = SourceBuilder::new().include_source_info(source_info);
    let mut builder = builder.retain_options(retain_options);
    if let Some(most) = shown.most {
        builder = builder.max_faults(most as usize);
    }
    if let Some(memory) = shown.memory {
        builder = builder.with_options(PoolOptions::new().memory(memory));
    }
    for directory in roots.directories() {
        builder = builder.include(directory);
    }
    if let Some(imports) = imports {
        // What a descriptor prints compiles to the same descriptor.
        builder = builder.resolver(move |name: &str| imports.file(name).ok().map(|file| file.to_proto()));
    }
    let (mut names, mut seen) = (Vec::new(), HashSet::new());
    if files.iter().any(|file| stdin(&file)) {
        let limit = shown.memory.unwrap_or(source::MAX_SCHEMA).min(source::MAX_SCHEMA);
        let bytes = source::read_whole(source::stdin()?, "standard input", limit)?;
        let source = String::from_utf8(bytes)
            .map_err(|error| Failure::report(format!("standard input: {}", error.utf8_error())))?;
        builder = builder.source(STDIN, source);
    }
    for file in files {
        let name = if stdin(&file) { STDIN.into() } else { roots.name(file)? };
        if name == STDIN && !stdin(&file) && files.iter().any(|file| stdin(&file)) {
            let text =
                format!("{}: the file is shadowed by standard input, which has its name", file.display());
            return Err(Failure::report(text));
        }
        if seen.insert(name.clone()) {
            builder = builder.file(&name);
            names.push(name);
        }
    }
    let place = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
    let built =
        if warn { builder.build_with_warnings() } else { builder.build().map(|pool| (pool, Vec::new())) };
    let (pool, warnings) = built.map_err(|error| shown.failure(&error, &roots))?;
    Ok(Sources { schema: Schema { pool, files: names, place, roots }, warnings })
}

impl Schema {
    /// The files that were named.
    pub fn named(&self) -> impl Iterator<Item = FileDescriptor> + '_ {
        self.files.iter().filter_map(|name| self.pool.file(name).ok())
    }
}
