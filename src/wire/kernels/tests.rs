//! All kernels of this processor against the definition: lengths, alignments, mixes, hostile bytes.

use super::dispatch;
use super::element::Meaning;
use super::unpack::{count_long, long, many};
use super::*;
use crate::wire::read::raw;
use crate::wire::testing::Wire;
use alloc::{vec, vec::Vec};

/// What every kernel has to do, from the definition of a varint.
fn reference<const N: usize, F: VarintForm>(
    buf: &[u8],
    pos: usize,
    end: usize,
    room: usize,
) -> (Vec<[u32; N]>, usize) {
    let (mut values, mut pos) = (Vec::new(), pos);
    while values.len() < room {
        let Ok((value, next)) = raw::varint(&buf[..end], pos) else { break };
        let value = match (F::MEANING, N) {
            (Meaning::Plain, _) => value,
            (Meaning::Bool, _) => u64::from(value != 0),
            (Meaning::Zigzag, 1) => u64::from((value as u32 >> 1) ^ 0_u32.wrapping_sub(value as u32 & 1)),
            (Meaning::Zigzag, _) => (value >> 1) ^ 0_u64.wrapping_sub(value & 1),
        };
        values.push(core::array::from_fn(|word| (value >> (32 * word)) as u32));
        pos = next;
    }
    (values, pos)
}

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 16) % end
    }
}

/// The lengths of values in a run, 1 to 10, or more for what is at fault.
type Mix = fn(&mut Random) -> usize;

/// How many of many cases: fewer under Miri, which is hundreds of times slower.
const STEP: usize = if cfg!(miri) { 61 } else { 1 };

const MIXES: [(&str, Mix); 9] = [
    ("1", |_| 1),
    ("2", |_| 2),
    ("90/10", |r| if r.below(10) == 0 { 2 } else { 1 }),
    ("1-2", |r| 1 + r.below(2) as usize),
    ("1-4", |r| 1 + r.below(4) as usize),
    ("1-5", |r| 1 + r.below(5) as usize),
    ("1-10", |r| 1 + r.below(10) as usize),
    ("10", |_| 10),
    ("5-10 among 1", |r| if r.below(6) == 0 { 5 + r.below(6) as usize } else { 1 }),
];

/// A varint of so many bytes, overlong now and then.
fn varint(random: &mut Random, len: usize) -> Wire {
    let bits = (7 * len as u32).min(64);
    let value = (random.next() >> (64 - bits)) >> if random.below(8) == 0 { random.below(64) } else { 0 };
    Wire::new().varint_of(value, len)
}

fn run(random: &mut Random, mix: Mix, len: usize) -> Vec<u8> {
    let mut run = Vec::new();
    while run.len() < len {
        let item = mix(random);
        run.extend(varint(random, item).done());
    }
    run
}

const MARK: u32 = 0xdead_beef;

/// Decodes `buf[pos..end]` with every kernel, and as `decode` does; compares values, position, and what is around.
fn check<const N: usize, F: VarintForm>(buf: &[u8], pos: usize, end: usize, room: usize) {
    let (values, stop) = reference::<N, F>(buf, pos, end, room);
    let expected = Progress { done: values.len(), pos: stop };
    let check = |name: &str, progress: Progress, out: &[[u32; N]]| {
        let what = || alloc::format!("{name}, {N} words, {:?}, {room}: {:02x?}", F::MEANING, &buf[pos..end]);
        assert_eq!(progress, expected, "{}", what());
        assert_eq!(out[1..=values.len()], values[..], "{}", what());
        // A value at fault leaves its place and those after it alone, or with anything; never the neighbours.
        assert_eq!((out[0], out[room + 1]), ([MARK; N], [MARK; N]), "{}", what());
    };
    for kernel in dispatch::kernels() {
        let mut out = vec![[MARK; N]; room + 2];
        let start = Progress { done: 0, pos };
        let progress = long::<N, F>(kernel, buf, end, start, &mut out[1..=room]);
        check(&alloc::format!("{kernel:?}"), progress, &out);
    }
    let mut out = vec![[MARK; N]; room + 2];
    let progress = decode::<N, F>(buf, pos, end, &mut out[1..=room]);
    check("chosen", progress, &out);
    if let Some((run, count)) = short(buf, pos, end)
        && count == room
    {
        let mut out = vec![[MARK; N]; room + 2];
        decode_short::<N, F>(run, &mut out[1..=room]);
        check("short", Progress { done: room, pos: end }, &out);
    }
}

