//! Every dependency is used, and licensed so that everybody may use it.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Licences that may stand in an alternative; what is joined by AND must be here on both sides.
const ALLOWED: [&str; 10] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "MIT",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of all sources below some folders of a package.
fn sources(package: &Path, folders: &[&str]) -> String {
    let mut text = String::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| package.join(folder)).collect();
    open.retain(|path| path.exists());
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder");
            open.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|e| e == "rs") {
            text += &fs::read_to_string(&path).expect("a source file");
        }
    }
    text
}

/// The names in the tables of a manifest that start with one of `tables`.
fn dependencies(manifest: &str, tables: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = tables.contains(&line.trim());
        } else if inside && let Some((name, _)) = line.split_once(" = ") {
            names.push(name.trim().replace('-', "_"));
        }
    }
    names
}

/// Those of `names` that no path or import in `text` starts with.
fn unused(names: Vec<String>, text: &str) -> Vec<String> {
    let used = |name: &String| {
        let starts = |(at, _): (usize, &str)| {
            let before = text[..at].chars().next_back();
            let after = &text[at + name.len()..];
            let ends =
                after.starts_with("::") || after.starts_with(';') || after.starts_with(" as");
            ends && !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
        };
        text.match_indices(name.as_str()).any(starts)
    };
    names.into_iter().filter(|name| !used(name)).collect()
}

#[test]
fn every_dependency_is_used() {
    for package in ["", "cli"] {
        let package = root().join(package);
        let manifest = fs::read_to_string(package.join("Cargo.toml")).expect("a manifest");
        for (tables, folders) in [
            (&["[dependencies]"][..], &["src"][..]),
            (
                &["[dev-dependencies]"],
                &["tests", "benches", "examples", "src"],
            ),
            (&["[build-dependencies]"], &["build.rs"]),
        ] {
            let left = unused(dependencies(&manifest, tables), &sources(&package, folders));
            assert!(
                left.is_empty(),
                "{}: {left:?} is not used",
                package.display()
            );
        }
    }
}

#[test]
fn an_unused_dependency_is_seen() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\none-two = \"1\"\nthree = \"1\"\n";
    let names = dependencies(manifest, &["[dependencies]"]);
    assert_eq!(unused(names, "use one_two::x; // three"), ["three"]);
}

/// Whether a licence expression leaves a choice of allowed licences.
fn permissive(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    let allowed = |one: &str| {
        let name = one.split(" WITH ").next().unwrap_or(one).trim();
        ALLOWED.contains(&name)
    };
    plain
        .split(" AND ")
        .all(|part| part.split(" OR ").any(allowed))
}

#[test]
fn every_dependency_is_permissively_licensed() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["metadata", "--format-version", "1", "--locked"];
    let host = ["--filter-platform", "x86_64-unknown-linux-gnu"];
    let done = Command::new(cargo)
        .args(arguments)
        .args(host)
        .current_dir(root())
        .output();
    let done = done.expect("cargo runs");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let metadata: Value = serde_json::from_slice(&done.stdout).expect("metadata");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 50);
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(permissive(licence), "{}: {licence}", package["name"]);
    }
}

#[test]
fn licences_are_read() {
    assert!(permissive("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(permissive("GPL-3.0 OR MIT"));
    assert!(!permissive("MIT AND GPL-3.0"));
    assert!(!permissive("none"));
}
