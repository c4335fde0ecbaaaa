//! Meshes of tiny float messages.

use crate::generated::prost::meshes::{Mesh, Triangle, Vertex};
use crate::random::Random;

pub fn generate(r: &mut Random) -> Mesh {
    Mesh {
        name: r.name(4, 16),
        triangles: r.list(50, 400, |r| Triangle {
            v0: Some(vertex(r)),
            v1: Some(vertex(r)),
            v2: Some(vertex(r)),
            normal: Some(vertex(r)),
        }),
    }
}

/// One in 32 lies on an axis plane: the zero is not on the wire.
fn vertex(r: &mut Random) -> Vertex {
    Vertex { x: r.f32(), y: if r.one_in(32) { 0.0 } else { r.f32() }, z: r.f32() }
}
