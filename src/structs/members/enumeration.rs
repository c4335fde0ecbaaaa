//! Enums: the trait, its macro, and [`EnumValue`], which keeps unlisted numbers.

use crate::schema::table::EnumTable;
use crate::structs::convert::ConvertError;
use core::fmt;
use core::str::FromStr;

/// A Rust enum bound to a protobuf enum by [`enumeration!`](crate::enumeration).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `enumeration!` listing",
    label = "`{Self}` has no `enumeration!` listing"
)]
pub trait Enumeration: Copy + 'static {
    /// The schema of the enum.
    const TABLE: &'static EnumTable;

    /// The value with this number, or `None` if the enum has none.
    fn from_number(number: i32) -> Option<Self>;

    /// The number of the value.
    fn number(self) -> i32;

    /// The first value of the listing: the default value of a field.
    fn first() -> Self;

    /// All values, each once, in the order of the listing.
    fn values() -> &'static [Self];

    /// The value with this name in the schema, an alias included, or `None` if the enum has none.
    fn from_name(name: &str) -> Option<Self> {
        let named = Self::TABLE.values().iter().find(|value| value.0 == name);
        named.and_then(|value| Self::from_number(value.1))
    }

    /// The name of the value in the schema, the first one if it has aliases; `None` if the table does not list its number.
    fn name(self) -> Option<&'static str> {
        let number = self.number();
        Self::TABLE.values().iter().find(|value| value.1 == number).map(|value| value.0)
    }
}

/// A value of an enum, or a number that the enum does not list.
///
/// A member of this type keeps numbers that a later version of the schema has added. If the enum is closed (proto2),
/// such numbers go to the unknown fields instead.
///
/// ```
/// use tablepb::{EnumValue, Message};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Color { Red = 0, Green = 1 }
/// tablepb::enumeration! { Color as "example.Color" { Red as "RED" = 0, Green as "GREEN" = 1 } }
///
/// #[derive(Default)]
/// struct Pixel { color: EnumValue<Color> }
/// tablepb::message! { Pixel as "example.Pixel" { color: enum Color = 1 } }
///
/// assert_eq!(Pixel::default().color, EnumValue::Known(Color::Red));
/// assert_eq!(Pixel::decode(&[0x08, 0x01])?.color, Color::Green);
/// assert_eq!(Pixel::decode(&[0x08, 0x07])?.color, EnumValue::Unknown(7));
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum EnumValue<E> {
    /// A value of the enum.
    Known(E),
    /// A number that the enum does not list.
    Unknown(i32),
}

impl<E: Enumeration> EnumValue<E> {
    /// The value with this number.
    #[inline]
    pub fn from_number(number: i32) -> Self {
        E::from_number(number).map_or(Self::Unknown(number), Self::Known)
    }

    /// The number of the value.
    #[inline]
    pub fn number(self) -> i32 {
        match self {
            Self::Known(value) => value.number(),
            Self::Unknown(number) => number,
        }
    }

    /// The value of the enum, or `None` for an unlisted number.
    #[inline]
    pub fn known(self) -> Option<E> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown(_) => None,
        }
    }
}

impl<E: Enumeration> Default for EnumValue<E> {
    /// The first value of the listing.
    fn default() -> Self {
        Self::Known(E::first())
    }
}

impl<E> From<E> for EnumValue<E> {
    fn from(value: E) -> Self {
        Self::Known(value)
    }
}

impl<E: PartialEq> PartialEq<E> for EnumValue<E> {
    fn eq(&self, other: &E) -> bool {
        matches!(self, Self::Known(value) if value == other)
    }
}

impl<E: fmt::Debug> fmt::Debug for EnumValue<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(value) => value.fmt(f),
            Self::Unknown(number) => write!(f, "{number}"),
        }
    }
}

/// The name in the schema, or the number if the enum does not list it.
impl<E: Enumeration> fmt::Display for EnumValue<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known().and_then(E::name) {
            Some(name) => f.pad(name),
            None => self.number().fmt(f),
        }
    }
}

/// A name in the schema, or a number.
impl<E: Enumeration> FromStr for EnumValue<E> {
    type Err = ConvertError;

    /// # Errors
    ///
    /// [`InvalidEnumName`](ConvertError::InvalidEnumName) for text that is neither.
    fn from_str(text: &str) -> Result<Self, ConvertError> {
        let number = || text.parse().ok().map(Self::from_number);
        E::from_name(text).map(Self::Known).or_else(number).ok_or(ConvertError::InvalidEnumName)
    }
}

