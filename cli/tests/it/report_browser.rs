//! Reports, opened in a real browser.

use crate::devtools::Browser;
use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const DESKTOP: (u32, u32) = (1280, 900);
const PHONE: (u32, u32) = (375, 740);

fn bundled(name: &str) -> PathBuf {
    crate::support::root().join("datasets").join(name)
}

fn report(dir: &Path, args: &[&str]) -> PathBuf {
    let page = dir.join("report.html");
    Command::new(env!("CARGO_BIN_EXE_lambdacut"))
        .args(args)
        .arg("--report")
        .arg(&page)
        .assert()
        .success();
    page
}

/// Mean and variance of the brightness of a PNG, 0 to 255.
fn brightness(png: &[u8]) -> (f64, f64) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let channels = info.color_type.samples();
    let values: Vec<f64> = pixels[..info.buffer_size()]
        .chunks(channels)
        .map(|p| p[..3].iter().map(|&c| f64::from(c)).sum::<f64>() / 3.0)
        .collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (
        mean,
        values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64,
    )
}

/// The cells of one column of the table of clusters.
fn column(browser: &mut Browser, number: usize) -> Vec<String> {
    let cells = format!(
        "[...document.querySelectorAll('#clusters tbody tr td:nth-child({number})')].map((cell) => cell.textContent)"
    );
    serde_json::from_value(browser.eval(&cells)).unwrap()
}

/// What every page must do: no complaints, something to see in light and in dark, no sideways
/// scrolling on a phone, printable, everything that can be operated named, text that stands out.
fn opens_well(browser: &mut Browser, page: &Path) {
    browser.scheme("dark");
    browser.open(page, DESKTOP, false);
    let dark = brightness(&browser.screenshot());
    assert_eq!(browser.complaints(), [""; 0]);
    contrasts(browser);
    browser.scheme("light");
    browser.open(page, DESKTOP, false);
    let light = brightness(&browser.screenshot());
    assert_eq!(browser.complaints(), [""; 0]);
    contrasts(browser);
    assert!(dark.1 > 60.0 && light.1 > 60.0, "blank: {dark:?} {light:?}");
    assert!(
        dark.0 + 60.0 < light.0,
        "dark {} is not darker than light {}",
        dark.0,
        light.0
    );
    everything_is_named(browser);
    assert!(browser.pdf().starts_with(b"%PDF"));
    browser.open(page, PHONE, true);
    let width = browser
        .eval("document.documentElement.scrollWidth")
        .as_f64()
        .unwrap();
    assert!(
        width <= f64::from(PHONE.0),
        "{width} pixels wide on a phone"
    );
    assert_eq!(browser.complaints(), [""; 0]);
    browser.open(page, DESKTOP, false);
}

/// WCAG AA: 4.5 to 1 between text and what is behind it.
fn contrasts(browser: &mut Browser) {
    let script = "(() => {
        const style = getComputedStyle(document.documentElement);
        const channel = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        const light = (name) => {
            const hex = style.getPropertyValue(name).trim().slice(1);
            const [r, g, b] = [0, 2, 4].map((at) => channel(parseInt(hex.slice(at, at + 2), 16) / 255));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
        const text = ['--ink', '--muted', '--accent', '--warm'].flatMap((t) => ['--bg', '--surface', '--raised'].map((b) => [t, b]));
        text.push(['--ink', '--accent-soft'], ['--muted', '--accent-soft'], ['--warm', '--warm-soft'], ['--on-accent', '--accent'], ['--ink', '--warm-soft']);
        return text.filter(([t, b]) => !(ratio(t, b) >= 4.5)).map(([t, b]) => `${t} on ${b}: ${ratio(t, b).toFixed(2)}`);
    })()";
    assert_eq!(browser.eval(script), json!([]));
}

