use super::*;

#[test]
fn the_empty_message_cannot_be_written_to() {
    let mut slab = Slab::new();
    slab.set_limit(1 << 10);
    let at = slab.alloc(4).unwrap();
    slab.set64(at, 0);
    for offset in 0..RESERVED {
        slab.set(offset, 7);
        slab.set64(offset, 7 | 7 << 32);
        slab.run_mut(offset, 1).fill(7);
        slab.body_mut(offset).set(0, 7);
        slab.copy_words(at, 1, offset);
        assert_eq!((slab.get(offset), slab.get(at)), (0, 0));
    }
}

#[test]
fn a_slab_that_is_full_keeps_its_words_when_it_is_not_trusted_any_more() {
    const MARKED: u64 = 1 << 63;
    for taken in (1..300).step_by(if cfg!(miri) { 99 } else { 1 }) {
        let mut slab = Slab::new();
        slab.set_limit(1 << 16);
        let mut at = Vec::new();
        while at.len() < taken {
            at.push(slab.alloc(1).unwrap());
        }
        // Every place that there is.
        while let Some(next) = slab.try_alloc(1) {
            at.push(next);
        }
        at.iter().for_each(|&at| slab.set(at, at));
        let holds = |slab: &Slab| at.iter().all(|&at| slab.words().find(at) == Some(at));
        assert!(slab.words().trusts(MARKED) && !slab.words().trusts(0) && holds(&slab.clone()));
        slab.distrust();
        slab.distrust();
        assert!(!slab.words().trusts(MARKED) && holds(&slab) && holds(&slab.clone()));
        assert!(!slab.clone().words().trusts(MARKED));
        let more = slab.alloc(100).unwrap();
        slab.set(more + 99, 7);
        slab.shrink_to(0);
        assert!(!slab.words().trusts(MARKED) && holds(&slab) && slab.get(more + 99) == 7);
        slab.clear();
        assert!(slab.words().trusts(MARKED) && slab.alloc(300).is_ok() && slab.words().trusts(MARKED));
    }
}

#[test]
fn reading_nowhere_gives_zero_and_writing_nowhere_does_nothing() {
    let mut slab = Slab::new();
    slab.set(1 << 30, 7);
    slab.set64(u32::MAX, 7);
    assert_eq!((slab.get(1 << 30), slab.words().get64(u32::MAX)), (0, 0));
    assert!(slab.run_mut(5, 10).is_empty());
}
