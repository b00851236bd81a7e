//! Which way files may look: the layer table, enforced.

use std::fs;
use std::path::{Path, PathBuf};

/// Smaller numbers are further up; a file imports only from smaller numbers, or from its own
/// folder.
const LAYERS: &[(&str, u32)] = &[
    ("ids", 0),
    ("params", 0),
    ("observe", 0),
    ("numeric", 0),
    ("graph", 1),
    ("points", 1),
    ("partition", 2),
    ("fit", 2),
    ("io", 3),
    ("generate", 3),
    ("linalg", 3),
    ("objective", 3),
    ("metrics", 3),
    ("search", 4),
    ("kernel_dp_means", 5),
    ("spectral", 5),
    ("dp_means", 4),
    ("hdp", 6),
    ("layers", 5),
    ("k_means", 4),
    ("gibbs", 4),
    ("report", 7),
    ("lib", 8),
];

fn layer(module: &str) -> Option<u32> {
    LAYERS
        .iter()
        .find(|(name, _)| *name == module)
        .map(|&(_, l)| l)
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("src is readable") {
        let path = entry.expect("src is readable").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The top-level modules a line of code names after `crate::` or `lambdacut::`, doc comments and
/// re-exports aside.
fn named(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or("");
    let word = |s: &str| {
        s.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    let mut modules = Vec::new();
    for start in ["crate::", "lambdacut::"] {
        for (at, _) in code.match_indices(start) {
            let rest = &code[at + start.len()..];
            match rest.strip_prefix('{') {
                Some(list) => modules.extend(list.split(',').map(|item| word(item.trim()))),
                None => modules.push(word(rest)),
            }
        }
    }
    modules
}

/// What is wrong with one file, if anything.
fn complaints(module: &str, file: &str, text: &str) -> Vec<String> {
    let Some(own) = layer(module) else {
        return vec![format!(
            "{file}: module `{module}` is not in the layer table"
        )];
    };
    let looks_wrong =
        |other: &str| other != module && layer(other).is_some_and(|l| l >= own) && module != "lib";
    let lines = text.lines().enumerate();
    lines
        .flat_map(|(n, line)| named(line).into_iter().map(move |m| (n + 1, m)))
        .filter(|(_, m)| looks_wrong(m))
        .map(|(n, m)| format!("{file}:{n}: `{module}` (layer {own}) looks at `{m}`"))
        .collect()
}

#[test]
fn files_look_only_upwards() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    assert!(files.len() > 5, "the sources were found");
    let mut wrong = Vec::new();
    for path in files {
        let inside = path.strip_prefix(&src).expect("below src");
        let first = inside
            .components()
            .next()
            .expect("a name")
            .as_os_str()
            .to_string_lossy();
        let text = fs::read_to_string(&path).expect("readable");
        wrong.extend(complaints(
            first.trim_end_matches(".rs"),
            &inside.display().to_string(),
            &text,
        ));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_look_the_wrong_way_is_seen() {
    assert_eq!(
        complaints("graph", "x.rs", "use crate::search::path;").len(),
        1
    );
    assert_eq!(
        complaints("graph", "x.rs", "use crate::{ids::NONE, io::read};").len(),
        1
    );
    assert!(
        complaints(
            "graph",
            "x.rs",
            "use crate::graph::contract; // not crate::search"
        )
        .is_empty()
    );
    assert_eq!(complaints("nowhere", "x.rs", "").len(), 1);
}
