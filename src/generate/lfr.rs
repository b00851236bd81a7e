//! The benchmark graphs of Lancichinetti, Fortunato and Radicchi (2008).
//!
//! 1. Degrees `k_i` follow a power law with exponent τ₁ up to the largest degree, cut off below so
//!    that their mean is the one asked for.
//! 2. Community sizes follow a power law with exponent τ₂ within their limits; they are evened out
//!    by single vertices until they sum to n.
//! 3. Vertex i has `(1 − μ) k_i` neighbours inside its community (rounded up or down at random, so
//!    that the mean is kept) and needs a community of more members than that. Vertices are dealt in
//!    order of falling internal degree, each to a free place chosen uniformly among the communities
//!    large enough: because the choice only widens, every valid assignment is equally likely.
//! 4. Internal stubs are joined inside each community, external ones between different communities
//!    (see `wiring`). Internal stubs that find no partner become external; external ones without a
//!    partner are dropped, so a few degrees may be one or two too small.
//!
//! Communities are wired in parallel, each from its own stream. O(n log n + m log m); about 40
//! bytes an edge at the peak.

use super::power_law::PowerLaw;
use super::random::{Purpose, Stream};
use super::wiring::{wire, wire_within};
use super::{GenerateError, Planted, check, step};
use crate::graph::Members;
use crate::ids::{Cluster, Vertex, checked_count};
use crate::run::{Observer, Silent};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How often community sizes are drawn before giving up.
const DRAWS: u32 = 100;

/// The parameters of an LFR graph; the defaults are those of the original benchmark.
///
/// ```
/// use lambdacut::generate::Lfr;
/// let made = Lfr { vertices: 1000, mixing: 0.2, ..Lfr::default() }.generate().unwrap();
/// assert!((made.mixing() - 0.2).abs() < 0.02);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lfr {
    /// The number of vertices.
    pub vertices: usize,
    /// The average degree.
    pub average_degree: f64,
    /// The largest degree.
    pub max_degree: u32,
    /// τ₁: degrees have `P(k) ∝ k^−τ₁`.
    pub degree_exponent: f64,
    /// τ₂: community sizes have `P(s) ∝ s^−τ₂`.
    pub community_exponent: f64,
    /// μ, the share of a vertex's neighbours outside its community.
    pub mixing: f64,
    /// The smallest community; by default the smallest degree, but at least 3.
    pub min_community: Option<usize>,
    /// The largest community; by default one more than the largest degree.
    pub max_community: Option<usize>,
    /// The seed.
    pub seed: u64,
}

impl Default for Lfr {
    fn default() -> Self {
        Self {
            vertices: 1000,
            average_degree: 20.0,
            max_degree: 50,
            degree_exponent: 2.0,
            community_exponent: 1.0,
            mixing: 0.3,
            min_community: None,
            max_community: None,
            seed: crate::params::DEFAULT_SEED,
        }
    }
}

impl Lfr {
    /// Makes the graph.
    pub fn generate(&self) -> Result<Planted, GenerateError> {
        self.generate_observed(&Silent)
    }

    /// Makes the graph, tells the observer about the steps, and ends with
    /// [`GenerateError::Cancelled`] soon after it asks to.
    pub fn generate_observed(&self, observer: &dyn Observer) -> Result<Planted, GenerateError> {
        let law = self.check()?;
        step("drawing degrees and communities", observer)?;
        let degrees = self.degrees(&law);
        let mut stream = Stream::new(self.seed, Purpose::Inside, u64::MAX);
        let mut inside: Vec<u32> = degrees
            .iter()
            .map(|&k| stream.round((1.0 - self.mixing) * f64::from(k)) as u32)
            .collect();
        let (truth, count) = self.communities(&inside, &law)?;
        let members = Members::of(&truth, count);
        even_out(&mut inside, &degrees, &members, count);
        step("joining vertices inside communities", observer)?;
        let (mut edges, returned) = self.wire_inside(&inside, &members, count, observer);
        step("joining vertices between communities", observer)?;
        let outer = degrees
            .iter()
            .zip(&inside)
            .enumerate()
            .flat_map(|(v, (&k, &d))| std::iter::repeat_n(v as Vertex, (k - d) as usize));
        let stubs: Vec<Vertex> = outer.chain(returned).collect();
        let apart = |u: Vertex, v: Vertex| truth[u as usize] != truth[v as usize];
        edges.extend(
            wire(
                stubs,
                apart,
                &mut Stream::new(self.seed, Purpose::Between, 0),
                observer,
            )
            .edges,
        );
        step("sorting the edges", observer)?;
        Ok(Planted::new(self.vertices, edges, truth))
    }

