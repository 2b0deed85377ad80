#!/bin/sh
# Writes docs/dialects.md anew: what the dialects are, and how often they differ on the collection of real bodies in ../shared.
# A test compares it with what is there; without the collection only the first part is compared.
set -eu
cd "$(dirname "$0")/.."
test -e ../shared/data/robots-captures.tsv.zst || { echo "the collection of real bodies is not in ../shared" >&2; exit 1; }
ROBOCENSUS_WRITE=1 cargo test --release --test it differences::
