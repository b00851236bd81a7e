//! The graph of clusters: circles by volume, links by weight.

use super::clusters::Clusters;
use super::data::{Network, short};
use super::layout::{Circles, Place};
use crate::graph::Weight;
use crate::ids::{Cluster, NONE};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Circles in a picture.
pub(super) const MOST_CIRCLES: usize = 48;

/// Links kept for each circle, the strongest.
const LINKS_EACH: usize = 3;

/// The radius of a circle that is alone.
const LARGEST: f64 = 130.0;

/// The radius of the smallest circles.
const SMALLEST: f64 = 4.0;

/// A circle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spot {
    place: Place,
    hue: f64,
}

/// The clusters of the picture before.
#[derive(Debug, Clone)]
pub(super) struct Before {
    pub labels: Vec<Cluster>,
    /// The circle of each cluster, if it had one.
    pub spots: Vec<Option<Spot>>,
}

/// The picture of the largest clusters, with places and colours near those of the one before, and
/// their circles.
pub(super) fn network<W: Weight>(
    clusters: &Clusters<'_, W>,
    before: Option<&Before>,
) -> (Network, Vec<Option<Spot>>) {
    let shown = &clusters.order[..clusters.order.len().min(MOST_CIRCLES)];
    let volumes: Vec<f64> = shown
        .iter()
        .map(|&c| clusters.sums.degree[c as usize])
        .collect();
    let total: f64 = volumes.iter().sum();
    let radii: Vec<f64> = volumes
        .iter()
        .map(|v| (LARGEST * (v / total).sqrt()).max(SMALLEST))
        .collect();
    let (links, pairs) = strongest(&weights_between(clusters, shown), &volumes);
    let most = links.iter().map(|l| l.strength).fold(0.0, f64::max);
    let springs: Vec<(usize, usize, f64)> = links
        .iter()
        .map(|l| (l.a, l.b, l.strength / most))
        .collect();
    let circles = Circles {
        radii: &radii,
        links: &springs,
    };
    let (places, hues) =
        if let Some((starts, wanted)) = before.map(|before| heirs(clusters, shown, before)) {
            (circles.rearrange(starts), kept_hues(&wanted))
        } else {
            let places = circles.arrange();
            let hues = first_hues(&places);
            (places, hues)
        };
    let mut kept = vec![None; clusters.order.len()];
    for (a, &c) in shown.iter().enumerate() {
        kept[c as usize] = Some(Spot {
            place: places[a],
            hue: hues[a],
        });
    }
    let tenth = |value: f64| (10.0 * value).round() / 10.0;
    let network = Network {
        x: places.iter().map(|p| tenth(p[0])).collect(),
        y: places.iter().map(|p| tenth(p[1])).collect(),
        r: radii.iter().map(|&r| tenth(r)).collect(),
        hue: hues
            .iter()
            .map(|hue| (1000.0 * hue).round() / 1000.0)
            .collect(),
        links: links.iter().map(|l| (l.a, l.b, short(l.weight))).collect(),
        pairs,
    };
    (network, kept)
}

/// The weight between every two of the shown clusters. Each row is one task, so that sums do not
/// depend on threads.
fn weights_between<W: Weight>(clusters: &Clusters<'_, W>, shown: &[Cluster]) -> Vec<Vec<f64>> {
    let mut circle_of = vec![usize::MAX; clusters.order.len()];
    shown
        .iter()
        .enumerate()
        .for_each(|(a, &c)| circle_of[c as usize] = a);
    let rows = clusters.graph.rows();
    let row = |&c: &Cluster| {
        let mut weights = vec![0.0; shown.len()];
        for &i in clusters.members.members(c as usize) {
            for (j, weight) in rows.row(i as usize) {
                let b = clusters.labels[j as usize];
                if b != NONE && circle_of[b as usize] != usize::MAX {
                    weights[circle_of[b as usize]] += weight;
                }
            }
        }
        weights
    };
    shown.par_iter().map(row).collect()
}

struct Link {
    a: usize,
    b: usize,
    weight: f64,
    strength: f64,
}

