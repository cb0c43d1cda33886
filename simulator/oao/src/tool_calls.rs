//! Calls of the tools that a version was published with: those that the platform answers, and those that a
//! caller answers over the API.

mod authored;
mod brokered;
mod envelope;
mod handlers;
mod lease;
mod open;
mod platform;
mod settle;
mod store;
mod submit;
mod work;

use std::{fmt, sync::Arc, time::Duration};

pub use authored::ToolDesk;
pub(crate) use authored::authored;
pub(crate) use brokered::brokered;
pub use envelope::Envelope;
pub(crate) use handlers::{of_run, routes};
pub use platform::{PlatformTool, PlatformTools};
use serde_json::Value;
pub(crate) use settle::settle;
pub use store::Stage;
pub(crate) use store::ToolCalls;
pub(crate) use work::Work;

use crate::{
    limits::{Limits, ToolCallLimits},
    publication::canonical::content_hash,
    results::ValueRules,
};

/// Judges a value by the schema of a tool: the value, or the place of the first fault.
pub type JudgeValue = Arc<dyn Fn(&Value, &Value) -> Result<Value, String> + Send + Sync>;

/// How the tools of a version are called. The default is the contract's.
#[derive(Clone)]
pub struct ToolCallParts {
    /// Numbers and tables.
    pub limits: ToolCallLimits,
    /// Judges the arguments of a call by the published input schema.
    pub input: JudgeValue,
    /// Judges a successful result by the published output schema.
    pub output: JudgeValue,
    /// What the platform answers.
    pub platform: PlatformTools,
    /// In which stage a call can be claimed.
    pub claimable: fn(Stage) -> bool,
    /// Whether a lease until the second instant is over at the first.
    pub lapsed: fn(Duration, Duration) -> bool,
    /// Whether the fence that was handed in is the one of the claim.
    pub fence_holds: fn(u64, &str) -> bool,
    /// Whether a further result is the one that was handed in before.
    pub same_result: fn(&Value, &Value) -> bool,
    /// What the model is told of a result.
    pub hand_back: fn(&Envelope) -> String,
    /// What becomes of a call for which nobody waits any more.
    pub abandoned: fn(Stage) -> Stage,
}

impl Default for ToolCallParts {
    fn default() -> Self {
        Self {
            limits: Limits::default().tool_calls,
            input: by_rules(ValueRules::default()),
            output: by_rules(ValueRules { coerce: |_, value| value.clone(), ..ValueRules::default() }),
            platform: PlatformTools::default(),
            claimable: |stage| stage == Stage::CallerPending,
            lapsed: |now, until| now >= until,
            fence_holds: |current, given| current.to_string() == given,
            same_result: |one, other| content_hash(one) == content_hash(other),
            hand_back: |envelope| envelope.to_json().to_string(),
            abandoned: |stage| if stage.is_open() { Stage::Cancelled } else { stage },
        }
    }
}

impl fmt::Debug for ToolCallParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCallParts").field("limits", &self.limits).finish_non_exhaustive()
    }
}

fn by_rules(rules: ValueRules) -> JudgeValue {
    Arc::new(move |schema, value| {
        rules.check(schema, value).map_err(|faults| match faults.first() {
            Some(fault) if !fault.place.is_empty() => format!("$.{}", fault.place),
            _ => "$".to_owned(),
        })
    })
}
