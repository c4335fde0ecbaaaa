// What every program for a processor without an operating system has. Included: each program defines `go!`, its work with one message
// type, and `ten!`, which makes the message types of `firmware.proto`.

use core::hint::black_box;

/// A reading with a name.
const RECEIVED: &[u8] = b"\x0a\x04oven";

#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    let mut sent = [0; 256];
    run(black_box(RECEIVED), &mut sent);
    black_box(&sent);
    loop {}
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

#[cfg(not(feature = "ten"))]
#[cfg_attr(feature = "decode-only", allow(unused_variables))]
fn run(received: &[u8], sent: &mut [u8]) {
    go!(Reading, received, sent);
}

#[cfg(feature = "ten")]
#[cfg_attr(feature = "decode-only", allow(unused_variables))]
fn run(received: &[u8], sent: &mut [u8]) {
    go!(M0, received, sent);
    go!(M1, received, sent);
    go!(M2, received, sent);
    go!(M3, received, sent);
    go!(M4, received, sent);
    go!(M5, received, sent);
    go!(M6, received, sent);
    go!(M7, received, sent);
    go!(M8, received, sent);
    go!(M9, received, sent);
}

ten! {
    M0 "firmware.M0" 2 20 40 60 80 100;
    M1 "firmware.M1" 3 21 41 61 81 101;
    M2 "firmware.M2" 4 22 42 62 82 102;
    M3 "firmware.M3" 5 23 43 63 83 103;
    M4 "firmware.M4" 6 24 44 64 84 104;
    M5 "firmware.M5" 7 25 45 65 85 105;
    M6 "firmware.M6" 8 26 46 66 86 106;
    M7 "firmware.M7" 9 27 47 67 87 107;
    M8 "firmware.M8" 10 28 48 68 88 108;
    M9 "firmware.M9" 11 29 49 69 89 109;
}
