//! The shapes: what the payload sets are made of, and which types of the contenders belong to them.

mod api;
mod blobs;
mod columns;
mod events;
mod flat;
mod game;
mod images;
mod labels;
mod legacy;
mod logs;
mod meshes;
mod negatives;
mod optional;
mod orders;
mod otlp;
mod readings;
mod search;
mod telemetry;
mod tiles;

pub use logs::generate as log;
pub use meshes::generate as mesh;

use crate::contenders::{self, Contender, EDITED, EDITED_NUMBER, Mode, Setup};
#[cfg(feature = "rivals")]
use crate::generated::buffa as b;
use crate::generated::prost as p;
use crate::payloads::{Payloads, Regime};
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
    /// The field that editing sets; see [`Setup`].
    pub edit: &'static [u32],
    /// Sets it, by prost.
    pub apply: fn(&[u8]) -> Vec<u8>,
    /// Who runs, prost first.
    pub contenders: fn(Mode, &Setup) -> Vec<Box<dyn Contender>>,
}

impl Shape {
    /// Whether it counts in the means; one column of short varints and messages of a few bytes are checks of their own.
    pub fn counts(&self) -> bool {
        !matches!(self.name, "packed" | "readings")
    }

    /// The payload set of a seed: distinct messages of about this size together.
    pub fn payloads(&self, seed: u64, regime: Regime, size: usize) -> Payloads {
        let salt = self.name.bytes().fold(0u64, |salt, byte| salt.wrapping_mul(31).wrapping_add(byte.into()));
        let mut random = Random::new(seed ^ salt);
        Payloads::collect(regime, size, || (self.generate)(&mut random))
    }
}

macro_rules! shapes {
    ($($name:literal {
        message: $message:literal,
        generate: $generate:path,
        prost: $prost:path,
        buffa: $buffa:path,
        quick: [$($quick:tt)*],
        google: $($google:ident)::+,
        edit: $edit:expr, |$it:ident| $place:expr => $value:expr,
    })*) => {
        /// All shapes, in the order of the report.
        pub const SHAPES: &[Shape] = &[$(Shape {
            name: $name,
            message: $message,
            generate: |random| prost::Message::encode_to_vec(&$generate(random)),
            same: contenders::prost::same::<$prost>,
            edit: &$edit,
            apply: |bytes| {
                let mut message = <$prost as prost::Message>::decode(bytes).expect("valid");
                let $it = &mut message;
                $place = $value.into();
                prost::Message::encode_to_vec(&message)
            },
            contenders: |mode, setup| {
                let mut all = contenders::prost::all::<$prost>(mode, setup, |$it| $place = $value.into());
                all.extend(contenders::tablepb::all::<$prost>(mode, setup));
                all.extend(contenders::typed::all::<$prost>(mode, setup));
                #[cfg(feature = "rivals")]
                {
                    all.extend(contenders::buffa::all::<$buffa>(mode, setup));
                    quick!(all, mode, setup, $($quick)*);
                    all.extend(contenders::reflect::all(mode, setup));
                }
                #[cfg(feature = "google")]
                all.extend(contenders::google::all::<crate::generated::google::$($google)::+>(mode, setup));
                all
            },
        }),*];
    };
}

/// The contender of quick-protobuf, if it has one: a type, with or without a lifetime.
#[cfg(feature = "rivals")]
macro_rules! quick {
    ($all:ident, $mode:ident, $setup:ident, none) => {};
    ($all:ident, $mode:ident, $setup:ident, $($module:ident)::+ < >) => {
        struct Name;
        impl contenders::quick::Quick for Name {
            type Message<'i> = crate::generated::quick::ratio::$($module)::+<'i>;
        }
        $all.extend(contenders::quick::all::<Name>($mode, $setup));
    };
    ($all:ident, $mode:ident, $setup:ident, $($module:ident)::+) => {
        struct Name;
        impl contenders::quick::Quick for Name {
            type Message<'i> = crate::generated::quick::ratio::$($module)::+;
        }
        $all.extend(contenders::quick::all::<Name>($mode, $setup));
    };
}