/// The strongest links of each circle by `w_ab / √(D_a D_b)`, the heaviest first, and how many
/// pairs are linked at all.
fn strongest(weights: &[Vec<f64>], volumes: &[f64]) -> (Vec<Link>, usize) {
    let n = volumes.len();
    let strength = |a: usize, b: usize| weights[a][b] / (volumes[a] * volumes[b]).sqrt();
    let mut kept = vec![false; n * n];
    for a in 0..n {
        let mut others: Vec<usize> = (0..n).filter(|&b| b != a && weights[a][b] > 0.0).collect();
        others.sort_by(|&x, &y| strength(a, y).total_cmp(&strength(a, x)).then(x.cmp(&y)));
        others
            .iter()
            .take(LINKS_EACH)
            .for_each(|&b| kept[a.min(b) * n + a.max(b)] = true);
    }
    let linked = (0..n)
        .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
        .filter(|&(a, b)| weights[a][b] > 0.0);
    let link = |(a, b): (usize, usize)| Link {
        a,
        b,
        weight: weights[a][b],
        strength: strength(a, b),
    };
    let mut links: Vec<Link> = linked
        .clone()
        .filter(|&(a, b)| kept[a * n + b])
        .map(link)
        .collect();
    links.sort_by(|x, y| {
        y.weight
            .total_cmp(&x.weight)
            .then((x.a, x.b).cmp(&(y.a, y.b)))
    });
    (links, linked.count())
}

/// Where each cluster starts, the mean of the old places of its members, and the colour that most
/// of them had.
fn heirs<W: Weight>(
    clusters: &Clusters<'_, W>,
    shown: &[Cluster],
    before: &Before,
) -> (Vec<Place>, Vec<Option<f64>>) {
    let heir = |&c: &Cluster| {
        let mut counts: BTreeMap<Cluster, f64> = BTreeMap::new();
        for &i in clusters.members.members(c as usize) {
            let old = before.labels[i as usize];
            if old != NONE && before.spots[old as usize].is_some() {
                *counts.entry(old).or_default() += 1.0;
            }
        }
        let spots: Vec<(Spot, f64)> = counts
            .iter()
            .filter_map(|(&old, &count)| Some((before.spots[old as usize]?, count)))
            .collect();
        let total = spots.iter().map(|s| s.1).sum::<f64>().max(1.0);
        let mean = [0, 1].map(|t| {
            spots
                .iter()
                .map(|(spot, count)| spot.place[t] * count)
                .sum::<f64>()
                / total
        });
        // The first of equals: BTreeMap goes by number.
        let most = spots.iter().map(|s| s.1).fold(0.0, f64::max);
        (mean, spots.iter().find(|s| s.1 == most).map(|s| s.0.hue))
    };
    shown.par_iter().map(heir).unzip()
}

/// Colours around the wheel in the order in which the circles lie around their middle.
fn first_hues(places: &[Place]) -> Vec<f64> {
    let n = places.len().max(1) as f64;
    let middle = [0, 1].map(|t| places.iter().map(|p| p[t]).sum::<f64>() / n);
    let turn = |p: &Place| libm::atan2(p[1] - middle[1], p[0] - middle[0]);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| {
        turn(&places[a])
            .total_cmp(&turn(&places[b]))
            .then(a.cmp(&b))
    });
    let mut hues = vec![0.0; places.len()];
    order
        .iter()
        .enumerate()
        .for_each(|(rank, &a)| hues[a] = rank as f64 / n);
    hues
}

/// Each circle keeps the colour it wants unless a larger one has nearly the same; then it gets the
/// middle of the widest gap.
fn kept_hues(wanted: &[Option<f64>]) -> Vec<f64> {
    let near = 0.5 / wanted.len().max(1) as f64;
    let mut taken: Vec<f64> = Vec::new();
    for want in wanted {
        let apart = |hue: f64| {
            taken
                .iter()
                .all(|t| (t - hue).abs().min(1.0 - (t - hue).abs()) >= near)
        };
        let hue = want
            .filter(|&hue| apart(hue))
            .unwrap_or_else(|| widest_gap(&taken));
        taken.push(hue);
    }
    taken
}

/// The middle of the widest arc of the wheel without a colour.
fn widest_gap(taken: &[f64]) -> f64 {
    let mut sorted = taken.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(&first) = sorted.first() else {
        return 0.0;
    };
    let ends = sorted.iter().skip(1).copied().chain([first + 1.0]);
    let gaps = sorted
        .iter()
        .zip(ends)
        .map(|(&low, high)| (low, high - low));
    let (low, width) = gaps.fold(
        (0.0, -1.0),
        |best, gap| if gap.1 > best.1 { gap } else { best },
    );
    (low + width / 2.0) % 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_kept_where_they_can_be_told_apart() {
        assert_eq!(
            kept_hues(&[Some(0.25), Some(0.25), None, Some(0.5)]),
            [0.25, 0.75, 0.5, 0.0]
        );
        assert_eq!(first_hues(&[[1.0, 0.0], [-1.0, 0.1], [0.0, -1.0]]).len(), 3);
    }
}