/// Sliders, buttons, boxes, pictures and regions have names for those who cannot see them.
fn everything_is_named(browser: &mut Browser) {
    let tree = browser.call("Accessibility.getFullAXTree", &json!({}));
    let wanted = [
        "slider",
        "button",
        "searchbox",
        "image",
        "img",
        "region",
        "textbox",
        "link",
    ];
    let nodes = tree["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|n| n["ignored"] == false);
    let operated: Vec<&Value> = nodes
        .filter(|n| wanted.contains(&n["role"]["value"].as_str().unwrap_or("")))
        .collect();
    assert!(operated.len() > 3);
    let nameless = operated
        .iter()
        .find(|n| n["name"]["value"].as_str().is_none_or(str::is_empty));
    assert!(nameless.is_none(), "{nameless:?}");
}

#[test]
fn the_page_of_a_path_follows_the_slider_sorts_and_searches() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let (graph, truth) = (bundled("football.edges"), bundled("football.labels"));
    let page = report(
        dir.path(),
        &[
            "cluster",
            "-q",
            graph.to_str().unwrap(),
            "--truth",
            truth.to_str().unwrap(),
        ],
    );
    opens_well(&mut browser, &page);
    the_slider_changes_everything(&mut browser);
    headers_sort(&mut browser);
    the_box_searches(&mut browser);
    paper_shows_all(&mut browser);
    assert_eq!(browser.complaints(), [""; 0]);
}

/// What the page shows at present, by part.
fn shown(browser: &mut Browser) -> Value {
    browser.eval(
        "({
            readout: document.querySelector('#readout').textContent,
            spoken: document.querySelector('#beta').getAttribute('aria-valuetext'),
            tiles: document.querySelector('#tiles').textContent,
            table: document.querySelector('#clusters tbody').textContent,
            sizes: document.querySelector('#clusters figure svg').outerHTML,
            circles: document.querySelector('#picture svg').outerHTML,
            matrix: document.querySelectorAll('#picture canvas')[1].toDataURL(),
            heat: document.querySelector('#truth table').textContent,
            path: document.querySelector('#path svg').outerHTML,
        })",
    )
}

fn all_changed(before: &Value, after: &Value) {
    let parts = before.as_object().unwrap();
    assert_eq!(parts.len(), 9);
    for (name, value) in parts {
        assert!(!value.as_str().unwrap().is_empty(), "{name} is empty");
        assert_ne!(value, &after[name], "{name}");
    }
}

fn the_slider_changes_everything(browser: &mut Browser) {
    let rows = |browser: &mut Browser| column(browser, 1).len().to_string();
    let before = shown(browser);
    assert!(
        before["readout"]
            .as_str()
            .unwrap()
            .starts_with(&rows(browser))
    );
    // By the keyboard: one clustering back.
    browser.eval("document.querySelector('#beta').focus()");
    browser.press("ArrowLeft");
    let after = shown(browser);
    all_changed(&before, &after);
    assert!(
        after["readout"]
            .as_str()
            .unwrap()
            .starts_with(&rows(browser))
    );
    // By dragging: to the far end.
    browser.eval(
        "{ const s = document.querySelector('#beta'); s.value = s.max; s.dispatchEvent(new Event('input', { bubbles: true })); }",
    );
    let end = shown(browser);
    all_changed(&after, &end);
    assert!(end["readout"].as_str().unwrap().starts_with(&rows(browser)));
    // And back to the recommended one: all as it was.
    browser.eval("document.querySelector('.home').click()");
    assert_eq!(shown(browser), before);
}

fn headers_sort(browser: &mut Browser) {
    let numbers = |browser: &mut Browser, n| -> Vec<f64> {
        column(browser, n)
            .iter()
            .map(|cell| cell.replace(',', "").parse().unwrap())
            .collect()
    };
    for n in [2, 3, 4, 5] {
        let head = format!("document.querySelector('#clusters thead th:nth-child({n})')");
        assert_eq!(
            browser.eval(&format!("{head}.getAttribute('aria-sort')")),
            "none"
        );
        browser.eval(&format!("{head}.querySelector('button').click()"));
        let down = numbers(browser, n);
        assert!(
            down.len() > 5 && down.is_sorted_by(|a, b| a >= b),
            "{down:?}"
        );
        assert_eq!(
            browser.eval(&format!("{head}.getAttribute('aria-sort')")),
            "descending"
        );
        browser.eval(&format!("{head}.querySelector('button').click()"));
        let up = numbers(browser, n);
        assert!(up.is_sorted(), "{up:?}");
        assert!(up != down);
        assert_eq!(
            browser.eval(&format!("{head}.getAttribute('aria-sort')")),
            "ascending"
        );
    }
}

