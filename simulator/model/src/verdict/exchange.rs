//! One request of a session, as rules look at it.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Map, Value};

use super::reached::Reached;
use crate::{
    journal::{Outcome, Record},
    matching::Difference,
    reply::{Reply, Said, SentCall},
    request::{Asked, ModelRequest},
    script::{WireName, Wrong},
    state::Mint,
};

/// A request, what became of it, and what came to the client.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) sequence: u64,
    /// The wire that was asked; `None` when the path or the method belongs to none.
    pub(super) wire: Option<WireName>,
    /// Method and path with query.
    pub(super) target: String,
    /// The same for all requests that come with the same keys.
    pub(super) keys: u64,
    pub(super) body: Arc<[u8]>,
    /// The same for all requests that say the same conversation; `None` when it cannot be read.
    pub(super) identity: Option<u64>,
    pub(super) arrived_ms: u64,
    pub(super) answered_ms: Option<u64>,
    pub(super) ended_ms: Option<u64>,
    pub(super) outcome: Outcome,
    pub(super) status: Option<u16>,
    pub(super) request: Option<ModelRequest>,
    /// Whether the request says that the model may think.
    pub(super) wants_thinking: bool,
    /// Whether the answer carries proofs of its thoughts.
    pub(super) gets_proofs: bool,
    /// What the turn expected, and what the real API would have refused.
    pub(super) findings: Vec<Difference>,
    /// The place of the turn that answers.
    pub(super) place: Option<usize>,
    /// Whether that turn was chosen because an earlier attempt at the conversation was in vain.
    pub(super) retry: bool,
    /// What that turn says.
    pub(super) answer: Option<Arc<Reply>>,
    pub(super) wrong: Option<Wrong>,
    /// What came to the client of an answer that something went wrong with on purpose.
    pub(super) reached: Option<Reached>,
    /// Why it got an error.
    pub(super) error: Option<String>,
}

impl Exchange {
    pub(super) fn of(record: &Record, mint: &Mint) -> Self {
        let asked = record.asked();
        let answer = asked.as_ref().and_then(|asked| record.reply(asked, mint)).map(Arc::new);
        let wrong = record.answered.as_ref().and_then(|answered| answered.wrong.as_ref());
        let wrong = wrong.map(|(_, wrong)| wrong.clone());
        let reached = match (record.wire, &asked, &answer, &wrong) {
            (Some(wire), Some(asked), Some(reply), Some(wrong)) => {
                Reached::of(wire, reply, asked, wrong, record.pieces_sent)
            }
            _ => None,
        };
        Self {
            sequence: record.sequence,
            wire: record.wire.map(crate::wires::Wire::name),
            target: record.target.to_string(),
            keys: record.headers.keys(),
            body: record.body.clone(),
            identity: asked.as_ref().map(|_| record.identity).filter(|identity| *identity != 0),
            arrived_ms: record.arrived_ms,
            answered_ms: record.answered_ms,
            ended_ms: record.ended_ms,
            outcome: record.outcome,
            status: record.status,
            wants_thinking: asked.as_ref().is_some_and(wants_thinking),
            gets_proofs: asked.as_ref().is_some_and(gets_proofs),
            findings: asked.as_ref().map(|asked| record.findings(asked)).unwrap_or_default(),
            place: record.answered.as_ref().map(|answered| answered.place),
            retry: record.answered.as_ref().is_some_and(|answered| answered.retry),
            answer,
            wrong,
            reached,
            error: record.error.as_ref().map(ToString::to_string),
            request: asked.map(|asked| asked.request),
        }
    }

    /// Whether it asks the model for something.
    pub(super) fn asks(&self) -> bool {
        self.wire.is_some() && self.outcome != Outcome::Served
    }

    /// Whether its answer was handed over whole and sound.
    pub(super) fn is_sound(&self) -> bool {
        self.outcome == Outcome::Answered
    }

