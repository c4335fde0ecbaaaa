//! Structs that tablepb-schema writes, beside dynamic messages: `structs DIRECTORY [FROM..TO] [MESSAGES]`.
//!
//! Random schemas, each with random options of the generator, become a package in the directory, with random messages, JSON and text of them, and changed ones; the
//! package compares what the structs and dynamic messages make of each (`structs/check.rs`). Ends with 1 if something differs.

#[allow(dead_code, reason = "the tests of the library use the rest")]
#[path = "../../../../tests/common/choices.rs"]
mod choices;
#[allow(dead_code, reason = "`main.rs` uses the rest")]
#[path = "../mutate.rs"]
mod mutate;
#[allow(dead_code, reason = "the tests of the library use the rest")]
#[path = "../../../../tests/common/payload.rs"]
mod payload;
#[allow(dead_code, reason = "the tests of the library use the rest")]
#[path = "../../../../tests/common/schema.rs"]
mod schema;
#[allow(dead_code, reason = "the tests of the library use the rest")]
#[path = "../../../../tests/common/schema_gen.rs"]
mod schema_gen;
#[allow(dead_code, reason = "the tests of the library use the rest")]
#[path = "../../../../tests/common/wire.rs"]
mod wire;

use choices::Choices;
use payload::{Style, TAME};
use schema::Syntax;
use schema_gen::Limits;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use tablepb::{DecodeOptions, DescriptorPool, DynamicMessage, MessageDescriptor};
use tablepb_schema::{MapType, OpenEnumType, RustOptions, RustPackages, TextType};

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// Strings of structs are UTF-8, whatever the schema says.
const STYLE: Style = Style { wrong_types: true, unlisted: true, ..TAME };

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("structs DIRECTORY [FROM..TO] [MESSAGES]")?;
    let seeds = arguments.next().unwrap_or_else(|| "0..20".into());
    let messages = arguments.next().map_or(Ok(50), |count| count.parse())?;
    let (from, to) = seeds.split_once("..").ok_or("seeds are FROM..TO")?;
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory.join("src"))?;
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::write(directory.join("Cargo.toml"), manifest(&project))?;
    let mut main = format!(
        "#![allow(dead_code)]\n#[path = {:?}]\nmod check;\n",
        project.join("contrib/judges/structs/check.rs")
    );
    let mut calls = String::new();
    for seed in from.parse::<u64>()?..to.parse()? {
        schema(directory, seed, messages, &mut main, &mut calls)?;
    }
    writeln!(
        main,
        "fn main() {{\n    let mut report = check::Report::default();\n    let all = &mut report;\n{calls}    std::process::exit(!report.print() as i32);\n}}"
    )?;
    std::fs::write(directory.join("src/main.rs"), main)?;
    let status = Command::new("cargo").args(["run", "--quiet"]).current_dir(directory).status()?;
    if status.success() { Ok(()) } else { Err("structs differ from dynamic messages".into()) }
}

fn manifest(project: &Path) -> String {
    format!(
        "[package]\nname = \"judged-structs\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         tablepb = {{ path = {project:?}, features = [\"bytestring\"] }}\n\n\
         [profile.dev]\ndebug = 0\nincremental = false\n[profile.dev.package.tablepb]\nopt-level = 1\n\n[workspace]\n"
    )
}

