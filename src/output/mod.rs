//! WRITE: Parquet on disk, safely: shards, manifest, commit.
