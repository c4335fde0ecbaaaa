//! Numbers of the language: integers, tags and floats.

/// A number as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Varint(u64),
    Fixed32(u32),
    Fixed64(u64),
    /// A tag; without a wire type if what follows has it.
    Tag {
        number: i64,
        wire_type: Option<u8>,
    },
}

/// Why a word is no number.
pub type Fault = &'static str;

/// Reads a word that begins with a digit or a minus sign; `None` if it is no number at all.
pub fn read(word: &str) -> Option<Result<Number, Fault>> {
    let (negative, rest) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let (radix, rest) = match rest.strip_prefix("0x") {
        Some(rest) => (16, rest),
        None => (10, rest),
    };
    let end = rest.find(|c: char| !c.is_digit(radix)).unwrap_or(rest.len());
    let (digits, rest) = rest.split_at(end);
    if digits.is_empty() {
        return None;
    }
    if let Some(fraction) = rest.strip_prefix('.') {
        return float(negative, radix, digits, fraction);
    }
    let (suffix, wire_type) = match rest.split_once(':') {
        Some((suffix, wire_type)) => (suffix, Some(wire_type)),
        None => (rest, None),
    };
    if !matches!(suffix, "" | "z" | "i32" | "i64")
        || wire_type.is_some_and(|it| it.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
    {
        return None;
    }
    Some(integer(negative, radix, digits, suffix, wire_type))
}

fn integer(
    negative: bool,
    radix: u32,
    digits: &str,
    suffix: &str,
    wire_type: Option<&str>,
) -> Result<Number, Fault> {
    let value = u64::from_str_radix(digits, radix).map_err(|_| "the integer does not fit in 64 bits")?;
    if negative && value > 1 << 63 {
        return Err("the integer does not fit in 64 bits");
    }
    let value = if negative { value.wrapping_neg() } else { value };
    let signed = value as i64;
    if let Some(wire_type) = wire_type {
        let number = match suffix {
            "" | "z" => signed,
            _ => return Err("a field number has no fixed width"),
        };
        if number >> 60 != 0 && number >> 60 != -1 {
            return Err("the field number has no room for a wire type");
        }
        let number = if suffix == "z" { (number << 1) ^ (number >> 63) } else { number };
        let wire_type = if wire_type.is_empty() { None } else { Some(wire_type_of(wire_type)?) };
        return Ok(Number::Tag { number, wire_type });
    }
    match suffix {
        "i64" => Ok(Number::Fixed64(value)),
        // Signed or not.
        "i32" if negative => i32::try_from(signed)
            .map(|it| Number::Fixed32(it as u32))
            .map_err(|_| "the integer does not fit in 32 bits"),
        "i32" => u32::try_from(value).map(Number::Fixed32).map_err(|_| "the integer does not fit in 32 bits"),
        "z" => Ok(Number::Varint(((signed << 1) ^ (signed >> 63)) as u64)),
        _ => Ok(Number::Varint(value)),
    }
}

fn wire_type_of(word: &str) -> Result<u8, Fault> {
    let number = match word {
        "VARINT" => 0,
        "I64" => 1,
        "LEN" => 2,
        "SGROUP" => 3,
        "EGROUP" => 4,
        "I32" => 5,
        _ => match word.strip_prefix("0x") {
            Some(digits) => u8::from_str_radix(digits, 16).unwrap_or(8),
            None => word.parse().map_err(
                |_| "there is no such wire type: VARINT, I64, LEN, SGROUP, EGROUP, I32, or 0 to 7",
            )?,
        },
    };
    if number < 8 { Ok(number) } else { Err("a wire type is a number from 0 to 7") }
}

fn float(negative: bool, radix: u32, digits: &str, rest: &str) -> Option<Result<Number, Fault>> {
    let end = rest.find(|c: char| !c.is_digit(radix)).unwrap_or(rest.len());
    let (fraction, rest) = rest.split_at(end);
    let (exponent, rest) = match rest.strip_prefix(if radix == 16 { ['p', 'P'] } else { ['e', 'E'] }) {
        Some(rest) => {
            let end = rest.char_indices().find(|&(at, c)| !(c.is_ascii_digit() || (at == 0 && c == '-')));
            let (exponent, rest) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
            (Some(exponent), rest)
        }
        None => (None, rest),
    };
    if fraction.is_empty() || exponent.is_some_and(|it| it.trim_start_matches('-').is_empty()) {
        return None;
    }
    // An exponent of many digits is beyond all floats.
    let power =
        exponent.map_or(0, |it| it.parse::<i32>().unwrap_or(if it.starts_with('-') { -9999 } else { 9999 }));
    let sign = if negative { "-" } else { "" };
    let decimal = || format!("{sign}{digits}.{fraction}e{power}");
    Some(match (rest, radix) {
        ("i32", _) => {
            let value = match radix {
                16 => hexadecimal(negative, digits, fraction, power) as f32,
                _ => decimal().parse().ok()?,
            };
            if value.is_finite() {
                Ok(Number::Fixed32(value.to_bits()))
            } else {
                Err("the float does not fit in 32 bits")
            }
        }
        ("" | "i64", _) => {
            let value = match radix {
                16 => hexadecimal(negative, digits, fraction, power),
                _ => decimal().parse().ok()?,
            };
            if value.is_finite() {
                Ok(Number::Fixed64(value.to_bits()))
            } else {
                Err("the float does not fit in 64 bits")
            }
        }
        _ => return None,
    })
}

/// A float by hexadecimal digits; exact where a double is.
fn hexadecimal(negative: bool, digits: &str, fraction: &str, power: i32) -> f64 {
    let (mut mantissa, mut scale) = (0_u128, power);
    for (at, digit) in digits.chars().chain(fraction.chars()).enumerate() {
        let digit = u128::from(digit.to_digit(16).unwrap_or(0));
        let after_point = at >= digits.len();
        if mantissa >> 120 == 0 {
            mantissa = mantissa << 4 | digit;
            scale -= if after_point { 4 } else { 0 };
        } else {
            // Of what is beyond a double's digits only that there is something counts.
            mantissa |= u128::from(digit != 0);
            scale += if after_point { 0 } else { 4 };
        }
    }
    let mut value = mantissa as f64;
    // In steps that are doubles themselves.
    while scale != 0 && value != 0.0 && value.is_finite() {
        let step = scale.clamp(-1000, 1000);
        value *= 2_f64.powi(step);
        scale -= step;
    }
    if negative { -value } else { value }
}
