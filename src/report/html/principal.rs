//! Points in the plane of their first two principal components.
//!
//! At most [`MOST`] points at even distances in their order are taken as a sample; the two
//! directions of largest variance of the sample are found by orthogonal iteration `V ← orth(Σ_i w_i
//! x_i x_iᵀ V)`, which never forms the d × d matrix. Each round costs O(sample · d); it starts from
//! fixed directions and ends after a fixed number of rounds, so the picture is the same every time.

use super::data::{Scatter, short};
use crate::ids::Cluster;
use crate::points::Points;

/// Points in a picture.
const MOST: usize = 3000;

/// Rounds of the iteration.
const ROUNDS: usize = 60;

/// Projects a sample of `points` and the `centres`.
pub(super) fn scatter(
    points: &Points,
    labels: &[Cluster],
    centres: &Points,
    shown: usize,
) -> Scatter {
    let step = points.len().div_ceil(MOST).max(1);
    let sample: Vec<usize> = (0..points.len()).step_by(step).collect();
    let plane = Plane::of(points, &sample);
    let places: Vec<[f64; 2]> = sample
        .iter()
        .map(|&i| plane.project(points.row(i)))
        .collect();
    Scatter {
        x: places.iter().map(|p| short(p[0])).collect(),
        y: places.iter().map(|p| short(p[1])).collect(),
        cluster: sample.iter().map(|&i| labels[i]).collect(),
        explained: plane.explained.map(short),
        centres: (0..shown)
            .map(|c| plane.project(centres.row(c)).map(short).into())
            .collect(),
    }
}

struct Plane {
    mean: Vec<f64>,
    axes: [Vec<f64>; 2],
    explained: [f64; 2],
}

impl Plane {
    fn of(points: &Points, sample: &[usize]) -> Self {
        let mean = points.mean();
        let d = mean.len();
        let mut axes = [0, 1].map(|axis| {
            (0..d)
                .map(|t| libm::cos((t * (axis + 1)) as f64 + 0.5 * axis as f64))
                .collect::<Vec<f64>>()
        });
        let mut variances = [0.0; 2];
        for _ in 0..ROUNDS {
            orthonormalise(&mut axes);
            let mut next = [vec![0.0; d], vec![0.0; d]];
            for &i in sample {
                let centred: Vec<f64> = points
                    .row(i)
                    .iter()
                    .zip(&mean)
                    .map(|(x, m)| x - m)
                    .collect();
                for (axis, sum) in axes.iter().zip(&mut next) {
                    let along = points.weight(i) * dot(axis, &centred);
                    sum.iter_mut()
                        .zip(&centred)
                        .for_each(|(s, x)| *s += along * x);
                }
            }
            variances = [dot(&axes[0], &next[0]), dot(&axes[1], &next[1])];
            axes = next;
        }
        orthonormalise(&mut axes);
        for axis in &mut axes {
            fix_sign(axis);
        }
        let squares =
            |i: &usize| points.weight(*i) * crate::points::squared_distance(points.row(*i), &mean);
        let total = sample
            .iter()
            .map(squares)
            .sum::<f64>()
            .max(f64::MIN_POSITIVE);
        Self {
            mean,
            axes,
            explained: variances.map(|v| v / total),
        }
    }

    fn project(&self, point: &[f64]) -> [f64; 2] {
        let centred: Vec<f64> = point.iter().zip(&self.mean).map(|(x, m)| x - m).collect();
        [dot(&self.axes[0], &centred), dot(&self.axes[1], &centred)]
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// Gram and Schmidt; a direction without extent becomes 0.
fn orthonormalise(axes: &mut [Vec<f64>; 2]) {
    let [first, second] = axes;
    let length = dot(first, first).sqrt();
    normalise(first, length);
    let before = dot(second, second).sqrt();
    // Twice is enough for orthogonality in floating point.
    for _ in 0..2 {
        let along = dot(first, second);
        second
            .iter_mut()
            .zip(first.iter())
            .for_each(|(s, f)| *s -= along * f);
    }
    let length = dot(second, second).sqrt();
    normalise(second, if length > 1e-12 * before { length } else { 0.0 });
}

fn normalise(axis: &mut [f64], length: f64) {
    let scale = if length > 0.0 { length.recip() } else { 0.0 };
    for x in axis {
        *x *= scale;
    }
}

/// The component of largest magnitude becomes positive.
fn fix_sign(axis: &mut [f64]) {
    let largest = axis.iter().copied().fold(
        0.0,
        |most: f64, x| if x.abs() > most.abs() { x } else { most },
    );
    if largest < 0.0 {
        for x in axis {
            *x = -*x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipse_lies_along_its_axes() {
        // Variances 9 : 1 along (3, 4)/5 and (-4, 3)/5 in the first two of three dimensions.
        let rows: Vec<[f64; 3]> = (0..400)
            .map(|i| {
                let (u, v) = (3.0 * libm::sin(f64::from(i)), libm::cos(f64::from(7 * i)));
                [0.6 * u - 0.8 * v + 5.0, 0.8 * u + 0.6 * v - 2.0, 1.0]
            })
            .collect();
        let points = Points::from_rows(&rows).unwrap();
        let plane = Plane::of(&points, &(0..400).collect::<Vec<_>>());
        let near = |x: f64, y: f64| (x - y).abs() < 0.02;
        assert!(
            near(plane.axes[0][0], 0.6) && near(plane.axes[0][1], 0.8),
            "{:?}",
            plane.axes
        );
        assert!(
            near(plane.explained[0], 0.9) && near(plane.explained[1], 0.1),
            "{:?}",
            plane.explained
        );
    }

    #[test]
    fn points_on_a_line_and_one_point_have_places() {
        let line = Points::from_rows(&[[0.0], [1.0], [5.0]]).unwrap();
        let seen = scatter(
            &line,
            &[0, 0, 1],
            &Points::from_rows(&[[0.5], [5.0]]).unwrap(),
            2,
        );
        assert_eq!(
            (seen.x, seen.y, seen.centres),
            (
                vec![-2.0, -1.0, 3.0],
                vec![0.0; 3],
                vec![(-1.5, 0.0), (3.0, 0.0)]
            )
        );
        assert_eq!(seen.explained, [1.0, 0.0]);
        let one = Points::from_rows(&[[3.0, 4.0]]).unwrap();
        assert_eq!(scatter(&one, &[0], &one, 1).x, [0.0]);
    }
}
