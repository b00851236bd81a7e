//! `--report`: what the pages of all commands share.

use super::input::ReadArgs;
use super::output;
use clap::ValueEnum;
use lambdacut::report::html::Page;
use std::path::Path;

/// The heading of a page about the file at `path`.
pub fn title(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".to_owned();
    }
    path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// Writes the page.
pub fn write(file: &Path, page: &Page) -> anyhow::Result<()> {
    output::write(file, &page.html()?)
}

/// The name of a value on the command line.
pub fn word(value: &impl ValueEnum) -> String {
    value
        .to_possible_value()
        .map_or(String::new(), |v| v.get_name().to_owned())
}

/// A parameter of the page, by its flag.
pub fn parameter(name: &str, value: &impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

/// How the graph was read.
pub fn reading(args: &ReadArgs) -> Vec<(String, String)> {
    let mut list = vec![
        parameter("directed", &word(&args.directed)),
        parameter("self-loops", &word(&args.self_loops)),
        parameter("duplicates", &word(&args.duplicates)),
    ];
    for (name, set) in [
        ("unweighted", args.unweighted),
        ("single precision", args.f32),
        ("lenient", args.lenient),
    ] {
        list.extend(set.then(|| parameter(name, &"yes")));
    }
    list
}
