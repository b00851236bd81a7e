//! Generators: what they promise, measured; the same on any number of threads; and the same as
//! ever, by checksum.

use lambdacut::generate::{Affinity, Blobs, Cliques, GenerateError, Lfr, Planted, Rmat, Sbm};
use lambdacut::run::{CancelToken, Silent};
use proptest::prelude::*;
use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

/// A checksum of edges and truth that does not depend on the byte order of the machine.
fn checksum(made: &Planted) -> u64 {
    let mut hash = Xxh3::new();
    for &(i, j) in &made.edges {
        hash.update(&i.to_le_bytes());
        hash.update(&j.to_le_bytes());
    }
    for &c in &made.truth {
        hash.update(&c.to_le_bytes());
    }
    hash.digest()
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(work)
}

fn degrees(made: &Planted) -> Vec<usize> {
    let mut degrees = vec![0; made.vertices];
    for &(i, j) in &made.edges {
        degrees[i as usize] += 1;
        degrees[j as usize] += 1;
    }
    degrees
}

fn sizes(truth: &[u32]) -> Vec<usize> {
    let mut sizes = vec![0; truth.iter().max().map_or(0, |&c| c as usize + 1)];
    for &c in truth {
        sizes[c as usize] += 1;
    }
    sizes
}

fn is_simple(made: &Planted) -> bool {
    made.edges
        .iter()
        .all(|&(i, j)| i < j && (j as usize) < made.vertices)
        && made.edges.is_sorted_by(|x, y| x < y)
}

fn mean(values: &[usize]) -> f64 {
    values.iter().sum::<usize>() as f64 / values.len() as f64
}

#[test]
fn lfr_keeps_its_promises() {
    for mixing in [0.1, 0.3, 0.5, 0.7] {
        let lfr = Lfr {
            vertices: 5000,
            mixing,
            min_community: Some(20),
            max_community: Some(100),
            ..Lfr::default()
        };
        let made = lfr.generate().unwrap();
        let (degrees, sizes) = (degrees(&made), sizes(&made.truth));
        assert!(is_simple(&made) && made.truth.len() == 5000);
        assert!(
            (made.mixing() - mixing).abs() < 0.005,
            "mixing {} instead of {mixing}",
            made.mixing()
        );
        assert!(
            (mean(&degrees) - 20.0).abs() < 0.4,
            "average degree {}",
            mean(&degrees)
        );
        assert!(degrees.iter().all(|&k| (1..=50).contains(&k)));
        assert!(sizes.iter().all(|s| (20..=100).contains(s)), "{sizes:?}");
    }
}

/// Of a power law `P(x) ∝ x^−γ` on `low..=high`, the share above `middle`.
fn share_above(middle: usize, low: usize, high: usize, exponent: f64) -> f64 {
    let weight = |range: std::ops::RangeInclusive<usize>| {
        range.map(|x| (x as f64).powf(-exponent)).sum::<f64>()
    };
    weight(middle + 1..=high) / weight(low..=high)
}

#[test]
fn lfr_follows_both_power_laws() {
    let lfr = Lfr {
        vertices: 100_000,
        degree_exponent: 2.5,
        community_exponent: 1.5,
        max_degree: 200,
        min_community: Some(50),
        max_community: Some(500),
        ..Lfr::default()
    };
    let made = lfr.generate().unwrap();
    let (degrees, sizes) = (degrees(&made), sizes(&made.truth));
    // Above its smallest value, which is thinned out to meet the mean, the law is exact.
    let least = degrees.iter().copied().min().unwrap() + 1;
    let beyond = degrees.iter().filter(|&&k| k >= least).count() as f64;
    for middle in [12, 20, 40, 100] {
        let expected = share_above(middle, least, 200, 2.5);
        let found = degrees.iter().filter(|&&k| k > middle).count() as f64 / beyond;
        assert!(
            (found - expected).abs() < 4.0 * (expected / beyond).sqrt(),
            "degrees above {middle}: {found} instead of {expected}"
        );
    }
    for middle in [100, 200] {
        let expected = share_above(middle, 50, 500, 1.5);
        let found = sizes.iter().filter(|&&s| s > middle).count() as f64 / sizes.len() as f64;
        assert!(
            (found - expected).abs() < 0.08,
            "communities above {middle}: {found} instead of {expected}"
        );
    }
}