    fn check(&self) -> Result<PowerLaw, GenerateError> {
        let n = checked_count(self.vertices)?;
        check("the number of vertices", n.into(), n >= 2, "at least 2")?;
        check(
            "the mixing",
            self.mixing,
            (0.0..=1.0).contains(&self.mixing),
            "between 0 and 1",
        )?;
        let most = self.max_degree;
        check(
            "the largest degree",
            most.into(),
            most >= 1 && most < n,
            "at least 1 and below the number of vertices",
        )?;
        for (name, exponent) in [
            ("the degree exponent", self.degree_exponent),
            ("the community exponent", self.community_exponent),
        ] {
            check(
                name,
                exponent,
                (0.0..=20.0).contains(&exponent),
                "between 0 and 20",
            )?;
        }
        let average = self.average_degree;
        check(
            "the average degree",
            average,
            (1.0..=f64::from(most)).contains(&average),
            "between 1 and the largest degree",
        )?;
        let law = PowerLaw::with_mean(self.degree_exponent, average, most)?;
        let (least, most) = self.community_limits(&law);
        check(
            "the smallest community",
            least as f64,
            least >= 1 && least <= most,
            "at least 1 and at most the largest community",
        )?;
        // There must be a number of communities c with c · least ≤ n ≤ c · most.
        if self.vertices.div_ceil(most) > self.vertices / least {
            return Err(GenerateError::Split {
                vertices: self.vertices,
                least,
                most,
            });
        }
        Ok(law)
    }

    fn community_limits(&self, law: &PowerLaw) -> (usize, usize) {
        let most = self
            .max_community
            .unwrap_or(self.max_degree as usize + 1)
            .min(self.vertices);
        (
            self.min_community
                .unwrap_or_else(|| (law.least() as usize).max(3).min(most)),
            most,
        )
    }

    /// Degrees with an even sum.
    fn degrees(&self, law: &PowerLaw) -> Vec<u32> {
        let mut stream = Stream::new(self.seed, Purpose::Degrees, 0);
        let mut degrees: Vec<u32> = (0..self.vertices).map(|_| law.draw(&mut stream)).collect();
        if degrees.iter().map(|&k| u64::from(k)).sum::<u64>() % 2 == 1 {
            let odd = stream.below(self.vertices as u64) as usize;
            degrees[odd] = if degrees[odd] < self.max_degree {
                degrees[odd] + 1
            } else {
                degrees[odd] - 1
            };
        }
        degrees
    }

    /// The community of every vertex, and their number.
    fn communities(
        &self,
        inside: &[u32],
        law: &PowerLaw,
    ) -> Result<(Vec<Cluster>, usize), GenerateError> {
        let (least, most) = self.community_limits(law);
        let sizes = PowerLaw::new(self.community_exponent, least as u32, most as u32);
        let mut order: Vec<Vertex> = (0..self.vertices as Vertex).collect();
        order.sort_by_key(|&v| std::cmp::Reverse(inside[v as usize]));
        for draw in 0..u64::from(DRAWS) {
            let sizes = self.sizes(&sizes, least, most, draw);
            if let Some(truth) = deal(
                &order,
                inside,
                &sizes,
                &mut Stream::new(self.seed, Purpose::Membership, draw),
            ) {
                return Ok((truth, sizes.len()));
            }
        }
        Err(GenerateError::Room { draws: DRAWS })
    }