fn the_box_searches(browser: &mut Browser) {
    let search = |word: &str| {
        format!(
            "{{ const b = document.querySelector('#search'); b.value = {word:?}; b.dispatchEvent(new Event('input')); }}"
        )
    };
    let all = column(browser, 6);
    let name = all[0].split(", ").next().unwrap().to_owned();
    browser.eval(&search(&name.to_uppercase()));
    let found = column(browser, 6);
    assert!(
        !found.is_empty()
            && found.len() < all.len()
            && found.iter().all(|names| names.contains(&name)),
        "{found:?}"
    );
    browser.eval(&search("no such vertex"));
    assert_eq!(column(browser, 6), [""; 0]);
    browser.eval(&search(""));
    assert_eq!(column(browser, 6).len(), all.len());
}

/// What is folded is unfolded for paper, and charts are drawn for its width; afterwards all is as
/// before.
fn paper_shows_all(browser: &mut Browser) {
    let state = "({
        folded: document.querySelectorAll('details:not([open])').length,
        chart: document.querySelector('#path svg').getAttribute('viewBox').split(' ')[2],
    })";
    let screen = browser.eval(state);
    assert!(screen["folded"].as_u64().unwrap() >= 2);
    browser.eval("window.dispatchEvent(new Event('beforeprint'))");
    assert_eq!(browser.eval(state), json!({ "folded": 0, "chart": "660" }));
    browser.eval("window.dispatchEvent(new Event('afterprint'))");
    assert_eq!(browser.eval(state), screen);
}

#[test]
fn a_number_that_does_not_fit_into_its_circle_stands_below_it() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    // Two large cliques and a pair of vertices apart.
    let clique = |from: u32| {
        (from..from + 30).flat_map(move |i| (i + 1..from + 30).map(move |j| format!("{i} {j}\n")))
    };
    let graph = dir.path().join("uneven.edges");
    std::fs::write(
        &graph,
        clique(0)
            .chain(clique(30))
            .chain(["29 30\n".to_owned(), "60 61\n".to_owned()])
            .collect::<String>(),
    )
    .unwrap();
    let page = report(
        dir.path(),
        &["cluster", "-q", "-b", "0.5", graph.to_str().unwrap()],
    );
    browser.open(&page, DESKTOP, false);
    let below = "[...document.querySelectorAll('#picture circle')].map((circle, a) => {
        const text = document.querySelectorAll('#picture text')[a];
        return Number(text.getAttribute('y')) - Number(circle.getAttribute('cy')) > Number(circle.getAttribute('r'));
    })";
    assert_eq!(browser.eval(below), json!([false, false, true]));
}

