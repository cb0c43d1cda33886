//! What the control port can do for the OAO contract.
//!
//! One file per feature below this module; each gives its routes. A feature that is served is listed in
//! [`FEATURES`], which the target description repeats, so that a suite knows what it may ask for.

mod crash;
mod default_preset;
mod hold_queue;
mod plant_events;
mod records;

use axum::Router;
use oao::Service;

/// The features that are served.
pub(crate) const FEATURES: &[&str] =
    &["crash", "default-preset", hold_queue::NAME, plant_events::NAME, "records", "steps"];

/// The routes of all features, below `/_control`.
pub(crate) fn routes(service: &Service) -> Router {
    Router::new()
        .merge(crash::routes(service))
        .merge(default_preset::routes(service))
        .merge(hold_queue::routes(service))
        .merge(plant_events::routes(service))
        .merge(records::routes(service))
}
