//! Farthest-first sets in kernel space: λ from a wished-for k (section 6.1 of the paper), and a
//! seeded start.
//!
//! The weighted distance of `i` to the point `φ_f` is `S_ii/m_i + m_i K_ff − 2 S_if/m_f`, to the
//! mean of everything `S_ii/m_i + m_i S(V,V)/M² − 2 S(i,V)/M`. Each round adds the element farthest
//! from the set. Cost O(k n + entries), 20 bytes an element. The observer is asked before every
//! round, which costs O(n).

use super::KernelDpMeansError;
use super::opened::Opened;
use super::similarity::Similarity;
use super::sums::sums;
use crate::ids::{Cluster, NONE};
use crate::run::{Event, Observer};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// The set so far: how far every element is from it, and from which member.
struct FarthestFirst<'a, S> {
    similarity: &'a S,
    distance: Vec<f64>,
    nearest: Vec<Cluster>,
    members: usize,
    links: Vec<f64>,
}

impl<'a, S: Similarity> FarthestFirst<'a, S> {
    /// The empty set: everything is infinitely far, but for elements that take no part.
    fn new(similarity: &'a S) -> Self {
        let n = similarity.elements();
        let far = |i| {
            if similarity.takes_part(i) {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            }
        };
        let distance = (0..n).map(far).collect();
        Self {
            similarity,
            distance,
            nearest: vec![NONE; n],
            members: 0,
            links: vec![0.0; n],
        }
    }

    /// The set that holds the mean of everything.
    fn around_the_mean(similarity: &'a S) -> Self {
        let mut set = Self::new(similarity);
        let together: Vec<Cluster> = set
            .distance
            .iter()
            .map(|&d| if d > 0.0 { 0 } else { NONE })
            .collect();
        let Some(&all) = sums(similarity, &together, 1)
            .first()
            .filter(|all| all.mass > 0.0)
        else {
            return set;
        };
        let norm = similarity.total(all) / (all.mass * all.mass);
        set.distance
            .par_iter_mut()
            .enumerate()
            .filter(|(_, d)| **d > 0.0)
            .for_each(|(i, distance)| {
                let link: f64 =
                    similarity.unstored(i) + similarity.row(i).map(|(_, link)| link).sum::<f64>();
                let mass = similarity.mass(i);
                *distance = similarity.own(i) / mass + mass * norm - 2.0 / all.mass * link;
            });
        set
    }

    /// The element farthest from the set (the lowest number on a tie) and its distance.
    fn farthest(&self) -> Option<(usize, f64)> {
        let farther = |a: (usize, f64), b: (usize, f64)| {
            if b.1 > a.1 || (b.1 == a.1 && b.0 < a.0) {
                b
            } else {
                a
            }
        };
        let found = self
            .distance
            .par_iter()
            .copied()
            .enumerate()
            .reduce(|| (usize::MAX, f64::NEG_INFINITY), farther);
        (found.0 != usize::MAX && found.1 > f64::NEG_INFINITY).then_some(found)
    }

    fn add(&mut self, f: usize) {
        let Self {
            similarity, links, ..
        } = self;
        similarity
            .row(f)
            .for_each(|(j, link)| links[j as usize] = link);
        links[f] = similarity.own(f);
        let (norm, pull, number) = (
            Opened::norm(*similarity, f),
            2.0 / similarity.mass(f),
            self.members as Cluster,
        );
        let state = self
            .distance
            .par_iter_mut()
            .zip(&mut self.nearest)
            .zip(&self.links)
            .enumerate()
            .with_min_len(1024);
        state
            .filter(|(_, ((distance, _), _))| **distance > f64::NEG_INFINITY)
            .for_each(|(i, ((distance, nearest), &link))| {
                let mass = similarity.mass(i);
                let here = similarity.own(i) / mass + mass * norm - pull * link;
                if here < *distance {
                    (*distance, *nearest) = (here, number);
                }
            });
        self.members += 1;
        similarity
            .row(f)
            .for_each(|(j, _)| self.links[j as usize] = 0.0);
        self.links[f] = 0.0;
    }
}

/// λ by the farthest-first rule: starting from the mean of everything, the distance of the `k`-th
/// element added. That of an earlier element would be an answer for fewer clusters, so a cancelled
/// search is an error.
pub(super) fn lambda_for(
    similarity: &impl Similarity,
    k: usize,
    observer: &dyn Observer,
) -> Result<f64, KernelDpMeansError> {
    let taking_part = || {
        (0..similarity.elements())
            .filter(|&i| similarity.takes_part(i))
            .count()
    };
    let nothing = || KernelDpMeansError::NoClusters {
        clusters: k,
        elements: taking_part(),
    };
    observer.event(Event::Stage {
        name: "choosing λ from the number of clusters",
        total: Some(k as u64),
    });
    let mut set = FarthestFirst::around_the_mean(similarity);
    for _ in 1..k {
        if observer.cancelled() {
            return Err(KernelDpMeansError::Cancelled);
        }
        set.add(set.farthest().ok_or_else(nothing)?.0);
        observer.event(Event::Advance(1));
    }
    set.farthest()
        .filter(|_| k > 0)
        .map(|(_, distance)| distance)
        .ok_or_else(nothing)
}

/// Every element with the nearest of `k` far-apart ones, the first of which is drawn from the seed;
/// fewer clusters when there are fewer distinct elements, or when the run is cancelled.
pub(super) fn far_apart(
    similarity: &impl Similarity,
    k: usize,
    seed: u64,
    observer: &dyn Observer,
) -> Vec<Cluster> {
    let mut set = FarthestFirst::new(similarity);
    let taking_part: Vec<usize> = (0..similarity.elements())
        .filter(|&i| similarity.takes_part(i))
        .collect();
    if taking_part.is_empty() {
        return set.nearest;
    }
    set.add(
        taking_part[Xoshiro256PlusPlus::seed_from_u64(seed).random_range(0..taking_part.len())],
    );
    while set.members < k.min(taking_part.len()) && !observer.cancelled() {
        match set.farthest() {
            Some((farthest, distance)) if distance > 0.0 => set.add(farthest),
            _ => break,
        }
    }
    set.nearest
}
