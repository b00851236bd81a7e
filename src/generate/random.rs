//! Streams of random numbers that depend on nothing but the seed, the purpose and the number of the
//! block.

use crate::run::Observer;
use rand::Rng;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Random swaps between two questions to the observer.
const ASKING: usize = 1 << 16;

/// What a stream is for; two purposes never share numbers.
#[derive(Debug, Clone, Copy)]
#[repr(u64)]
pub(super) enum Purpose {
    Degrees = 1,
    Sizes,
    Membership,
    Inside,
    Between,
    Edges,
    Propensity,
    Centres,
    Points,
}

/// One stream.
pub(super) struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of `block` for `purpose`.
    pub(super) fn new(seed: u64, purpose: Purpose, block: u64) -> Self {
        let key = mix(mix(mix(seed).wrapping_add(purpose as u64)).wrapping_add(block));
        Self(Xoshiro256PlusPlus::seed_from_u64(key))
    }

    /// 64 random bits.
    #[inline]
    pub(super) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in `[0, 1)`, a multiple of 2⁻⁵³.
    #[inline]
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `0..n` for `n > 0`, without bias (Lemire's multiplication with rejection).
    #[inline]
    pub(super) fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.bits()) * u128::from(n);
        if (product as u64) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u64) < threshold {
                product = u128::from(self.bits()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// `⌊x⌋` or `⌈x⌉` with mean `x`, for `x ≥ 0`.
    pub(super) fn round(&mut self, x: f64) -> u64 {
        let whole = x.floor();
        whole as u64 + u64::from(self.unit() < x - whole)
    }

    /// A standard normal pair (Marsaglia's polar method).
    pub(super) fn normals(&mut self) -> (f64, f64) {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                let factor = (-2.0 * libm::log(s) / s).sqrt();
                return (x * factor, y * factor);
            }
        }
    }

    /// A uniformly random order (Fisher and Yates); a cancelled shuffle ends early.
    pub(super) fn shuffle<T>(&mut self, values: &mut [T], observer: &dyn Observer) {
        for i in (1..values.len()).rev() {
            if i % ASKING == 0 && observer.cancelled() {
                return;
            }
            values.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

/// The finaliser of `SplitMix64`: every bit of the input reaches every bit of the output.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
