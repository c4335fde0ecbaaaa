//! Other implementations as judges: prost, prost-reflect, the official cases, random schemas.

mod agreement;
mod conformance;
mod conformance_cases;
mod corpus;
mod prost_reflect;
mod random_schemas;
mod sweeps;
mod transcode;
