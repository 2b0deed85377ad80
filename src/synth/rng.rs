//! Random numbers that are the same on every machine: integers only, no clock, no state shared between streams.

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): a 64-bit counter
/// and a finaliser. It is small, passes BigCrush, and any number of independent streams can be keyed.
#[derive(Debug, Clone)]
pub(super) struct Rng(u64);

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

const fn finish(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Rng {
    /// The stream of one thing: `kind` tells sites from bodies from files, `index` one of a kind from the next.
    pub(super) const fn keyed(seed: u64, kind: u64, index: u64) -> Rng {
        Rng(finish(finish(finish(seed.wrapping_add(GAMMA)) ^ kind.wrapping_mul(GAMMA)) ^ index.wrapping_mul(GAMMA)))
    }

    /// 64 random bits.
    pub(super) const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        finish(self.0)
    }

    /// A number in `0..n`, 0 for `n` = 0 (multiply and shift: the bias of 2^-64 x n is of no matter here).
    pub(super) const fn below(&mut self, n: u64) -> u64 {
        ((self.bits() as u128 * n as u128) >> 64) as u64
    }

    /// A number in `low..=high`.
    pub(super) const fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True `n` times in 10,000.
    pub(super) const fn chance(&mut self, n: u64) -> bool {
        self.below(10_000) < n
    }

    /// One of a list, all equally likely; the default of the type for an empty one.
    pub(super) fn pick<T: Copy + Default>(&mut self, list: &[T]) -> T {
        list.get(self.below(list.len() as u64) as usize).copied().unwrap_or_default()
    }

    /// The position of one of a list of weights, in proportion to them; 0 when all are zero.
    pub(super) fn weighted<T>(&mut self, list: &[T], weight: impl Fn(&T) -> u64) -> usize {
        let total: u64 = list.iter().map(&weight).sum();
        let mut left = self.below(total);
        for (at, item) in list.iter().enumerate() {
            let own = weight(item);
            if left < own {
                return at;
            }
            left -= own;
        }
        0
    }

    /// A value of the distribution that `knots` describe: (share in millionths, value), both rising, straight lines
    /// between them.
    pub(super) fn quantile(&mut self, knots: &[(u32, u32)]) -> u32 {
        let at = self.below(1_000_000) as u32;
        for pair in knots.windows(2) {
            if let [(from, low), (to, high)] = *pair
                && at < to
            {
                let (step, width) = (at.saturating_sub(from), (to - from).max(1));
                return low + (u64::from(high.saturating_sub(low)) * u64::from(step) / u64::from(width)) as u32;
            }
        }
        knots.last().map_or(0, |knot| knot.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_the_published_generator_and_do_not_overlap() {
        // The first outputs of SplitMix64 with state 1234567, as its authors' reference code gives them.
        let mut rng = Rng(1_234_567);
        assert_eq!(
            [rng.bits(), rng.bits(), rng.bits()],
            [6457827717110365317, 3203168211198807973, 9817491932198370423]
        );
        let mut firsts: Vec<u64> = (0..1000).flat_map(|i| (0..4).map(move |k| Rng::keyed(7, k, i).bits())).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 4000);
    }

    #[test]
    fn draws_follow_their_weights() {
        let mut rng = Rng::keyed(1, 2, 3);
        let mut hits = [0u32; 3];
        for _ in 0..10_000 {
            hits[rng.weighted(&[1u64, 0, 3], |w| *w)] += 1;
        }
        assert!(hits[1] == 0 && (2_300..2_700).contains(&hits[0]), "{hits:?}");
        assert_eq!(rng.weighted(&[0u64, 0], |w| *w), 0);
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.pick::<u8>(&[]), 0);
        let knots = [(0, 10), (500_000, 20), (1_000_000, 1000)];
        let mut drawn: Vec<u32> = (0..10_001).map(|_| rng.quantile(&knots)).collect();
        drawn.sort_unstable();
        assert!(drawn[0] >= 10 && drawn[10_000] < 1000);
        assert!((19..=25).contains(&drawn[5_000]), "{}", drawn[5_000]);
    }
}
