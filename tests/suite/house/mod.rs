//! The rules of the house: documentation, programs of the guide, unsafe code.

mod doc_names;
mod programs;
mod unsafe_inventory;
