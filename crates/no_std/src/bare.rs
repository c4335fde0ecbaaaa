//! What a program needs where there is no operating system: a start, and something to do in a panic.

use core::hint::black_box;

/// Runs the program on what was received. A real one would read a port.
#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    let mut sent = [0; 64];
    let len = super::run(black_box(super::RECEIVED), &mut sent);
    black_box(sent.get(..len));
    end(len == super::SENT)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    end(false)
}

#[cfg(not(tablepb_emulated))]
fn end(_: bool) -> ! {
    loop {}
}

/// The programs are tested by an emulator of Linux programs, which takes these for calls to exit.
#[cfg(tablepb_emulated)]
fn end(right: bool) -> ! {
    // SAFETY: the call does not return, and reads nothing but these registers.
    unsafe {
        #[cfg(target_arch = "arm")]
        core::arch::asm!("movs r7, #1", "svc 0", in("r0") u32::from(!right), options(noreturn));
        #[cfg(target_arch = "riscv32")]
        core::arch::asm!("li a7, 93", "ecall", in("a0") u32::from(!right), options(noreturn));
    }
}