/// As `check`, for all kinds of elements and for rooms around the number of values.
fn check_all(buf: &[u8], pos: usize, end: usize) {
    let count = buf[pos..end].iter().filter(|&&byte| byte < 0x80).count();
    assert_eq!(super::count(buf, pos, end), count);
    for kernel in dispatch::kernels() {
        assert_eq!(count_long(kernel, buf, pos, end), count, "{kernel:?}");
    }
    check::<1, Plain>(buf, pos, end, count);
    check::<1, Zigzag>(buf, pos, end, count);
    check::<1, Bool>(buf, pos, end, count);
    check::<2, Plain>(buf, pos, end, count);
    check::<2, Zigzag>(buf, pos, end, count);
    check::<1, Plain>(buf, pos, end, count / 2);
    check::<2, Plain>(buf, pos, end, count.saturating_sub(1));
    check::<1, Plain>(buf, pos, end, count + 1);
    check::<2, Zigzag>(buf, pos, end, count + 70);
}

#[test]
fn all_mixes_at_all_lengths_and_alignments() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (_, mix) in MIXES {
        for len in (0..300).step_by(STEP) {
            // Exactly at the end of an allocation, so that a tool sees reads beyond it; then with bytes around.
            let bare = run(&mut random, mix, len).into_boxed_slice();
            check_all(&bare, 0, bare.len());
            let (before, behind) = (random.below(70) as usize, random.below(90) as usize);
            let fill = if random.below(2) == 0 { 0x00 } else { 0xff };
            let buf = [&vec![fill; before][..], &bare, &vec![fill; behind]].concat();
            check_all(&buf, before, before + bare.len());
        }
    }
}

#[test]
fn runs_of_up_to_eight_bytes_that_end_with_a_value_are_short() {
    let (mut random, mut shorts) = (Random(11), 0);
    for len in 0..20 {
        for behind in 0..12 {
            let bytes: Vec<u8> = (0..len + behind).map(|_| random.next() as u8).collect();
            let expected = (1..=8).contains(&len) && bytes[len - 1] < 0x80 && len + behind >= 8;
            let count = bytes[..len].iter().filter(|&&byte| byte < 0x80).count();
            let found = short(&bytes, 0, len);
            assert_eq!(
                found.map(|(_, count)| count),
                expected.then_some(count),
                "{len} {behind} {bytes:02x?}"
            );
            if let Some((word, _)) = found {
                let mut run = [0; 8];
                run[..len].copy_from_slice(&bytes[..len]);
                assert_eq!(word, u64::from_le_bytes(run));
                shorts += 1;
            }
        }
    }
    assert!(shorts > 10, "{shorts}");
}

#[test]
fn runs_cut_anywhere() {
    let mut random = Random(7);
    for (_, mix) in MIXES {
        let buf = run(&mut random, mix, 150);
        for end in (0..=buf.len()).step_by(STEP) {
            check_all(&buf, 0, end);
            let bare = buf[..end].to_vec().into_boxed_slice();
            check_all(&bare, 0, end);
        }
    }
}

#[test]
fn a_fault_at_every_place() {
    let mut random = Random(99);
    let eleven = Wire::new().varint_of(1, 11).done();
    let above_64_bits = [&[0xff; 9][..], &[2]].concat();
    let large_tenth = [&[0x80; 9][..], &[0x7f]].concat();
    let endless = vec![0xff; 100];
    let zero_in_ten = Wire::new().varint_of(0, 10).done();
    for fault in [&eleven[..], &above_64_bits, &large_tenth, &endless, &[0x80; 64], &zero_in_ten] {
        for (_, mix) in MIXES {
            for before in (0..140).step_by(if cfg!(miri) { 139 } else { 1 }) {
                let before = run(&mut random, mix, before);
                let behind = run(&mut random, mix, 80);
                let buf = [&before[..], fault, &behind].concat();
                check_all(&buf, 0, buf.len());
                check_all(&buf, 0, before.len() + fault.len());
            }
        }
    }
}

