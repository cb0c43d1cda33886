//! Agents whose runs have room for many model turns.

use engine::{Driver, Halt};
use serde_json::{Value, json};

use super::agents::{self, Agent};

/// The most model turns that the product lets a run have.
pub(crate) const TURNS_MAX: u64 = 256;

/// Publishes `config` with room for [`TURNS_MAX`] turns. A target that knows one number of turns only
/// refuses that (D25), and gets the configuration as it is.
pub(crate) async fn need_agent(driver: &Driver<'_>, config: Value) -> Result<Agent, Halt> {
    let mut roomy = config.clone();
    roomy["limits"]["maxTurns"] = json!(TURNS_MAX);
    let published = agents::create(driver, "publish-roomy", &roomy).await;
    match published.json.as_ref().filter(|_| published.is_success()).and_then(Agent::of) {
        Some(agent) => Ok(agent),
        None => agents::need_agent(driver, "publish", &config, "publish an agent with operations").await,
    }
}
