//! Pools from hand-made sets, good and bad, and from const tables.

mod load;
