//! Sizes as people type them: `64MiB`, `4M`, `1048576`.

/// Bytes of a size such as `512`, `64KiB`, `4M` or `1.5GiB`; units are binary, decimal ones end in `B` alone (`4MB`).
pub fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| format!("`{text}` is not a size; write one such as 64MiB"))?;
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "ki" | "kib" => 1 << 10,
        "m" | "mi" | "mib" => 1 << 20,
        "g" | "gi" | "gib" => 1 << 30,
        "t" | "ti" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        other => return Err(format!("`{other}` is not a unit of size; use KiB, MiB or GiB")),
    };
    let bytes = number * factor as f64;
    if bytes < 1.0 || bytes > (1u64 << 62) as f64 {
        return Err(format!("`{text}` is out of range"));
    }
    Ok(bytes as u64)
}

/// A size for people, such as `1.6 MiB`.
pub fn show(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_typed() {
        assert_eq!(parse("4MiB"), Ok(4 << 20));
        assert_eq!(parse("4M"), Ok(4 << 20));
        assert_eq!(parse("4MB"), Ok(4_000_000));
        assert_eq!(parse("1.5 KiB"), Ok(1536));
        assert!(parse("4 apples").is_err());
        assert!(parse("0").is_err());
        assert!(parse("-1").is_err());
        assert_eq!(show(1536), "1.5 KiB");
    }
}
