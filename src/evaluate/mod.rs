//! EVALUATE: asks every question (agents x probes) of one parsed body; pure.
