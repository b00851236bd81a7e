//! One pass over the points: as the paper writes it, and in parallel with the same result.

use crate::ids::Cluster;
use crate::points::{Alternation, Search, squared_distance};
use rayon::prelude::*;

/// Candidates validated together; any size gives the same answer.
const CANDIDATES: usize = 1024;

/// The pass as the paper writes it.
pub(super) fn literal_pass(state: &mut Alternation<'_>, order: &[u32], lambda: f64) -> usize {
    let (points, old) = (state.points(), state.centres().clone());
    let mut opened: Vec<u32> = Vec::new();
    let mut moves = 0;
    for &i in order {
        let x = points.row(i as usize);
        let (mut nearest, mut distance) = (0, f64::INFINITY);
        let centres = (0..old.len())
            .map(|c| old.row(c))
            .chain(opened.iter().map(|&s| points.row(s as usize)));
        for (c, centre) in centres.enumerate() {
            let here = squared_distance(x, centre);
            if here < distance {
                (nearest, distance) = (c, here);
            }
        }
        if points.weight(i as usize) * distance > lambda {
            (nearest, distance) = (old.len() + opened.len(), 0.0);
            opened.push(i);
        }
        moves += usize::from(state.labels()[i as usize] != nearest as Cluster);
        state.put(i as usize, nearest as Cluster, distance);
    }
    state.open(&opened);
    moves
}

/// The pass in parallel.
pub(super) fn pass(state: &mut Alternation<'_>, order: &[u32], lambda: f64) -> usize {
    let before = state.labels().to_vec();
    state.reassign();
    let points = state.points();
    let is_candidate =
        |i: usize, state: &Alternation<'_>| points.weight(i) * state.own_distance(i) > lambda;
    let candidates: Vec<u32> = order
        .iter()
        .copied()
        .filter(|&i| is_candidate(i as usize, state))
        .collect();
    let settled: Vec<u32> = if candidates.is_empty() {
        Vec::new()
    } else {
        order
            .iter()
            .copied()
            .filter(|&i| !is_candidate(i as usize, state))
            .collect()
    };
    let opened = validate(state, &candidates, lambda);
    let limits = opened_before(order, &opened);
    join_opened(state, &settled, &opened, &limits);
    state.open(&opened);
    before
        .par_iter()
        .zip(state.labels())
        .filter(|(a, b)| a != b)
        .count()
}

/// For every point, how many clusters were opened before its turn.
fn opened_before(order: &[u32], opened: &[u32]) -> Vec<u32> {
    if opened.is_empty() {
        return Vec::new();
    }
    let mut limits = vec![0; order.len()];
    let mut so_far = 0;
    for &i in order {
        limits[i as usize] = so_far as u32;
        so_far += usize::from(opened.get(so_far) == Some(&i));
    }
    limits
}

/// Decides in order which candidates open a cluster, and puts every candidate where it belongs.
/// Returns the openers.
fn validate(state: &mut Alternation<'_>, candidates: &[u32], lambda: f64) -> Vec<u32> {
    let (points, old) = (state.points(), state.centres().len());
    let mut opened: Vec<u32> = Vec::new();
    for block in candidates.chunks(CANDIDATES) {
        let known = opened.len();
        let centres = points.select(&opened);
        let found = Search::new(&centres, state.frame()).nearest(points, block, None);
        for (&i, among_known) in block.iter().zip(found) {
            let row = points.row(i as usize);
            let mut best = (state.labels()[i as usize], state.own_distance(i as usize));
            if among_known.distance < best.1 {
                best = ((old as u32) + among_known.index, among_known.distance);
            }
            for (c, &s) in opened.iter().enumerate().skip(known) {
                let distance = squared_distance(row, points.row(s as usize));
                if distance < best.1 {
                    best = ((old + c) as u32, distance);
                }
            }
            if points.weight(i as usize) * best.1 > lambda {
                best = ((old + opened.len()) as u32, 0.0);
                opened.push(i);
            }
            state.put(i as usize, best.0, best.1);
        }
    }
    opened
}

/// Lets every settled point join a cluster that was opened before its turn, where that is nearer
/// than its old centre.
fn join_opened(state: &mut Alternation<'_>, settled: &[u32], opened: &[u32], limits: &[u32]) {
    let (points, old) = (state.points(), state.centres().len());
    let rows: Vec<u32> = settled
        .iter()
        .copied()
        .filter(|&i| limits.get(i as usize).is_some_and(|&l| l > 0))
        .collect();
    let limits: Vec<u32> = rows.iter().map(|&i| limits[i as usize]).collect();
    let centres = points.select(opened);
    let found = Search::new(&centres, state.frame()).nearest(points, &rows, Some(&limits));
    for (&i, nearest) in rows.iter().zip(found) {
        if nearest.distance < state.own_distance(i as usize) {
            state.put(i as usize, old as u32 + nearest.index, nearest.distance);
        }
    }
}
