//! What `json/print.rs` and `json/parse.rs` ask of members, without the feature `json`: nothing.

pub trait PrintValue<K> {}

impl<T, K> PrintValue<K> for T {}

pub trait PrintField<K> {}

impl<T, K> PrintField<K> for T {}

pub trait ParseValue<'i, K> {}

impl<T, K> ParseValue<'_, K> for T {}

pub trait ParseField<'i, K> {}

impl<T, K> ParseField<'_, K> for T {}
