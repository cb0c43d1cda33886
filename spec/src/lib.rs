//! The contracts as data: requirements, checks, their defects, open points, limits and schemas.
//!
//! No I/O, no async, no network: everything is compiled in and parsed once, on first use.

mod contract;
pub mod demands;
mod embedded;
mod entry;
mod load;
pub mod messages;
pub mod openapi;
pub mod schemas;

pub use contract::{Contract, UnknownContract};
pub use entry::{
    Check, Defect, DefectStatus, Level, Need, OpenPoint, Requirement, SideEffect, Source, SourceKind, Topic,
};
pub use load::{ContractSpec, Found, Spec, SpecError, UnknownId, nearest};
