//! The sensor on a machine that can print.

use tablepb::Message;
use tablepb_no_std::{Action, Command, Reading, Sensor};

include!("../../../examples/common/say.rs");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut sensor, mut buffer) = (Sensor::default(), [0; 32]);
    for action in [Action::Calibrate(-0.5), Action::Every(250)] {
        let len = Command { sensor: "oven", action: Some(action) }.encode_to_slice(&mut buffer)?;
        sensor.obey("oven", &buffer[..len])?;
    }
    assert_eq!(sensor.interval, 250);
    let sent = sensor.report("oven", &[0x09, 0x60], &mut buffer)?;
    let reading = Reading::decode(sent)?;
    assert_eq!((reading.sensor, reading.temperature, reading.raw), ("oven", Some(23.5), &[0x09, 0x60][..]));
    say!("{} bytes: {reading:?}", sent.len());

    say!("{}", sensor.report("oven", &[0, 0], &mut [0; 8]).unwrap_err());
    say!("{}", sensor.obey("oven", b"\x12\x05").unwrap_err());
    assert_eq!(sensor.interval, 250);
    Ok(())
}
