//! `read` and `write` for `compare.py`, which calls them through ctypes: batches cross in the C Data Interface.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::{RecordBatch, StructArray};
use std::error::Error;
use std::slice;
use tablepb::{DescriptorPool, MessageDescriptor};
use tablepb_arrow::mapping::{Enums, Oneofs, Options};
use tablepb_arrow::{ReaderBuilder, WriterBuilder, ffi};

/// Bytes that Python owns.
#[repr(C)]
pub struct Bytes {
    start: *const u8,
    len: usize,
}

impl Bytes {
    /// # Safety
    /// `start` points to `len` bytes, which do not change during the call.
    unsafe fn get(&self) -> &[u8] {
        // SAFETY: as the caller says.
        if self.len == 0 { &[] } else { unsafe { slice::from_raw_parts(self.start, self.len) } }
    }
}

/// What is called with the result, or with the text of an error: 0 or 1, and bytes that are there during the call.
type Answer = extern "C" fn(u8, *const u8, usize);

fn message(set: &[u8], name: &[u8]) -> Result<MessageDescriptor, Box<dyn Error>> {
    let pool = DescriptorPool::decode(set)?;
    Ok(pool.message(std::str::from_utf8(name)?).ok().ok_or("no such message")?)
}

/// Each bit is an option.
fn options(bits: u32) -> Options {
    let bit = |bit: u32| bits >> bit & 1 == 1;
    let enums = if bit(1) {
        Enums::Dictionary
    } else if bit(2) {
        Enums::Name
    } else {
        Enums::Number
    };
    let oneofs = if bit(3) { Oneofs::Union } else { Oneofs::Columns };
    Options::new()
        .views(!bit(0))
        .enums(enums)
        .oneofs(oneofs)
        .well_known(bit(4))
        .unknown_fields(bit(5))
        .recursion(1)
}

/// Delimited messages to one batch.
///
/// # Safety
/// The bytes are as [`Bytes::get`] asks; `array` and `schema` point to room for the structs of the C Data Interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn read(
    set: &Bytes,
    name: &Bytes,
    stream: &Bytes,
    bits: u32,
    array: *mut FFI_ArrowArray,
    schema: *mut FFI_ArrowSchema,
    answer: Answer,
) {
    // SAFETY: as the caller says.
    let (set, name, stream) = unsafe { (set.get(), name.get(), stream.get()) };
    let result = || -> Result<_, Box<dyn Error>> {
        let builder = ReaderBuilder::new(&message(set, name)?).options(options(bits)).batch_size(1 << 20);
        let mut decoder = builder.build_decoder()?;
        decoder.decode(stream)?;
        let batch = decoder.flush()?.unwrap_or_else(|| RecordBatch::new_empty(decoder.schema()));
        Ok(ffi::export(batch)?)
    };
    match result() {
        Ok(exported) => {
            // SAFETY: as the caller says; nothing is there that would have to be dropped.
            unsafe {
                array.write(exported.0);
                schema.write(exported.1);
            }
            answer(0, std::ptr::null(), 0);
        }
        Err(error) => fail(answer, &*error),
    }
}

/// One batch to delimited messages. It takes array and schema.
///
/// # Safety
/// The bytes are as [`Bytes::get`] asks; `array` and `schema` hold a batch, exported by the C Data Interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(
    set: &Bytes,
    name: &Bytes,
    array: *mut FFI_ArrowArray,
    schema: *mut FFI_ArrowSchema,
    answer: Answer,
) {
    // SAFETY: as the caller says; `from_raw` moves both and leaves released ones.
    let (set, name, array, schema) = unsafe {
        (set.get(), name.get(), FFI_ArrowArray::from_raw(array), FFI_ArrowSchema::from_raw(schema))
    };
    let result = || -> Result<_, Box<dyn Error>> {
        // SAFETY: as the caller says.
        let batch = RecordBatch::from(StructArray::from(unsafe { from_ffi(array, &schema) }?));
        let mut stream = Vec::new();
        WriterBuilder::new(&message(set, name)?).build(&batch.schema())?.write(&batch, &mut stream)?;
        Ok(stream)
    };
    match result() {
        Ok(stream) => answer(0, stream.as_ptr(), stream.len()),
        Err(error) => fail(answer, &*error),
    }
}

fn fail(answer: Answer, error: &dyn Error) {
    let text = error.to_string();
    answer(1, text.as_ptr(), text.len());
}
