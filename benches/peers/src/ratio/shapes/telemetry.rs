//! 30 scalars with field numbers up to 280.

use crate::generated::prost::telemetry::Reading;
use crate::random::Random;

pub fn generate(r: &mut Random) -> Reading {
    Reading {
        device: 1 << 47 | r.bits(47),
        firmware: 1 << 23 | r.bits(23) as u32,
        channel: r.bits(7) as i32,
        address: r.u64(),
        charging: r.one_in(2),
        time: 1_700_000_000_000_000_000 + r.bits(50),
        uptime: 1 << 35 | r.bits(35) as i64,
        sequence: 1 << 28 | r.bits(28) as u32,
        clock_drift: r.signed(12) as i32,
        latitude: r.f64(),
        longitude: r.f64(),
        altitude: r.f64(),
        speed: r.f64(),
        heading: r.range(0, 36_000) as u32,
        satellites: r.range(4, 20) as u32,
        pressure: r.f64(),
        temperature: r.f64(),
        humidity: r.f64(),
        energy: r.signed(60),
        current: r.signed(28) as i32,
        voltage: r.bits(16) as u32,
        flow: 1 << 40 | r.bits(40) as i64,
        pulses: 1 << 48 | r.bits(48),
        offset: r.signed(60),
        total: r.signed(60),
        signal: r.signed(8) as i32,
        retries: r.bits(14) as u32,
        received: 1 << 49 | r.bits(49),
        sent: 1 << 49 | r.bits(49),
        // Ten bytes, where it is negative.
        state: if r.one_in(4) { -1 } else { r.bits(5) as i32 },
    }
}
