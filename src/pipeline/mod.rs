//! The only room with threads, progress and error budgets.
