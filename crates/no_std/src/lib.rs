//! A sensor without an operating system, in three programs: `owned` has members that own memory and an allocator, `borrowed` and
//! `fixed` have neither. This is what `borrowed` needs: readings are written to a buffer of fixed size, commands read where they are.
//!
//! ```text
//! cargo run --package tablepb-no-std
//! RUSTFLAGS="--cfg tablepb_no_alloc" cargo build --package tablepb-no-std --bin fixed --target thumbv7em-none-eabihf
//! ```
#![no_std]
#![cfg_attr(
    tablepb_no_alloc,
    allow(clippy::result_large_err, reason = "errors are not in a box without an allocator")
)]

use tablepb::{DecodeError, EncodeError, Message};

/// What the sensor sends.
#[derive(Debug, Default, PartialEq)]
pub struct Reading<'a> {
    /// The name of the sensor.
    pub sensor: &'a str,
    /// Milliseconds since it started.
    pub uptime: u64,
    /// Degrees Celsius.
    pub temperature: Option<f32>,
    /// What the converter gave.
    pub raw: &'a [u8],
}

/// What the sensor receives.
#[derive(Debug, Default, PartialEq)]
pub struct Command<'a> {
    /// The sensor that is meant.
    pub sensor: &'a str,
    /// What it has to do.
    pub action: Option<Action>,
}

/// What a sensor can do.
#[derive(Debug, PartialEq)]
pub enum Action {
    /// Send a reading each so many milliseconds.
    Every(u32),
    /// Add this to the temperatures.
    Calibrate(f32),
    /// Begin again.
    Restart(bool),
}

tablepb::message! {
    Reading<'a> as "sensor.Reading" {
        sensor: string = 1, uptime: uint64 = 2, temperature: optional float = 3, raw: bytes = 4,
    }
    Command<'a> as "sensor.Command" {
        sensor: string = 1,
        action: oneof Action { Every: uint32 = 2, Calibrate: float = 3, Restart: bool = 4 },
    }
}

/// The state of a sensor.
#[derive(Debug, Default)]
pub struct Sensor {
    /// Milliseconds between two readings.
    pub interval: u32,
    offset: f32,
}

impl Sensor {
    /// Does what a command says, if it is for this sensor.
    ///
    /// # Errors
    /// The input is no command; the sensor is as before.
    pub fn obey(&mut self, name: &str, received: &[u8]) -> Result<(), DecodeError> {
        let command = Command::decode(received)?;
        match command.action {
            _ if command.sensor != name => {}
            Some(Action::Every(interval)) => self.interval = interval,
            Some(Action::Calibrate(offset)) => self.offset = offset,
            Some(Action::Restart(_)) => *self = Self::default(),
            None => {}
        }
        Ok(())
    }

    /// Writes a reading to a buffer, and gives the part that is to be sent.
    ///
    /// # Errors
    /// `BufferTooSmall`.
    pub fn report<'b>(
        &self,
        name: &str,
        raw: &[u8; 2],
        buffer: &'b mut [u8],
    ) -> Result<&'b [u8], EncodeError> {
        let degrees = f32::from(i16::from_be_bytes(*raw)) / 100.0 + self.offset;
        let reading = Reading { sensor: name, uptime: 61_000, temperature: Some(degrees), raw };
        let len = reading.encode_to_slice(buffer)?;
        Ok(&buffer[..len])
    }
}
