//! exp
use lambdacut::cluster::effort::Effort;
use lambdacut::cluster::search::{Search, Target};
use lambdacut::graph::AnyGraph;
use lambdacut::observe::Silent;
use lambdacut::params::Resolution;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let threads: usize = std::env::var("T").map_or(2, |t| t.parse().unwrap());
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().unwrap();
    let effort = match args[1].as_str() {
        "fast" => Effort::Fast,
        "normal" => Effort::Normal,
        _ => Effort::Best,
    };
    let target = match args[2].as_str() {
        "auto" => Target::Recommended,
        s if s.starts_with('k') => Target::Clusters(s[1..].parse().unwrap()),
        s => Target::Resolution(Resolution::new(s.parse().unwrap()).unwrap()),
    };
    for name in &args[3..] {
        let path = if name.contains('/') { name.clone() } else { format!("/tmp/g/{name}.lcut") };
        let graph =
            lambdacut::io::load(std::path::Path::new(&path), &lambdacut::io::LoadOptions::default(), &Silent).unwrap().graph;
        let t = Instant::now();
        let AnyGraph::Unit(g) = &graph else { panic!() };
        let search = Search { effort, ..Search::default() };
        let a = search.run(g, &target, &Silent).unwrap();
        let s = t.elapsed().as_secs_f64();
        println!(
            "{name} {} {} k={} F={:.4} cut={:.4} beta={:.4} {:.3}s opt={:?} interval={:?}",
            args[1], args[2], a.fit.clusters, a.fit.value, a.cut, a.beta, s, a.optimal, a.interval
        );
    }
}
