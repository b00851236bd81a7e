//! A graph that changes: edges are added week after week, and every search starts from the
//! clustering of the week before.
//!
//! `cargo run --example changing_graph`

use lambdacut::prelude::*;

/// Everybody knows everybody.
fn circle(people: &[&'static str]) -> Vec<(&'static str, &'static str, f64)> {
    let mut edges = Vec::new();
    for (i, &a) in people.iter().enumerate() {
        edges.extend(people[..i].iter().map(|&b| (a, b, 1.0)));
    }
    edges
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut edges = circle(&["Anna", "Boris", "Clara", "Dora"]);
    edges.extend(circle(&["Emil", "Frida", "Georg", "Hanna"]));
    edges.push(("Dora", "Emil", 1.0));
    let mut graph = Graph::from_named_edges(edges)?;
    let mut best = Search::new().resolution(0.5)?.run(&graph)?;
    println!("week 1: {} circles, F = {:.3}", best.k(), best.value);
    assert_eq!(best.k(), 2);

    // Dora meets the others; meeting somebody again makes the edge between them heavier.
    let vertex = |graph: &Graph, name| graph.vertex(name).ok_or("nobody of this name");
    for (week, friend) in (2..).zip(["Frida", "Georg", "Hanna", "Frida", "Georg"]) {
        let meeting = (vertex(&graph, "Dora")?, vertex(&graph, friend)?, 1.0);
        graph = graph.with_edges([meeting])?;

        // From last week's circles the search has little to do, and it never ends above their F.
        let search = Search::new().resolution(0.5)?.start(best.labels.clone());
        best = search.run(&graph)?;
        println!(
            "week {week}: Dora met {friend}: {} circles, F = {:.3}, and with Dora are {:?}",
            best.k(),
            best.value,
            best.members_by_name(&graph, best.labels[3])
        );
    }

    // By now she belongs to the other circle.
    let circle_of = |name| Ok::<_, &str>(best.cluster_of(vertex(&graph, name)? as usize));
    assert_eq!(best.k(), 2);
    assert_eq!(circle_of("Dora")?, circle_of("Hanna")?);
    assert_ne!(circle_of("Dora")?, circle_of("Anna")?);
    Ok(())
}
