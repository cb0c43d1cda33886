//! Bringing a target up.

use std::any::Any;

use futures_util::future::LocalBoxFuture;
use recording::Lane;
use wire::{Clock, Net, Seed};

use crate::{Budget, ClientPort, ModelPort, target::Description};

/// A way to bring a target up.
pub trait Launch: Sync {
    /// How time passes for the target. In the virtual lane every check gets a world of its own; in the
    /// wall lane all checks share one.
    fn lane(&self) -> Lane;

    /// What is known of the target before it is up.
    fn description(&self) -> &Description;

    /// Brings it up, within the runtime of its lane.
    fn open(&self, seed: Seed) -> LocalBoxFuture<'_, Result<Opened, LaunchError>>;

    /// How long the happy path may take.
    fn patience(&self) -> Budget {
        Budget::of_preflight(self.lane())
    }

    /// Asked after a run on a shared target: whether nobody else took it over meanwhile.
    fn confirm(&self) -> LocalBoxFuture<'_, Result<(), LaunchError>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A target that is up.
pub struct Opened {
    /// The network on which it is reached.
    pub net: Net,
    /// Its clock.
    pub clock: Clock,
    /// `host:port`.
    pub authority: String,
    /// What stands before every path; empty, or `/prefix`.
    pub prefix: String,
    /// What is known of it.
    pub description: Description,
    /// The model that the suite hosts for it, where it can be told to call one.
    pub model: Option<Box<dyn ModelPort>>,
    /// The client under test, where a client is judged and not a harness.
    pub client: Option<Box<dyn ClientPort>>,
    /// Defects of the suite itself, by name: for the checks whose subject is the suite. None outside proofs.
    pub suite_defects: Vec<String>,
    /// What lives as long as the target.
    pub keep: Box<dyn Any>,
}

/// A target that cannot be brought up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot bring up the target: {reason}")]
pub struct LaunchError {
    /// Why, and the way out.
    pub reason: String,
}

impl LaunchError {
    /// An error with this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}
