//! What `json/parse.rs` asks of members, without the feature `json`: nothing.

pub trait ParseValue<'i, K> {}

impl<T, K> ParseValue<'_, K> for T {}

pub trait ParseField<'i, K> {}

impl<T, K> ParseField<'_, K> for T {}
