//! What `walk/` asks of members, without the feature `reflect`: nothing.

pub trait ShowValue<K> {}

impl<T, K> ShowValue<K> for T {}

pub trait ShowField<K> {}

impl<T, K> ShowField<K> for T {}

pub trait FillValue<'i, K> {}

impl<T, K> FillValue<'_, K> for T {}

pub trait FillField<'i, K> {}

impl<T, K> FillField<'_, K> for T {}