/// Binds a Rust enum to a protobuf enum.
///
/// You write an ordinary `Copy` enum without fields, and list every variant with its number. `as` sets the name in the
/// schema; the default is the name of the variant. A missing variant, or a number that differs from the discriminant of
/// the variant, is a compile error.
///
/// ```text
/// enumeration! {
///     Type as "package.Name" [syntax "proto2"] [without Trait, ..] { Variant [as "NAME" [| "ALIAS" ..]] = number, .. }
/// }
/// ```
///
/// The enum gets `TryFrom<i32>`, and `FromStr` and `Display` by the names of the schema; `without TryFrom, FromStr, Display` leaves out
/// those that you write yourself. Their error is [`wkt::ConvertError`](crate::wkt::ConvertError).
///
/// Aliases are further names of a number (`allow_alias`): JSON and text are read by any of them, and written by the first name.
///
/// With `syntax "proto2"` the enum is closed: unlisted numbers go to the unknown fields. Otherwise the enum is open, and
/// the number of its first value must be 0. A member of type [`EnumValue`] or `i32` keeps the unlisted numbers of an open
/// enum; a member of the enum itself leaves them to the unknown fields.
///
/// ```
/// use tablepb::Enumeration;
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Color { Red = 0, Green = 1 }
///
/// tablepb::enumeration! {
///     Color as "example.Color" {
///         Red as "COLOR_RED" = 0,
///         Green as "COLOR_GREEN" = 1,
///     }
/// }
///
/// assert_eq!(Color::from_number(1), Some(Color::Green));
/// assert_eq!(Color::Green.name(), Some("COLOR_GREEN"));
/// assert_eq!(Color::TABLE.values()[0], ("COLOR_RED", 0));
/// assert_eq!(Color::values(), [Color::Red, Color::Green]);
/// assert_eq!((Color::try_from(1), Color::try_from(2).is_err()), (Ok(Color::Green), true));
/// assert_eq!("COLOR_GREEN".parse(), Ok(Color::Green));
/// assert_eq!(Color::Red.to_string(), "COLOR_RED");
/// ```
#[macro_export]
macro_rules! enumeration {
    ($(
        $type:ident as $full:literal $(syntax $syntax:tt)? $(without $($own:ident),+)? {
            $first:ident $(as $first_name:literal $(| $first_alias:literal)*)? = $first_number:literal
            $(, $variant:ident $(as $name:literal $(| $alias:literal)*)? = $number:literal)* $(,)?
        }
    )+) => {$(
        #[allow(deprecated)]
        const _: () = {
            assert!($type::$first as i32 == $first_number, "a number of the listing is not that of the variant");
            $(assert!($type::$variant as i32 == $number, "a number of the listing is not that of the variant");)*
            // Evaluates the table, and so its checks, even if nothing uses it.
            let _ = <$type as $crate::Enumeration>::TABLE;
        };

        #[allow(deprecated)]
        impl $crate::Enumeration for $type {
            const TABLE: &'static $crate::table::EnumTable = {
                const VALUES: &[(&str, i32)] = &[
                    ($crate::listing::name!([$first $($first_name)?]), $first_number),
                    $($(($first_alias, $first_number),)*)?
                    $(
                        ($crate::listing::name!([$variant $($name)?]), $number),
                        $($(($alias, $number),)*)?
                    )*
                ];
                &$crate::listing::enum_table::<{ $crate::listing::places(VALUES.len()) }>(
                    $full,
                    VALUES,
                    matches!($crate::listing::syntax!([$($syntax)?]), $crate::table::Syntax::Proto2),
                )
            };

            #[inline]
            fn from_number(number: i32) -> $crate::listing::Option<Self> {
                match number {
                    $first_number => $crate::listing::Some(Self::$first),
                    $($number => $crate::listing::Some(Self::$variant),)*
                    _ => $crate::listing::None,
                }
            }

            #[inline]
            fn number(self) -> i32 {
                match self {
                    Self::$first => $first_number,
                    $(Self::$variant => $number,)*
                }
            }

            #[inline]
            fn first() -> Self {
                Self::$first
            }

            fn values() -> &'static [Self] {
                &[Self::$first $(, Self::$variant)*]
            }
        }

        $crate::listing::unless! { TryFrom in [$($($own)+)?]
            impl $crate::listing::TryFrom<i32> for $type {
                type Error = $crate::wkt::ConvertError;

                fn try_from(number: i32) -> $crate::listing::Result<Self, $crate::wkt::ConvertError> {
                    let value = <Self as $crate::Enumeration>::from_number(number);
                    value.ok_or($crate::wkt::ConvertError::InvalidEnumNumber)
                }
            }
        }

        $crate::listing::unless! { FromStr in [$($($own)+)?]
            impl $crate::listing::FromStr for $type {
                type Err = $crate::wkt::ConvertError;

                fn from_str(name: &str) -> $crate::listing::Result<Self, $crate::wkt::ConvertError> {
                    let value = <Self as $crate::Enumeration>::from_name(name);
                    value.ok_or($crate::wkt::ConvertError::InvalidEnumName)
                }
            }
        }

        $crate::listing::unless! { Display in [$($($own)+)?]
            impl $crate::listing::Display for $type {
                fn fmt(&self, f: &mut $crate::listing::Formatter<'_>) -> $crate::listing::fmt::Result {
                    f.pad($crate::Enumeration::name(*self).unwrap_or_default())
                }
            }
        }
    )+};
}

/// The items, unless the trait is one of those that the user writes.
#[doc(hidden)]
#[macro_export]
macro_rules! __unless {
    (TryFrom in [TryFrom $($own:ident)*] $item:item) => {};
    (FromStr in [FromStr $($own:ident)*] $item:item) => {};
    (Display in [Display $($own:ident)*] $item:item) => {};
    ($trait:ident in [] $item:item) => { $item };
    ($trait:ident in [TryFrom $($own:ident)*] $item:item) => { $crate::listing::unless! { $trait in [$($own)*] $item } };
    ($trait:ident in [FromStr $($own:ident)*] $item:item) => { $crate::listing::unless! { $trait in [$($own)*] $item } };
    ($trait:ident in [Display $($own:ident)*] $item:item) => { $crate::listing::unless! { $trait in [$($own)*] $item } };
    ($trait:ident in [$($own:ident)*] $item:item) => {
        $crate::listing::compile_error!("`without` takes `TryFrom`, `FromStr` and `Display`");
    };
}
