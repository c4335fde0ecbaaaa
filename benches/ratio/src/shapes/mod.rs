//! The shapes: what the payload sets are made of, and which types of the contenders belong to them.

mod blobs;
mod columns;
mod events;
mod flat;
mod game;
mod legacy;
mod logs;
mod meshes;
mod negatives;
mod optional;
mod otlp;
mod tiles;

use crate::contenders::{Contender, Mode, Setup};
use crate::payloads::Payloads;
use crate::random::Random;

/// A kind of message, with everything that depends on its type.
pub struct Shape {
    pub name: &'static str,
    /// Full name of the message.
    pub message: &'static str,
    /// One encoded message.
    pub generate: fn(&mut Random) -> Vec<u8>,
    /// Whether two encoded messages hold the same, by prost.
    pub same: fn(&[u8], &[u8]) -> bool,
    /// Who runs, prost first.
    pub contenders: fn(Mode, &Setup) -> Vec<Box<dyn Contender>>,
}

impl Shape {
    /// The payload set of a seed: distinct messages of about two megabytes together.
    pub fn payloads(&self, seed: u64) -> Payloads {
        let salt = self.name.bytes().fold(0u64, |salt, byte| salt.wrapping_mul(31).wrapping_add(byte.into()));
        let mut random = Random::new(seed ^ salt);
        Payloads::collect(2 << 20, || (self.generate)(&mut random))
    }
}

macro_rules! shapes {
    ($($name:literal, $message:literal, $generate:path, prost $prost:ty;)*) => {
        /// All shapes, in the order of the report.
        pub const SHAPES: &[Shape] = &[$(Shape {
            name: $name,
            message: $message,
            generate: |random| prost::Message::encode_to_vec(&$generate(random)),
            same: crate::contenders::prost::same::<$prost>,
            contenders: |mode, setup| {
                let mut all = crate::contenders::prost::all::<$prost>(mode, setup);
                all.extend(crate::contenders::tablepb::all(mode, setup));
                all
            },
        }),*];
    };
}

shapes! {
    "flat", "ratio.flat.Sample", flat::generate, prost crate::pb::flat::Sample;
    "optional", "ratio.optional.Profile", optional::generate, prost crate::pb::optional::Profile;
    "logs", "ratio.logs.Log", logs::generate, prost crate::pb::logs::Log;
    "events", "ratio.events.Event", events::generate, prost crate::pb::events::Event;
    "blobs", "ratio.blobs.Blob", blobs::generate, prost crate::pb::blobs::Blob;
    "tiles", "ratio.tiles.Tile", tiles::generate, prost crate::pb::tiles::Tile;
    "columns", "ratio.columns.Batch", columns::generate, prost crate::pb::columns::Batch;
    "negatives", "ratio.negatives.Samples", negatives::generate, prost crate::pb::negatives::Samples;
    "meshes", "ratio.meshes.Mesh", meshes::generate, prost crate::pb::meshes::Mesh;
    "legacy", "ratio.legacy.Document", legacy::generate, prost crate::pb::legacy::Document;
    "game", "ratio.game.World", game::generate, prost crate::pb::game::World;
    "metrics", "ratio.otlp.MetricsData", otlp::metrics, prost crate::pb::otlp::MetricsData;
    "traces", "ratio.otlp.TracesData", otlp::traces, prost crate::pb::otlp::TracesData;
}