    /// Community sizes in falling order that sum to the number of vertices.
    fn sizes(&self, law: &PowerLaw, least: usize, most: usize, draw: u64) -> Vec<usize> {
        let n = self.vertices;
        let mut stream = Stream::new(self.seed, Purpose::Sizes, draw);
        let mut sizes = Vec::new();
        let mut sum = 0;
        while sum < n {
            sizes.push(law.draw(&mut stream) as usize);
            sum += sizes[sizes.len() - 1];
        }
        while sizes.len() * least > n {
            sum -= sizes
                .pop()
                .expect("fewer communities than n / least were checked to exist");
        }
        let count = sizes.len();
        for c in (0..count).cycle() {
            match sum.cmp(&n) {
                std::cmp::Ordering::Equal => break,
                std::cmp::Ordering::Less if sizes[c] < most => {
                    (sizes[c], sum) = (sizes[c] + 1, sum + 1);
                }
                std::cmp::Ordering::Greater if sizes[c] > least => {
                    (sizes[c], sum) = (sizes[c] - 1, sum - 1);
                }
                _ => {}
            }
        }
        sizes.sort_unstable_by_key(|&size| std::cmp::Reverse(size));
        sizes
    }

    /// Joins the internal stubs of every community; gives back those without a partner.
    fn wire_inside(
        &self,
        inside: &[u32],
        members: &Members,
        count: usize,
        observer: &dyn Observer,
    ) -> (Vec<(Vertex, Vertex)>, Vec<Vertex>) {
        let wired: Vec<_> = (0..count)
            .into_par_iter()
            .take_any_while(|_| !observer.cancelled())
            .map(|c| {
                let stubs = members
                    .members(c)
                    .iter()
                    .flat_map(|&v| std::iter::repeat_n(v, inside[v as usize] as usize))
                    .collect();
                wire_within(
                    stubs,
                    &mut Stream::new(self.seed, Purpose::Inside, c as u64),
                    observer,
                )
            })
            .collect();
        let returned = wired
            .iter()
            .flat_map(|w| w.left_over.iter().copied())
            .collect();
        (wired.into_iter().flat_map(|w| w.edges).collect(), returned)
    }
}

/// Deals the vertices (by falling internal degree) to communities (by falling size), or finds that
/// there is no room.
fn deal(
    order: &[Vertex],
    inside: &[u32],
    sizes: &[usize],
    stream: &mut Stream,
) -> Option<Vec<Cluster>> {
    let mut truth = vec![0; order.len()];
    let mut places: Vec<Cluster> = Vec::with_capacity(order.len());
    let mut opened = 0;
    for &v in order {
        while opened < sizes.len() && sizes[opened] > inside[v as usize] as usize {
            places.extend(std::iter::repeat_n(opened as Cluster, sizes[opened]));
            opened += 1;
        }
        if places.is_empty() {
            return None;
        }
        let place = stream.below(places.len() as u64) as usize;
        truth[v as usize] = places.swap_remove(place);
    }
    Some(truth)
}

/// Makes the number of internal stubs of every community even: in turn by one more, where a vertex
/// has room for it, and by one less, so that the mixing is not shifted.
fn even_out(inside: &mut [u32], degrees: &[u32], members: &Members, count: usize) {
    let mut raise = false;
    for c in 0..count {
        let own = members.members(c);
        if own
            .iter()
            .map(|&v| u64::from(inside[v as usize]))
            .sum::<u64>()
            % 2
            == 0
        {
            continue;
        }
        raise = !raise;
        let room = |&&v: &&Vertex| {
            inside[v as usize] < degrees[v as usize]
                && (inside[v as usize] as usize) < own.len() - 1
        };
        match own
            .iter()
            .filter(room)
            .min_by_key(|&&v| inside[v as usize])
            .filter(|_| raise)
        {
            Some(&v) => inside[v as usize] += 1,
            // An odd sum is not 0, so the largest term can be lowered.
            None => own
                .iter()
                .max_by_key(|&&v| inside[v as usize])
                .into_iter()
                .for_each(|&v| inside[v as usize] -= 1),
        }
    }
}
