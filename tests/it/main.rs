//! Integration tests, one binary. Those that use the shared collection of real files say so when it is not there.

mod golden;
mod shared;
