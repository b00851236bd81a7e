//! `--curve`: the number of clusters against λ, and the λ in the middle of its longest step.

use crate::common::Progress;
use anyhow::bail;
use lambdacut::dp_means::DpMeans;
use lambdacut::dp_means::curve::{CurvePoint, Plateau, curve, plateaus, price_range};
use lambdacut::points::Points;

/// Values of λ that are tried, and about how many clusters the smallest of them gives.
const VALUES: usize = 60;
const MOST_CLUSTERS: usize = 50;

/// Lines of the drawing on a terminal.
const HEIGHT: usize = 12;

/// What the curve says.
pub struct Choice {
    pub lambda: f64,
    pub curve: Vec<CurvePoint>,
    pub plateaus: Vec<Plateau>,
}

/// λ in the middle of the widest plateau with more than one cluster.
pub fn choose(
    points: &Points,
    method: &DpMeans<'_>,
    progress: &Progress,
) -> anyhow::Result<Choice> {
    let prices = price_range(points, MOST_CLUSTERS.min(points.len()), VALUES);
    let curve = curve(points, method, &prices)?;
    let plateaus = plateaus(&curve);
    for line in drawing(&curve) {
        progress.say(&line);
    }
    for plateau in &plateaus {
        progress.say(&format!(
            "λ {:.6e} to {:.6e}: {} clusters",
            plateau.low, plateau.high, plateau.clusters
        ));
    }
    let several = plateaus.iter().filter(|plateau| plateau.clusters > 1);
    let widest = several.max_by(|a, b| a.width().total_cmp(&b.width()));
    let Some(best) = widest.or(plateaus.first()) else {
        if prices.is_empty() {
            bail!("all points are equal: there is no λ to choose");
        }
        bail!("the time was up before the first λ was tried");
    };
    Ok(Choice {
        lambda: (best.low * best.high).sqrt(),
        plateaus,
        curve,
    })
}

/// The curve in steps, for a terminal: a column for every λ, ln k upwards.
fn drawing(curve: &[CurvePoint]) -> Vec<String> {
    let (Some(first), Some(last)) = (curve.first(), curve.last()) else {
        return Vec::new();
    };
    let most = curve.iter().map(|point| point.clusters).max().unwrap_or(1);
    let scale = (HEIGHT - 1) as f64 / (most.max(2) as f64).ln();
    let row = |clusters: usize| ((clusters.max(1) as f64).ln() * scale).round() as usize;
    let mut grid = vec![vec![' '; curve.len()]; HEIGHT];
    let mut before = row(first.clusters);
    for (column, point) in curve.iter().enumerate() {
        let now = row(point.clusters);
        let (low, high) = (now.min(before), now.max(before));
        for between in &mut grid[low..=high] {
            between[column] = '│';
        }
        // The corners of a step down, of a step up, or no corner at all.
        (grid[before][column], grid[now][column]) = match now.cmp(&before) {
            std::cmp::Ordering::Less => ('┐', '└'),
            std::cmp::Ordering::Greater => ('┘', '┌'),
            std::cmp::Ordering::Equal => ('─', '─'),
        };
        before = now;
    }
    let mut lines = Vec::with_capacity(HEIGHT + 1);
    for (height, cells) in grid.iter().enumerate().rev() {
        let label = match height {
            0 => "1".to_owned(),
            _ if height == row(most) => most.to_string(),
            _ => String::new(),
        };
        let cells: String = cells.iter().collect();
        lines.push(format!("{label:>6} ┤{}", cells.trim_end()));
    }
    let (low, high) = (
        format!("{:.3e}", first.lambda),
        format!("{:.3e}", last.lambda),
    );
    let room = curve.len().saturating_sub(low.len());
    lines.push(format!("clusters {low}{high:>room$} λ"));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drawing_steps_down_from_the_most_clusters_to_one() {
        let rows = [[0.0], [0.2], [5.0], [5.2], [9.0], [9.2]];
        let points = Points::from_rows(&rows).unwrap();
        let found = curve(&points, &DpMeans::new(), &price_range(&points, 6, 40)).unwrap();
        let lines = drawing(&found);
        assert_eq!(lines.len(), HEIGHT + 1);
        assert!(lines[0].trim_start().starts_with("6 ┤"), "{lines:#?}");
        assert!(
            lines[HEIGHT - 1].trim_start().starts_with("1 ┤"),
            "{lines:#?}"
        );
        let steps = |corner: char| lines.iter().filter(|line| line.contains(corner)).count();
        let falls = found
            .windows(2)
            .filter(|w| w[1].clusters < w[0].clusters)
            .count();
        assert!(falls > 0 && steps('└') > 0 && steps('┐') > 0, "{lines:#?}");
        assert!(drawing(&[]).is_empty());
    }
}
