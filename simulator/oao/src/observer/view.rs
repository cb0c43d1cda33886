//! The whole view of a session.

use serde::Serialize;
use serde_json::Value;

use super::{
    Event, ObserverParts,
    attribution::{Attribution, Place, attribute},
    event::of_detail,
    groups::{Group, groups},
    invocation::{Invocation, invocations},
    label,
    steps::{Step, Steps, steps},
    timeline::{Slot, slot},
};

/// What an observer sees of a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// The session.
    pub session: String,
    /// The rows of the transcript, in order of time.
    pub rows: Vec<Row>,
    /// The slots of the timeline, in order of time.
    pub timeline: Vec<Slot>,
    /// A modal for each invocation.
    pub modals: Vec<Modal>,
}

/// A row at the top level.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its id.
    pub id: String,
    /// `invocation`, `message`, `model`, `tool` or `activity`.
    pub kind: &'static str,
    /// Its title: `Harness · <key>` for an invocation.
    pub title: String,
    /// `pending`, `success`, `error` or `info`.
    pub status: &'static str,
    /// One line about it.
    pub summary: Option<String>,
    /// When it began, as RFC 3339.
    pub at: String,
    /// What was said, in a message between user and parent.
    pub text: Option<String>,
    /// The rail and badge that it shares with the rows of its group.
    pub parallel: Option<Rail>,
    /// The modal that it opens.
    pub opens: Option<String>,
    /// The events that it shows.
    pub events: Vec<String>,
}

/// The rail of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rail {
    /// The group: rows of one group have one rail.
    pub group: String,
    /// `N parallel`.
    pub badge: String,
}

/// The modal of an invocation. It has no field for anything that is private.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Modal {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The operation.
    pub operation_key: String,
    /// The call.
    pub tool_call_id: String,
    /// `running`, `completed`, `failed`, `cancelled` or `timed_out`.
    pub status: &'static str,
    /// When it began, as RFC 3339.
    pub started_at: String,
    /// When it ended, as RFC 3339.
    pub ended_at: Option<String>,
    /// How long it took.
    pub duration_ms: Option<f64>,
    /// The published limit.
    pub timeout_ms: Option<u64>,
    /// The length of the task.
    pub task_characters: Option<u64>,
    /// Whether the result was validated; `null` while there is none.
    pub result_validated: Option<bool>,
    /// `complete`, or `partial` where something may belong to it that stayed outside.
    pub attribution: &'static str,
    /// Its place in its parallel group.
    pub parallel: Option<Position>,
    /// What certainly belongs to it, in order.
    pub steps: Vec<Step>,
}

/// A place in a parallel group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Position {
    /// The group.
    pub group: String,
    /// 1, 2, 3 … in the order in which the members began.
    pub position: usize,
    /// How many members there are.
    pub count: usize,
}

/// What an observer sees of the session with these details.
pub fn project(parts: &ObserverParts, detail: &Value) -> View {
    let events = of_detail(detail);
    let scene = Scene::of(parts, &events);
    let mut rows: Vec<(i64, u64, Row)> = messages(detail);
    for (event, place) in events.iter().zip(&scene.attribution.places) {
        if *place == Place::Parent {
            rows.push((event.at_ms.unwrap_or(i64::MAX), event.position, parents(event)));
        }
    }
    for at in 0..scene.invocations.len() {
        let first = scene.invocations[at].first;
        rows.push((first.at_ms.unwrap_or(i64::MAX), first.position, scene.row(at)));
    }
    rows.sort_by(|(at, position, row), (other_at, other_position, other)| {
        (at, position, &row.id).cmp(&(other_at, other_position, &other.id))
    });
    let rows: Vec<Row> = rows.into_iter().map(|(_, _, row)| row).collect();
    View {
        session: detail.get("id").and_then(Value::as_str).unwrap_or_default().to_owned(),
        timeline: scene.timeline(parts, &rows),
        modals: (0..scene.invocations.len()).map(|at| scene.modal(at)).collect(),
        rows,
    }
}

/// Everything that was found out about the events of a session.
struct Scene<'e> {
    invocations: Vec<Invocation<'e>>,
    attribution: Attribution,
    steps: Vec<Steps>,
    groups: Vec<Group>,
    latest_ms: i64,
}

impl<'e> Scene<'e> {
    fn of(parts: &ObserverParts, events: &'e [Event]) -> Self {
        let invocations = invocations(parts, events);
        let attribution = attribute(parts, events, &invocations);
        let steps =
            invocations.iter().enumerate().map(|(at, each)| steps(events, &attribution, at, each)).collect();
        let windows: Vec<_> = invocations.iter().map(|each| (each.id.as_str(), each.window)).collect();
        let groups = groups(parts, &windows);
        let latest_ms = events.iter().filter_map(|event| event.at_ms).max().unwrap_or_default();
        Self { invocations, attribution, steps, groups, latest_ms }
    }

    fn group(&self, at: usize) -> Option<&Group> {
        self.groups.iter().find(|group| group.members.contains(&at))
    }

