//! Game state: many kinds of small messages.

use crate::generated::prost::game::{
    Effect, Entity, Item, Player, Quaternion, Update, Vec3, World, update::Change,
};
use crate::random::Random;

pub fn generate(r: &mut Random) -> World {
    World {
        tick: r.bits(30),
        map: r.name(4, 12),
        entities: r.list(5, 60, entity),
        players: r.list(0, 8, |r| (r.bits(16) as u32, player(r))).into_iter().collect(),
        updates: r.list(10, 80, update),
    }
}

fn vec3(r: &mut Random) -> Vec3 {
    // Half of all things stand on the ground.
    Vec3 { x: r.f32(), y: if r.one_in(2) { 0.0 } else { r.f32() }, z: r.f32() }
}

fn item(r: &mut Random) -> Item {
    Item {
        id: r.bits(12) as u32,
        count: r.range(1, 65) as u32,
        durability: r.maybe(3, |r| r.bits(10) as u32).unwrap_or(0),
        enchantments: if r.one_in(4) { r.list(1, 4, |r| r.bits(6) as u32) } else { Vec::new() },
    }
}

fn entity(r: &mut Random) -> Entity {
    Entity {
        id: r.bits(40),
        kind: r.bits(6) as u32,
        position: Some(vec3(r)),
        rotation: r.maybe(2, |r| Quaternion { x: r.f32(), y: r.f32(), z: r.f32(), w: r.f32() }),
        health: r.f32(),
        name: if r.one_in(4) { r.name(4, 16) } else { String::new() },
        inventory: if r.one_in(3) { r.list(1, 12, item) } else { Vec::new() },
        effects: r.list(0, 2, |r| Effect {
            kind: r.bits(5) as u32,
            strength: r.signed(6) as i32,
            remaining: r.bits(12) as u32,
        }),
        owner: r.maybe(8, |r| r.bits(40)),
    }
}

fn player(r: &mut Random) -> Player {
    Player {
        name: r.name(4, 16),
        level: r.range(1, 100) as u32,
        score: r.bits(30) as i64,
        entity: r.bits(40),
        online: r.one_in(2),
        friends: r.list(0, 10, |r| r.bits(40)),
    }
}

fn update(r: &mut Random) -> Update {
    let change = match r.range(0, 10) {
        0..=4 => Change::Moved(vec3(r)),
        5 | 6 => Change::Health(r.f32()),
        7 => Change::Picked(item(r)),
        8 => Change::Removed(r.bits(8) as u32),
        _ => Change::Said(r.text(20)),
    };
    Update { entity: r.bits(40), change: Some(change) }
}
