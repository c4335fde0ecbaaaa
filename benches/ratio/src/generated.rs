//! What the code generators of the contenders made of the schemas.

#[allow(warnings)]
pub mod prost {
    include!(concat!(env!("OUT_DIR"), "/prost.rs"));
    pub use self::ratio::*;
}

#[allow(warnings)]
pub mod buffa {
    include!(concat!(env!("OUT_DIR"), "/buffa/buffa.rs"));
    pub use self::ratio::*;
}

#[allow(warnings)]
pub mod quick {
    include!(concat!(env!("OUT_DIR"), "/quick/mod.rs"));
}
