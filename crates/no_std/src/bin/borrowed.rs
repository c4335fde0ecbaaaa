//! A sensor whose messages borrow from what it received.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
#[path = "../bare.rs"]
#[allow(unsafe_code, reason = "the names that a linker looks for")]
mod bare;
#[cfg(not(target_os = "none"))]
include!("../../../../examples/common/say.rs");

use tablepb_no_std::Sensor;

/// `Command { sensor: "oven", action: Calibrate(-0.5) }`.
const RECEIVED: &[u8] = b"\x0a\x04oven\x1d\x00\x00\x00\xbf";

/// How many bytes are to be sent then.
const SENT: usize = 19;

/// Obeys a command and reports. Returns how many bytes are to be sent.
fn run(received: &[u8], out: &mut [u8]) -> usize {
    let mut sensor = Sensor::default();
    if sensor.obey("oven", received).is_err() {
        return 0;
    }
    sensor.report("oven", &[0x09, 0x60], out).map_or(0, |sent| sent.len())
}

#[cfg(not(target_os = "none"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use tablepb::Message;
    use tablepb_no_std::{Action, Command, Reading};

    let (mut sensor, mut buffer) = (Sensor::default(), [0; 32]);
    for action in [Action::Calibrate(-0.5), Action::Every(250)] {
        let len = Command { sensor: "oven", action: Some(action) }.encode_to_slice(&mut buffer)?;
        sensor.obey("oven", &buffer[..len])?;
    }
    assert_eq!(sensor.interval, 250);
    let len = run(RECEIVED, &mut buffer);
    assert_eq!(len, SENT);
    let reading = Reading::decode(&buffer[..len])?;
    assert_eq!((reading.sensor, reading.temperature, reading.raw), ("oven", Some(23.5), &[0x09, 0x60][..]));
    say!("{len} bytes: {reading:?}");

    say!("{}", sensor.report("oven", &[0, 0], &mut [0; 8]).unwrap_err());
    say!("{}", sensor.obey("oven", b"\x12\x05").unwrap_err());
    assert_eq!(sensor.interval, 250);
    Ok(())
}