    fn row(&self, at: usize) -> Row {
        let (invocation, steps) = (&self.invocations[at], &self.steps[at]);
        let rail = |group: &Group| Rail {
            group: group.id.clone(),
            badge: format!("{} parallel", group.members.len()),
        };
        let lifecycle = invocation.lifecycle.iter().map(|event| event.id.clone());
        Row {
            id: invocation.row_id(),
            kind: "invocation",
            title: title(invocation),
            status: invocation.phase().tone(),
            summary: Some(summary(invocation, steps)),
            at: invocation.first.occurred_at.clone(),
            text: None,
            parallel: self.group(at).map(rail),
            opens: Some(invocation.row_id()),
            events: lifecycle.chain(steps.hidden.iter().cloned()).collect(),
        }
    }

    fn modal(&self, at: usize) -> Modal {
        let invocation = &self.invocations[at];
        let position = |group: &Group| Position {
            group: group.id.clone(),
            position: group.members.iter().take_while(|member| **member != at).count() + 1,
            count: group.members.len(),
        };
        let validated = |event: &Event| event.payload.get("resultValidated").and_then(Value::as_bool);
        Modal {
            id: invocation.row_id(),
            title: title(invocation),
            operation_key: invocation.key.clone(),
            tool_call_id: invocation.id.clone(),
            status: invocation.phase().status(),
            started_at: invocation.first.occurred_at.clone(),
            ended_at: invocation.terminal.map(|event| event.occurred_at.clone()),
            duration_ms: invocation.duration_ms(),
            timeout_ms: invocation.number("timeoutMs"),
            task_characters: invocation.number("taskCharacters"),
            result_validated: invocation.terminal.and_then(validated),
            attribution: if self.attribution.partial.contains(&at) { "partial" } else { "complete" },
            parallel: self.group(at).map(position),
            steps: self.steps[at].shown.clone(),
        }
    }

    /// A slot for each row, and one for each group where its first row stands.
    fn timeline(&self, parts: &ObserverParts, rows: &[Row]) -> Vec<Slot> {
        let entry = |row: &Row| (row.id.clone(), row.opens.clone(), self.took(row));
        let mut drawn: Vec<&str> = Vec::new();
        let mut slots = Vec::new();
        for row in rows {
            let Some(rail) = &row.parallel else {
                slots.push(slot(parts.bar_width, None, &[entry(row)]));
                continue;
            };
            if drawn.contains(&rail.group.as_str()) {
                continue;
            }
            drawn.push(&rail.group);
            let of_group = |other: &&Row| other.parallel.as_ref().is_some_and(|it| it.group == rail.group);
            let entries: Vec<_> = rows.iter().filter(of_group).map(entry).collect();
            slots.push(slot(parts.bar_width, Some(rail.group.clone()), &entries));
        }
        slots
    }

    /// How long a row took in milliseconds; one that is still under way is as long as what is known.
    fn took(&self, row: &Row) -> f64 {
        let Some(invocation) = self.invocations.iter().find(|each| each.row_id() == row.id) else {
            return 0.0;
        };
        let so_far = || invocation.window.map(|window| (self.latest_ms - window.start_ms) as f64);
        invocation.duration_ms().or_else(so_far).unwrap_or_default()
    }
}

fn title(invocation: &Invocation<'_>) -> String {
    format!("Harness \u{b7} {}", invocation.key)
}

fn summary(invocation: &Invocation<'_>, steps: &Steps) -> String {
    let counted = |kind: &str, word: &str| {
        let count = steps.shown.iter().filter(|step| step.kind == kind).count();
        format!("{count} {word}{}", if count == 1 { "" } else { "s" })
    };
    let (turns, tools) = (counted("model", "model turn"), counted("tool", "tool step"));
    format!("{turns} \u{b7} {tools} \u{b7} {}", invocation.phase().words())
}

/// The row of an event that is the parent's.
fn parents(event: &Event) -> Row {
    Row {
        id: format!("event:{}", event.id),
        kind: label::kind(event),
        title: label::title(event),
        status: label::status(event),
        summary: label::summary(event),
        at: event.occurred_at.clone(),
        text: None,
        parallel: None,
        opens: None,
        events: vec![event.id.clone()],
    }
}

/// The rows of what user and parent said to each other.
fn messages(detail: &Value) -> Vec<(i64, u64, Row)> {
    let transcript = detail.get("transcript").and_then(Value::as_array);
    let row = |message: &Value| {
        let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let at = text("createdAt");
        let at_ms = at.parse::<jiff::Timestamp>().map_or(i64::MAX, jiff::Timestamp::as_millisecond);
        let row = Row {
            id: format!("message:{}", text("id")),
            kind: "message",
            title: text("role"),
            status: "success",
            summary: None,
            at,
            text: Some(text("redactedContent")),
            parallel: None,
            opens: None,
            events: Vec::new(),
        };
        (at_ms, 0, row)
    };
    transcript.into_iter().flatten().map(row).collect()
}
