//! The sizing pass: computes the length of a message and of every nested message, and checks depth and required fields.

use super::sizes::Sizes;
use crate::schema::table::{Cardinality, DefaultValue};
use crate::structs::decode::path_trace::PathTrace;
use crate::structs::encode::visit_fields;
use crate::structs::grammar::kinds::{KindMarker, WireSpec};
use crate::structs::grammar::names::MessageNames;
use crate::structs::{EncodeField, EncodeValue, Message, VisitFields};
use crate::wire::error::{EncodeError, EncodeErrorKind, FieldPath};
use crate::wire::options::EncodeOptions;
use crate::wire::{DEFAULT_DEPTH, varint_len};

/// State of one sizing pass. The pass keeps its first error; after it, no nested message is entered.
pub struct StructSizer<'b, 's> {
    sizes: &'b mut Sizes<'s>,
    depth_left: u32,
    check_required: bool,
    /// Whether maps are written in key order.
    pub(in crate::structs) sorted: bool,
    fault: Option<SizeFault>,
}

/// The first fault and its path.
struct SizeFault {
    kind: EncodeErrorKind,
    trail: PathTrace,
}

impl<'b, 's> StructSizer<'b, 's> {
    /// A pass with the depth limit of the options, at most [`DEFAULT_DEPTH`], because structs recurse.
    #[inline]
    pub(in crate::structs) fn new(sizes: &'b mut Sizes<'s>, options: &EncodeOptions) -> Self {
        Self {
            sizes,
            depth_left: options.depth_limit().min(DEFAULT_DEPTH),
            check_required: !options.allows_partial(),
            sorted: options.is_deterministic(),
            fault: None,
        }
    }

    /// The length of a message.
    #[inline(always)]
    pub(in crate::structs) fn body<M: Message>(&mut self, message: &M) -> u64 {
        let mut measure = Measure { total: 0, plain: false, missing: 0, sizer: self };
        visit_fields(message, &mut measure);
        measure.total
    }

    /// The length of a message without presence, one level deeper, also stored for the writing pass.
    ///
    /// An empty message is absent: it is neither too deep nor lacks a required field.
    #[inline]
    pub(in crate::structs) fn plain<M: Message>(&mut self, spec: WireSpec, message: &M) -> u64 {
        let slot = self.sizes.begin();
        if self.fault.is_some() {
            return 0;
        }
        let depth = self.depth_left;
        self.depth_left = depth.saturating_sub(1);
        let mut measure = Measure { total: 0, plain: true, missing: 0, sizer: self };
        visit_fields(message, &mut measure);
        let (len, missing) = (measure.total, measure.missing);
        self.sizes.end(slot, len);
        if self.fault.is_none() && (len == 0 || (missing == 0 && depth > 0)) {
            self.depth_left = depth;
        } else {
            self.fault_in_plain(spec, depth, missing);
        }
        len
    }

    /// A message without presence that contains a fault, is too deep, or lacks a required field.
    #[cold]
    #[inline]
    fn fault_in_plain(&mut self, spec: WireSpec, depth: u32, missing: u32) {
        if depth == 0 {
            // The message is not empty, so its own depth is the first fault.
            self.fault = None;
            return self.fail(EncodeErrorKind::DepthExceeded, spec);
        }
        if missing != 0 {
            self.missing(WireSpec { number: missing, packed: false });
        }
        if let Some(fault) = &mut self.fault {
            fault.trail.push(spec.number, None);
        }
    }

    /// Ends the pass over a message of this table.
    #[inline]
    pub(in crate::structs) fn finish(self, names: &'static MessageNames) -> Result<(), EncodeError> {
        match self.fault {
            None => Ok(()),
            Some(fault) => Err(fault.named(names)),
        }
    }

    /// Ends the pass over a message of this table; the path to a required field that is not set.
    #[inline]
    pub(in crate::structs) fn missing_field(self, names: &'static MessageNames) -> Option<FieldPath> {
        self.fault.map(|fault| fault.trail.named(names))
    }

    /// The size of a length prefix and of `body`, one level deeper. Stores the length for the writing pass.
    #[inline]
    pub(in crate::structs) fn prefixed(
        &mut self,
        spec: WireSpec,
        body: impl FnOnce(&mut Self) -> u64,
    ) -> u64 {
        let slot = self.sizes.begin();
        let len = self.deeper(spec, body);
        self.sizes.end(slot, len);
        varint_len(len) as u64 + len
    }

    /// The size of a length prefix and a packed run of `len` bytes. Stores the length for the writing pass.
    #[inline]
    pub(in crate::structs) fn run(&mut self, len: u64) -> u64 {
        let slot = self.sizes.begin();
        self.sizes.end(slot, len);
        varint_len(len) as u64 + len
    }

