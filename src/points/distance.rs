//! The one squared distance that every decision rests on.

/// Accumulators of the sum; fixed, so that the grouping of the terms never depends on the machine.
const LANES: usize = 8;

/// `‖a − b‖²`, summed in a fixed grouping of eight lanes: the same bits on every machine and in
/// every caller, which is what makes the parallel and the sequential methods agree label by label.
/// O(d).
///
/// ```
/// assert_eq!(lambdacut::points::squared_distance(&[0.0, 0.0], &[3.0, 4.0]), 25.0);
/// ```
#[inline]
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0f64; LANES];
    let (whole_a, rest_a) = a.as_chunks::<LANES>();
    let (whole_b, rest_b) = b.as_chunks::<LANES>();
    for (x, y) in whole_a.iter().zip(whole_b) {
        for t in 0..LANES {
            let gap = x[t] - y[t];
            lanes[t] += gap * gap;
        }
    }
    for (t, (x, y)) in rest_a.iter().zip(rest_b).enumerate() {
        let gap = x - y;
        lanes[t] += gap * gap;
    }
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5]))
        + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}
