//! Which way files may look: the layer table, and no circles, enforced.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Smaller numbers are further up; a file imports only from smaller numbers, or from its own
/// folder.
const LAYERS: &[(&str, u32)] = &[
    ("ids", 0),
    ("params", 0),
    ("run", 0),
    ("numeric", 0),
    ("graph", 1),
    ("points", 1),
    ("cut", 2),
    ("labels", 2),
    ("partition", 3),
    ("clustering", 3),
    ("io", 4),
    ("generate", 4),
    ("linalg", 4),
    ("metrics", 4),
    ("search", 5),
    ("dp_means", 5),
    ("k_means", 5),
    ("gibbs", 5),
    ("kernel_dp_means", 6),
    ("spectral", 6),
    ("layers", 6),
    ("hdp", 7),
    ("report", 8),
    ("lib", 9),
];

fn layer(module: &str) -> Option<u32> {
    let found = LAYERS.iter().find(|(name, _)| *name == module);
    found.map(|&(_, layer)| layer)
}

/// The source files below `dir`, by their paths from there, without `.rs`: `graph/csr`, `cut`.
fn sources(dir: &Path, inside: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(dir).expect("src is readable") {
        let path = entry.expect("src is readable").path();
        let name = path.file_stem().expect("a name").to_string_lossy();
        if path.is_dir() {
            sources(&path, &format!("{inside}{name}/"), found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).expect("readable");
            found.insert(format!("{inside}{name}"), text);
        }
    }
}

/// A path of names that a file mentions, as `crate::graph::Csr` or `super::csr::Csr`.
#[derive(Debug, Clone, PartialEq)]
struct Mention {
    names: Vec<String>,
    line: usize,
    /// It is a `pub use`: the file hands the name on and need not know it.
    handed_on: bool,
    /// How many modules within the file stand around it.
    depth: usize,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words and marks of Rust code with the lines they are on; comments are left out.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut rest = line.split("//").next().unwrap_or("").trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                ':' if rest.starts_with("::") => 2,
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            found.push((number + 1, &rest[..length]));
            rest = rest[length..].trim_start();
        }
    }
    found
}

/// The paths of one `use` tree, whose tokens begin at `at`; moves `at` to where the tree ends.
fn use_tree(tokens: &[(usize, &str)], at: &mut usize, before: &[String]) -> Vec<Vec<String>> {
    let mut names = before.to_vec();
    let mut paths = Vec::new();
    while let Some(&(_, token)) = tokens.get(*at) {
        match token {
            "::" => {}
            "{" => {
                while tokens[*at].1 != "}" {
                    *at += 1;
                    paths.extend(use_tree(tokens, at, &names));
                }
                *at += 1;
                return paths;
            }
            "as" => *at += 1, // The new name says nothing about where it comes from.
            "," | "}" | ";" => break,
            name => names.push(name.to_owned()),
        }
        *at += 1;
    }
    if names.len() > before.len() {
        paths.push(names);
    }
    paths
}

fn next_is(tokens: &[(usize, &str)], at: usize, mark: &str) -> bool {
    tokens.get(at + 1).is_some_and(|token| token.1 == mark)
}

