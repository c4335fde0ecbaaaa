//! The strongly connected parts of a graph.

use alloc::{vec, vec::Vec};

/// No group yet.
const NONE: u32 = u32::MAX;

/// The strongly connected parts of a graph: a number per node, the same for all nodes of one part (Tarjan's algorithm, with an
/// explicit stack).
pub(super) fn groups(edges: &[Vec<u32>]) -> Vec<u32> {
    let mut groups = vec![NONE; edges.len()];
    // The order of discovery, from 1, and the lowest one that a node reaches.
    let (mut order, mut low) = (vec![0_u32; edges.len()], vec![0_u32; edges.len()]);
    let (mut open, mut frames) = (Vec::new(), Vec::new());
    let mut count = 0;
    for root in 0..edges.len() {
        if order[root] == 0 {
            frames.push((root, 0));
        }
        while let Some(&(node, next)) = frames.last() {
            if next == 0 {
                count += 1;
                (order[node], low[node]) = (count, count);
                open.push(node);
            }
            if let Some(&to) = edges[node].get(next) {
                let (to, at) = (to as usize, frames.len() - 1);
                frames[at].1 += 1;
                if order[to] == 0 {
                    frames.push((to, 0));
                } else if groups[to] == NONE {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            frames.pop();
            if let Some(&(parent, _)) = frames.last() {
                low[parent] = low[parent].min(low[node]);
            }
            while low[node] == order[node]
                && groups[node] == NONE
                && let Some(member) = open.pop()
            {
                groups[member] = node as u32;
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_groups() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3, 3 -> 3, 4 alone, 5 -> 4.
        let found = groups(&[vec![1], vec![2], vec![1, 3], vec![3], vec![], vec![4]]);
        assert_eq!(found[1], found[2]);
        for (a, b) in [(0, 1), (2, 3), (3, 4), (4, 5), (0, 5)] {
            assert_ne!(found[a], found[b], "{a} {b}");
        }
        let long: Vec<Vec<u32>> = (0..100_000).map(|i| vec![(i + 1) % 100_000]).collect();
        assert!(groups(&long).iter().all(|&group| group == 0));
    }
}
