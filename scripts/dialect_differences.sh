#!/bin/sh
# Writes docs/dialects.md anew: what the dialects are, and how often they differ on the collection of real bodies in ../shared.
# Where the collection is not there, what was measured stays as it is. Tests compare both parts with what the program says.
set -eu
cd "$(dirname "$0")/.."
document=docs/dialects.md
if [ -e ../shared/data/robots-captures.tsv.zst ]; then
    ROBOCENSUS_WRITE=1 cargo test --release --test it differences::
else
    cargo build --release --bin robocensus
    { target/release/robocensus dialects --markdown; echo; sed -n '/^## How often they differ$/,$p' "$document"; } > "$document.new"
    mv "$document.new" "$document"
fi
