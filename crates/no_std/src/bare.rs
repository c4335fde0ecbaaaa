//! What a program needs where there is no operating system: a start, and something to do in a panic.

use core::hint::black_box;

/// Runs the program on what was received. A real one would read a port.
#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    let mut sent = [0; 64];
    let len = super::run(black_box(super::RECEIVED), &mut sent);
    black_box(sent.get(..len));
    loop {}
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
