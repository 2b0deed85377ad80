//! What each verb does: one file a verb. They turn arguments into calls of the library and results into text.

pub mod schema;
pub mod size;
