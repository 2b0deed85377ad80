#!/bin/sh
# Makes datasets/sample and datasets/sample-parquet anew. A test runs the same two lines and compares every byte.
set -eu
cd "$(dirname "$0")/.."
cargo build --release --bin robocensus
PATH="$PWD/target/release:$PATH"
rm -rf datasets/sample datasets/sample-parquet
robocensus synth datasets/sample --captures 1200 --seed 43 --files 6 --odd datasets/odd
robocensus synth datasets/sample-parquet --captures 300 --seed 44 --files 2 --format parquet
du -sh datasets/sample datasets/sample-parquet
