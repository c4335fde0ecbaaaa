//! Numbers, addresses and sampling rates, each alone.

use crate::flows::collect::elements::Sampling;
use crate::flows::collect::input::{Input, mac, mapped, number};
use crate::flows::collect::sampling::{Rate, Rates};

#[test]
fn nothing_is_taken_beyond_the_end() {
    let mut input = Input(&[1, 2, 3]);
    assert_eq!((input.u32(), input.u16(), input.take(2), input.u8()), (None, Some(0x102), None, Some(3)));
    assert!(input.is_empty() && input.part(0).is_some());
}

#[test]
fn numbers_have_up_to_eight_bytes() {
    let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    assert_eq!((number(&[]), number(&bytes)), (None, None));
    for len in 1..=8 {
        let expected = bytes[..len].iter().fold(0, |n, &b| n * 256 + u64::from(b));
        assert_eq!(number(&bytes[..len]), Some(expected));
    }
    assert_eq!(mapped([192, 0, 2, 1]), std::net::Ipv4Addr::new(192, 0, 2, 1).to_ipv6_mapped().octets());
    assert_eq!(mac([0x02, 0, 0x5e, 0x10, 0, 1]), 0x0200_5e10_0001);
}

fn rate(parts: &[(Sampling, u64)]) -> Rate {
    let mut rate = Rate::default();
    parts.iter().for_each(|(part, value)| rate.note(*part, &value.to_be_bytes()));
    rate
}

#[test]
fn rates_are_told_in_many_ways() {
    use Sampling::*;
    assert_eq!(rate(&[(Interval, 1000)]).get(), Some(1000));
    assert_eq!(rate(&[(PacketInterval, 1), (PacketSpace, 999)]).get(), Some(1000));
    // All packets are taken, as none are left out; alone, the interval is meant as a rate.
    assert_eq!(rate(&[(PacketInterval, 100), (PacketSpace, 0)]).get(), Some(1));
    assert_eq!(rate(&[(PacketSpace, 0), (PacketInterval, 100)]).get(), Some(1));
    assert_eq!(rate(&[(PacketInterval, 500)]).get(), Some(500));
    assert_eq!(rate(&[(PacketInterval, 0), (PacketSpace, 9)]).get(), None);
    assert_eq!(rate(&[(Size, 2), (Population, 200)]).get(), Some(100));
    assert_eq!(rate(&[(Probability, 0.001_f64.to_bits())]).get(), Some(1000));
    let nonsense = [0.0, -1.0, f64::NAN, f64::INFINITY, 2.0];
    nonsense.iter().for_each(|p| assert_eq!(rate(&[(Probability, p.to_bits())]).get(), None));
    assert_eq!(rate(&[(Population, 5)]).get(), None);
    assert_eq!(rate(&[(PacketInterval, u64::MAX), (PacketSpace, u64::MAX)]).get(), Some(1));
}

#[test]
fn a_flow_has_the_rate_of_its_sampler() {
    let mut rates = Rates::default();
    assert_eq!((rates.get(None), rates.get(Some(1))), (None, None));
    rates.insert(&rate(&[(Sampling::Sampler, 7), (Sampling::Interval, 100)]));
    assert_eq!((rates.get(None), rates.get(Some(7)), rates.get(Some(8))), (Some(100), Some(100), None));
    rates.insert(&rate(&[(Sampling::Interval, 10)]));
    assert_eq!((rates.get(None), rates.get(Some(7)), rates.get(Some(8))), (Some(10), Some(100), Some(10)));
    let fits = (0..1000).filter(|&n| rates.insert(&rate(&[(Sampling::Sampler, n), (Sampling::Interval, 1)])));
    assert_eq!(fits.count(), Rates::MAX);
}
