//! The checks of the fuzz targets; see `agree`.

pub mod agree;
pub mod common;
