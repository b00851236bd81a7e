//! README.md keeps its word: the command lines of its tour run, the files it names exist.

use crate::support::root;
use std::path::PathBuf;
use std::process::Command;

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// The lines of the code block after the mark of the tour.
fn tour() -> Vec<String> {
    let readme = text("README.md");
    let block = readme
        .split("<!-- tour:")
        .nth(1)
        .and_then(|rest| rest.split("```").nth(1))
        .expect("README.md has a tour");
    block.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn the_tour_runs() {
    let room = tempfile::tempdir().unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(root().join("datasets"), room.path().join("datasets")).unwrap();
    let program = PathBuf::from(env!("CARGO_BIN_EXE_lambdacut"));
    let mut path = vec![program.parent().unwrap().to_owned()];
    path.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    let path = std::env::join_paths(path).unwrap();
    let lines = tour();
    assert!(lines.len() >= 10, "the tour was found: {lines:?}");
    for line in lines {
        assert!(line.starts_with("lambdacut "), "{line}");
        let done = Command::new("sh")
            .arg("-ec")
            .arg(&line)
            .current_dir(&room)
            .env("PATH", &path)
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{line}\n{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
    for file in [
        "football.clusters",
        "result.json",
        "lfr.edges",
        "lfr.labels",
        "lfr.lcut",
    ] {
        assert!(room.path().join(file).exists(), "the tour writes {file}");
    }
}

/// Relative targets of Markdown links, without anchors.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    targets
        .map(|target| target.split('#').next().unwrap_or(""))
        .filter(|target| !target.is_empty() && !target.contains("://"))
}

#[test]
fn links_lead_somewhere() {
    for file in ["README.md", "GUIDE.md"] {
        for target in links(&text(file)) {
            assert!(root().join(target).exists(), "{file} links to {target}");
        }
    }
}

#[test]
fn anchors_name_headings() {
    let guide = text("GUIDE.md");
    let slug = |heading: &str| {
        heading
            .trim_start_matches('#')
            .trim()
            .to_lowercase()
            .replace(' ', "-")
    };
    let headings: Vec<String> = guide
        .lines()
        .filter(|l| l.starts_with('#'))
        .map(slug)
        .collect();
    for anchor in text("README.md")
        .split("GUIDE.md#")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
    {
        assert!(
            headings.iter().any(|h| h == anchor),
            "GUIDE.md has no heading for #{anchor}"
        );
    }
}

#[test]
fn every_command_of_the_program_is_mentioned() {
    let help = Command::new(env!("CARGO_BIN_EXE_lambdacut"))
        .arg("--help")
        .output()
        .unwrap()
        .stdout;
    let help = String::from_utf8_lossy(&help).into_owned();
    let commands = help
        .lines()
        .skip_while(|l| !l.starts_with("Commands:"))
        .skip(1)
        .take_while(|l| !l.trim().is_empty());
    let named: Vec<&str> = commands
        .filter(|l| l.starts_with("  ") && !l.starts_with("   "))
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    assert!(named.len() > 8, "{named:?}");
    let readme = text("README.md");
    for command in named.iter().filter(|&&c| c != "help") {
        assert!(
            readme.contains(&format!("lambdacut {command}")),
            "README.md does not mention `lambdacut {command}`"
        );
    }
}
