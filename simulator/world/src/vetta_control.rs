//! What the control port can do for the Vetta contract.
//!
//! One file per feature below this module; each gives its routes. A feature that is served is listed in
//! [`FEATURES`], which the target description repeats, so that a suite knows what it may ask for.

mod effects;
mod environments;
mod tool_endpoint;

use axum::Router;
use vetta::Service;

/// The features that are served.
pub(crate) const FEATURES: &[&str] = &[effects::NAME, environments::NAME, tool_endpoint::NAME];

/// The routes of all features, below `/_control`.
pub(crate) fn routes(service: &Service) -> Router {
    Router::new()
        .merge(effects::routes(service))
        .merge(environments::routes(service))
        .merge(tool_endpoint::routes(service))
}
