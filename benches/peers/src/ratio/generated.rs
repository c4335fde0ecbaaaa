//! What the code generators of the contenders made of the schemas.

#[allow(warnings)]
pub mod prost {
    include!(concat!(env!("OUT_DIR"), "/prost.rs"));
    pub use self::ratio::*;
}

#[cfg(feature = "rivals")]
#[allow(warnings)]
pub mod buffa {
    include!(concat!(env!("OUT_DIR"), "/buffa/buffa.rs"));
    pub use self::ratio::*;
}

#[cfg(feature = "rivals")]
#[allow(warnings)]
pub mod quick {
    include!(concat!(env!("OUT_DIR"), "/quick/mod.rs"));
}

#[cfg(feature = "google")]
#[allow(warnings)]
pub mod google {
    include!(concat!(env!("OUT_DIR"), "/google/generated.rs"));
}

/// Of the shapes that are drawn at random.
#[cfg(feature = "random")]
pub mod drawn {
    #[allow(warnings)]
    pub mod prost {
        include!(concat!(env!("OUT_DIR"), "/drawn/prost.rs"));
    }

    #[cfg(feature = "rivals")]
    #[allow(warnings)]
    pub mod buffa {
        include!(concat!(env!("OUT_DIR"), "/drawn/buffa/buffa.rs"));
    }

    #[allow(clippy::all)]
    pub mod typed {
        include!(concat!(env!("OUT_DIR"), "/drawn/typed.rs"));
    }
}

/// For tablepb: owned and borrowed structs.
#[allow(clippy::all)]
pub mod typed {
    include!(concat!(env!("OUT_DIR"), "/typed.rs"));
}
