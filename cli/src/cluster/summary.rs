//! What the terminal says about a clustering: for people first, then the numbers.

use super::args::{Method, SearchArgs};
use super::methods::Found;
use lambdacut::report::document::Document;
use lambdacut::run::StopReason;
use lambdacut::search::Choice;
use serde_json::Value;

/// The summary, line by line.
pub fn lines(found: &Found, args: &SearchArgs, document: &Document) -> Vec<String> {
    let mut lines: Vec<String> = graph(document).into_iter().collect();
    lines.push(in_words(found, document));
    lines.extend(objective(found));
    lines.extend(choice(found, args));
    lines.extend(ended(found.clustering.stop));
    lines.extend(measures(document));
    lines
}

fn graph(document: &Document) -> Option<String> {
    let graph = document.graph.as_ref()?;
    let isolated = match graph.isolated {
        0 => String::new(),
        1 => ", 1 isolated vertex apart".to_owned(),
        many => format!(", {many} isolated vertices apart"),
    };
    let plural = if graph.components == 1 { "" } else { "s" };
    Some(format!(
        "graph      {} vertices, {} edges, {} component{plural}{isolated}",
        graph.vertices, graph.edges, graph.components
    ))
}

/// "8 clusters of about 25; on average 87 % of a cluster's weight stays inside; the largest holds 28
/// % of the vertices".
fn in_words(found: &Found, document: &Document) -> String {
    let k = found.clustering.clusters;
    let mut sizes = found.clustering.sizes();
    sizes.sort_unstable();
    let clustered: usize = sizes.iter().sum();
    let median = sizes.get(k / 2).copied().unwrap_or(0);
    let largest = sizes.last().copied().unwrap_or(0);
    let mut words = vec![match k {
        1 => format!("clusters   1, of {largest} vertices"),
        _ => format!("clusters   {k}, of about {median} vertices"),
    }];
    // Only normalized cut divides by the weight of a cluster.
    if k > 1 && found.clustering.objective == lambdacut::cut::Cut::Normalized {
        let inside = 100.0 * (1.0 - found.clustering.cut / k as f64);
        words.push(format!(
            "on average {inside:.0} % of a cluster's weight stays inside"
        ));
    } else if let Some(coverage) = number(document.metrics.as_ref(), "coverage") {
        words.push(format!("{:.0} % of all weight is inside", 100.0 * coverage));
    }
    if k > 1 {
        let share = 100.0 * largest as f64 / clustered.max(1) as f64;
        words.push(format!("the largest holds {share:.0} % of the vertices"));
    }
    words.join("; ")
}

fn objective(found: &Found) -> Vec<String> {
    let clustering = &found.clustering;
    let each = clustering.cut / clustering.clusters.max(1) as f64;
    let mut lines = vec![
        format!("cut        {:.6}  ({each:.4} a cluster)", clustering.cut),
        format!(
            "F          {:.6}  at resolution {:.4}",
            clustering.value, clustering.beta
        ),
    ];
    if let Some(lambda) = found.lambda {
        let passes = clustering.trace.len();
        lines.push(format!("lambda     {lambda:.6}  {passes} passes"));
        if clustering.trace.first().is_some_and(|pass| pass.moves == 0) {
            lines.push(
                "note       the start is a fixed point of the pass: what changed, if anything, is \
                 the work of --refine"
                    .to_owned(),
            );
        }
    }
    if found.united {
        lines.push(
            "note       fewer clusters than connected components were asked for: some clusters \
             unite components"
                .to_owned(),
        );
    }
    lines
}

/// What the path search knows: where the clustering is best, why it was chosen, what was tried.
fn choice(found: &Found, args: &SearchArgs) -> Vec<String> {
    let Some(path) = &found.path else {
        return Vec::new();
    };
    let answer = &path.answer;
    let mut lines = Vec::new();
    if let Some((low, high)) = answer.interval {
        let range = range(low, high);
        lines.push(format!(
            "best for   resolutions {range} among everything seen"
        ));
    } else if args.clusters.is_some() && args.method == Method::Path {
        let k = answer.clusters;
        lines.push(format!(
            "note       {k} clusters are best at no resolution: another number is always better"
        ));
    }
    if let Some(choice) = &answer.choice {
        lines.push(format!("chosen     because {}", choice.why()));
        lines.extend(runner_up(choice));
        lines.push(
            "others     lambdacut path GRAPH lists them; --resolution B gives one".to_owned(),
        );
    }
    lines.push(format!("optimality {}", answer.optimal.in_words()));
    lines
}

fn runner_up(choice: &Choice) -> Option<String> {
    let other = &choice.candidates[choice.runner_up?];
    Some(format!(
        "runner-up  {} clusters, resolutions {}",
        other.clusters,
        range(other.beta_low, other.beta_high)
    ))
}

fn ended(stop: StopReason) -> Option<String> {
    let why = match stop {
        StopReason::Cancelled => "interrupted",
        StopReason::Time => "the time limit was reached",
        _ => return None,
    };
    Some(format!("{why}: this is the best clustering so far"))
}

fn number(section: Option<&Value>, key: &str) -> Option<f64> {
    section?.get(key)?.as_f64()
}

fn measures(document: &Document) -> Vec<String> {
    let metrics = document.metrics.as_ref();
    let truth = document.truth.as_ref();
    let mut lines = Vec::new();
    let modularity = number(metrics, "modularity");
    if let Some((q, c)) = modularity.zip(number(metrics, "conductance_mean")) {
        lines.push(format!("modularity {q:.4}   mean conductance {c:.4}"));
    }
    if let Some((nmi, ari)) = number(truth, "nmi").zip(number(truth, "ari")) {
        lines.push(format!("truth      NMI {nmi:.4}   ARI {ari:.4}"));
    }
    lines
}

fn range(low: f64, high: f64) -> String {
    if high.is_finite() {
        format!("{low:.4} to {high:.4}")
    } else {
        format!("from {low:.4} up")
    }
}

/// The table of the path.
pub fn table(found: &Found) -> String {
    let answer = found.path.as_ref().map(|path| &path.answer);
    let Some(choice) = answer.and_then(|answer| answer.choice.as_ref()) else {
        return String::new();
    };
    let mut rows = vec![format!(
        "{:>10} {:>14} {:>9} {:>9} {:>10}\n",
        "clusters", "cut", "beta from", "to", "score"
    )];
    for (at, corner) in choice.candidates.iter().enumerate() {
        let mark = if at == choice.chosen {
            "  recommended"
        } else {
            ""
        };
        rows.push(format!(
            "{:>10} {:>14.6} {:>9.4} {:>9.4} {:>10.4}{mark}\n",
            corner.clusters,
            corner.cut,
            corner.beta_low,
            corner.beta_high,
            corner.score()
        ));
    }
    rows.concat()
}
