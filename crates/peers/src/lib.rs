//! Nothing: this package is its tests, which hold the dialect `rfc9309` against other parsers (`cargo test --release -p peers`).
