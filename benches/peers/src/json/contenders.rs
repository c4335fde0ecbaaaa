//! Who runs: each passes over all messages in a given order.

use prost_reflect::{DescriptorPool, DynamicMessage};
use serde::{Serialize, de::DeserializeOwned};
use std::hint::black_box;
use std::sync::LazyLock;
use tablepb::Message;

const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/ratio.binpb"));

static TABLEPB: LazyLock<tablepb::DescriptorPool> =
    LazyLock::new(|| tablepb::DescriptorPool::decode(DESCRIPTORS).expect("a descriptor set"));
static REFLECT: LazyLock<DescriptorPool> =
    LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).expect("a descriptor set"));

#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    /// A message in memory to JSON.
    Print,
    /// JSON to a message in memory.
    Parse,
    /// Binary to JSON.
    ToJson,
    /// JSON to binary.
    ToBinary,
}

impl Mode {
    pub const ALL: [Self; 4] = [Self::Print, Self::Parse, Self::ToJson, Self::ToBinary];

    pub fn name(self) -> &'static str {
        match self {
            Self::Print => "print",
            Self::Parse => "parse",
            Self::ToJson => "to-json",
            Self::ToBinary => "to-binary",
        }
    }
}

pub struct Contender {
    pub name: &'static str,
    pub pass: Box<dyn FnMut(&[usize])>,
}

/// The work of a mode, of what a contender can do.
fn contender<M: 'static>(
    name: &'static str,
    mode: Mode,
    set: &[Vec<u8>],
    decode: impl Fn(&[u8]) -> M + 'static,
    encode: impl Fn(&M, &mut Vec<u8>) + 'static,
    print: impl Fn(&M, &mut Vec<u8>) + 'static,
    parse: impl Fn(&[u8]) -> M + 'static,
) -> Contender {
    let messages: Vec<M> = set.iter().map(|bytes| decode(bytes)).collect();
    let texts: Vec<Vec<u8>> = messages
        .iter()
        .map(|message| {
            let mut text = Vec::new();
            print(message, &mut text);
            text
        })
        .collect();
    // Each reads what it has written.
    for (text, bytes) in texts.iter().zip(set) {
        let (mut back, mut again) = (Vec::new(), Vec::new());
        encode(&parse(text), &mut back);
        encode(&decode(bytes), &mut again);
        assert_eq!(back.len(), again.len(), "{name}");
    }
    let mut buffer = Vec::new();
    let pass: Box<dyn FnMut(&[usize])> = match mode {
        Mode::Print => Box::new(move |order| {
            for &at in order {
                buffer.clear();
                print(&messages[at], &mut buffer);
                black_box(&buffer);
            }
        }),
        Mode::Parse => Box::new(move |order| {
            for &at in order {
                black_box(&parse(&texts[at]));
            }
        }),
        Mode::ToJson => {
            let set = set.to_vec();
            Box::new(move |order| {
                for &at in order {
                    buffer.clear();
                    print(&decode(&set[at]), &mut buffer);
                    black_box(&buffer);
                }
            })
        }
        Mode::ToBinary => Box::new(move |order| {
            for &at in order {
                buffer.clear();
                encode(&parse(&texts[at]), &mut buffer);
                black_box(&buffer);
            }
        }),
    };
    Contender { name, pass }
}

/// prost's structs, with either implementation of serde's traits.
fn prost<M: prost::Message + Default + Serialize + DeserializeOwned + 'static>(
    name: &'static str,
    mode: Mode,
    set: &[Vec<u8>],
) -> Contender {
    contender(
        name,
        mode,
        set,
        |bytes| M::decode(bytes).expect("valid"),
        |message, buffer| message.encode(buffer).expect("room"),
        |message, buffer| serde_json::to_writer(buffer, message).expect("room"),
        |text| serde_json::from_slice(text).expect("valid"),
    )
}

pub mod typed {
    use tablepb::{DecodeFrom, DecodeOwned};

    /// A message type of prost, with the structs of tablepb.
    #[allow(dead_code)]
    pub trait Typed {
        type Owned: DecodeOwned + 'static;
        type Borrowed<'i>: DecodeFrom<'i>;
    }
}

/// All contenders, and the bytes of JSON that tablepb writes for the set.
pub fn all<P, J, B>(name: &str, mode: Mode, set: &[Vec<u8>]) -> (Vec<Contender>, usize)
where
    P: prost::Message + Default + Serialize + DeserializeOwned + typed::Typed + 'static,
    J: prost::Message + Default + Serialize + DeserializeOwned + 'static,
    B: buffa::Message + Serialize + DeserializeOwned + 'static,
{
    let descriptor = TABLEPB.message(name).expect("in the descriptor set");
    let json = |bytes: &Vec<u8>| {
        let message = tablepb::DynamicMessage::decode(&descriptor, bytes).expect("valid");
        tablepb::json::to_string(&message).expect("room").len()
    };
    let bytes = set.iter().map(json).sum();
    let (first, second) = (descriptor.clone(), descriptor.clone());
    let mut dynamic = contender(
        "tablepb",
        mode,
        set,
        move |bytes| tablepb::DynamicMessage::decode(&first, bytes).expect("valid"),
        |message, buffer| message.encode(buffer).expect("room"),
        |message, buffer| tablepb::json::append(buffer, message).expect("room"),
        move |text| tablepb::json::message_from_slice(&second, text).expect("valid"),
    );
    if mode == Mode::ToJson {
        let (set, descriptor) = (set.to_vec(), descriptor.clone());
        let (mut buffer, mut decoder) = (Vec::new(), tablepb::Decoder::new(&descriptor));
        dynamic.pass = Box::new(move |order| {
            for &at in order {
                buffer.clear();
                tablepb::json::append(&mut buffer, &decoder.decode(&set[at]).expect("valid")).expect("room");
                black_box(&buffer);
            }
        });
    }
    let typed = contender(
        "tablepb struct",
        mode,
        set,
        |bytes| <P::Owned as Message>::decode(bytes).expect("valid"),
        |message, buffer| message.encode(buffer).expect("room"),
        |message, buffer| tablepb::json::append(buffer, message).expect("room"),
        |text| tablepb::json::from_slice::<P::Owned>(text).expect("valid"),
    );
    let buffa = contender(
        "buffa",
        mode,
        set,
        |bytes| B::decode_from_slice(bytes).expect("valid"),
        |message, buffer| message.encode(buffer),
        |message, buffer| serde_json::to_writer(buffer, message).expect("room"),
        |text| serde_json::from_slice(text).expect("valid"),
    );
    let descriptor = REFLECT.get_message_by_name(name).expect("in the descriptor set");
    let other = descriptor.clone();
    let reflect = contender(
        "prost-reflect",
        mode,
        set,
        move |bytes| DynamicMessage::decode(descriptor.clone(), bytes).expect("valid"),
        |message, buffer| prost::Message::encode(message, buffer).expect("room"),
        |message, buffer| serde_json::to_writer(buffer, message).expect("room"),
        move |text| {
            let mut from = serde_json::Deserializer::from_slice(text);
            DynamicMessage::deserialize(other.clone(), &mut from).expect("valid")
        },
    );
    (
        vec![
            dynamic,
            typed,
            prost::<P>("serde_json", mode, set),
            prost::<J>("pbjson", mode, set),
            buffa,
            reflect,
        ],
        bytes,
    )
}
