//! The log: one gap-free line of events per project.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::{Value, json};
use tokio::sync::watch;
use wire::Ids;

use super::EventParts;

/// An event that is not kept yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Its id, if it has to be the same whenever it is emitted.
    pub id: Option<String>,
    /// The organisation.
    pub organization_id: String,
    /// The project.
    pub project_id: String,
    /// What it is about: `run`, `session`, `thread`.
    pub aggregate_type: String,
    /// Which one.
    pub aggregate_id: String,
    /// The kind: `harness.operation_started`.
    pub kind: String,
    /// What it says.
    pub payload: Value,
    /// When it happened, as RFC 3339.
    pub occurred_at: String,
}

/// An event that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its id.
    pub id: String,
    /// What was emitted.
    pub event: Draft,
    /// 1, 2, 3 … within its aggregate.
    pub aggregate_sequence: u64,
    /// 1, 2, 3 … within the project.
    pub position: u64,
}

impl Row {
    /// The event in the stream.
    pub fn to_stream_json(&self) -> Value {
        json!({
            "id": self.id,
            "organizationId": self.event.organization_id,
            "projectId": self.event.project_id,
            "aggregateType": self.event.aggregate_type,
            "aggregateId": self.event.aggregate_id,
            "aggregateSequence": self.aggregate_sequence,
            "projectPosition": self.position.to_string(),
            "kind": self.event.kind,
            "publicPayload": self.event.payload,
            "occurredAt": self.event.occurred_at,
        })
    }

    /// The event in the details of a session: no organisation and project, and numbers as text.
    pub fn to_detail_json(&self) -> Value {
        json!({
            "projectPosition": self.position.to_string(),
            "id": self.id,
            "aggregateType": self.event.aggregate_type,
            "aggregateId": self.event.aggregate_id,
            "aggregateSequence": self.aggregate_sequence.to_string(),
            "eventKind": self.event.kind,
            "publicPayload": self.event.payload,
            "occurredAt": self.event.occurred_at,
        })
    }
}

#[derive(Default)]
struct ProjectLog {
    rows: Vec<Row>,
    ids: BTreeSet<String>,
    sequences: BTreeMap<(String, String), u64>,
}

/// All events of all projects.
pub struct EventLog {
    parts: EventParts,
    projects: Mutex<BTreeMap<String, ProjectLog>>,
    bell: watch::Sender<u64>,
}

impl EventLog {
    /// An empty log.
    pub fn new(parts: EventParts) -> Self {
        Self { parts, projects: Mutex::default(), bell: watch::Sender::new(0) }
    }

    /// Keeps an event. One whose id is known already changes nothing, and one with a sensitive name is dropped.
    pub fn emit(&self, ids: &Ids, draft: Draft) {
        let drafts = self
            .parts
            .taps
            .iter()
            .fold(vec![draft], |drafts, tap| drafts.into_iter().flat_map(|draft| tap(draft)).collect());
        let mut projects = self.projects();
        for event in drafts {
            if self.parts.sensitive.find(&event.payload, "").is_some() {
                continue;
            }
            let id = event.id.clone().unwrap_or_else(|| ids.uuid());
            let log = projects.entry(event.project_id.clone()).or_default();
            if !log.ids.insert(id.clone()) {
                continue;
            }
            let aggregate = (event.aggregate_type.clone(), event.aggregate_id.clone());
            let sequence = log.sequences.entry(aggregate).or_default();
            *sequence += 1;
            let position = log.rows.len() as u64 + 1;
            log.rows.push(Row { id, event, aggregate_sequence: *sequence, position });
        }
        drop(projects);
        self.bell.send_modify(|rings| *rings += 1);
    }

    /// Events of a project after a position, oldest first, `most` of them.
    pub fn after(&self, project: &str, position: u64, most: u64) -> Vec<Row> {
        let projects = self.projects();
        let rows = projects.get(project).map_or(&[][..], |log| &log.rows);
        let skipped = usize::try_from(position).unwrap_or(usize::MAX).min(rows.len());
        rows[skipped..].iter().take(usize::try_from(most).unwrap_or(usize::MAX)).cloned().collect()
    }

    /// Events whose aggregate is one of `aggregates`, oldest first.
    pub fn of_aggregates(&self, project: &str, aggregates: &[&str]) -> Vec<Row> {
        let projects = self.projects();
        let rows = projects.get(project).map_or(&[][..], |log| &log.rows);
        rows.iter().filter(|row| aggregates.contains(&row.event.aggregate_id.as_str())).cloned().collect()
    }

    /// The position of the last event of a project; 0 before the first.
    pub fn end(&self, project: &str) -> u64 {
        self.projects().get(project).map_or(0, |log| log.rows.len() as u64)
    }

    /// Changes whenever something is emitted.
    pub(crate) fn bell(&self) -> watch::Receiver<u64> {
        self.bell.subscribe()
    }

    fn projects(&self) -> MutexGuard<'_, BTreeMap<String, ProjectLog>> {
        self.projects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use wire::Seed;

    use super::*;

    fn draft(aggregate: &str, id: Option<&str>, payload: Value) -> Draft {
        Draft {
            id: id.map(str::to_owned),
            organization_id: "o".into(),
            project_id: "p".into(),
            aggregate_type: "run".into(),
            aggregate_id: aggregate.into(),
            kind: "k".into(),
            payload,
            occurred_at: "2026-01-05T09:00:00.000Z".into(),
        }
    }

    #[test]
    fn positions_and_sequences_have_no_gaps_and_an_id_is_kept_once() {
        let (log, ids) = (EventLog::new(EventParts::default()), Ids::new(Seed::of_run(1)));
        for (aggregate, id) in [("a", Some("x")), ("b", None), ("a", Some("x")), ("a", Some("y"))] {
            log.emit(&ids, draft(aggregate, id, json!({})));
        }
        let rows = log.after("p", 0, 200);
        let places: Vec<_> = rows.iter().map(|row| (row.position, row.aggregate_sequence)).collect();
        assert_eq!(places, [(1, 1), (2, 1), (3, 2)]);
        assert_eq!(log.after("p", 1, 1), rows[1..2]);
        assert!(log.after("p", 99, 5).is_empty() && log.after("q", 0, 5).is_empty());
    }

    #[test]
    fn sensitive_names_are_not_kept_and_taps_can_double_an_event() {
        let parts =
            EventParts { taps: vec![Arc::new(|draft| vec![draft.clone(), draft])], ..EventParts::default() };
        let (log, ids) = (EventLog::new(parts), Ids::new(Seed::of_run(1)));
        log.emit(&ids, draft("a", None, json!({"deep": [{"apiKey": 1}]})));
        assert!(log.after("p", 0, 9).is_empty());
        log.emit(&ids, draft("a", None, json!({"inputTokens": 1})));
        assert_eq!(log.after("p", 0, 9).len(), 2);
    }
}
