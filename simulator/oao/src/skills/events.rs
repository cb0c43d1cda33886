//! What is published of a Skill: that it was used, and nothing that is in it.

use agent::ToolEnded;
use serde_json::{Value, json};

use super::tools::{ACTIVATE, READ};
use crate::{
    events::whole_ms,
    limits::{Limits, utf16_units},
    runs::RunContext,
};

/// Publishes the event of a tool call, if it was one for Skills.
pub(crate) fn note(run: &RunContext, tool: &ToolEnded) {
    if let Some((kind, payload)) = (run.parts().skills.note)(tool) {
        run.events.emit(kind, payload);
    }
}

/// The arguments that are shown are those that say which Skill or file was meant.
pub(super) fn of_call(tool: &ToolEnded) -> Option<(&'static str, Value)> {
    let (kind, shown) = match tool.call.name.as_str() {
        ACTIVATE => ("skill.activated", &["name"][..]),
        READ => ("skill.resource_read", &["name", "path"][..]),
        _ => return None,
    };
    let mut payload = json!({"success": !tool.outcome.is_error(), "durationMs": whole_ms(tool.took)});
    for name in shown {
        let given = tool.arguments.as_ref().and_then(|arguments| arguments.get(*name)?.as_str());
        if let Some(text) =
            given.filter(|text| utf16_units(text) <= Limits::default().summaries.value_units_max)
        {
            payload[*name] = json!(text);
        }
    }
    Some((kind, payload))
}
