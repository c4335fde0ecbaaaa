//! The columns of a flow: their names, numbers and kinds, and the schema that they make.
//!
//! There is one listing. [`columns!`] passes it to a macro, so the enum, the table and the handles all come from the
//! same lines.

use std::error::Error;
use tablepb::DescriptorPool;
use tablepb::partial::PathError;
use tablepb::record::Field;
use tablepb::record::RecordPlan;
use tablepb::record::kind::{self, HandleKind};
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};

/// The full name of the message type.
pub const MESSAGE: &str = "flows.Flow";

/// Calls a macro with all columns, by kind. Addresses are `bytes` of 16, IPv4 as `::ffff:a.b.c.d`.
///
/// `Bytes` is the length of the IP packets: that of the sampled packet in sFlow, of all packets of the flow in NetFlow and IPFIX.
/// `SamplingRate` is at least 1. Where exporters tell a value in several ways, `docs/column-store.md` says which one counts.
///
/// The numbers up to 15, whose tags take one byte, go to the columns that nearly every flow has.
macro_rules! columns {
    ($use:ident) => {
        $use! {
            Uint64 {
                TimeReceived = 1,
                SamplingRate = 2,
                Bytes = 12,
                Packets = 13,
                SrcMAC = 23,
                DstMAC = 24,
            }
            Uint32 {
                InIf = 4,
                OutIf = 5,
                EType = 8,
                Proto = 9,
                SrcPort = 10,
                DstPort = 11,
                SrcAS = 14,
                DstAS = 15,
                SrcNetMask = 17,
                DstNetMask = 18,
                SrcVlan = 21,
                DstVlan = 22,
                TOS = 25,
                TTL = 26,
                TCPFlags = 27,
                ICMPType = 28,
                ICMPCode = 29,
                FragmentID = 30,
                FragmentOffset = 31,
                IPv6FlowLabel = 32,
                ForwardingStatus = 33,
                SrcPortNAT = 36,
                DstPortNAT = 37,
            }
            Address {
                ExporterAddress = 3,
                SrcAddr = 6,
                DstAddr = 7,
                NextHop = 16,
                SrcAddrNAT = 34,
                DstAddrNAT = 35,
            }
            Direction {
                FlowDirection = 39,
            }
            List {
                DstASPath = 19,
                DstCommunities = 20,
                MPLSLabels = 38,
            }
        }
    };
}

/// Columns that are enabled and disabled together.
pub const GROUPS: &[(&str, &[&str])] = &[
    ("L2", &["SrcVlan", "DstVlan", "SrcMAC", "DstMAC"]),
    ("NAT", &["SrcAddrNAT", "DstAddrNAT", "SrcPortNAT", "DstPortNAT"]),
    ("MPLS", &["MPLSLabels"]),
    ("Routing", &["SrcNetMask", "DstNetMask", "NextHop", "SrcAS", "DstAS", "DstASPath", "DstCommunities"]),
    ("ICMP", &["ICMPType", "ICMPCode"]),
    ("Fragments", &["FragmentID", "FragmentOffset"]),
    ("Header", &["TOS", "TTL", "TCPFlags", "IPv6FlowLabel", "ForwardingStatus"]),
];

macro_rules! enums {
    ($($group:ident { $($name:ident = $number:literal,)* })*) => {$(
        #[doc = concat!("The columns of kind `", stringify!($group), "`.")]
        #[allow(clippy::upper_case_acronyms, clippy::enum_variant_names, reason = "these are the names of the columns")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $group { $($name,)* }

        impl $group {
            /// The names of all, in the order of their discriminants.
            pub const NAMES: [&str; [$($number),*].len()] = [$(stringify!($name)),*];
        }
    )*};
}

columns!(enums);

macro_rules! fields {
    ($($group:ident { $($name:ident = $number:literal,)* })*) => {
        &in_order([$($(fields!(@$group stringify!($name), $number),)*)*])
    };
    (@Uint64 $name:expr, $number:expr) => { FieldTable::new($name, $number, Kind::Uint64) };
    (@Uint32 $name:expr, $number:expr) => { FieldTable::new($name, $number, Kind::Uint32) };
    (@Address $name:expr, $number:expr) => { FieldTable::new($name, $number, Kind::Bytes) };
    (@Direction $name:expr, $number:expr) => {
        FieldTable::new($name, $number, Kind::Enum(|| &FLOW_DIRECTION))
    };
    (@List $name:expr, $number:expr) => { FieldTable::new($name, $number, Kind::Uint32).repeated() };
}

/// By number, without gaps.
const fn in_order<const N: usize>(fields: [FieldTable; N]) -> [FieldTable; N] {
    let (mut ordered, mut at) = (fields, 0);
    while at < N {
        ordered[fields[at].number() as usize - 1] = fields[at];
        at += 1;
    }
    ordered
}

/// Which way a flow passes the interface where it was seen: element 61, and one more than that.
static FLOW_DIRECTION: EnumTable =
    EnumTable::new("flows.Direction", &[("UNDEFINED", 0), ("INGRESS", 1), ("EGRESS", 2)]);

static FLOW: MessageTable = MessageTable::new(MESSAGE, columns!(fields));

/// The plan with all columns enabled, and the groups.
pub fn plan() -> Result<RecordPlan, Box<dyn Error>> {
    let pool = DescriptorPool::from_tables(&[&FLOW])?;
    let flow = pool.all_messages().next().ok_or("the schema has no flows")?;
    let mut plan = RecordPlan::new(&flow);
    for (name, columns) in GROUPS {
        plan = plan.group(name, *columns)?;
    }
    Ok(plan)
}

/// The handles of all columns, by discriminant.
pub struct Handles {
    pub uint64: [Field<kind::Uint64>; Uint64::NAMES.len()],
    pub uint32: [Field<kind::Uint32>; Uint32::NAMES.len()],
    pub address: [Field<kind::Bytes>; Address::NAMES.len()],
    pub direction: [Field<kind::Enum>; Direction::NAMES.len()],
    pub list: [Field<kind::Uint32>; List::NAMES.len()],
}

impl Handles {
    /// Resolves them in a plan.
    pub fn new(plan: &RecordPlan) -> Result<Self, PathError> {
        Ok(Self {
            uint64: resolve(plan, &Uint64::NAMES)?,
            uint32: resolve(plan, &Uint32::NAMES)?,
            address: resolve(plan, &Address::NAMES)?,
            direction: resolve(plan, &Direction::NAMES)?,
            list: resolve(plan, &List::NAMES)?,
        })
    }
}

fn resolve<K: HandleKind, const N: usize>(
    plan: &RecordPlan,
    names: &[&str; N],
) -> Result<[Field<K>; N], PathError> {
    let mut handles = [plan.field(names[0])?; N];
    for (handle, name) in handles.iter_mut().zip(names) {
        *handle = plan.field(name)?;
    }
    Ok(handles)
}
