//! Results: what a value has to be to satisfy a result schema.

mod coerce;
mod formats;
mod rules;

pub use coerce::coerce;
pub use rules::{Fault, ValueRules};