#[test]
fn bytes_without_sense() {
    let mut random = Random(3);
    for round in (0..6_000_u64).step_by(if cfg!(miri) { 401 } else { 1 }) {
        let len = random.below(200) as usize;
        let high = round % 5;
        let bytes: Vec<u8> = (0..len)
            .map(|_| match random.below(5) {
                n if n < high => random.next() as u8 | 0x80,
                _ => random.next() as u8,
            })
            .collect();
        let pos = random.below(len as u64 + 1) as usize;
        let end = pos + random.below((len - pos) as u64 + 1) as usize;
        check_all(&bytes, pos, end);
    }
}

/// A fast path that only ever leaves its values to the loop after it would pass all other tests.
#[test]
fn kernels_do_the_work_themselves() {
    let mut random = Random(11);
    for (name, mix) in MIXES {
        let mut buf = run(&mut random, mix, 500);
        let end = buf.len();
        buf.resize(end + 100, 0);
        for kernel in dispatch::kernels() {
            let count = crate::wire::count_varints(&buf[..end]);
            let all = Progress { done: count, pos: end };
            let start = Progress { done: 0, pos: 0 };
            let mut narrow = vec![[0; 1]; count];
            assert_eq!(many::<1, Plain>(kernel, &buf, end, start, &mut narrow), all, "{kernel:?} {name}");
            assert_eq!(many::<1, Zigzag>(kernel, &buf, end, start, &mut narrow), all, "{kernel:?} {name}");
            let mut wide = vec![[0; 2]; count];
            assert_eq!(many::<2, Plain>(kernel, &buf, end, start, &mut wide), all, "{kernel:?} {name}");
            assert_eq!(many::<2, Zigzag>(kernel, &buf, end, start, &mut wide), all, "{kernel:?} {name}");
            if matches!(name, "1" | "2" | "90/10" | "1-2" | "1-4") {
                assert_eq!(many::<1, Bool>(kernel, &buf, end, start, &mut narrow), all, "{kernel:?} {name}");
            }
        }
    }
}

/// Longer than what a byte-sized sum can count.
#[test]
fn long_runs_are_counted() {
    let mut random = Random(17);
    for (_, mix) in MIXES {
        let run = run(&mut random, mix, 9_000);
        for len in [4_079, 4_080, 4_081, 4_095, 4_096, 4_160, 8_160, 8_175, 9_000] {
            if cfg!(miri) && len != 4_096 {
                continue;
            }
            let count = run[..len].iter().filter(|&&byte| byte < 0x80).count();
            for kernel in dispatch::kernels() {
                assert_eq!(count_long(kernel, &run, 0, len), count, "{kernel:?} {len}");
                assert_eq!(
                    count_long(kernel, &run, 5, len),
                    count - super::count(&run, 0, 5),
                    "{kernel:?} {len}"
                );
            }
        }
    }
}

#[test]
fn the_best_kernel_is_chosen() {
    let best = dispatch::kernels().pop();
    assert_eq!(Some(dispatch::kernel()), best);
    #[cfg(all(feature = "std", target_arch = "x86_64", not(tablepb_safe)))]
    assert_eq!(
        matches!(best, Some(dispatch::Kernel::Avx512(_))),
        std::arch::is_x86_feature_detected!("avx512vbmi2")
    );
    // AMD's processors have SSE4a, and a fast `pext` since they have VAES.
    #[cfg(all(feature = "std", target_arch = "x86_64", not(tablepb_safe)))]
    assert_eq!(
        super::has_fast_pext(),
        std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("bmi2")
            && (!std::arch::is_x86_feature_detected!("sse4a") || std::arch::is_x86_feature_detected!("vaes"))
    );
    let mut out = [[0; 1]; 16];
    decode::<1, Plain>(&[1; 100], 0, 16, &mut out);
    assert_eq!((dispatch::last::RAN.take(), out), (best, [[1]; 16]));
    decode::<1, Plain>(&[1; 100], 0, 3, &mut out[..3]);
    assert_eq!(dispatch::last::RAN.take(), None);
}

