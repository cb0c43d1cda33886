//! The HTTP front: routes as data, the order of evaluation, conventions.

mod call;
pub mod idempotency;
pub mod paging;
mod routes;
mod serve;
pub mod stages;

use std::sync::Arc;

pub use call::{Call, Reply, ReplyBody};
pub use routes::{Act, Prepare, Route};
pub(crate) use serve::router;
pub use stages::{Flight, Stage};

use crate::{
    limits::{HttpLimits, Limits},
    sequence::Sequence,
};

/// Changes an answer on its way out.
pub type Rewrite = Arc<dyn Fn(&Call, &mut Reply) + Send + Sync>;

/// How requests are served. The default is the contract's.
#[derive(Clone)]
pub struct Front {
    /// Numbers.
    pub limits: HttpLimits,
    /// The routes; the first that fits is taken.
    pub routes: Vec<Route>,
    /// What happens to a request, in order. The first refusal is the answer.
    pub stages: Sequence<Stage>,
    /// Changes of outgoing answers, in order; none in the contract.
    pub rewrites: Vec<Rewrite>,
}

impl Default for Front {
    fn default() -> Self {
        Self {
            limits: Limits::default().http,
            routes: routes::all(),
            stages: stages::all(),
            rewrites: Vec::new(),
        }
    }
}

impl std::fmt::Debug for Front {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Front")
            .field("routes", &self.routes)
            .field("stages", &self.stages)
            .finish_non_exhaustive()
    }
}
