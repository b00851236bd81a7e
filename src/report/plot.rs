//! Charts as SVG text, by `plotters`; no font files are needed, and the same numbers give the same bytes.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use thiserror::Error;

/// Width and height of a chart in pixels.
const SIZE: (u32, u32) = (640, 440);

/// Colours of the series, distinguishable by most eyes (Okabe & Ito).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(90, 90, 90),
    RGBColor(240, 228, 66),
];

/// A chart that cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot draw the chart: {0}")]
pub struct PlotError(String);

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Style {
    /// A line through the points.
    Line,
    /// A dot at each point.
    Dots,
}

/// Some points to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend; an empty one is not shown.
    pub name: String,
    /// Where the points are.
    pub points: Vec<(f64, f64)>,
    /// How they are drawn.
    pub style: Style,
}

/// A chart with linear or logarithmic axes.
///
/// ```
/// use lambdacut::report::plot::{Chart, Series, Style};
/// let line = Series { name: "k".into(), points: vec![(1.0, 5.0), (2.0, 3.0)], style: Style::Line };
/// let svg = Chart { title: "clusters".into(), x: "λ".into(), y: "k".into(), log_x: true, log_y: false, series: vec![line] }.svg().unwrap();
/// assert!(svg.starts_with("<svg") && svg.contains("clusters"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// Above the chart.
    pub title: String,
    /// Below the horizontal axis.
    pub x: String,
    /// Beside the vertical axis.
    pub y: String,
    /// Horizontal axis in powers of ten; points that are not positive are left out.
    pub log_x: bool,
    /// Vertical axis in powers of ten.
    pub log_y: bool,
    /// What is drawn.
    pub series: Vec<Series>,
}

impl Chart {
    /// The chart as one SVG document.
    pub fn svg(&self) -> Result<String, PlotError> {
        let mut svg = String::new();
        self.draw(&mut svg).map_err(|error| PlotError(error.to_string()))?;
        Ok(svg)
    }

    /// A point in the units of the axes, if it can be shown.
    fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let on = |value: f64, log: bool| if log { value.log10() } else { value };
        let placed = (on(x, self.log_x), on(y, self.log_y));
        (placed.0.is_finite() && placed.1.is_finite()).then_some(placed)
    }

    /// The range of one coordinate of all points, with a little air.
    fn range(&self, pick: impl Fn((f64, f64)) -> f64) -> std::ops::Range<f64> {
        let values = self.series.iter().flat_map(|s| &s.points).filter_map(|&p| self.place(p)).map(pick);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low > high {
            return 0.0..1.0;
        }
        let air = if high > low { 0.04 * (high - low) } else { 0.5 };
        low - air..high + air
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error + '_>> {
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut context = ChartBuilder::on(&root)
            .caption(&self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(56)
            .build_cartesian_2d(self.range(|p| p.0), self.range(|p| p.1))?;
        let number = |log: bool| move |value: &f64| if log { short(10f64.powf(*value)) } else { short(*value) };
        context
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(RGBColor(225, 225, 225))
            .x_desc(&self.x)
            .y_desc(&self.y)
            .x_label_formatter(&number(self.log_x))
            .y_label_formatter(&number(self.log_y))
            .label_style(("sans-serif", 12))
            .draw()?;
        for (s, series) in self.series.iter().enumerate() {
            let colour = COLOURS[s % COLOURS.len()];
            let points: Vec<(f64, f64)> = series.points.iter().filter_map(|&p| self.place(p)).collect();
            match series.style {
                Style::Line => context.draw_series(LineSeries::new(points, colour.stroke_width(2)))?,
                Style::Dots => context.draw_series(points.into_iter().map(|p| Circle::new(p, 2, colour.filled())))?,
            };
        }
        self.legend(&root)?;
        root.present()?;
        Ok(())
    }

    /// Names in the upper right corner.
    fn legend<B: DrawingBackend>(
        &self,
        root: &DrawingArea<B, plotters::coord::Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let named = self.series.iter().enumerate().filter(|(_, s)| !s.name.is_empty());
        for (line, (s, series)) in named.enumerate() {
            let colour = COLOURS[s % COLOURS.len()];
            let place = (SIZE.0 as i32 - 24, 44 + 18 * line as i32);
            let style = ("sans-serif", 13).into_text_style(root).color(&colour).pos(Pos::new(HPos::Right, VPos::Center));
            root.draw_text(&series.name, &style, place)?;
        }
        Ok(())
    }
}

/// A number as an axis shows it.
fn short(value: f64) -> String {
    let size = value.abs();
    match size {
        0.0 => "0".into(),
        _ if !(1e-3..1e5).contains(&size) => format!("{value:.0e}"),
        _ if size >= 100.0 => format!("{value:.0}"),
        _ => {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}
