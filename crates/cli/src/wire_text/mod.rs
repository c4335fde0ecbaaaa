//! The wire as text that can be edited: the language of protoscope, <https://github.com/protocolbuffers/protoscope/blob/main/language.txt>.
//!
//! [`assemble`] makes bytes of such a text; [`disassemble`] writes one for any bytes, from which `assemble` makes the same bytes.

mod assemble;
mod disassemble;
mod number;

pub use assemble::assemble;
pub use disassemble::disassemble;

/// Appends a varint that has `longer` more bytes than it needs.
fn varint(mut value: u64, longer: usize, out: &mut Vec<u8>) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    if longer > 0 {
        if let Some(last) = out.last_mut() {
            *last |= 0x80;
        }
        out.resize(out.len() + longer - 1, 0x80);
        out.push(0);
    }
}

#[cfg(test)]
mod tests;
