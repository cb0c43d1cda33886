//! What follows when a turn is over.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Report;
use crate::{
    service::Core,
    sessions::{Session, SessionStatus},
    store::{Scope, Shelf},
    turns,
};

/// A turn of the session or thread `id` is over. A thread reports to its coordinator, and a coordinator that
/// rests is woken by what there is to report.
pub(crate) fn turn_over(core: &Arc<Core>, scope: &Scope, id: &str) {
    let mut store = core.store();
    let shelf = store.shelf(scope);
    let coordinator = match shelf.threads.get(id) {
        Some(thread) => {
            let Some(coordinator) = thread.coordinator.clone() else { return };
            let report = Report::of(thread);
            if let Some(session) = shelf.sessions.get_mut(&coordinator) {
                take(session, report);
            }
            coordinator
        }
        None => id.to_owned(),
    };
    wake(core, scope, shelf, &coordinator);
}

fn take(session: &mut Session, report: Report) {
    session.open_threads.remove(&report.thread_id);
    let running = session.last_turn.as_ref().filter(|_| session.task.is_some());
    let turn_id = running.map(|turn| turn.id.clone());
    let members =
        json!({"thread_id": report.thread_id, "agent_id": report.agent_id, "status": report.status});
    session.reports.push(report);
    session.log.push("thread.completed", turn_id.as_deref(), members);
}

fn wake(core: &Arc<Core>, scope: &Scope, shelf: &mut Shelf, coordinator: &str) {
    let Some(environment) = core.environment(scope) else { return };
    let Some(session) = shelf.sessions.get_mut(coordinator) else { return };
    let rests = matches!(session.status, SessionStatus::Idle | SessionStatus::Parked);
    if !rests || session.reports.is_empty() || !(core.parts.teams.wakes)(session) {
        return;
    }
    let reports: Vec<Value> = session.reports.drain(..).map(|report| report.to_value()).collect();
    let content = format!("Your team reports: {}", json!({ "threads": reports }));
    turns::begin(core, (scope, environment.as_ref()), shelf, coordinator, content);
}

/// Ends the threads of a session that is over.
pub(crate) fn end_threads(core: &Core, shelf: &mut Shelf, coordinator: &str) {
    let ours = |thread: &Session| thread.coordinator.as_deref() == Some(coordinator);
    for thread in shelf.threads.values_mut().filter(|thread| ours(thread)) {
        (core.parts.endpoint.end)(&mut core.mounts.lock(), &thread.id);
        turns::end(thread);
        thread.log.close();
    }
    shelf.threads.retain(|_, thread| !ours(thread));
}
