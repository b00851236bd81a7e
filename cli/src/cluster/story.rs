//! What the terminal says about a clustering.

use super::{Found, Method, WhatArgs};
use lambdacut::report::document::Document;
use lambdacut::run::StopReason;
use lambdacut::search::choose::{Candidate, Choice, Reason};

/// The summary, line by line.
pub fn lines(found: &Found, what: &WhatArgs, document: &Document) -> Vec<String> {
    let mut lines = graph(document);
    let fit = &found.fit;
    lines.push(format!("clusters   {}", fit.clusters));
    lines.push(format!(
        "cut        {:.6}  ({:.4} a cluster)",
        found.cut,
        found.cut / fit.clusters.max(1) as f64
    ));
    if let Some(beta) = found.beta {
        lines.push(format!(
            "F          {:.6}  at resolution {beta:.4}",
            fit.value
        ));
    }
    if let Some(lambda) = found.lambda {
        lines.push(format!(
            "lambda     {lambda:.6}  {} passes",
            fit.trace.len()
        ));
        if fit.trace.first().is_some_and(|pass| pass.moves == 0) {
            lines.push(
                "note       the start is a fixed point of the pass: what changed, if anything, is the work of --refine"
                    .to_owned(),
            );
        }
    }
    if let Some((low, high)) = found.interval {
        lines.push(format!(
            "best for   resolutions {} among everything seen",
            range(low, high)
        ));
    } else if what.clusters.is_some() && what.method == Method::Path {
        lines.push(format!(
            "note       {} clusters are best at no resolution: another number is always better",
            fit.clusters
        ));
    }
    if found.united {
        lines.push(
            "note       fewer clusters than connected components were asked for: some clusters unite components".to_owned(),
        );
    }
    if let Some(choice) = &found.choice {
        lines.extend(why(choice));
    }
    if let Some(o) = found.optimal {
        let yes = |b: bool| if b { "yes" } else { "no" };
        lines.push(format!(
            "local optimum: moves {}, merges {}, splits {}",
            yes(o.moves),
            yes(o.merges),
            yes(o.splits)
        ));
    }
    match fit.stop {
        StopReason::Cancelled => {
            lines.push("interrupted: this is the best clustering so far".to_owned());
        }
        StopReason::Time => {
            lines.push("the time limit was reached: this is the best clustering so far".to_owned());
        }
        _ => {}
    }
    lines.extend(measures(document));
    lines
}

fn graph(document: &Document) -> Vec<String> {
    let Some(g) = &document.graph else {
        return Vec::new();
    };
    let isolated = if g.isolated > 0 {
        format!(", {} isolated vertices apart", g.isolated)
    } else {
        String::new()
    };
    let plural = if g.components == 1 { "" } else { "s" };
    vec![format!(
        "graph      {} vertices, {} edges, {} component{plural}{isolated}",
        g.vertices, g.edges, g.components
    )]
}

fn measures(document: &Document) -> Vec<String> {
    let mut lines = Vec::new();
    let number = |section: &Option<serde_json::Value>, key: &str| {
        section
            .as_ref()
            .and_then(|s| s.get(key))
            .and_then(serde_json::Value::as_f64)
    };
    if let (Some(q), Some(c)) = (
        number(&document.metrics, "modularity"),
        number(&document.metrics, "conductance_mean"),
    ) {
        lines.push(format!("modularity {q:.4}   mean conductance {c:.4}"));
    }
    if let (Some(nmi), Some(ari)) = (
        number(&document.truth, "nmi"),
        number(&document.truth, "ari"),
    ) {
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

fn why(choice: &Choice) -> Vec<String> {
    let chosen = &choice.candidates[choice.chosen];
    let mut lines = vec![match choice.reason {
        Reason::Interval => {
            format!("chosen     because of the clusterings with at least 0.7 of the best score it stays best over the widest interval of resolutions ({:.4} wide)", chosen.width())
        }
        Reason::Score => {
            "chosen     by its score: no scale stands out, many numbers of clusters are about equally good".to_owned()
        }
        _ => "chosen     because the path has nothing else".to_owned(),
    }];
    if let Some(other) = choice.runner_up.map(|r| &choice.candidates[r]) {
        lines.push(format!(
            "runner-up  {} clusters, resolutions {}",
            other.clusters,
            range(other.beta_low, other.beta_high)
        ));
    }
    lines.push("others     lambdacut path GRAPH lists them; --resolution B gives one".to_owned());
    lines
}

/// The table of the path.
pub fn table(found: &Found) -> String {
    let Some(choice) = &found.choice else {
        return String::new();
    };
    let row = |(at, c): (usize, &Candidate)| {
        let mark = if at == choice.chosen {
            "  recommended"
        } else {
            ""
        };
        format!(
            "{:>10} {:>14.6} {:>9.4} {:>9.4} {:>10.4}{mark}\n",
            c.clusters,
            c.cut,
            c.beta_low,
            c.beta_high,
            c.score()
        )
    };
    let head = format!(
        "{:>10} {:>14} {:>9} {:>9} {:>10}\n",
        "clusters", "cut", "beta from", "to", "score"
    );
    head + &choice
        .candidates
        .iter()
        .enumerate()
        .map(row)
        .collect::<String>()
}