#[test]
fn lfr_loses_next_to_nothing_when_communities_are_dense() {
    // Nearly every vertex is joined to nearly all of its community.
    let lfr = Lfr {
        vertices: 2000,
        average_degree: 12.0,
        max_degree: 16,
        mixing: 0.05,
        min_community: Some(16),
        max_community: Some(20),
        ..Lfr::default()
    };
    let made = lfr.generate().unwrap();
    assert!(
        (mean(&degrees(&made)) - 12.0).abs() < 0.2,
        "average degree {}",
        mean(&degrees(&made))
    );
    assert!(
        (made.mixing() - 0.05).abs() < 0.005,
        "mixing {}",
        made.mixing()
    );
    // Communities of 4 and more, in which most vertices know all others.
    let made = Lfr {
        vertices: 20_000,
        average_degree: 10.0,
        max_degree: 100,
        mixing: 0.4,
        ..Lfr::default()
    }
    .generate()
    .unwrap();
    assert!(
        (made.mixing() - 0.4).abs() < 0.005,
        "mixing {}",
        made.mixing()
    );
}

#[test]
fn lfr_says_what_cannot_be_had() {
    let reason = |lfr: Lfr| lfr.generate().unwrap_err().to_string();
    let base = Lfr::default();
    assert!(
        reason(Lfr {
            mixing: 1.5,
            ..base
        })
        .contains("mixing must be between 0 and 1")
    );
    assert!(
        reason(Lfr {
            mixing: f64::NAN,
            ..base
        })
        .contains("mixing")
    );
    assert!(
        reason(Lfr {
            average_degree: 60.0,
            ..base
        })
        .contains("largest degree")
    );
    assert!(
        reason(Lfr {
            average_degree: 1.1,
            ..base
        })
        .contains("power law")
    );
    assert!(
        reason(Lfr {
            max_degree: 1000,
            ..base
        })
        .contains("below the number of vertices")
    );
    assert!(
        reason(Lfr {
            min_community: Some(400),
            max_community: Some(450),
            ..base
        })
        .contains("cannot be split")
    );
    assert!(
        reason(Lfr {
            mixing: 0.0,
            min_community: Some(10),
            max_community: Some(12),
            ..base
        })
        .contains("more than d")
    );
    assert!(
        reason(Lfr {
            vertices: 5_000_000_000,
            ..base
        })
        .contains("2^31")
    );
}

#[test]
fn blocks_have_as_many_edges_as_expected() {
    let p = [0.3, 0.02, 0.0, 0.02, 0.1, 0.05, 0.0, 0.05, 1.0];
    let sizes = vec![300, 200, 60];
    for propensity in [None, Some((2.0, 8))] {
        let made = Sbm {
            sizes: sizes.clone(),
            affinity: Affinity::Matrix(p.to_vec()),
            propensity,
            seed: 3,
        }
        .generate()
        .unwrap();
        assert!(is_simple(&made));
        for r in 0..3 {
            for s in 0..=r {
                let found = made
                    .edges
                    .iter()
                    .filter(|&&(i, j)| {
                        (made.truth[i as usize], made.truth[j as usize]) == (s as u32, r as u32)
                    })
                    .count();
                let pairs = if r == s {
                    sizes[r] * (sizes[r] - 1) / 2
                } else {
                    sizes[r] * sizes[s]
                } as f64;
                let expected = pairs * p[3 * r + s];
                let tolerance = 4.0 * (expected * (1.0 - p[3 * r + s])).sqrt();
                // Repeats are dropped by the degree-corrected model, the more the denser the block.
                let least = if propensity.is_some() {
                    0.45 * expected
                } else {
                    expected - tolerance
                };
                assert!(
                    (least..=expected + tolerance).contains(&(found as f64)),
                    "{r},{s}: {found} instead of {expected}"
                );
            }
        }
    }
}

