//! A petgraph graph in, its nodes with their clusters out.
//!
//! `cargo run --example petgraph_import`

use lambdacut::prelude::*;
use petgraph::graph::UnGraph;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Two circles of friends; Dora and Emil know each other a little.
    let mut friends = UnGraph::<&str, f64>::new_undirected();
    let people = [
        "Anna", "Boris", "Clara", "Dora", "Emil", "Frida", "Georg", "Hanna",
    ]
    .map(|name| friends.add_node(name));
    for circle in [&people[..4], &people[4..]] {
        for (i, &a) in circle.iter().enumerate() {
            for &b in &circle[..i] {
                friends.add_edge(a, b, 1.0);
            }
        }
    }
    friends.add_edge(people[3], people[4], 0.5);

    // The closure says what an edge weighs; vertices are in the order of petgraph's nodes.
    let graph = Graph::from_petgraph(&friends, |weight| *weight)?;
    let best = Search::new().run(&graph)?;

    // The way back: the same graph, with the cluster of every node in its place.
    let clustered = best.to_petgraph(&graph);
    for node in friends.node_indices() {
        let circle = clustered[node].ok_or("everybody knows somebody")?;
        println!("{:6} is in circle {circle}", friends[node]);
    }
    println!("{} circles, because {}", best.k(), best.why());
    assert_eq!(best.labels, [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(clustered.edge_count(), friends.edge_count());
    Ok(())
}
