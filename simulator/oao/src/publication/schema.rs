//! The subset of JSON Schema in which operations say what they return and tools what they take and give.

mod kind;
pub(crate) mod place;
mod rules;
mod subset;
#[cfg(test)]
mod table;
mod walk;

pub use kind::{Declared, Kind, safe_integer};
pub(crate) use subset::published_type;
pub use subset::{Issue, Node, Rule, Subset};
