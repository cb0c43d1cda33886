//! Generated inputs. What a conforming target does with each is known from how it is built; no validator
//! is asked.

pub(crate) mod batches;
pub(crate) mod broken;
pub(crate) mod definitions;
mod nodes;
mod rules;
pub(crate) mod schemas;
mod text;
pub(crate) mod values;