/// Writes a schema, its structs and its inputs, and the calls that compare them.
fn schema(directory: &Path, seed: u64, messages: usize, main: &mut String, calls: &mut String) -> Result<()> {
    let mut choices = Choices::seeded(seed);
    let syntaxes = &[Syntax::Proto3, Syntax::Proto2, Syntax::Edition2023];
    let mut schema = schema_gen::schema(
        &mut choices,
        Limits { syntaxes, message_sets: false, wide: seed.is_multiple_of(8) },
    );
    // Structs keep extensions as unknown fields, whatever is in them.
    for message in &mut schema.messages {
        message.fields.retain(|field| !field.extension);
        message.extensions = None;
    }
    let set = schema.descriptor_set();
    let pool = DescriptorPool::decode(&set)?;
    let name = schema.full_name(0);
    let descriptor = pool.message(&name)?;
    let texts = *choices.pick(&[TextType::Owned, TextType::Borrowed, TextType::Cow, TextType::Shared]);
    let options = RustOptions::new()
        .strings(texts)
        .bytes(texts)
        .maps(*choices.pick(&[MapType::BTreeMap, MapType::HashMap, MapType::SmallMap]))
        .open_enums(*choices.pick(&[OpenEnumType::EnumValue, OpenEnumType::Number]))
        .unknown_fields(true);
    let options = if choices.once_in(4) { options.boxed(".") } else { options };
    let lazy = choices.once_in(4) && texts == TextType::Owned;
    let options = if lazy { options.lazy(".") } else { options };
    let packages = RustPackages::new(&pool, &options);
    let sources: std::collections::BTreeMap<_, _> = packages.iter().collect();
    let modules = packages.modules(|package| sources[package].to_owned());
    let Some(path) = packages.message_path(descriptor.package_name(), &descriptor) else { return Ok(()) };
    let module = descriptor.package_name().replace('.', "::");
    writeln!(main, "#[rustfmt::skip]\nmod s{seed} {{\n{modules}\n}}")?;

    let mut all = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..messages {
        let input = payload::payload(&schema, 0, &mut choices, STYLE);
        add(&mut all[0], &input);
        for _ in 0..2 {
            let mut changed = input.clone();
            payload::mutate(&mut changed, &mut choices);
            add(&mut all[0], &changed);
        }
        texts_of(&descriptor, &input, &mut choices, &mut all)?;
    }
    std::fs::write(directory.join(format!("src/{seed}.set")), set)?;
    for (kind, file) in ["bytes", "json", "text"].iter().zip(&all) {
        std::fs::write(directory.join(format!("src/{seed}.{kind}")), file)?;
    }
    let of = |kind: &str| format!("include_bytes!(\"{seed}.{kind}\")");
    // Types that borrow have a lifetime; whether a message has it depends on what is in it.
    let source = sources[descriptor.package_name()];
    let life = if source.contains(&format!("pub struct {}<'a>", path.rsplit("::").next().unwrap_or_default()))
    {
        "<'static>"
    } else {
        ""
    };
    let ty =
        format!("s{seed}::{}{path}{life}", if module.is_empty() { String::new() } else { module + "::" });
    let at = format!("all, \"{seed}\", &descriptor");
    writeln!(calls, "    let descriptor = check::descriptor({}, {name:?});", of("set"))?;
    writeln!(calls, "    check::bytes::<{ty}>({at}, {lazy}, {});", of("bytes"))?;
    if life.is_empty() {
        writeln!(calls, "    check::dynamic::<{ty}>({at}, {});", of("bytes"))?;
        writeln!(calls, "    check::text::<{ty}>({at}, true, {});", of("json"))?;
        writeln!(calls, "    check::text::<{ty}>({at}, false, {});", of("text"))?;
    }
    Ok(())
}

/// JSON and text of a message, as they are and changed.
fn texts_of(
    descriptor: &MessageDescriptor,
    input: &[u8],
    choices: &mut Choices,
    all: &mut [Vec<u8>; 3],
) -> Result<()> {
    let Ok(message) = DynamicMessage::decode(descriptor, input) else { return Ok(()) };
    if let Ok(json) = tablepb::json::to_string(&message) {
        add(&mut all[1], json.as_bytes());
        for _ in 0..3 {
            add(&mut all[1], mutate::json(&json, choices).as_bytes());
        }
    }
    let known = DecodeOptions::new().discard_unknown(true).decode_dynamic(descriptor, input)?;
    let text = tablepb::text::to_string(&known)?;
    add(&mut all[2], text.as_bytes());
    for _ in 0..2 {
        add(&mut all[2], mutate::text(&text, choices).as_bytes());
    }
    Ok(())
}

fn add(file: &mut Vec<u8>, input: &[u8]) {
    file.extend((input.len() as u32).to_le_bytes());
    file.extend(input);
}