    /// What came to the client is an answer with its end, though perhaps not the one that was meant: it was sound,
    /// or lost nothing but what nobody has to read.
    pub(super) fn has_come(&self) -> bool {
        let lost = matches!(
            self.wrong,
            Some(
                Wrong::DropEvents(_)
                    | Wrong::NoEventLines
                    | Wrong::ContentType(_)
                    | Wrong::EndAfter(_)
                    | Wrong::ResetAfter(_)
                    | Wrong::StallAfter(_)
                    | Wrong::CutInside(_)
            )
        );
        self.is_sound()
            || (lost && self.reached.as_ref().is_some_and(|reached| reached.finished && !reached.torn))
    }

    /// What is other about `later`, which says the same conversation, for people; `None` when it is the same
    /// request once more.
    pub(super) fn changed_in(&self, later: &Self) -> Option<String> {
        let path = |target: &str| target.split('?').next().unwrap_or_default().to_owned();
        let mut changed: Vec<String> = Vec::new();
        if path(&self.target) != path(&later.target) {
            changed.push("another path".to_owned());
        }
        if self.keys != later.keys {
            changed.push("another key".to_owned());
        }
        if self.body != later.body {
            let read = |body: &[u8]| serde_json::from_slice::<Map<String, Value>>(body).unwrap_or_default();
            let (one, other) = (read(&self.body), read(&later.body));
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            let fields = names.into_iter().filter(|name| one.get(*name) != other.get(*name));
            changed.extend(fields.map(|name| format!("another `{name}`")));
        }
        (!changed.is_empty()).then(|| changed.join(", "))
    }

    /// Whether `later` asks somebody else, or as somebody else.
    pub(super) fn is_for_another(&self, later: &Self) -> bool {
        let model = |exchange: &Self| exchange.request.as_ref().map(|request| request.model.clone());
        self.keys != later.keys || self.wire != later.wire || model(self) != model(later)
    }

    /// The calls that it was sent, in whole or in part.
    pub(super) fn calls(&self) -> impl Iterator<Item = &SentCall> {
        let instead = matches!(
            self.wrong,
            Some(Wrong::Status(_) | Wrong::ResetBeforeHeaders | Wrong::StallBeforeHeaders)
        );
        self.answer.iter().filter(move |_| !instead).flat_map(|answer| answer.tool_calls())
    }

    /// What its answer says, in the forms that a client may bring it back in: the blocks of text together,
    /// or a line or a paragraph each.
    pub(super) fn texts(&self) -> Vec<String> {
        let Some(answer) = &self.answer else { return Vec::new() };
        let blocks: Vec<&str> = answer
            .blocks
            .iter()
            .filter_map(|block| match block {
                Said::Text(text) | Said::Refusal(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let mut forms: Vec<String> =
            ["", "\n", "\n\n"].iter().map(|joint| blocks.join(joint).trim().to_owned()).collect();
        forms.dedup();
        forms
    }
}

/// Messages and Responses requests that want the model to think say so in a field of their own. Who asks for
/// what was thought has thinking in mind, too: models that think do so unasked.
fn wants_thinking(asked: &Asked) -> bool {
    let thinking = &asked.body["thinking"];
    (thinking.is_object() && thinking["type"] != "disabled")
        || asked.body["reasoning"].is_object()
        || (asked.request.wire == WireName::Responses.word() && includes_encrypted(asked))
}

fn includes_encrypted(asked: &Asked) -> bool {
    let included = asked.body["include"].as_array();
    included.is_some_and(|list| list.iter().any(|item| item == "reasoning.encrypted_content"))
}

/// Signatures always come on the Messages wire, encrypted reasoning when it was asked for, and Chat
/// Completions know neither.
fn gets_proofs(asked: &Asked) -> bool {
    asked.request.wire == WireName::Messages.word()
        || (asked.request.wire == WireName::Responses.word() && includes_encrypted(asked))
}
