//! Charts as SVG text, by `plotters`; no font files are needed, and the same numbers give the same
//! bytes.

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use thiserror::Error;

/// Width and height of a chart in pixels.
const SIZE: (u32, u32) = (640, 440);

/// Space around everything, the height of the title, of a line of the legend.
const MARGIN: i32 = 12;
const TITLE: i32 = 26;
const LINE: i32 = 20;

/// Width of the labels of the vertical axis.
const LABELS: i32 = 56;

/// What a character of the legend takes at most, and a mark with its gaps.
const CHARACTER: i32 = 8;
const MARK: i32 = 40;

/// Numbers along an axis, at most.
const TICKS: usize = 8;

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
        self.draw(&mut svg)
            .map_err(|error| PlotError(error.to_string()))?;
        Ok(svg)
    }

    /// A point in the units of the axes, if it can be shown.
    fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let on = |value: f64, log: bool| if log { value.log10() } else { value };
        let placed = (on(x, self.log_x), on(y, self.log_y));
        (placed.0.is_finite() && placed.1.is_finite()).then_some(placed)
    }

    /// The axis of one coordinate of all points, with a little air.
    fn axis(&self, log: bool, pick: impl Fn((f64, f64)) -> f64) -> Axis {
        let values = self
            .series
            .iter()
            .flat_map(|s| &s.points)
            .filter_map(|&p| self.place(p))
            .map(pick);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
            (l.min(v), h.max(v))
        });
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let air = if high > low { 0.04 * (high - low) } else { 0.5 };
        Axis {
            low: low - air,
            high: high + air,
            log,
        }
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error + '_>> {
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let title = ("sans-serif", 18)
            .into_text_style(&root)
            .pos(Pos::new(HPos::Center, VPos::Top));
        root.draw_text(&self.title, &title, (SIZE.0 as i32 / 2, MARGIN))?;
        let top = self.legend(&root)?;
        let (x, y) = (
            self.axis(self.log_x, |p| p.0),
            self.axis(self.log_y, |p| p.1),
        );
        let (x_text, y_text) = (|value: &f64| x.text(*value), |value: &f64| y.text(*value));
        let mut context = ChartBuilder::on(&root)
            .margin(MARGIN)
            .margin_top(top)
            .x_label_area_size(42)
            .y_label_area_size(LABELS)
            .build_cartesian_2d(x, y)?;
        context
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(RGBColor(225, 225, 225))
            .x_desc(&self.x)
            .y_desc(&self.y)
            .x_labels(TICKS)
            .y_labels(TICKS)
            .x_label_formatter(&x_text)
            .y_label_formatter(&y_text)
            .label_style(("sans-serif", 12))
            .draw()?;
        for (s, series) in self.series.iter().enumerate() {
            let colour = COLOURS[s % COLOURS.len()];
            let points: Vec<(f64, f64)> = series
                .points
                .iter()
                .filter_map(|&p| self.place(p))
                .collect();
            match series.style {
                Style::Line => {
                    context.draw_series(LineSeries::new(points, colour.stroke_width(2)))?
                }
                Style::Dots => context.draw_series(
                    points
                        .into_iter()
                        .map(|p| Circle::new(p, 2, colour.filled())),
                )?,
            };
        }
        root.present()?;
        Ok(())
    }

    /// Marks and names below the title, in as many lines as they need, so that nothing is drawn
    /// over them; where the chart begins.
    fn legend<B: DrawingBackend>(
        &self,
        root: &DrawingArea<B, plotters::coord::Shift>,
    ) -> Result<i32, DrawingAreaErrorKind<B::ErrorType>> {
        let (left, right) = (MARGIN + LABELS, SIZE.0 as i32 - MARGIN);
        let style = ("sans-serif", 13)
            .into_text_style(root)
            .pos(Pos::new(HPos::Left, VPos::Center));
        let (mut x, mut y) = (left, MARGIN + TITLE + LINE / 2);
        let named = || {
            self.series
                .iter()
                .enumerate()
                .filter(|(_, s)| !s.name.is_empty())
        };
        for (s, series) in named() {
            let width = MARK + CHARACTER * series.name.chars().count() as i32;
            if x > left && x + width > right {
                (x, y) = (left, y + LINE);
            }
            let colour = COLOURS[s % COLOURS.len()];
            match series.style {
                Style::Line => root.draw(&PathElement::new(
                    [(x, y), (x + 22, y)],
                    colour.stroke_width(3),
                ))?,
                Style::Dots => root.draw(&Circle::new((x + 11, y), 4, colour.filled()))?,
            }
            root.draw_text(&series.name, &style, (x + 28, y))?;
            x += width;
        }
        Ok(if named().next().is_some() {
            y + LINE
        } else {
            MARGIN + TITLE
        })
    }
}

/// One axis: from `low` to `high`, in powers of ten if it is logarithmic.
#[derive(Debug, Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    log: bool,
}

