//! Where the circles of a picture go: a force-directed layout without chance.
//!
//! Circles start on a sunflower spiral, or where their members were in the picture before. Then,
//! for a fixed number of rounds with a falling limit on the step, every two circles repel by `s²/g`
//! (`g` the gap between their rims, `s` the spacing) and linked ones attract by `g²/s` times the
//! strength of their link; a weak pull towards the middle keeps parts without links in view. At
//! last overlaps are pushed apart. O(rounds · n²) for n circles, at most a few dozen. Sines come
//! from `libm`, everything else is exact arithmetic of IEEE 754, so the picture is the same on
//! every machine.

/// Rounds of forces.
const ROUNDS: usize = 400;

/// Rounds of pushing overlaps apart.
const PUSHES: usize = 200;

/// The gap between rims that repulsion and attraction of the strongest link balance at.
const SPACING: f64 = 46.0;

/// The least gap left between rims.
const MARGIN: f64 = 5.0;

/// A step of the first round is at most this long.
const LONGEST: f64 = 60.0;

/// The pull towards the middle, as a share of the distance from it.
const GRAVITY: f64 = 0.25;

/// A place in the plane.
pub(super) type Place = [f64; 2];

/// Circles to be laid out.
pub(super) struct Circles<'a> {
    /// Their radii.
    pub radii: &'a [f64],
    /// Pairs with a strength in (0, 1].
    pub links: &'a [(usize, usize, f64)],
}

impl Circles<'_> {
    /// Places from scratch, the longer side of the picture horizontal.
    pub fn arrange(&self) -> Vec<Place> {
        let spiral = (0..self.radii.len()).map(|a| {
            let (turn, reach) = (
                a as f64 * 2.399_963_229_728_653,
                2.0 * SPACING * (a as f64 + 0.5).sqrt(),
            );
            [reach * libm::cos(turn), reach * libm::sin(turn)]
        });
        let mut places: Vec<Place> = spiral.collect();
        self.relax(&mut places, LONGEST);
        lay_flat(&mut places);
        self.separate(&mut places);
        places
    }

    /// Places near given ones.
    pub fn rearrange(&self, mut places: Vec<Place>) -> Vec<Place> {
        // Circles that start at one spot need a direction in which to part.
        for (a, place) in places.iter_mut().enumerate() {
            let turn = a as f64 * 2.399_963_229_728_653;
            *place = [place[0] + libm::cos(turn), place[1] + libm::sin(turn)];
        }
        self.relax(&mut places, LONGEST / 3.0);
        self.separate(&mut places);
        places
    }

    /// The vector from `a` to `b` with its length, and the gap between their rims.
    fn between(&self, places: &[Place], a: usize, b: usize) -> (Place, f64, f64) {
        let way = [places[b][0] - places[a][0], places[b][1] - places[a][1]];
        let length = (way[0] * way[0] + way[1] * way[1]).sqrt().max(1e-3);
        (way, length, length - self.radii[a] - self.radii[b])
    }

    fn relax(&self, places: &mut [Place], longest: f64) {
        for round in 0..ROUNDS {
            let limit = longest * (1.0 - round as f64 / ROUNDS as f64);
            let forces = self.forces(places);
            for (place, force) in places.iter_mut().zip(forces) {
                let size = (force[0] * force[0] + force[1] * force[1]).sqrt();
                let scale = if size > limit { limit / size } else { 1.0 };
                // A third of the force: whole steps would swing around the balance.
                *place = [
                    place[0] + force[0] * scale / 3.0,
                    place[1] + force[1] * scale / 3.0,
                ];
            }
        }
    }

    fn forces(&self, places: &[Place]) -> Vec<Place> {
        let n = places.len();
        let mut forces: Vec<Place> = places
            .iter()
            .map(|p| [-GRAVITY * p[0], -GRAVITY * p[1]])
            .collect();
        let mut pull = |a: usize, b: usize, way: Place, size: f64| {
            for t in 0..2 {
                forces[a][t] += way[t] * size;
                forces[b][t] -= way[t] * size;
            }
        };
        for a in 0..n {
            for b in a + 1..n {
                let (way, length, gap) = self.between(places, a, b);
                pull(a, b, way, -SPACING * SPACING / (gap.max(MARGIN) * length));
            }
        }
        for &(a, b, strength) in self.links {
            let (way, length, gap) = self.between(places, a, b);
            pull(
                a,
                b,
                way,
                strength * gap.max(0.0) * gap.max(0.0) / (SPACING * length),
            );
        }
        forces
    }

    /// Pushes circles apart until none overlap, or the rounds are used up.
    fn separate(&self, places: &mut [Place]) {
        for _ in 0..PUSHES {
            let mut moved = false;
            for a in 0..places.len() {
                for b in a + 1..places.len() {
                    let (way, length, gap) = self.between(places, a, b);
                    if gap < MARGIN {
                        let push = (MARGIN - gap + 0.01) / (2.0 * length);
                        for t in 0..2 {
                            places[a][t] -= way[t] * push;
                            places[b][t] += way[t] * push;
                        }
                        moved = true;
                    }
                }
            }
            if !moved {
                return;
            }
        }
    }
}

