//! Columns of messages as columns of ProtoJSON, and back: [`to_json`], [`from_json`].

use crate::read::{BadRows, Error, ErrorKind, Messages};
use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::{Array, BinaryArray, StringArray};
use tablepb::{Decoder, MessageDescriptor, json};

/// The most bytes that the offsets of an array reach.
const MOST: usize = i32::MAX as usize;

/// A column of messages, of [any type that holds them](crate::ArrayDecoder), as a column of ProtoJSON. Null stays null.
///
/// ```
/// use arrow_array::{Array, BinaryArray};
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_arrow::{BadRows, from_json, to_json};
///
/// static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("level", 2, Kind::Int32)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("example.Log")?;
/// let column = BinaryArray::from(vec![Some(&b"\x10\x03"[..]), None, Some(b"\x10")]);
/// assert_eq!(to_json(&log, &column, BadRows::Fail).unwrap_err().row(), 2);
/// let texts = to_json(&log, &column, BadRows::Skip)?;
/// assert_eq!((texts.value(0), texts.is_null(1), texts.is_null(2)), (r#"{"level":3}"#, true, true));
/// assert_eq!(from_json(&log, &texts, BadRows::Fail)?.value(0), b"\x10\x03");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// `NotMessages` for a column of another type. With [`BadRows::Fail`] the first row that is no message, or has no JSON form; with the others it is null. `BudgetExceeded` at the
/// row with which the texts exceed 2 GiB, in any mode.
pub fn to_json(
    descriptor: &MessageDescriptor,
    column: &dyn Array,
    bad_rows: BadRows,
) -> Result<StringArray, Error> {
    let (mut decoder, mut texts) = (Decoder::new(descriptor), StringBuilder::new());
    let convert = |message: &[u8]| {
        let view = decoder.decode(message).map_err(ErrorKind::Decode)?;
        json::to_string(&view).map_err(|_| ErrorKind::NoJson)
    };
    let messages = Messages::new(column)?;
    each_row(&messages, bad_rows, convert, |text| texts.append_option(text))?;
    Ok(texts.finish())
}

/// A column of ProtoJSON as a column of messages. Texts are of any type of strings, dictionaries included. Null stays null.
///
/// # Errors
/// `NotText` for a column of another type; the rest as of [`to_json`], with `Json` for a text that is no message.
pub fn from_json(
    descriptor: &MessageDescriptor,
    column: &dyn Array,
    bad_rows: BadRows,
) -> Result<BinaryArray, Error> {
    let mut messages = BinaryBuilder::new();
    let convert = |text: &[u8]| {
        let message = json::message_from_slice(descriptor, text).map_err(ErrorKind::Json)?;
        message.encode_to_vec().map_err(|_| ErrorKind::BudgetExceeded)
    };
    let texts = Messages::of_text(column)?;
    each_row(&texts, bad_rows, convert, |message| messages.append_option(message))?;
    Ok(messages.finish())
}

/// Converts each value, and calls `append` with the result; `None` for null, and for a bad value.
fn each_row<T: AsRef<[u8]>>(
    values: &Messages<'_>,
    bad_rows: BadRows,
    mut convert: impl FnMut(&[u8]) -> Result<T, ErrorKind>,
    mut append: impl FnMut(Option<T>),
) -> Result<(), Error> {
    let mut bytes = 0_usize;
    for row in 0..values.len() {
        let converted = match values.get(row).map(&mut convert) {
            Some(Err(kind)) if bad_rows == BadRows::Fail => return Err(Error::new(kind, row as u64)),
            converted => converted.and_then(Result::ok),
        };
        bytes += converted.as_ref().map_or(0, |value| value.as_ref().len());
        if bytes > MOST {
            return Err(Error::new(ErrorKind::BudgetExceeded, row as u64));
        }
        append(converted);
    }
    Ok(())
}
