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

    // The closure says what an edge weighs; the policy what happens to loops, repeats and
    // directions.
    let read = from_petgraph(&friends, |weight| *weight, &Policy::default())?;
    let answer = Search::default().run_any(&read.graph, &Target::Recommended, &Silent)?;

    // Vertex i of the answer is node `read.nodes[i]` of petgraph.
    for (&node, &cluster) in read.nodes.iter().zip(&answer.labels) {
        println!("{:6} is in circle {cluster}", friends[node]);
    }
    let (low, high) = answer
        .interval
        .ok_or("a recommended clustering is best somewhere")?;
    println!(
        "{} circles, the best answer found for every β between {low:.2} and {high:.2}",
        answer.clusters
    );
    assert_eq!(answer.labels, [0, 0, 0, 0, 1, 1, 1, 1]);
    Ok(())
}