shapes! {
    "flat" {
        message: "ratio.flat.Sample",
        generate: flat::generate,
        prost: p::flat::Sample,
        buffa: b::flat::Sample,
        quick: [flat::Sample],
        google: flat_proto::Sample,
        edit: [15], |m| m.port => EDITED_NUMBER,
    }
    "optional" {
        message: "ratio.optional.Profile",
        generate: optional::generate,
        prost: p::optional::Profile,
        buffa: b::optional::Profile,
        quick: [optional::Profile<>],
        google: optional_proto::Profile,
        edit: [11], |m| m.name => Some(EDITED.to_owned()),
    }
    "logs" {
        message: "ratio.logs.Log",
        generate: logs::generate,
        prost: p::logs::Log,
        buffa: b::logs::Log,
        quick: [logs::Log<>],
        google: logs_proto::Log,
        edit: [6], |m| m.message => EDITED,
    }
    "events" {
        message: "ratio.events.Event",
        generate: events::generate,
        prost: p::events::Event,
        buffa: b::events::Event,
        quick: [events::Event<>],
        google: events_proto::Event,
        edit: [3], |m| m.kind => EDITED,
    }
    "blobs" {
        message: "ratio.blobs.Blob",
        generate: blobs::generate,
        prost: p::blobs::Blob,
        buffa: b::blobs::Blob,
        quick: [blobs::Blob<>],
        google: blobs_proto::Blob,
        edit: [1], |m| m.name => EDITED,
    }
    "tiles" {
        message: "ratio.tiles.Tile",
        generate: tiles::generate,
        prost: p::tiles::Tile,
        buffa: b::tiles::Tile,
        quick: [tiles::Tile<>],
        google: tiles_proto::Tile,
        edit: [3, 1], |m| m.layers[0].name => EDITED,
    }
    "columns" {
        message: "ratio.columns.Batch",
        generate: columns::generate,
        prost: p::columns::Batch,
        buffa: b::columns::Batch,
        quick: [none],
        google: columns_proto::Batch,
        edit: [12], |m| m.version => EDITED_NUMBER,
    }
    "packed" {
        message: "ratio.columns.Small",
        generate: columns::small,
        prost: p::columns::Small,
        buffa: b::columns::Small,
        quick: [columns::Small],
        google: columns_proto::Small,
        edit: [2], |m| m.version => EDITED_NUMBER,
    }
    "negatives" {
        message: "ratio.negatives.Samples",
        generate: negatives::generate,
        prost: p::negatives::Samples,
        buffa: b::negatives::Samples,
        quick: [negatives::Samples<>],
        google: negatives_proto::Samples,
        edit: [1], |m| m.sensor => EDITED,
    }
    "meshes" {
        message: "ratio.meshes.Mesh",
        generate: meshes::generate,
        prost: p::meshes::Mesh,
        buffa: b::meshes::Mesh,
        quick: [meshes::Mesh<>],
        google: meshes_proto::Mesh,
        edit: [1], |m| m.name => EDITED,
    }
    "legacy" {
        message: "ratio.legacy.Document",
        generate: legacy::generate,
        prost: p::legacy::Document,
        buffa: b::legacy::Document,
        quick: [none],
        google: legacy_proto::Document,
        edit: [4], |m| m.title => Some(EDITED.to_owned()),
    }
    "game" {
        message: "ratio.game.World",
        generate: game::generate,
        prost: p::game::World,
        buffa: b::game::World,
        quick: [game::World<>],
        google: game_proto::World,
        edit: [2], |m| m.map => EDITED,
    }
    "metrics" {
        message: "ratio.otlp.MetricsData",
        generate: otlp::metrics,
        prost: p::otlp::MetricsData,
        buffa: b::otlp::MetricsData,
        quick: [none],
        google: otlp_proto::MetricsData,
        edit: [1, 3], |m| m.resource_metrics[0].schema_url => EDITED,
    }
    "traces" {
        message: "ratio.otlp.TracesData",
        generate: otlp::traces,
        prost: p::otlp::TracesData,
        buffa: b::otlp::TracesData,
        quick: [otlp::TracesData<>],
        google: otlp_proto::TracesData,
        edit: [1, 3], |m| m.resource_spans[0].schema_url => EDITED,
    }
    "api" {
        message: "ratio.api.Reply",
        generate: api::generate,
        prost: p::api::Reply,
        buffa: b::api::Reply,
        quick: [api::Reply<>],
        google: api_proto::Reply,
        edit: [1], |m| m.request_id => EDITED,
    }
    "labels" {
        message: "ratio.labels.Record",
        generate: labels::generate,
        prost: p::labels::Record,
        buffa: b::labels::Record,
        quick: [labels::Record<>],
        google: labels_proto::Record,
        edit: [3], |m| m.logger => EDITED,
    }
    "search" {
        message: "ratio.search.Results",
        generate: search::generate,
        prost: p::search::Results,
        buffa: b::search::Results,
        quick: [none],
        google: search_proto::Results,
        edit: [1], |m| m.query => EDITED,
    }
    "telemetry" {
        message: "ratio.telemetry.Reading",
        generate: telemetry::generate,
        prost: p::telemetry::Reading,
        buffa: b::telemetry::Reading,
        quick: [telemetry::Reading],
        google: telemetry_proto::Reading,
        edit: [10], |m| m.voltage => EDITED_NUMBER,
    }
    "readings" {
        message: "ratio.readings.Reading",
        generate: readings::generate,
        prost: p::readings::Reading,
        buffa: b::readings::Reading,
        quick: [readings::Reading<>],
        google: readings_proto::Reading,
        edit: [1], |m| m.sensor => EDITED_NUMBER,
    }
    "orders" {
        message: "ratio.orders.Order",
        generate: orders::generate,
        prost: p::orders::Order,
        buffa: b::orders::Order,
        quick: [orders::Order<>],
        google: orders_proto::Order,
        edit: [1], |m| m.id => EDITED,
    }
    "images" {
        message: "ratio.images.Image",
        generate: images::generate,
        prost: p::images::Image,
        buffa: b::images::Image,
        quick: [images::Image<>],
        google: images_proto::Image,
        edit: [1], |m| m.name => EDITED,
    }
}
