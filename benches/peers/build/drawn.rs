//! Draws shapes of messages at random, by a seed: writes their schema, and functions that make messages of it.
//!
//! A message has 1 to 16 fields. Most are scalars of any kind or of one family, the others are lists, maps and messages, up to three levels deep.
//! Of each shape some fields are always set and the others once in 1 to 8 times.

use crate::random::Random;
use prost_reflect::DescriptorPool;
use std::fmt::Write;
use std::path::Path;
use std::{env, error::Error, fs};

/// A kind and an expression for a value.
type Scalar = (&'static str, &'static str);

const VARINTS: &[Scalar] = &[
    ("int32", "r.bits(7) as i32"),
    ("int32", "r.bits(28) as i32"),
    ("int32", "-1 - r.bits(7) as i32"),
    ("int64", "r.bits(17) as i64"),
    ("uint64", "r.u64() >> 8"),
    ("sint32", "r.signed(11) as i32"),
    ("bool", "!r.one_in(4)"),
];
const FIXED: &[Scalar] = &[
    ("float", "r.f32()"),
    ("double", "r.f64()"),
    ("fixed32", "r.u64() as u32 | 1"),
    ("fixed64", "r.u64() | 1"),
];
const TEXTS: &[Scalar] = &[
    ("string", "r.name(4, 4)"),
    ("string", "r.name(12, 12)"),
    ("string", "r.name(30, 30)"),
    ("string", "r.name(60, 60)"),
    ("string", "r.name(100, 100)"),
    ("string", "r.name(0, 149)"),
    ("string", "(0..20).map(|_| r.pick(&[\"\u{436}\", \"\u{448}\", \"\u{44f}\"])).collect()"),
    ("bytes", "r.bytes(16)"),
];
const KEYS: [Scalar; 2] = [("string", "r.name(12, 12)"), ("int32", "r.bits(10) as i32")];

/// No message has more elements than this, all its lists of messages together.
const MOST: u64 = 256;

pub fn generate(out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=TABLEPB_SHAPES");
    println!("cargo::rerun-if-env-changed=TABLEPB_SEED");
    let number = |name: &str, default: u64| env::var(name).map_or(Ok(default), |text| text.parse());
    let (count, seed) = (number("TABLEPB_SHAPES", 200)?, number("TABLEPB_SEED", 1)?);
    let folder = out.join("drawn");
    fs::create_dir_all(&folder)?;
    let mut drawing = Drawing::default();
    for index in 0..count {
        // Each shape has a seed of its own, so that more shapes begin with the same ones.
        drawing.shape(&mut Random::new(seed.wrapping_mul(1 << 32).wrapping_add(index)), index);
    }
    let Drawing { schema, code, list } = drawing;
    fs::write(folder.join("drawn.proto"), format!("syntax = \"proto3\";\npackage drawn;\n{schema}"))?;
    fs::write(folder.join("shapes.rs"), format!("{code}drawn! {{\n{list}}}\n"))?;
    let set = protox::compile(["drawn.proto"], [&folder])?;
    crate::write_set(&set, &folder.join("drawn.binpb"))?;
    let pool = DescriptorPool::from_file_descriptor_set(set.clone())?;
    fs::write(folder.join("typed.rs"), crate::typed::generate(&pool, "drawn", false))?;
    #[cfg(feature = "rivals")]
    {
        // prost's file has the same name.
        let rival = folder.join("buffa");
        fs::create_dir_all(&rival)?;
        crate::rivals::buffa(&["drawn.proto".as_ref()], &folder.join("drawn.binpb"), &rival)?;
    }
    prost_build::Config::new().out_dir(&folder).include_file("prost.rs").compile_fds(set)?;
    Ok(())
}

/// What is written.
#[derive(Default)]
struct Drawing {
    schema: String,
    code: String,
    /// The names of the shapes, and what makes a message of each.
    list: String,
}

impl Drawing {
    fn shape(&mut self, random: &mut Random, index: u64) {
        let depth = random.range(0, 4);
        self.message(random, &format!("S{index}"), depth, MOST);
        let _ = writeln!(self.list, "    \"random {index}\", S{index}, s{index};");
    }

    /// Writes a message, of which others have up to `most` elements.
    fn message(&mut self, random: &mut Random, name: &str, depth: u64, most: u64) {
        let count = random.pick(&[1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 12, 16]);
        let share = random.pick(&[1, 1, 1, 2, 2, 4, 8]);
        let all: Vec<Scalar> = [VARINTS, FIXED, TEXTS].concat();
        let scalars = random.pick(&[&*all, &all, &all, VARINTS, FIXED, TEXTS]);
        let (mut fields, mut members) = (String::new(), String::new());
        for number in 1..=count {
            let one_in = random.pick(&[1, share]);
            let scalar = random.pick(scalars);
            let (kind, member) = match random.range(0, 100) {
                roll @ 0..22 if depth > 0 => {
                    let len = if roll < 11 { random.pick(&[1, 2, 4, 12, 40]).min(most) } else { 0 };
                    let inner = format!("{name}n{number}");
                    self.message(random, &inner, depth - 1, most / len.max(1));
                    nested(inner, one_in, len)
                }
                roll => plain(random, roll, scalar, one_in, most),
            };
            let _ = writeln!(fields, "  {kind} f{number} = {number};");
            let _ = writeln!(members, "        f{number}: {member},");
        }
        let make = name.to_lowercase();
        let _ = writeln!(self.schema, "message {name} {{\n{fields}}}");
        let _ = writeln!(
            self.code,
            "fn {make}(r: &mut Random) -> p::{name} {{\n    p::{name} {{\n{members}    }}\n}}"
        );
    }
}

/// The kind of a field of messages, a list if `len` is not 0, and the expression for its member.
fn nested(inner: String, one_in: u64, len: u64) -> (String, String) {
    let make = inner.to_lowercase();
    if len == 0 {
        return (inner, format!("r.maybe({one_in}, {make})"));
    }
    let list = format!("r.maybe({one_in}, |r| r.list({len}, {len}, {make}))");
    (format!("repeated {inner}"), format!("{list}.unwrap_or_default()"))
}

/// The same of a list, map or single value of scalars.
fn plain(random: &mut Random, roll: u64, (kind, value): Scalar, one_in: u64, most: u64) -> (String, String) {
    match roll {
        0..30 => {
            let len = random.pick(&[1, 2, 4, 16, 64]).min(most);
            let list = format!("r.maybe({one_in}, |r| r.list({len}, {len}, |r| {value}))");
            (format!("repeated {kind}"), format!("{list}.unwrap_or_default()"))
        }
        30..34 => {
            let (key, make) = random.pick(&KEYS);
            let entries = format!("let len = r.range(0, 12); (0..len).map(|_| ({make}, {value})).collect()");
            let map = format!("r.maybe({one_in}, |r| {{ {entries} }}).unwrap_or_default()");
            (format!("map<{key}, {kind}>"), map)
        }
        34..42 => (format!("optional {kind}"), format!("r.maybe({one_in}, |r| {value})")),
        _ => (kind.to_owned(), format!("r.maybe({one_in}, |r| {value}).unwrap_or_default()")),
    }
}
