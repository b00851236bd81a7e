//! Alternating minimisation over labels and centres, with bounds that skip what cannot change.
//!
//! For every point the state keeps the exact squared distance to its own centre and a lower bound
//! on the distance to every other one. When centres move by `δ_c`, the bound shrinks by the largest
//! `δ` of the other clusters, and a point whose own centre is still strictly nearer than the bound
//! keeps its label without being looked at (Hamerly 2010). The skipped points get the label that a
//! full search would give, so the result is that of the plain algorithm.
//!
//! Memory: 20 bytes a point beside the points; a pass costs O(m d k) for the m points that are
//! looked at and O(n d) for the means and own distances.

use super::nearest::{Frame, Search};
use super::{Points, squared_distance};
use crate::ids::{Cluster, NONE};
use crate::numeric::sum_by;
use rayon::prelude::*;

/// Outward rounding of bounds that are sums of a few distances.
const OUTWARD: f64 = 1e-11;

/// Labels, centres and bounds of a clustering under way.
#[derive(Debug)]
pub struct Alternation<'a> {
    points: &'a Points,
    frame: Frame,
    centres: Points,
    labels: Vec<Cluster>,
    /// Squared distance of each point to its own centre.
    own: Vec<f64>,
    /// Lower bound on the distance of each point to every other centre.
    others: Vec<f64>,
}

/// What one pass of [`lloyd`] did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LloydPass {
    /// `Σ_i w_i ‖x_i − μ_{z_i}‖²` after the pass.
    pub value: f64,
    /// The number of clusters.
    pub clusters: usize,
    /// Points that changed their cluster.
    pub moves: usize,
}

impl<'a> Alternation<'a> {
    /// Starts from `centres`; no point has a label yet.
    pub fn from_centres(points: &'a Points, centres: Points) -> Self {
        let n = points.len();
        let frame = Frame::of(points);
        Self {
            points,
            frame,
            centres,
            labels: vec![NONE; n],
            own: vec![f64::INFINITY; n],
            others: vec![0.0; n],
        }
    }

    /// Starts from the means of given clusters, every label below `k`; empty ones disappear.
    pub fn from_labels(points: &'a Points, labels: Vec<Cluster>, k: usize) -> Self {
        let mut state = Self::from_centres(
            points,
            Points::from_valid(points.dimension(), vec![0.0; k * points.dimension()]),
        );
        state.labels = labels;
        state.recentre();
        state
    }

    /// The points.
    pub fn points(&self) -> &'a Points {
        self.points
    }

    /// Where the points lie.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The centres.
    pub fn centres(&self) -> &Points {
        &self.centres
    }

    /// The labels.
    pub fn labels(&self) -> &[Cluster] {
        &self.labels
    }

    /// The squared distance of point `i` to its own centre.
    pub fn own_distance(&self, i: usize) -> f64 {
        self.own[i]
    }

    /// Gives labels and centres away.
    pub fn into_parts(self) -> (Vec<Cluster>, Points) {
        (self.labels, self.centres)
    }

    /// `Σ_i w_i ‖x_i − μ_{z_i}‖²`. O(n).
    pub fn inertia(&self) -> f64 {
        sum_by(self.own.len(), |i| self.points.weight(i) * self.own[i])
    }

    /// Gives every point the nearest centre, the first on ties; returns how many labels changed.
    pub fn reassign(&mut self) -> usize {
        let may_change =
            |i: &u32| self.own[*i as usize].sqrt() * (1.0 + OUTWARD) >= self.others[*i as usize];
        let rows: Vec<u32> = (0..self.points.len() as u32)
            .into_par_iter()
            .filter(may_change)
            .collect();
        let found = Search::new(&self.centres, &self.frame).nearest(self.points, &rows, None);
        let mut moves = 0;
        for (&i, nearest) in rows.iter().zip(&found) {
            moves += usize::from(self.labels[i as usize] != nearest.index);
            self.labels[i as usize] = nearest.index;
            self.own[i as usize] = nearest.distance;
            self.others[i as usize] = nearest.others;
        }
        moves
    }

    /// Adds the centres `opened` (points of this set), numbered on from the last one. The bounds of
    /// all points are dropped, because they know nothing of these.
    pub fn open(&mut self, opened: &[u32]) {
        if !opened.is_empty() {
            let rows = opened.iter().flat_map(|&i| self.points.row(i as usize));
            self.centres.values.extend(rows);
            self.others.fill(0.0);
        }
    }

    /// Puts point `i` into cluster `label`, whose centre is at squared distance `distance`.
    pub fn put(&mut self, i: usize, label: Cluster, distance: f64) {
        self.labels[i] = label;
        self.own[i] = distance;
        self.others[i] = 0.0;
    }

    /// Moves every centre to the mean of its cluster; empty clusters disappear and the others close
    /// ranks. O(nd).
    pub fn recentre(&mut self) {
        let (means, kept) = means(self.points, &self.labels, &self.centres);
        let drift = |&c: &u32, new: usize| {
            squared_distance(means.row(new), self.centres.row(c as usize)).sqrt() * (1.0 + OUTWARD)
        };
        let drifts: Vec<f64> = kept
            .iter()
            .enumerate()
            .map(|(new, c)| drift(c, new))
            .collect();
        let (most, most_of_others) = two_largest(&drifts);
        let mut number = vec![NONE; self.centres.len()];
        for (new, &c) in kept.iter().enumerate() {
            number[c as usize] = new as Cluster;
        }
        let points = self.points;
        let state = (&mut self.labels, &mut self.own, &mut self.others);
        state
            .into_par_iter()
            .with_min_len(256)
            .enumerate()
            .for_each(|(i, (label, own, others))| {
                *label = number[*label as usize];
                let c = *label as usize;
                *own = squared_distance(points.row(i), means.row(c));
                *others -= if drifts[c] == most {
                    most_of_others
                } else {
                    most
                };
            });
        self.centres = means;
    }

    /// Gives every empty cluster the point that is farthest (by weighted distance) from its own
    /// centre and not alone there. With fewer distinct points than clusters some stay empty.
    /// Returns how many were filled.
    pub fn fill_empty(&mut self) -> usize {
        let mut sizes = vec![0usize; self.centres.len()];
        for &c in &self.labels {
            sizes[c as usize] += 1;
        }
        let mut filled = 0;
        for c in (0..sizes.len())
            .filter(|&c| sizes[c] == 0)
            .collect::<Vec<_>>()
        {
            let cost = |i: usize| self.points.weight(i) * self.own[i];
            let movable = (0..self.labels.len()).filter(|&i| sizes[self.labels[i] as usize] > 1);
            let farthest = movable.fold(None, |best: Option<usize>, i| {
                if best.is_some_and(|b| cost(b) >= cost(i)) {
                    best
                } else {
                    Some(i)
                }
            });
            let Some(i) = farthest.filter(|&i| cost(i) > 0.0) else {
                break;
            };
            sizes[self.labels[i] as usize] -= 1;
            sizes[c] = 1;
            self.put(i, c as Cluster, 0.0);
            filled += 1;
        }
        filled
    }
}

