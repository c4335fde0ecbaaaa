//! The shapes of `benches/peers` (`ratio`), with the types of the contenders here.

use crate::contenders::{self, Contender, Mode};
use crate::generated::{buffa as b, pbjson as j, prost as p};
use crate::random::Random;

#[path = "../ratio/shapes/blobs.rs"]
mod blobs;
#[path = "../ratio/shapes/columns.rs"]
mod columns;
#[path = "../ratio/shapes/events.rs"]
mod events;
#[path = "../ratio/shapes/flat.rs"]
mod flat;
#[path = "../ratio/shapes/game.rs"]
mod game;
#[path = "../ratio/shapes/legacy.rs"]
mod legacy;
#[path = "../ratio/shapes/logs.rs"]
mod logs;
#[path = "../ratio/shapes/meshes.rs"]
mod meshes;
#[path = "../ratio/shapes/negatives.rs"]
mod negatives;
#[path = "../ratio/shapes/optional.rs"]
mod optional;
#[path = "../ratio/shapes/otlp.rs"]
mod otlp;
#[path = "../ratio/shapes/tiles.rs"]
mod tiles;

pub struct Shape {
    pub name: &'static str,
    /// One encoded message.
    pub generate: fn(&mut Random) -> Vec<u8>,
    /// Who runs, tablepb first, and the bytes of JSON.
    pub contenders: fn(Mode, &[Vec<u8>]) -> (Vec<Contender>, usize),
}

macro_rules! shapes {
    ($($name:literal: $module:ident::$message:ident from $generate:path,)*) => {
        pub const SHAPES: &[Shape] = &[$(Shape {
            name: $name,
            generate: |random| prost::Message::encode_to_vec(&$generate(random)),
            contenders: |mode, set| {
                contenders::all::<p::$module::$message, j::$module::$message, b::$module::$message>(
                    concat!("ratio.", stringify!($module), ".", stringify!($message)),
                    mode,
                    set,
                )
            },
        }),*];
    };
}

shapes! {
    "flat": flat::Sample from flat::generate,
    "optional": optional::Profile from optional::generate,
    "logs": logs::Log from logs::generate,
    "events": events::Event from events::generate,
    "blobs": blobs::Blob from blobs::generate,
    "tiles": tiles::Tile from tiles::generate,
    "columns": columns::Batch from columns::generate,
    "packed": columns::Small from columns::small,
    "negatives": negatives::Samples from negatives::generate,
    "meshes": meshes::Mesh from meshes::generate,
    "legacy": legacy::Document from legacy::generate,
    "game": game::World from game::generate,
    "metrics": otlp::MetricsData from otlp::metrics,
    "traces": otlp::TracesData from otlp::traces,
}
