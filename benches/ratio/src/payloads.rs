//! Sets of distinct encoded messages: too many for the branch predictor to learn.

pub struct Payloads {
    pub messages: Vec<Vec<u8>>,
    /// Of all messages together.
    pub bytes: usize,
}

impl Payloads {
    /// As many messages as it takes to reach a size.
    pub fn collect(size: usize, mut make: impl FnMut() -> Vec<u8>) -> Self {
        let mut set = Self { messages: Vec::new(), bytes: 0 };
        while set.bytes < size {
            let message = make();
            set.bytes += message.len();
            set.messages.push(message);
        }
        set
    }
}
