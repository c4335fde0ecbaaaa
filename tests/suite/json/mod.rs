//! JSON, of dynamic messages and of structs.

mod calls;
mod enum_names;
mod fast;
mod random;
mod rules;
mod structs;
mod structs_agree;