/// Turns the places so that they spread most horizontally.
fn lay_flat(places: &mut [Place]) {
    let n = places.len().max(1) as f64;
    let mean = [0, 1].map(|t| places.iter().map(|p| p[t]).sum::<f64>() / n);
    let moment = |s: usize, t: usize| {
        places
            .iter()
            .map(|p| (p[s] - mean[s]) * (p[t] - mean[t]))
            .sum::<f64>()
    };
    let turn = libm::atan2(2.0 * moment(0, 1), moment(0, 0) - moment(1, 1)) / 2.0;
    let (cos, sin) = (libm::cos(turn), libm::sin(turn));
    for place in places {
        let [x, y] = [place[0] - mean[0], place[1] - mean[1]];
        *place = [cos * x + sin * y, cos * y - sin * x];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(circles: &Circles<'_>, places: &[Place], a: usize, b: usize) -> f64 {
        circles.between(places, a, b).2
    }

    #[test]
    fn circles_do_not_overlap_and_linked_ones_are_near() {
        let radii: Vec<f64> = (0..24).map(|a| 40.0 / (1.0 + f64::from(a) / 4.0)).collect();
        let links: Vec<(usize, usize, f64)> = (0..12).map(|a| (a, a + 12, 1.0)).collect();
        let circles = Circles {
            radii: &radii,
            links: &links,
        };
        let places = circles.arrange();
        assert_eq!(places, circles.arrange());
        let pairs = || (0..24).flat_map(|a| (a + 1..24).map(move |b| (a, b)));
        assert!(pairs().all(|(a, b)| gap(&circles, &places, a, b) >= 0.0));
        let mean = |chosen: Vec<(usize, usize)>| {
            chosen
                .iter()
                .map(|&(a, b)| gap(&circles, &places, a, b))
                .sum::<f64>()
                / chosen.len() as f64
        };
        let linked: Vec<_> = links.iter().map(|l| (l.0, l.1)).collect();
        assert!(mean(linked) < 0.6 * mean(pairs().collect()));
    }

    #[test]
    fn no_and_one_circle_have_places_too() {
        assert!(
            Circles {
                radii: &[],
                links: &[]
            }
            .arrange()
            .is_empty()
        );
        assert!(
            Circles {
                radii: &[9.0],
                links: &[]
            }
            .arrange()[0]
                .iter()
                .all(|t| t.is_finite())
        );
        let same = Circles {
            radii: &[9.0, 9.0],
            links: &[],
        }
        .rearrange(vec![[0.0, 0.0]; 2]);
        assert!(same[0] != same[1]);
    }
}
