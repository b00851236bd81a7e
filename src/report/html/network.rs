//! The graph of clusters: circles by volume, links by weight.

use super::clusters::Clusters;
use super::data::{Network, short};
use super::layout::{Circles, Place};
use crate::graph::Weight;
use crate::ids::{Cluster, NONE};
use rayon::prelude::*;

/// Circles in a picture.
pub(super) const MOST_CIRCLES: usize = 48;

/// Links kept for each circle, the strongest.
const LINKS_EACH: usize = 3;

/// The radius of a circle that is alone.
const LARGEST: f64 = 130.0;

/// The radius of the smallest circles.
const SMALLEST: f64 = 4.0;

/// Where the clusters of the picture before were.
pub(super) struct Before {
    pub labels: Vec<Cluster>,
    /// The place of each cluster, if it had one.
    pub places: Vec<Option<Place>>,
}

/// The picture of the largest clusters, near the places of the one before, and their places.
pub(super) fn network<W: Weight>(clusters: &Clusters<'_, W>, before: Option<&Before>) -> (Network, Vec<Option<Place>>) {
    let shown = &clusters.order[..clusters.order.len().min(MOST_CIRCLES)];
    let volumes: Vec<f64> = shown.iter().map(|&c| clusters.sums.degree[c as usize]).collect();
    let total: f64 = volumes.iter().sum();
    let radii: Vec<f64> = volumes.iter().map(|v| (LARGEST * (v / total).sqrt()).max(SMALLEST)).collect();
    let (links, pairs) = strongest(&weights_between(clusters, shown), &volumes);
    let most = links.iter().map(|l| l.strength).fold(0.0, f64::max);
    let springs: Vec<(usize, usize, f64)> = links.iter().map(|l| (l.a, l.b, l.strength / most)).collect();
    let circles = Circles { radii: &radii, links: &springs };
    let places = match before {
        Some(before) => circles.rearrange(starts(clusters, shown, before)),
        None => circles.arrange(),
    };
    let mut kept = vec![None; clusters.order.len()];
    shown.iter().zip(&places).for_each(|(&c, &place)| kept[c as usize] = Some(place));
    let tenth = |value: f64| (10.0 * value).round() / 10.0;
    let network = Network {
        x: places.iter().map(|p| tenth(p[0])).collect(),
        y: places.iter().map(|p| tenth(p[1])).collect(),
        r: radii.iter().map(|&r| tenth(r)).collect(),
        hue: hues(&places),
        links: links.iter().map(|l| (l.a, l.b, short(l.weight))).collect(),
        pairs,
    };
    (network, kept)
}

/// The weight between every two of the shown clusters. Each row is one task, so that sums do not depend on threads.
fn weights_between<W: Weight>(clusters: &Clusters<'_, W>, shown: &[Cluster]) -> Vec<Vec<f64>> {
    let mut circle_of = vec![usize::MAX; clusters.order.len()];
    shown.iter().enumerate().for_each(|(a, &c)| circle_of[c as usize] = a);
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

/// The strongest links of each circle by `w_ab / √(D_a D_b)`, the heaviest first, and how many pairs are linked at all.
fn strongest(weights: &[Vec<f64>], volumes: &[f64]) -> (Vec<Link>, usize) {
    let n = volumes.len();
    let strength = |a: usize, b: usize| weights[a][b] / (volumes[a] * volumes[b]).sqrt();
    let mut kept = vec![false; n * n];
    for a in 0..n {
        let mut others: Vec<usize> = (0..n).filter(|&b| b != a && weights[a][b] > 0.0).collect();
        others.sort_by(|&x, &y| strength(a, y).total_cmp(&strength(a, x)).then(x.cmp(&y)));
        others.iter().take(LINKS_EACH).for_each(|&b| kept[a.min(b) * n + a.max(b)] = true);
    }
    let linked = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).filter(|&(a, b)| weights[a][b] > 0.0);
    let link = |(a, b): (usize, usize)| Link { a, b, weight: weights[a][b], strength: strength(a, b) };
    let mut links: Vec<Link> = linked.clone().filter(|&(a, b)| kept[a * n + b]).map(link).collect();
    links.sort_by(|x, y| y.weight.total_cmp(&x.weight).then((x.a, x.b).cmp(&(y.a, y.b))));
    (links, linked.count())
}

/// The mean of the old places of each cluster's members.
fn starts<W: Weight>(clusters: &Clusters<'_, W>, shown: &[Cluster], before: &Before) -> Vec<Place> {
    let start = |&c: &Cluster| {
        let old = clusters.members.members(c as usize).iter().map(|&i| before.labels[i as usize]);
        let places = old.filter(|&b| b != NONE).filter_map(|b| before.places[b as usize]);
        let (sum, count) = places.fold(([0.0; 2], 0.0), |(sum, count), p| ([sum[0] + p[0], sum[1] + p[1]], count + 1.0));
        sum.map(|t: f64| t / f64::max(count, 1.0))
    };
    shown.par_iter().map(start).collect()
}

/// Colours around the wheel in the order in which the circles lie around their middle.
fn hues(places: &[Place]) -> Vec<f64> {
    let n = places.len().max(1) as f64;
    let middle = [0, 1].map(|t| places.iter().map(|p| p[t]).sum::<f64>() / n);
    let turn = |p: &Place| libm::atan2(p[1] - middle[1], p[0] - middle[0]);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| turn(&places[a]).total_cmp(&turn(&places[b])).then(a.cmp(&b)));
    let mut hues = vec![0.0; places.len()];
    order.iter().enumerate().for_each(|(rank, &a)| hues[a] = (1000.0 * rank as f64 / n).round() / 1000.0);
    hues
}
