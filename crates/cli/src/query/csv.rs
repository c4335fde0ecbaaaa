//! Comma-separated values, as RFC 4180 has them, with line feeds.

/// Appends a cell, in quotes if it needs them.
pub fn append(index: usize, cell: &[u8], line: &mut Vec<u8>) {
    if index > 0 {
        line.push(b',');
    }
    let special = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    if !cell.iter().any(special) {
        return line.extend(cell);
    }
    line.push(b'"');
    for &byte in cell {
        line.push(byte);
        if byte == b'"' {
            line.push(byte);
        }
    }
    line.push(b'"');
}