/// The largest value and the largest of the rest, 0 where there is none; equal values count apart.
fn two_largest(values: &[f64]) -> (f64, f64) {
    values.iter().fold((0.0, 0.0), |(first, second), &v| {
        if v > first {
            (v, first)
        } else {
            (first, f64::max(second, v))
        }
    })
}

/// Pieces a sum over points is cut into: depends on the data alone, never on the machine.
fn pieces(n: usize, k: usize) -> usize {
    (n / (4 * k.max(256))).clamp(1, 16)
}

/// The weighted means of the non-empty clusters, and which clusters these are. Summed as offsets
/// from the old centres: data far from the origin lose nothing, and a cluster of equal points that
/// has its centre there keeps it to the last bit.
fn means(points: &Points, labels: &[Cluster], old: &Points) -> (Points, Vec<u32>) {
    let (k, d) = (old.len(), points.dimension());
    let length = labels.len().div_ceil(pieces(labels.len(), k)).max(1);
    let piece = |(p, part)| Offsets::of(points, p * length, part, old);
    let partial: Vec<Offsets> = labels.par_chunks(length).enumerate().map(piece).collect();
    let sums = partial
        .into_iter()
        .reduce(|a, b| a.add(&b))
        .unwrap_or_default();
    let kept: Vec<u32> = (0..sums.mass.len() as u32)
        .filter(|&c| sums.mass[c as usize] > 0.0)
        .collect();
    let mut values = Vec::with_capacity(kept.len() * d);
    for &c in &kept {
        let offsets = &sums.total[c as usize * d..][..d];
        values.extend(
            old.row(c as usize)
                .iter()
                .zip(offsets)
                .map(|(o, t)| o + t / sums.mass[c as usize]),
        );
    }
    (Points::from_valid(d, values), kept)
}

/// `Σ w_i (x_i − μ_c)` and `Σ w_i` of every cluster, over a piece of the points.
#[derive(Default)]
struct Offsets {
    total: Vec<f64>,
    mass: Vec<f64>,
}

impl Offsets {
    fn of(points: &Points, first: usize, labels: &[Cluster], old: &Points) -> Self {
        let d = points.dimension();
        let mut sums = Self {
            total: vec![0.0; old.len() * d],
            mass: vec![0.0; old.len()],
        };
        for (i, &c) in labels.iter().enumerate() {
            let (c, weight) = (c as usize, points.weight(first + i));
            sums.mass[c] += weight;
            let offsets = points
                .row(first + i)
                .iter()
                .zip(old.row(c))
                .map(|(x, o)| weight * (x - o));
            sums.total[c * d..][..d]
                .iter_mut()
                .zip(offsets)
                .for_each(|(t, o)| *t += o);
        }
        sums
    }

    fn add(mut self, other: &Self) -> Self {
        self.total
            .iter_mut()
            .zip(&other.total)
            .for_each(|(t, o)| *t += o);
        self.mass
            .iter_mut()
            .zip(&other.mass)
            .for_each(|(t, o)| *t += o);
        self
    }
}

/// Lloyd's algorithm from `centres`: reassign, fill empty clusters, recentre, until no label
/// changes, the value stops falling (ties), or `go_on` answers `false` to what a pass did.
///
/// ```
/// use lambdacut::points::{Points, lloyd};
/// let points = Points::from_rows(&[[0.0], [1.0], [10.0], [11.0]]).unwrap();
/// let start = Points::from_rows(&[[0.0], [1.0]]).unwrap();
/// let end = lloyd(&points, start, &mut |_| true);
/// assert_eq!((end.labels(), end.inertia()), (&[0, 0, 1, 1][..], 1.0));
/// ```
pub fn lloyd<'a>(
    points: &'a Points,
    centres: Points,
    go_on: &mut dyn FnMut(&LloydPass) -> bool,
) -> Alternation<'a> {
    let mut state = Alternation::from_centres(points, centres);
    let mut before = f64::INFINITY;
    loop {
        let moves = state.reassign() + state.fill_empty();
        state.recentre();
        let pass = LloydPass {
            value: state.inertia(),
            clusters: state.centres.len(),
            moves,
        };
        if !go_on(&pass) || moves == 0 || pass.value >= before {
            return state;
        }
        before = pass.value;
    }
}
