//! Reading every field of a message into a checksum: for generated structs and views, and for tablepb by iteration
//! and by resolved field. The code per message type is generated.

use tablepb::{DescriptorPool, FieldDescriptor, ListRef, MapKeyRef, MapRef, MessageView, ValueRef};

/// A sum that does not depend on the order, so that maps may be read in any, and that costs next to nothing.
#[derive(Default)]
pub struct Sum(u64);

impl Sum {
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.0 = self.0.wrapping_add(value);
    }

    /// The length, and the first and last byte: the reader must have found the text, but does not pay for hashing it.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.add(bytes.len() as u64);
        if let (Some(first), Some(last)) = (bytes.first(), bytes.last()) {
            self.add(u64::from(*first) << 8 | u64::from(*last) << 16);
        }
    }

    pub fn get(&self) -> u64 {
        self.0
    }
}

/// A generated struct or view.
pub trait Read {
    fn read(&self, sum: &mut Sum);
}

/// A message type whose fields are resolved once; implemented by prost's struct of it, as a name.
pub trait ReadByHandle {
    fn read_view(view: MessageView, handles: &Handles, sum: &mut Sum);
}

impl Read for MapKeyRef<'_> {
    #[inline]
    fn read(&self, sum: &mut Sum) {
        match *self {
            MapKeyRef::Bool(v) => sum.add(u64::from(v)),
            MapKeyRef::I32(v) => sum.add(v as u64),
            MapKeyRef::I64(v) => sum.add(v as u64),
            MapKeyRef::U32(v) => sum.add(u64::from(v)),
            MapKeyRef::U64(v) => sum.add(v),
            MapKeyRef::String(v) => sum.bytes(v.as_bytes()),
            MapKeyRef::Bytes(v) => sum.bytes(v),
        }
    }
}

/// By iteration: whatever is set, of whatever kind.
impl Read for MessageView<'_, '_> {
    fn read(&self, sum: &mut Sum) {
        for (_, value) in self.fields() {
            value.read(sum);
        }
    }
}

impl Read for ValueRef<'_, '_> {
    /// Into each loop over values, of which there is one per kind of loop.
    #[inline(always)]
    fn read(&self, sum: &mut Sum) {
        match *self {
            ValueRef::Bool(v) => sum.add(u64::from(v)),
            ValueRef::I32(v) | ValueRef::EnumNumber(v) => sum.add(v as u64),
            ValueRef::I64(v) => sum.add(v as u64),
            ValueRef::U32(v) => sum.add(u64::from(v)),
            ValueRef::U64(v) => sum.add(v),
            ValueRef::F32(v) => sum.add(u64::from(v.to_bits())),
            ValueRef::F64(v) => sum.add(v.to_bits()),
            ValueRef::String(v) => sum.bytes(v.as_bytes()),
            ValueRef::Bytes(v) => sum.bytes(v),
            ValueRef::Message(v) => v.read(sum),
            ValueRef::Raw(v) => v.parts().for_each(|(_, bytes)| sum.bytes(bytes)),
            ValueRef::Unselected => {}
            ValueRef::List(v) => read_list(v, sum),
            ValueRef::Map(v) => read_map(v, sum),
        }
    }
}

/// Numbers and strings have a sum of their own, which stays in a register, as in the loops over lists of generated structs: nothing that is
/// not inlined gets a reference to it.
#[inline(never)]
fn read_list(list: ListRef, sum: &mut Sum) {
    let mut scalars = Sum::default();
    for value in list.iter() {
        match value {
            ValueRef::Message(v) => v.read(sum),
            ValueRef::Raw(v) => v.parts().for_each(|(_, bytes)| sum.bytes(bytes)),
            value => value.read(&mut scalars),
        }
    }
    sum.add(scalars.get());
}

#[inline(never)]
fn read_map(map: MapRef, sum: &mut Sum) {
    for (key, value) in map.iter() {
        key.read(sum);
        value.read(sum);
    }
}

fn fields<const N: usize>(pool: &DescriptorPool, message: &str, numbers: [u32; N]) -> [FieldDescriptor; N] {
    let message = pool.message(message).expect("in the descriptor set");
    numbers.map(|number| message.get_field(number).expect("in the descriptor set"))
}

pub use code::Handles;

#[allow(unused_parens, dead_code, clippy::all)]
mod code {
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/reading.rs"));
}
