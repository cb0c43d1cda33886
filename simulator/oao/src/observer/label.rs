//! How events are called: safe words only.

use super::Event;

/// What kind of thing an event shows.
pub(super) fn kind(event: &Event) -> &'static str {
    if event.kind == "harness.operation_step" {
        return if event.text("stepKind") == Some("tool") { "tool" } else { "model" };
    }
    match event.kind.split('.').next() {
        Some("model") => "model",
        Some("tool_call" | "approval" | "sandbox" | "skill") => "tool",
        _ => "activity",
    }
}

/// Its title: the tool, where it is about one.
pub(super) fn title(event: &Event) -> String {
    match (kind(event), event.text("toolName")) {
        (_, Some(tool)) => tool.to_owned(),
        ("model", None) if event.kind != "model.invocation_started" => "Model turn".to_owned(),
        _ => event.kind.clone(),
    }
}

/// Its summary: which tool was asked for, which path, and nothing that was said.
pub(super) fn summary(event: &Event) -> Option<String> {
    event.text("summary").or_else(|| event.text("harnessActionSummary")).map(str::to_owned)
}

/// Whether it went well.
pub(super) fn status(event: &Event) -> &'static str {
    let failed = event.text("status") == Some("error")
        || event.payload.get("success") == Some(&false.into())
        || event.kind.ends_with("_failed");
    if failed { "error" } else { "success" }
}
