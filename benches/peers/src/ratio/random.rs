//! A small seeded generator, so that payload sets are the same everywhere.

/// xoshiro256++, seeded by splitmix64.
pub struct Random([u64; 4]);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Self([(); 4].map(|()| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }))
    }

    pub fn u64(&mut self) -> u64 {
        let s = &mut self.0;
        let value = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        value
    }

    /// From `low` up to but not including `high`.
    pub fn range(&mut self, low: u64, high: u64) -> u64 {
        low + self.u64() % (high - low)
    }

    pub fn index(&mut self, len: usize) -> usize {
        self.range(0, len as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.range(0, n) == 0
    }

    /// Up to `bits` bits, every number of bits alike: varints of all lengths.
    pub fn bits(&mut self, bits: u64) -> u64 {
        let n = self.range(1, bits + 1);
        self.u64() >> (64 - n)
    }

    /// As `bits`, of either sign and of small magnitude.
    pub fn signed(&mut self, bits: u64) -> i64 {
        let value = self.bits(bits - 1) as i64;
        if self.one_in(2) { -value } else { value }
    }

    /// From -1 000 up to 1 000, never zero.
    pub fn f64(&mut self) -> f64 {
        (self.range(1, 2_000_000) as f64 - 1_000_000.5) / 1000.0
    }

    pub fn f32(&mut self) -> f32 {
        self.f64() as f32
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.index(of.len())]
    }

    pub fn bytes(&mut self, len: u64) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..len.div_ceil(8)).flat_map(|_| self.u64().to_le_bytes()).collect();
        bytes.truncate(len as usize);
        bytes
    }

    pub fn hex(&mut self, len: u64) -> String {
        (0..len).map(|_| char::from(b"0123456789abcdef"[self.index(16)])).collect()
    }

    /// An identifier of `low` to `high` letters.
    pub fn name(&mut self, low: u64, high: u64) -> String {
        let len = self.range(low, high + 1);
        (0..len).map(|_| char::from(b'a' + self.index(26) as u8)).collect()
    }

    /// A line of about `len` bytes; one in 16 has letters that are not ASCII.
    pub fn text(&mut self, len: u64) -> String {
        let accents = self.one_in(16);
        let mut text = String::new();
        while (text.len() as u64) < len {
            text.push_str(&self.name(1, 9));
            text.push_str(if accents && self.one_in(4) { " é→ü " } else { " " });
        }
        text
    }

    /// So many elements.
    pub fn list<T>(&mut self, low: u64, high: u64, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let len = self.range(low, high + 1);
        (0..len).map(|_| make(self)).collect()
    }

    /// An element once in `n` times.
    pub fn maybe<T>(&mut self, n: u64, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.one_in(n).then(|| make(self))
    }
}