#[test]
fn propensities_spread_the_degrees_and_keep_the_blocks() {
    let affinity = Affinity::Planted {
        inside: 0.02,
        between: 0.001,
    };
    let plain = Sbm {
        sizes: vec![500; 6],
        affinity,
        propensity: None,
        seed: 1,
    };
    let corrected = Sbm {
        propensity: Some((2.0, 100)),
        ..plain.clone()
    };
    let (plain, corrected) = (plain.generate().unwrap(), corrected.generate().unwrap());
    let spread =
        |made: &Planted| *degrees(made).iter().max().unwrap() as f64 / mean(&degrees(made));
    assert!(
        spread(&plain) < 3.0 && spread(&corrected) > 6.0,
        "{} {}",
        spread(&plain),
        spread(&corrected)
    );
    assert!((plain.mixing() - corrected.mixing()).abs() < 0.05);
    let expected = 6.0 * 500.0 * 499.0 / 2.0 * 0.02 + 15.0 * 500.0 * 500.0 * 0.001;
    assert!((plain.edges.len() as f64 - expected).abs() < 4.0 * expected.sqrt());
}

#[test]
fn a_wrong_block_model_is_refused() {
    let reason = |sbm: Sbm| sbm.generate().unwrap_err().to_string();
    assert!(
        reason(Sbm {
            sizes: vec![],
            ..Sbm::default()
        })
        .contains("number of blocks")
    );
    assert!(
        reason(Sbm {
            sizes: vec![3, 0],
            ..Sbm::default()
        })
        .contains("size of a block")
    );
    assert!(
        reason(Sbm {
            affinity: Affinity::Planted {
                inside: 1.1,
                between: 0.0
            },
            ..Sbm::default()
        })
        .contains("probability")
    );
    assert!(
        reason(Sbm {
            sizes: vec![2; 2],
            affinity: Affinity::Matrix(vec![0.5; 3]),
            ..Sbm::default()
        })
        .contains("square")
    );
    assert!(
        reason(Sbm {
            sizes: vec![2; 2],
            affinity: Affinity::Matrix(vec![0.5, 0.1, 0.2, 0.5]),
            ..Sbm::default()
        })
        .contains("diagonal")
    );
}

#[test]
fn rmat_visits_quadrants_as_often_as_asked() {
    let rmat = Rmat {
        scale: 9,
        arcs: 300_000,
        a: 0.5,
        b: 0.2,
        c: 0.1,
        seed: 5,
    }
    .checked()
    .unwrap();
    let arcs: Vec<_> = (0..rmat.chunks()).flat_map(|c| rmat.chunk(c)).collect();
    assert_eq!(arcs.len(), 300_000);
    for level in [0, 3, 8] {
        let mut seen = [0.0f64; 4];
        for &(from, to) in &arcs {
            seen[((from >> level & 1) << 1 | to >> level & 1) as usize] += 1.0 / 300_000.0;
        }
        for (found, expected) in seen.into_iter().zip([0.5, 0.2, 0.1, 0.2]) {
            assert!((found - expected).abs() < 0.004, "level {level}: {seen:?}");
        }
    }
    assert!(
        Rmat {
            scale: 40,
            ..Rmat::default()
        }
        .checked()
        .is_err()
    );
    assert!(
        Rmat {
            a: 0.9,
            ..Rmat::default()
        }
        .checked()
        .is_err()
    );
    assert!(
        Rmat {
            a: 0.7,
            b: 0.2,
            c: 0.1,
            ..Rmat::default()
        }
        .checked()
        .is_ok()
    );
}

