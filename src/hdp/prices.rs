//! What local and global clusters cost, and the prices for about as many of them as one wants.

use crate::numeric::compensated;
use crate::points::{FarthestFirst, Groups, Space, first_of_most};
use crate::run::{Event, Observer, Silent};
use serde::{Deserialize, Serialize};

/// The two prices of the HDP.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Prices {
    /// `λ_ℓ` ≥ 0: what a local cluster costs.
    pub local: f64,
    /// `λ_g` ≥ 0: what a global cluster costs.
    pub global: f64,
}

/// What clusters cost, or how many are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Price {
    /// These prices.
    Lambdas(Prices),
    /// The prices for about this many clusters, by [`prices_for`].
    Clusters {
        /// Clusters a data set.
        local: usize,
        /// Clusters in all.
        global: usize,
    },
}

/// (`λ_ℓ`, `λ_g`) for about `local` clusters a data set and `global` in all (section 6.1 of the
/// paper).
///
/// `λ_ℓ` is the average over the data sets of the farthest-first distance in round `local` (a data
/// set with fewer points contributes its last round). For `λ_g` the distance of a point to T is
/// replaced by the sum over a data set, `Σ_{i∈j} w_i min_{t∈T} ‖x_i − t‖²`: T starts with the
/// global mean, every round adds the farthest point of the farthest data set, and `λ_g` is the
/// largest sum in round `global`. The paper's sentence leaves open what joins T; with means of data
/// sets instead of points no global cluster would ever open on the paper's own experiment. `None`
/// without points or for a count of 0.
///
/// # Complexity
/// O(n (`local` + `global`)) distances.
pub fn prices_for<S: Space>(
    space: &S,
    groups: &Groups,
    local: usize,
    global: usize,
) -> Option<Prices> {
    prices_until(space, groups, (local, global), &Silent)
}

/// [`prices_for`], of the rounds made so far when the observer ends it.
pub(super) fn prices_until<S: Space>(
    space: &S,
    groups: &Groups,
    (local, global): (usize, usize),
    observer: &dyn Observer,
) -> Option<Prices> {
    let sets = (0..groups.len()).map(|j| groups.members(j));
    let sets: Vec<&[u32]> = sets.filter(|members| !members.is_empty()).collect();
    if sets.is_empty() {
        return None;
    }
    observer.event(Event::Stage {
        name: "choosing λ",
        total: Some((sets.len() + global) as u64),
    });
    Some(Prices {
        local: local_price(space, &sets, local, observer)?,
        global: global_price(space, &sets, global, observer)?,
    })
}

/// The average over the data sets of the distance of round `rounds`.
fn local_price<S: Space>(
    space: &S,
    sets: &[&[u32]],
    rounds: usize,
    observer: &dyn Observer,
) -> Option<f64> {
    let mut last_rounds = Vec::with_capacity(sets.len());
    for members in sets {
        let within = FarthestFirst::among(space, members).take(rounds.min(members.len()));
        let (_, distance) = within.last()?;
        last_rounds.push(distance);
        observer.event(Event::Advance(1));
        if observer.cancelled() {
            break;
        }
    }
    Some(compensated(last_rounds.iter().copied()) / last_rounds.len() as f64)
}

/// The largest sum over a data set in round `rounds`.
fn global_price<S: Space>(
    space: &S,
    sets: &[&[u32]],
    rounds: usize,
    observer: &dyn Observer,
) -> Option<f64> {
    let all: Vec<u32> = (0..space.elements() as u32).collect();
    let mut far = FarthestFirst::among(space, &all);
    let mut largest = None;
    for _ in 0..rounds {
        let own = |members: &[u32]| -> Vec<f64> {
            members
                .iter()
                .map(|&i| far.distances()[i as usize])
                .collect()
        };
        let sums: Vec<f64> = sets
            .iter()
            .map(|set| compensated(own(set).into_iter()))
            .collect();
        let farthest_set = first_of_most(&sums)?;
        largest = Some(sums[farthest_set]);
        let members = sets[farthest_set];
        let farthest = members[first_of_most(&own(members))?];
        far.add(&space.alone(farthest as usize));
        observer.event(Event::Advance(1));
        if observer.cancelled() {
            break;
        }
    }
    largest
}
