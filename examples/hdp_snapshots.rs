//! Snapshots of a network in time, clustered together: the hard HDP on graphs. Groups keep their
//! number from one snapshot to the next.
//!
//! `cargo run --example hdp_snapshots`

use lambdacut::layers::{Coupling, LayeredGraph, Layers};
use lambdacut::prelude::*;

/// Everybody knows everybody in each group; one edge leads from each group to the next.
fn snapshot(people: usize, groups: &[&[u32]]) -> Result<Graph, Box<dyn std::error::Error>> {
    let mut edges = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        for (i, &a) in group.iter().enumerate() {
            edges.extend(group[..i].iter().map(|&b| (a, b, 1.0)));
        }
        edges.extend(groups.get(at + 1).map(|next| (group[0], next[0], 1.0)));
    }
    Ok(Graph::from_edges(people, &edges)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Person 4 changes sides on the second day; on the third a new group of five appears.
    let days = [
        snapshot(10, &[&[0, 1, 2, 3, 4], &[5, 6, 7, 8, 9]])?,
        snapshot(10, &[&[0, 1, 2, 3], &[4, 5, 6, 7, 8, 9]])?,
        snapshot(
            15,
            &[&[0, 1, 2, 3], &[4, 5, 6, 7, 8, 9], &[10, 11, 12, 13, 14]],
        )?,
    ];
    // People are known by their names, here numbers; copies of a person on neighbouring days are
    // tied by an edge of weight 1.
    let layers: Vec<&Graph> = days.iter().collect();
    let layered = LayeredGraph::new(&layers, Coupling::Chain, 1.0)?;

    // β is the worth of a global group, λ_ℓ the price that a day pays for every group it uses.
    let method = Layers::new().resolution(0.15)?.local_price(0.01);
    let found = method.run(&layered)?;
    for day in 0..layered.layers() {
        println!("day {}: {:?}", day + 1, layered.part(&found.labels, day));
    }

    let (first, second, third) = (
        layered.part(&found.labels, 0),
        layered.part(&found.labels, 1),
        layered.part(&found.labels, 2),
    );
    assert_eq!((first[0], first[5]), (second[0], second[5])); // groups keep their numbers …
    assert_eq!((first[4], second[4]), (first[0], second[5])); // … while person 4 changes sides,
    assert!(third[10] != third[0] && third[10] != third[5]); // and the new group is new.
    assert_eq!(layered.local_clusters(&found.labels), [2, 2, 3]);
    Ok(())
}
