//! How sure a share of a sample is.

/// The quantile of the normal distribution that leaves 2.5 % on each side.
const Z: f64 = 1.959_963_984_540_054;

/// The 95 % interval of Wilson (1927) for `count` of `total`: of all true shares those that do not make this one a surprise. It stays
/// within 0 and 1 and holds for shares near them. Nothing for a total of 0.
pub fn wilson(count: u64, total: u64) -> Option<(f64, f64)> {
    if total == 0 {
        return None;
    }
    let (n, share) = (total as f64, count as f64 / total as f64);
    let factor = 1.0 + Z * Z / n;
    let centre = (share + Z * Z / (2.0 * n)) / factor;
    let half = Z / factor * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    // At the ends the formula gives 0 and 1, but for rounding.
    let low = if count == 0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if count >= total { 1.0 } else { (centre + half).min(1.0) };
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_textbook() {
        // 81 of 263 is the worked example of Newcombe (1998).
        let cases = [
            (0, 10, 0.0, 0.277_532_8),
            (10, 10, 0.722_467_2, 1.0),
            (1, 10, 0.017_876_21, 0.404_150_0),
            (5, 10, 0.236_593_1, 0.763_406_9),
            (81, 263, 0.255_288_5, 0.366_209_6),
            (1, 1_000_000, 1.765_246e-7, 5.664_912e-6),
        ];
        for (count, total, low, high) in cases {
            let (l, h) = wilson(count, total).unwrap();
            assert!((l - low).abs() < 1e-6 && (h - high).abs() < 1e-6, "{count}/{total}: {l} {h}");
        }
        assert_eq!(wilson(0, 0), None);
    }
}