#[test]
fn rmat_chunks_do_not_depend_on_each_other() {
    let rmat = Rmat {
        arcs: 200_000,
        ..Rmat::default()
    }
    .checked()
    .unwrap();
    let forward: Vec<_> = (0..rmat.chunks()).map(|c| rmat.chunk(c)).collect();
    let parallel: Vec<_> = (0..rmat.chunks())
        .into_par_iter()
        .map(|c| rmat.chunk(c))
        .collect();
    assert_eq!(forward, parallel);
    assert_ne!(forward[0], forward[1]);
}

#[test]
fn rmat_writes_its_chunks_in_order_and_stops_when_asked() {
    let rmat = Rmat {
        arcs: 5 * Rmat::CHUNK + 11,
        scale: 20,
        ..Rmat::default()
    }
    .checked()
    .unwrap();
    let write = |threads| {
        let mut text = Vec::new();
        on_threads(threads, || rmat.write_to(&mut text, &Silent)).unwrap();
        text
    };
    let text = write(2);
    assert!(text == write(1), "the same on one thread");
    let lines: Vec<String> = (0..rmat.chunks())
        .flat_map(|c| rmat.chunk(c))
        .map(|(from, to)| format!("{from}\t{to}\n"))
        .collect();
    assert!(text == lines.concat().as_bytes(), "what the chunks hold");
    let stop = CancelToken::default();
    stop.cancel();
    assert!(rmat.write_to(&mut Vec::new(), &stop).is_err());
}

#[test]
fn small_rings_of_cliques() {
    let edges = |cliques, size| Cliques { cliques, size }.generate().unwrap().edges;
    assert_eq!(edges(1, 3), [(0, 1), (0, 2), (1, 2)]);
    assert_eq!(edges(2, 2), [(0, 1), (1, 2), (2, 3)]);
    assert_eq!(edges(3, 1), [(0, 1), (0, 2), (1, 2)]);
    assert_eq!(edges(2, 1), [(0, 1)]);
    assert!(
        Cliques {
            cliques: 0,
            size: 3
        }
        .generate()
        .is_err()
    );
    assert!(
        Cliques {
            cliques: 1 << 20,
            size: 1 << 20
        }
        .generate()
        .is_err()
    );
}

#[test]
fn blobs_are_where_their_centres_are() {
    let blobs = Blobs {
        points: 30_000,
        clusters: 3,
        dimensions: 3,
        deviation: 0.5,
        extent: 10.0,
        separation: 8.0,
        seed: 4,
    };
    let made = blobs.generate().unwrap();
    for c in 0..3 {
        let own: Vec<&[f64]> = made
            .values
            .chunks(3)
            .zip(&made.truth)
            .filter(|&(_, &t)| t == c as u32)
            .map(|(p, _)| p)
            .collect();
        assert_eq!(own.len(), 10_000);
        for x in 0..3 {
            let centre = made.centres[3 * c + x];
            let mean = own.iter().map(|p| p[x]).sum::<f64>() / 1e4;
            let variance = own.iter().map(|p| (p[x] - centre).powi(2)).sum::<f64>() / 1e4;
            assert!(
                (mean - centre).abs() < 0.02 && (variance - 0.25).abs() < 0.015,
                "{mean} {centre} {variance}"
            );
        }
    }
    let far = |a: usize, b: usize| {
        (0..3)
            .map(|x| (made.centres[3 * a + x] - made.centres[3 * b + x]).powi(2))
            .sum::<f64>()
            .sqrt()
            >= 4.0
    };
    assert!(far(0, 1) && far(0, 2) && far(1, 2));
    let crowded = Blobs {
        clusters: 100,
        extent: 1.0,
        separation: 10.0,
        ..Blobs::default()
    };
    assert!(matches!(
        crowded.generate(),
        Err(GenerateError::Centres { .. })
    ));
}

