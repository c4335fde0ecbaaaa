//! Enums by number and by name.

use tablepb::wkt::ConvertError;
use tablepb::{EnumValue, Enumeration};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    None = 0,
    Low = 1,
    High = -5,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Own {
    Zero = 0,
}

tablepb::enumeration! {
    Level as "pkg.Level" {
        None as "LEVEL_NONE" = 0,
        Low as "LEVEL_LOW" | "LEVEL_SMALL" = 1,
        High as "LEVEL_HIGH" = -5,
    }
    Own as "pkg.Own" without Display, FromStr { Zero as "OWN_ZERO" = 0 }
}

impl std::fmt::Display for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("its own")
    }
}

#[test]
fn enums_convert_from_numbers_and_names() {
    assert_eq!(Level::values(), [Level::None, Level::Low, Level::High]);
    for value in Level::values() {
        assert_eq!(Level::try_from(value.number()), Ok(*value));
        assert_eq!(value.to_string().parse(), Ok(*value));
        assert_eq!(Level::from_name(value.name().unwrap()), Some(*value));
    }
    assert_eq!(Level::try_from(2), Err(ConvertError::InvalidEnumNumber));
    assert_eq!("Low".parse::<Level>(), Err(ConvertError::InvalidEnumName));
    assert_eq!(ConvertError::InvalidEnumName.to_string(), "the enum has no value of this name");
}

/// As in C++: any name is read, the first one is written.
#[test]
fn aliases_are_read() {
    assert_eq!("LEVEL_SMALL".parse(), Ok(Level::Low));
    assert_eq!((Level::Low.to_string(), Level::values().len()), ("LEVEL_LOW".into(), 3));
    assert_eq!(format!("[{:>10}]", Level::Low), "[ LEVEL_LOW]");
}

#[test]
fn open_values_have_names_or_numbers() {
    for (text, value) in [
        ("LEVEL_HIGH", EnumValue::Known(Level::High)),
        ("7", EnumValue::Unknown(7)),
        ("-5", EnumValue::Known(Level::High)),
    ] {
        assert_eq!(text.parse(), Ok(value));
    }
    assert_eq!(EnumValue::<Level>::Unknown(7).to_string(), "7");
    assert_eq!(EnumValue::Known(Level::Low).to_string(), "LEVEL_LOW");
    assert_eq!("x".parse::<EnumValue<Level>>(), Err(ConvertError::InvalidEnumName));
}

/// Variants may have the names that the traits use.
#[test]
fn variants_have_any_name() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Outcome {
        Ok = 0,
        Error = 1,
        Err = 2,
        None = 3,
        Result = 4,
    }
    tablepb::enumeration! { Outcome as "pkg.Outcome" { Ok = 0, Error = 1, Err = 2, None = 3, Result = 4 } }
    assert_eq!("Err".parse(), Ok(Outcome::Err));
    assert_eq!(Outcome::try_from(1).unwrap().to_string(), "Error");
    assert_eq!(Outcome::values().len(), 5);
}

#[test]
fn traits_can_be_ones_own() {
    assert_eq!((Own::Zero.to_string(), Own::try_from(0)), ("its own".into(), Ok(Own::Zero)));
    assert_eq!(Own::Zero.name(), Some("OWN_ZERO"));
}