impl Axis {
    /// Powers of ten; between two of them also 2 and 5; in an even shorter range round numbers.
    fn log_ticks(self, most: usize) -> Vec<f64> {
        let inside = |power: &f64| (self.low..=self.high).contains(power);
        let powers = |steps: &[f64]| -> Vec<f64> {
            let decades = self.low.floor() as i32..=self.high.ceil() as i32;
            decades
                .flat_map(|d| steps.iter().map(move |s| f64::from(d) + s.log10()))
                .filter(inside)
                .collect()
        };
        let whole = powers(&[1.0]);
        let finer = powers(&[1.0, 2.0, 5.0]);
        match (whole.len(), finer.len()) {
            (3.., _) => whole
                .iter()
                .step_by(whole.len().div_ceil(most.max(2)))
                .copied()
                .collect(),
            (_, 3..) => finer,
            _ => {
                let plain = Self {
                    low: 10f64.powf(self.low),
                    high: 10f64.powf(self.high),
                    log: false,
                };
                plain
                    .ticks(most)
                    .iter()
                    .map(|value| value.log10())
                    .collect()
            }
        }
    }

    /// At most about `most` multiples of 1, 2 or 5 times a power of ten.
    fn ticks(self, most: usize) -> Vec<f64> {
        if self.log {
            return self.log_ticks(most);
        }
        let rough = (self.high - self.low) / most.max(2) as f64;
        let power = 10f64.powi(rough.log10().floor() as i32);
        let step = power
            * [1.0, 2.0, 5.0]
                .into_iter()
                .find(|m| m * power >= rough)
                .unwrap_or(10.0);
        // An end that is a multiple itself counts, whatever the division rounds to.
        let (first, last) = (
            (self.low / step - 1e-9).ceil() as i64,
            (self.high / step + 1e-9).floor() as i64,
        );
        (first..=last)
            .map(|multiple| multiple as f64 * step)
            .collect()
    }

    /// The number at a tick.
    fn text(self, tick: f64) -> String {
        short(if self.log { 10f64.powf(tick) } else { tick })
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        RangedCoordf64::from(self.low..self.high).map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.ticks(hint.bold_points())
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.low..self.high
    }
}

/// A number as an axis shows it: four digits.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    if rounded == 0.0 || (1e-3..1e6).contains(&rounded.abs()) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(low: f64, high: f64, log: bool) -> Vec<String> {
        let on = |value: f64| if log { value.log10() } else { value };
        let axis = Axis {
            low: on(low),
            high: on(high),
            log,
        };
        axis.ticks(TICKS)
            .into_iter()
            .map(|tick| axis.text(tick))
            .collect()
    }

    #[test]
    fn numbers_on_axes_are_round() {
        assert_eq!(texts(0.9, 1100.0, true), ["1", "10", "100", "1000"]);
        assert_eq!(texts(0.9, 60.0, true), ["1", "2", "5", "10", "20", "50"]);
        assert_eq!(
            texts(1e-6, 2e6, true),
            ["1e-6", "1e-4", "0.01", "1", "100", "10000", "1e6"]
        );
        assert_eq!(
            texts(2.9, 4.1, true),
            ["3", "3.2", "3.4", "3.6", "3.8", "4"]
        );
        assert_eq!(
            texts(-0.2, 0.4, false),
            ["-0.2", "-0.1", "0", "0.1", "0.2", "0.3", "0.4"]
        );
        assert_eq!(
            texts(0.0, 250_000.0, false),
            ["0", "50000", "100000", "150000", "200000", "250000"]
        );
    }

    /// The heights of all lines of this width in pixels, from the top.
    fn heights(svg: &str, width: u32) -> Vec<f64> {
        let of_width = svg
            .lines()
            .filter(|line| line.contains(&format!("stroke-width=\"{width}\" points=")));
        let places = of_width
            .filter_map(|line| line.split('"').rev().nth(1))
            .flat_map(str::split_whitespace);
        places
            .filter_map(|place| place.split(',').nth(1)?.parse().ok())
            .collect()
    }

    #[test]
    fn the_legend_stands_above_the_chart() {
        let line = |name: &&str| Series {
            name: (*name).into(),
            points: vec![(0.0, 0.0), (1.0, 1.0)],
            style: Style::Line,
        };
        let names = [
            "a line with a long name",
            "another line with a long name",
            "a third line",
            "a fourth one",
        ];
        let svg = Chart {
            series: names.iter().map(line).collect(),
            ..Chart::default()
        }
        .svg()
        .unwrap();
        let (marks, curves) = (heights(&svg, 3), heights(&svg, 2));
        assert_eq!((marks.len(), curves.len()), (8, 8));
        // Two lines of names.
        assert!(marks[0] < marks[7], "{marks:?}");
        let (lowest, highest) = (
            marks.iter().copied().fold(0.0, f64::max),
            curves.iter().copied().fold(1e9, f64::min),
        );
        assert!(
            lowest + f64::from(LINE) / 2.0 <= highest,
            "{lowest} {highest}"
        );
    }
}
