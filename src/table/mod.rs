//! Every output table, declared exactly once.