#[test]
fn pages_of_points_of_spectra_and_of_one_clustering_open_well() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let (wine, karate) = (bundled("wine.csv"), bundled("karate.edges"));
    let labels = dir.path().join("labels");
    let page = report(
        dir.path(),
        &[
            "points",
            "dp-means",
            wine.to_str().unwrap(),
            "-q",
            "--label",
            "class",
            "--standardise",
            "-k",
            "3",
            "-o",
            labels.to_str().unwrap(),
        ],
    );
    opens_well(&mut browser, &page);
    assert!(column(&mut browser, 2).len() >= 2);
    assert!(
        browser
            .eval("document.querySelectorAll('#scatter circle').length")
            .as_u64()
            .unwrap()
            >= 178
    );
    assert_eq!(
        browser.eval("document.querySelector('#trace svg') !== null && document.querySelector('#truth table') !== null"),
        true
    );
    let page = report(
        dir.path(),
        &["spectrum", karate.to_str().unwrap(), "-q", "--below", "0.9"],
    );
    opens_well(&mut browser, &page);
    let dots = browser
        .eval("document.querySelectorAll('#spectrum circle').length")
        .as_u64()
        .unwrap();
    assert!(dots > 3);
    let page = report(
        dir.path(),
        &[
            "cluster",
            karate.to_str().unwrap(),
            "-q",
            "--method",
            "spectral",
            "-b",
            "0.5",
        ],
    );
    opens_well(&mut browser, &page);
    assert_eq!(
        browser.eval("document.querySelector('#beta') === null && document.querySelector('#spectrum .mark') !== null"),
        true
    );
}

#[test]
fn the_page_of_layers_opens_well() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let (graph, truth) = (bundled("football.edges"), bundled("football.labels"));
    let later = dir.path().join("later.edges");
    std::fs::copy(&graph, &later).unwrap();
    let args = [
        "cluster",
        "-q",
        "-b",
        "0.5",
        "--truth",
        truth.to_str().unwrap(),
        "-o",
        dir.path().to_str().unwrap(),
        "--layers",
    ];
    let page = report(
        dir.path(),
        &[
            &args[..],
            &[graph.to_str().unwrap(), later.to_str().unwrap()],
        ]
        .concat(),
    );
    opens_well(&mut browser, &page);
    assert_eq!(
        browser.eval("document.querySelector('#kind').textContent"),
        "Clusters of several graphs"
    );
    let text = |browser: &mut Browser, place: &str| -> String {
        browser
            .eval(&format!("document.querySelector('{place}').textContent"))
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(text(&mut browser, "#lead").contains("230 copies of vertices in 2 layers"));
    let head =
        "[...document.querySelectorAll('#layers .heat thead th')].map((cell) => cell.textContent)";
    assert_eq!(
        browser.eval(head),
        json!(["cluster / layer", "football", "later"])
    );
    assert!(text(&mut browser, "#layers .each-layer").contains("613"));
    assert_eq!(
        browser.eval("document.querySelector('#truth table') !== null"),
        true
    );
    // The column of layers sorts, and a layer's name finds its copies.
    let layers = column(&mut browser, 6);
    assert!(
        layers.iter().all(|count| count == "1" || count == "2"),
        "{layers:?}"
    );
    browser.eval("document.querySelector('#clusters thead th:nth-child(6) button').click()");
    assert_eq!(
        browser.eval(
            "document.querySelector('#clusters thead th:nth-child(6)').getAttribute('aria-sort')"
        ),
        "descending"
    );
    assert!(
        column(&mut browser, 7)
            .iter()
            .all(|names| names.contains("(football)") || names.contains("(later)"))
    );
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn names_are_text_whatever_they_say() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let names = [
        "</script><script>window.owned=1</script>",
        "<img/src=x/onerror=window.owned=1>",
        "a\"'><b>&amp;",
        "${window.owned=1}",
    ];
    let graph = dir.path().join("<svg onload=window.owned=1>.edges");
    let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 0)]
        .map(|(a, b)| format!("{}\t{}\n", names[a], names[b]));
    std::fs::write(&graph, edges.concat()).unwrap();
    let page = report(dir.path(), &["path", "-q", graph.to_str().unwrap()]);
    browser.open(&page, DESKTOP, false);
    assert_eq!(browser.complaints(), [""; 0]);
    assert_eq!(
        browser.eval("window.owned === undefined && document.images.length === 0"),
        true
    );
    let text = browser.eval("document.body.textContent");
    for name in &names {
        assert!(text.as_str().unwrap().contains(name), "{name}");
    }
    assert_eq!(
        browser.eval("document.querySelector('#title').textContent"),
        "<svg onload=window.owned=1>.edges"
    );
}