    /// The size of `body`, one level deeper.
    #[inline]
    pub(in crate::structs) fn deeper(&mut self, spec: WireSpec, body: impl FnOnce(&mut Self) -> u64) -> u64 {
        let depth = self.depth_left;
        let Some(below) = depth.checked_sub(1) else {
            self.fail(EncodeErrorKind::DepthExceeded, spec);
            return 0;
        };
        self.depth_left = below;
        let len = body(self);
        match &mut self.fault {
            None => self.depth_left = depth,
            Some(fault) => fault.trail.push(spec.number, None),
        }
        len
    }

    /// The size of an encoded message of `len` bytes, one level deeper, which contains `levels` levels of messages.
    #[inline]
    pub(in crate::structs) fn spliced(&mut self, spec: WireSpec, len: usize, levels: u32) -> u64 {
        if self.depth_left <= levels {
            self.fail(EncodeErrorKind::DepthExceeded, spec);
            return 0;
        }
        len as u64
    }

    /// Records that a required field is unset.
    #[cold]
    #[inline(never)]
    pub(in crate::structs) fn missing(&mut self, spec: WireSpec) {
        if self.check_required {
            self.fail(EncodeErrorKind::MissingRequired, spec);
        }
    }

    /// Records that there is no memory to put the entries of a map in order. The size is that of no entries.
    #[cold]
    #[inline(never)]
    pub(in crate::structs) fn no_memory(&mut self, spec: WireSpec) -> u64 {
        self.fail(EncodeErrorKind::OutOfMemory, spec);
        0
    }

    /// Adds the index of an element to the path of a fault in it.
    #[inline]
    pub(in crate::structs) fn locate(&mut self, spec: WireSpec, index: usize) {
        if self.fault.is_some() {
            self.locate_fault(spec, index);
        }
    }

    #[cold]
    #[inline(never)]
    fn locate_fault(&mut self, spec: WireSpec, index: usize) {
        if let Some(fault) = &mut self.fault {
            fault.trail.locate(spec.number, index);
        }
    }

    #[cold]
    #[inline(never)]
    fn fail(&mut self, kind: EncodeErrorKind, spec: WireSpec) {
        if self.fault.is_none() {
            let mut trail = PathTrace::new();
            trail.push(spec.number, None);
            self.fault = Some(SizeFault { kind, trail });
        }
        self.depth_left = 0;
    }
}

impl SizeFault {
    #[cold]
    #[inline(never)]
    fn named(self, names: &'static MessageNames) -> EncodeError {
        EncodeError::at(self.kind, self.trail.named(names), names.full_name)
    }
}

/// Adds up the fields of one message.
struct Measure<'m, 'b, 's> {
    total: u64,
    /// The message has no presence, so it may turn out to be absent.
    plain: bool,
    /// The first required field that a message without presence lacks, or 0.
    missing: u32,
    sizer: &'m mut StructSizer<'b, 's>,
}

impl Measure<'_, '_, '_> {
    /// Adds the size of a field; 0 means unset.
    #[inline(always)]
    fn add<K: KindMarker>(&mut self, spec: WireSpec, size: u64) {
        self.total += size;
        if matches!(const { K::CARDINALITY }, Cardinality::Required) && size == 0 {
            self.lacks(spec);
        }
    }

    #[cold]
    #[inline(never)]
    fn lacks(&mut self, spec: WireSpec) {
        if !self.plain {
            self.sizer.missing(spec);
        } else if self.missing == 0 && self.sizer.check_required {
            self.missing = spec.number;
        }
    }
}

impl VisitFields for Measure<'_, '_, '_> {
    #[inline(always)]
    fn field<K: KindMarker, F: EncodeField<K>>(&mut self, spec: WireSpec, field: &F) {
        let size = field.size(spec, self.sizer);
        self.add::<K>(spec, size);
    }

    #[inline(always)]
    fn field_or<K: KindMarker, F: EncodeField<K>>(
        &mut self,
        default: DefaultValue<'static>,
        spec: WireSpec,
        field: &F,
    ) {
        let size = field.size_or(default, spec, self.sizer);
        self.add::<K>(spec, size);
    }

    #[inline(always)]
    fn arm<K: KindMarker, T: EncodeValue<K>>(&mut self, spec: WireSpec, value: &T) {
        self.total += value.size(spec, self.sizer);
    }

    #[inline(always)]
    fn unknown(&mut self, fields: &[u8]) {
        self.total += fields.len() as u64;
    }
}