/// Everything that a file mentions by a path: what it `use`s, and paths within its code.
fn mentions(text: &str) -> Vec<Mention> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    // The kind of every open brace: whether it is that of a module.
    let mut braces: Vec<bool> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (line, token) = tokens[at];
        let previous = at.checked_sub(1).map_or("", |before| tokens[before].1);
        let depth = braces.iter().filter(|module| **module).count();
        match token {
            "{" => braces.push(at >= 2 && tokens[at - 2].1 == "mod"),
            "}" => drop(braces.pop()),
            "use" => {
                let start = at;
                at += 1;
                // `pub use` and `pub(crate) use`.
                let handed_on = previous == "pub"
                    || (previous == ")" && start >= 4 && tokens[start - 4].1 == "pub");
                let trees = use_tree(&tokens, &mut at, &[]);
                found.extend(trees.into_iter().map(|names| Mention {
                    names,
                    line,
                    handed_on,
                    depth,
                }));
                continue;
            }
            word if previous != "::" && word.starts_with(is_word) && next_is(&tokens, at, "::") => {
                let mut names = vec![word.to_owned()];
                while next_is(&tokens, at, "::")
                    && tokens.get(at + 2).is_some_and(|t| t.1.starts_with(is_word))
                {
                    names.push(tokens[at + 2].1.to_owned());
                    at += 2;
                }
                found.push(Mention {
                    names,
                    line,
                    handed_on: false,
                    depth,
                });
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The source files, and which module each of them is.
struct Sources {
    files: BTreeMap<String, Vec<Mention>>,
}

impl Sources {
    fn new(texts: &BTreeMap<String, String>) -> Self {
        let files = texts
            .iter()
            .map(|(file, text)| (file.clone(), mentions(text)));
        Self {
            files: files.collect(),
        }
    }

    /// The module that a file is: `graph/mod` is `[graph]`, `graph/csr` is `[graph, csr]`.
    fn module(file: &str) -> Vec<String> {
        let parts = file.split('/').map(str::to_owned);
        parts
            .filter(|part| part != "mod" && part != "lib")
            .collect()
    }

    /// The file of a module, if it is one.
    fn file(&self, module: &[String]) -> Option<String> {
        let path = module.join("/");
        let candidates = [path.clone(), format!("{path}/mod")];
        candidates.into_iter().find(|c| self.files.contains_key(c))
    }

    /// The names from the root of the crate; `None` for what is outside of it.
    fn absolute(&self, file: &str, mention: &Mention) -> Option<Vec<String>> {
        let own = Self::module(file);
        let first = mention.names[0].as_str();
        let supers = mention
            .names
            .iter()
            .take_while(|name| *name == "super")
            .count();
        match first {
            "crate" => Some(mention.names[1..].to_vec()),
            // A module within the file uses up one `super` and is still the same file.
            "super" if supers <= mention.depth => Some(own),
            "super" => {
                let up = supers - mention.depth;
                let kept = own.len().checked_sub(up)?;
                Some([&own[..kept], &mention.names[supers..]].concat())
            }
            "self" => Some([&own[..], &mention.names[1..]].concat()),
            // Modules below this one can be named as they are.
            _ => {
                let below = [&own[..], &mention.names[..1]].concat();
                self.file(&below)?;
                Some([&own[..], &mention.names[..]].concat())
            }
        }
    }

    /// The file in which the thing of this absolute path is defined: through modules, and through
    /// what they hand on.
    fn defined_in(&self, path: &[String]) -> Option<String> {
        let modules = (1..=path.len())
            .rev()
            .find_map(|n| Some((n, self.file(&path[..n])?)));
        let (length, file) = modules?;
        let Some(item) = path.get(length) else {
            return Some(file);
        };
        let handed = self.files[&file]
            .iter()
            .filter(|m| m.handed_on && m.depth == 0);
        let source = handed
            .filter(|m| m.names.len() > 1 && m.names.last() == Some(item))
            .find_map(|m| self.absolute(&file, m));
        match source {
            Some(source) if source != path => self.defined_in(&source).or(Some(file)),
            _ => Some(file),
        }
    }

    /// The other files that each file looks at.
    fn looks(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let of = |(file, mentions): (&'_ String, &Vec<Mention>)| {
            let used = mentions.iter().filter(|m| !m.handed_on);
            let paths = used.filter_map(|m| self.absolute(file, m));
            let files = paths.filter_map(|path| self.defined_in(&path));
            files
                .filter(|other| other != file && other != "lib")
                .collect()
        };
        self.files
            .iter()
            .map(|(file, m)| (file.as_str(), of((file, m))))
            .collect()
    }
}

/// Groups of files that all look at each other, by whatever way round.
fn circles(looks: &BTreeMap<&str, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reached = |from: &str| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from.to_owned()];
        while let Some(file) = open.pop() {
            for next in looks.get(file.as_str()).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<String>> =
        looks.keys().map(|&file| (file, reached(file))).collect();
    let mut found: Vec<Vec<String>> = Vec::new();
    for (&file, seen) in &reach {
        if !seen.contains(file) || found.iter().flatten().any(|member| member == file) {
            continue;
        }
        let back = |other: &&String| reach[other.as_str()].contains(file);
        found.push(seen.iter().filter(back).cloned().collect());
    }
    found
}

/// The looks between the members of a circle, to be read by whoever has to break it.
fn described(circle: &[String], looks: &BTreeMap<&str, BTreeSet<String>>) -> String {
    let mut lines = vec![format!("{} files look in a circle:", circle.len())];
    for file in circle {
        let others = looks[file.as_str()].iter().filter(|o| circle.contains(o));
        let others: Vec<&str> = others.map(String::as_str).collect();
        lines.push(format!("  {file} -> {}", others.join(", ")));
    }
    lines.join("\n")
}

/// What is wrong with one file, if anything.
fn complaints(file: &str, text: &str) -> Vec<String> {
    let module = file.split('/').next().expect("a name");
    let Some(own) = layer(module) else {
        return vec![format!(
            "{file}: module `{module}` is not in the layer table"
        )];
    };
    let looks_wrong =
        |other: &str| other != module && layer(other).is_some_and(|l| l >= own) && module != "lib";
    mentions(text)
        .into_iter()
        .filter(|m| m.names.len() > 1 && ["crate", "lambdacut"].contains(&m.names[0].as_str()))
        .filter(|m| looks_wrong(&m.names[1]))
        .map(|m| {
            let (line, other) = (m.line, &m.names[1]);
            format!("{file}:{line}: `{module}` (layer {own}) looks at `{other}`")
        })
        .collect()
}

fn library() -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    sources(&src, "", &mut texts);
    assert!(texts.len() > 100, "the sources were found");
    texts
}

#[test]
fn files_look_only_upwards() {
    let texts = library();
    let wrong: Vec<String> = texts.iter().flat_map(|(f, t)| complaints(f, t)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_files_look_in_a_circle() {
    let sources = Sources::new(&library());
    let looks = sources.looks();
    let found = circles(&looks);
    let found: Vec<String> = found.iter().map(|c| described(c, &looks)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_look_the_wrong_way_is_seen() {
    assert_eq!(complaints("graph/x", "use crate::search::path;").len(), 1);
    assert_eq!(
        complaints("graph/x", "use crate::{ids::NONE, io::read};").len(),
        1
    );
    assert_eq!(
        complaints("graph/x", "let y = crate::cut::lambda(1.0);").len(),
        1
    );
    let fine = "use crate::graph::contract; // not crate::search";
    assert!(complaints("graph/x", fine).is_empty());
    assert_eq!(complaints("nowhere", "").len(), 1);
}

/// The circles among files with these texts.
fn circles_of(texts: &[(&str, &str)]) -> Vec<Vec<String>> {
    let texts = texts.iter().map(|&(f, t)| (f.to_owned(), t.to_owned()));
    let sources = Sources::new(&texts.collect());
    circles(&sources.looks())
}

#[test]
fn a_circle_is_seen() {
    let direct = [
        ("a/mod", "mod b;\nmod c;"),
        ("a/b", "use super::c::{C, other::D as E};"),
        ("a/c", "fn f() { super::b::g() }"),
    ];
    assert_eq!(circles_of(&direct), [["a/b", "a/c"]]);
    let called = [
        ("a/mod", "pub struct A;\nfn f() { b::g() }"),
        ("a/b", "use super::A;"),
    ];
    assert_eq!(circles_of(&called), [["a/b", "a/mod"]]);
    // A name that the folder hands on is that of the file which has it …
    let handed = [
        ("a/mod", "pub use b::B;\npub(crate) use c::C;"),
        ("a/b", "use super::C;"),
        ("a/c", "use crate::a::{self, B};"),
    ];
    assert_eq!(circles_of(&handed), [["a/b", "a/c"]]);
    let one_way = [handed[0], handed[1], ("a/c", "use std::fmt;")];
    assert!(circles_of(&one_way).is_empty());
    // … and one that it has itself makes a circle if it also uses the file.
    let own = "pub use b::B;\nuse b::helper;\npub struct A;";
    assert_eq!(
        circles_of(&[("a/mod", own), ("a/b", "use super::A;")]),
        [["a/b", "a/mod"]]
    );
    let not_used = "pub use b::B;\npub struct A;";
    assert!(circles_of(&[("a/mod", not_used), ("a/b", "use super::A;")]).is_empty());
    // In a module within the file, `super` is the file itself.
    let within = "use c::C;\npub struct A;";
    let inner = "mod inner {\n    use super::Own;\n}";
    assert!(circles_of(&[("a/mod", within), ("a/c", inner)]).is_empty());
}