/// Where the values of a window end is all that the kernels branch on: every way to end them in sixteen bytes, at places of a window of 64, with
/// bytes after it that are no part of the run.
#[test]
fn every_way_to_end_values_in_sixteen_bytes() {
    let mut random = Random(0x5eed);
    let step = match (cfg!(miri), cfg!(debug_assertions)) {
        (true, _) => 16_381,
        (false, true) => 211,
        (false, false) => 1,
    };
    for pattern in (0..1_u32 << 16).step_by(step) {
        let before = [0, 3, 24, 40, 57][pattern as usize % 5];
        let mut buf = vec![0x01; before];
        for i in 0..16 {
            let byte = random.next() as u8 & 0x7f;
            buf.push(byte | if pattern >> i & 1 == 1 { 0x80 } else { 0 });
        }
        let end = buf.len();
        check_all(&buf.clone().into_boxed_slice(), 0, end);
        buf.extend_from_slice(&[0xff; 64]);
        check_all(&buf, before, end);
        check_all(&buf, 0, end);
    }
}

/// Times what every kernel of this processor gains over `portable`, and packing over one value at a time:
/// `cargo test --release --lib times_of_kernels -- --ignored --nocapture`. Prints ratios of minima, taken in turns.
#[test]
#[ignore = "a measurement"]
#[cfg(feature = "std")]
fn times_of_kernels() {
    extern crate std;

    fn least(times: &mut [f64], mut work: impl FnMut(usize)) {
        for at in (0..times.len()).cycle().take(times.len() * 200) {
            let start = std::time::Instant::now();
            work(at);
            times[at] = times[at].min(start.elapsed().as_secs_f64());
        }
    }

    fn decoding<const N: usize>(run: &[u8]) -> Vec<f64> {
        let kernels = dispatch::kernels();
        let mut out = vec![[0; N]; run.len()];
        let mut times = vec![f64::MAX; kernels.len()];
        least(&mut times, |at| {
            let start = Progress { done: 0, pos: 0 };
            std::hint::black_box(long::<N, Plain>(kernels[at], run, run.len(), start, &mut out));
        });
        times.iter().map(|time| times[0] / time).collect()
    }

    fn packing<const N: usize>(values: &[[u32; N]]) -> f64 {
        let mut memory = vec![0; values.len() * 10];
        let mut times = [f64::MAX; 2];
        least(&mut times, |at| {
            let mut cursor = crate::wire::Cursor::over(&mut memory);
            match at {
                0 => super::element::one_by_one::<N, Plain>(values, &mut cursor),
                _ => pack::<N, Plain>(values, &mut cursor),
            }
            std::hint::black_box(cursor.finish().is_ok());
        });
        times[0] / times[1]
    }

    let mut random = Random(0x71e5);
    std::println!("{:?}", dispatch::kernels());
    for (name, mix) in MIXES {
        let run = run(&mut random, mix, 4_000);
        let mut values = vec![[0; 2]; run.len()];
        let done = long::<2, Plain>(
            dispatch::Kernel::Portable,
            &run,
            run.len(),
            Progress { done: 0, pos: 0 },
            &mut values,
        )
        .done;
        values.truncate(done);
        let words: Vec<[u32; 1]> = values.iter().map(|value| [value[0]]).collect();
        let (decode32, decode64) = (decoding::<1>(&run), decoding::<2>(&run));
        std::println!(
            "{name}: decode {decode32:.2?} {decode64:.2?} pack {:.2} {:.2}",
            packing(&words),
            packing(&values)
        );
    }
}