fn all_of(seed: u64) -> Vec<Planted> {
    let affinity = Affinity::Planted {
        inside: 0.05,
        between: 0.002,
    };
    vec![
        Lfr {
            vertices: 3000,
            seed,
            ..Lfr::default()
        }
        .generate()
        .unwrap(),
        Sbm {
            sizes: vec![400; 5],
            affinity: affinity.clone(),
            propensity: None,
            seed,
        }
        .generate()
        .unwrap(),
        Sbm {
            sizes: vec![400; 5],
            affinity,
            propensity: Some((2.5, 50)),
            seed,
        }
        .generate()
        .unwrap(),
    ]
}

#[test]
fn threads_change_nothing_and_seeds_everything() {
    let one = on_threads(1, || all_of(7));
    assert_eq!(one, on_threads(2, || all_of(7)));
    assert_eq!(one, on_threads(3, || all_of(7)));
    assert!(one.iter().zip(all_of(8)).all(|(x, y)| x.edges != y.edges));
    let blobs = |threads| {
        on_threads(threads, || {
            Blobs {
                points: 20_000,
                ..Blobs::default()
            }
            .generate()
            .unwrap()
        })
    };
    assert_eq!(blobs(1), blobs(3));
}

/// Made by this program once; a change means that the same seed no longer gives the same data, here
/// or on another platform.
#[test]
fn seeds_give_the_data_they_always_gave() {
    let found: Vec<u64> = all_of(1).iter().map(checksum).collect();
    assert_eq!(
        found,
        [
            11_861_502_266_799_692_450,
            5_488_548_964_222_029_985,
            2_807_212_005_655_240_418
        ],
        "LFR, block model, degree-corrected block model"
    );
    let rmat = Rmat {
        arcs: 70_000,
        ..Rmat::default()
    }
    .checked()
    .unwrap();
    let arcs = Planted {
        vertices: 1 << 16,
        edges: (0..rmat.chunks()).flat_map(|c| rmat.chunk(c)).collect(),
        truth: vec![],
    };
    assert_eq!(checksum(&arcs), 18_156_629_293_819_616_064, "R-MAT");
    let blobs = Blobs::default().generate().unwrap();
    let mut hash = Xxh3::new();
    blobs
        .values
        .iter()
        .for_each(|v| hash.update(&v.to_le_bytes()));
    assert_eq!(hash.digest(), 12_351_465_754_529_248_560, "blobs");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_lfr_is_simple_and_complete(
        vertices in 50usize..400, average in 3.0..12.0, most in 15u32..40, mixing in 0.0..1.0, tau in 1.0..3.0, seed in any::<u64>(),
    ) {
        let lfr = Lfr { vertices, average_degree: average, max_degree: most, mixing, degree_exponent: tau, seed, ..Lfr::default() };
        match lfr.generate() {
            Ok(made) => {
                prop_assert!(is_simple(&made));
                prop_assert_eq!(made.truth.len(), vertices);
                prop_assert!(sizes(&made.truth).iter().all(|&s| s >= 3 && s <= most as usize + 1));
                prop_assert!(degrees(&made).iter().all(|&k| k <= most as usize));
            }
            Err(GenerateError::Room { .. } | GenerateError::Mean { .. } | GenerateError::Split { .. }) => {}
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn any_block_model_is_simple(sizes in proptest::collection::vec(1usize..40, 1..6), p in 0.0..=1.0, q in 0.0..=1.0, dc in any::<bool>()) {
        let affinity = Affinity::Planted { inside: p, between: q };
        let made = Sbm { sizes: sizes.clone(), affinity, propensity: dc.then_some((2.0, 10)), seed: 1 }.generate().unwrap();
        prop_assert!(is_simple(&made));
        prop_assert_eq!(made.truth.len(), sizes.iter().sum::<usize>());
    }
}
