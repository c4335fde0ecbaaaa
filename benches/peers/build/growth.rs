//! Writes structs of 1 to 600 fields, for tablepb and for prost.

use std::fmt::Write;

const COUNTS: [u32; 7] = [1, 3, 10, 30, 100, 300, 600];

pub fn generate(out: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut text = format!("pub const COUNTS: [u32; {}] = {COUNTS:?};\n", COUNTS.len());
    for count in COUNTS {
        let list = |item: &dyn Fn(u32) -> String| (1..=count).map(item).collect::<String>();
        let members = list(&|n| format!("f{n}: u64, "));
        writeln!(text, "#[derive(Debug, Default, PartialEq)] pub struct Typed{count} {{ {members} }}")?;
        let fields = list(&|n| format!("f{n}: uint64 = {n}, "));
        writeln!(text, "tablepb::message! {{ Typed{count} as \"growth.Wide{count}\" {{ {fields} }} }}")?;
        let fields = list(&|n| format!("#[prost(uint64, tag = \"{n}\")] pub f{n}: u64, "));
        writeln!(
            text,
            "#[derive(Clone, PartialEq, prost::Message)] pub struct Generated{count} {{ {fields} }}"
        )?;
    }
    writeln!(text, "pub fn wide(count: u32) -> crate::Makers {{ match count {{")?;
    for count in COUNTS {
        writeln!(text, "{count} => crate::makers::<Typed{count}, Generated{count}>(),")?;
    }
    writeln!(text, "_ => unreachable!() }} }}")?;
    Ok(std::fs::write(out.join("wide.rs"), text)?)
}
