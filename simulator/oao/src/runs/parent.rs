//! Watching the parent loop.

use std::sync::Arc;

use agent::{Observer, ToolEnded, TurnEnded, TurnStarted};
use serde_json::{Map, Value, json};

use super::RunContext;
use crate::skills;

/// Watches the parent loop of one run.
pub(super) struct Parent(pub(super) Arc<RunContext>);

impl Parent {
    fn enter(&self, entry_type: &str, took: std::time::Duration, detail: Value) {
        let ended = self.0.service.clock().now();
        let began = ended.checked_sub(took).unwrap_or(ended);
        if let Some(run) = self.0.service.state().runs.get_mut(&self.0.run_id) {
            let entry = json!({
                "entrySequence": (run.timeline.len() + 1).to_string(),
                "entryType": entry_type,
                "startedAt": format!("{began:.3}"),
                "completedAt": format!("{ended:.3}"),
                "safeDetail": detail,
            });
            run.timeline.push(entry);
        }
    }
}

impl Observer for Parent {
    fn turn_started(&self, turn: &TurnStarted<'_>) {
        self.0.model_turn_started(turn);
    }

    fn turn_ended(&self, turn: &TurnEnded<'_>) {
        self.0.model_turn_ended(turn, Map::new());
        let status = if turn.answer.is_ok() { "success" } else { "error" };
        self.enter("model_turn", turn.took, json!({"turnId": turn.turn_id, "status": status}));
    }

    /// The terminal events of a batch come together, when the last of its calls has ended.
    fn batch_ended(&self, tools: &[ToolEnded]) {
        for tool in tools {
            let status = if tool.outcome.is_error() { "error" } else { "success" };
            self.enter("tool_call", tool.took, json!({"toolName": tool.call.name, "status": status}));
            self.0.settled(tool);
            skills::note(&self.0, tool);
        }
    }
}
