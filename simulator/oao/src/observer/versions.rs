//! What an observer sees of a version: its definitions, and what may be done with them.

use serde_json::{Value, json};

use super::ObserverParts;
use crate::agents::Version;

/// The view of `named`, one of `all` versions of its agent, oldest first. Only the latest can be edited.
pub(super) fn show(parts: &ObserverParts, named: &Version, all: &[Version]) -> Value {
    let shown = (parts.shown)(named, all);
    let is_latest = all.last().is_some_and(|latest| latest.id == named.id);
    let actions: &[&str] =
        if is_latest { &["add_operation", "edit_operation", "remove_operation"] } else { &[] };
    let mut view = json!({
        "agent": named.agent_id,
        "version": named.id,
        "number": named.number,
        "latest": is_latest,
        "operations": shown.operations(),
        "actions": actions,
    });
    parts.dress_version.iter().for_each(|dress| dress(is_latest, &mut view));
    view
}
