//! The model that the suite hosts for a target.

use futures_util::future::LocalBoxFuture;
use recording::ModelTurn;
use serde_json::Value;

/// Steering the model from a drive.
///
/// A session is named by a token that the drive plants in what the target sends to the model (its
/// system text or the user's message), as `proofhouse-session:TOKEN`.
pub trait ModelPort {
    /// Loads `script` (the model's script format, as JSON) for `session`, replacing what was there.
    fn load(&self, session: &str, script: &Value) -> Result<(), String>;

    /// Opens `gate` of `session`: the answers held on it are sent.
    fn release(&self, session: &str, gate: &str);

    /// How many requests are held on `gate` of `session` now.
    fn held(&self, session: &str, gate: &str) -> usize;

    /// Resolves once `count` requests are held on `gate` of `session`.
    fn wait_for_held<'a>(&'a self, session: &'a str, gate: &'a str, count: usize) -> LocalBoxFuture<'a, ()>;

    /// Resolves once no request of `session` is under way: each has its answer, or the target has left.
    fn wait_until_idle<'a>(&'a self, session: &'a str) -> LocalBoxFuture<'a, ()>;

    /// The requests of `session` so far, in order of arrival.
    fn journal(&self, session: &str) -> Vec<ModelTurn>;

    /// Forgets `session`.
    fn forget(&self, session: &str);
}
