//! Results → bytes: the JSON document, the HTML page, SVG plots.

pub mod document;
#[cfg(feature = "report")]
pub mod html;
#[cfg(feature = "report")]
pub mod plot;
