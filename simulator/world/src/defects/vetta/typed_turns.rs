//! Defects of turns that have to give a typed answer.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use ::vetta::{
    Parts, Turns,
    events::Delivery,
    sessions::Session,
    turns::{Answering, Stage, TurnRequest},
};
use serde_json::{Value, json};

use super::{super::Edit, steps::is_on_account};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "typed-answer-not-surfaced", edit: hide_typed_answers },
    Edit { id: "schema-not-enforced", edit: |parts| parts.turns.conforms = Arc::new(|_, _| Ok(())) },
    Edit {
        id: "required-not-required",
        edit: |parts| forgive(parts, |session| can_submit(session) && !is_on_account(&session.row)),
    },
    Edit { id: "best-effort-success", edit: |parts| forgive(parts, |session| is_on_account(&session.row)) },
    Edit { id: "gap-quiet-prose", edit: |parts| forgive(parts, |session| !can_submit(session)) },
    Edit { id: "failure-only-on-live-stream", edit: forget_failures },
    Edit {
        id: "gap-wedges-session",
        edit: |parts| {
            parts.turns.wraps.push(Arc::new(|turns| Arc::new(Wedged { turns, failed: Mutex::default() })));
        },
    },
];

fn can_submit(session: &Session) -> bool {
    session.row.facts.can_submit
}

/// Turns of such sessions complete without the typed answer that they had to give.
fn forgive(parts: &mut Parts, whose: fn(&Session) -> bool) {
    let settle = parts.turns.settle.clone();
    parts.turns.settle = Arc::new(move |session, outcome| {
        let mut settled = settle(session, outcome);
        let missing = |code: &str| code == "structured_output_missing";
        if whose(session) && settled.failure.as_ref().is_some_and(|failure| missing(&failure.code)) {
            settled.failure = None;
        }
        settled
    });
}

fn hide_typed_answers(parts: &mut Parts) {
    let render = parts.sessions.render.clone();
    parts.sessions.render = Arc::new(move |session| {
        let mut shown = render(session);
        shown["structured_output"] = Value::Null;
        shown
    });
    parts.events.scribe =
        Arc::new(
            |_, entry| {
                if entry.kind == "structured_output.submitted" { Vec::new() } else { vec![entry] }
            },
        );
}

/// A failed turn is a frame of the stream, and nowhere else.
fn forget_failures(parts: &mut Parts) {
    let render = parts.sessions.render.clone();
    parts.sessions.render = Arc::new(move |session| {
        let mut shown = render(session);
        if shown["last_turn"]["status"] == json!("failed") {
            shown["last_turn"] = Value::Null;
        }
        shown
    });
    let event = parts.events.render.clone();
    parts.events.render = Arc::new(move |said, delivery| {
        let kept = delivery == Delivery::Streamed || said.kind != "turn.failed";
        kept.then(|| event(said, delivery)).flatten()
    });
}

/// The second turn of a session that cannot hand in what it has to waits for it.
struct Wedged {
    turns: Arc<dyn Turns>,
    failed: Mutex<BTreeSet<String>>,
}

impl Turns for Wedged {
    fn answer(&self, request: TurnRequest, stage: Stage) -> Answering {
        let gap = request.typed_answer_required && request.submit.is_none();
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if gap && !failed.insert(request.session_id.clone()) {
            return Box::pin(std::future::pending());
        }
        self.turns.answer(request, stage)
    }
}
