//! Results → bytes: the JSON document, the HTML page, SVG plots.

pub mod document;
pub mod html;
pub mod plot;
