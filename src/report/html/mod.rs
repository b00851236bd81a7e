//! Results → one HTML page that needs nothing else: no network, no other files.
//!
//! [`GraphSource::view`] and [`PointsSource::view`] condense results of any size into a [`Page`] of
//! less than [`LIMIT`] bytes; [`Page::html`] puts it, as one JSON object, into a template whose
//! script draws everything in the browser. Names are data: they are escaped in the JSON and enter
//! the page only as text. The page forbids itself every connection (Content-Security-Policy). The
//! same results give the same bytes.
//!
//! ```
//! use lambdacut::graph::{Csr, Unit};
//! use lambdacut::graph::Names;
//! use lambdacut::run::Silent;
//! use lambdacut::cut::Cut;
//! use lambdacut::report::html::{About, GraphSource, Page, Stop};
//! let graph: Csr<Unit> = Csr::from_edges(4, &[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap();
//! let names = Names::numbers(4);
//! let source = GraphSource { graph: &graph, names: (&names).into(), cut: &Cut::Normalized, truth: None };
//! let stop = Stop { clusters: 2, cut: 2.0 / 3.0, beta: Some(0.5), ..Stop::default() };
//! let view = source.view(&[stop], 0, &|_| vec![0, 0, 1, 1], &Silent).unwrap();
//! let page = Page { graph: Some(view), ..Page::new("a path", About::default()) };
//! assert!(page.html().unwrap().starts_with("<!doctype html>"));
//! ```

mod clusters;
mod data;
mod density;
mod graph;
mod layout;
mod names;
mod network;
mod points;
mod principal;
mod spectrum;
mod truth;

pub use data::{
    About, Clustering, Detail, GraphView, Heat, Image, LayersView, MOST_LAYERS, Network, Page,
    PointsTable, PointsView, Rest, Scatter, SpectrumView, Table, Truth,
};
pub use graph::{GraphSource, Stop};
pub use names::{Layer, VertexNames};
pub use points::PointsSource;

use crate::run::PassRecord;
use data::short;

/// No page is larger, in bytes.
pub const LIMIT: usize = 2_000_000;

/// Passes of a trace that are shown.
const MOST_PASSES: usize = 500;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: [&str; 8] = [
    include_str!("page/dom.js"),
    include_str!("page/chart.js"),
    include_str!("page/path.js"),
    include_str!("page/clusters.js"),
    include_str!("page/picture.js"),
    include_str!("page/points.js"),
    include_str!("page/about.js"),
    include_str!("page/main.js"),
];

impl Page {
    /// A page with nothing but a heading and what was done.
    pub fn new(title: &str, about: About) -> Self {
        Self {
            title: title.to_owned(),
            about,
            graph: None,
            points: None,
            spectrum: None,
            trace: Vec::new(),
        }
    }

    /// Adds the objective after each pass; of very many passes, some at even distances.
    #[must_use]
    pub fn with_trace(mut self, trace: &[PassRecord]) -> Self {
        let step = trace.len().div_ceil(MOST_PASSES).max(1);
        self.trace = trace
            .iter()
            .step_by(step)
            .map(|pass| (short(pass.value), pass.clusters))
            .collect();
        self
    }

    /// The data as JSON that may stand inside a script element.
    pub fn json(&self) -> serde_json::Result<String> {
        let json = serde_json::to_string(self)?;
        // These occur only within strings; escaped, no text can end the element or start a comment.
        Ok(json
            .replace('<', "\\u003c")
            .replace('>', "\\u003e")
            .replace('&', "\\u0026"))
    }

    /// The page.
    pub fn html(&self) -> serde_json::Result<String> {
        let title = self
            .title
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let parts = [
            ("title", title),
            ("style", STYLE.to_owned()),
            ("data", self.json()?),
            ("script", SCRIPT.concat()),
        ];
        let (mut html, mut rest) = (String::new(), TEMPLATE);
        for (name, text) in parts {
            // Each part replaces its mark once, from the front, so that no text is searched for
            // marks.
            let (before, after) = rest
                .split_once(&format!("{{{{{name}}}}}"))
                .unwrap_or((rest, ""));
            html.push_str(before);
            html.push_str(&text);
            rest = after;
        }
        Ok(html + rest)
    }
}
