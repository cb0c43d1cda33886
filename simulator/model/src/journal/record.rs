//! A request as it is kept: what was sent and what was decided. All else follows from that and is told
//! when somebody asks, so that keeping a journal costs little.

use std::sync::Arc;

use axum::body::Bytes;
use serde_json::Value;

use super::{JournalEntry, Outcome, PassedOver};
use crate::{
    fault::{FaultPlace, break_reply},
    headers::Headers,
    matching::{Difference, differences},
    miss,
    rejection::Rejection,
    reply::Reply,
    request::Asked,
    resume::{Before, go_on},
    script::{Client, Script, Wrong},
    state::Mint,
    wires::{Wire, understood},
};

/// The most turns that an entry tells it passed over.
const PASSED_OVER_MAX: usize = 20;

/// A request and what was decided. Copies share the body.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) sequence: u64,
    pub(crate) session: Arc<str>,
    /// Method and path with query.
    pub(crate) target: Box<str>,
    pub(crate) headers: Headers,
    pub(crate) body: Arc<[u8]>,
    pub(crate) wire: Option<&'static dyn Wire>,
    pub(crate) identity: u64,
    pub(crate) arrived_ms: u64,
    pub(crate) answered_ms: Option<u64>,
    pub(crate) ended_ms: Option<u64>,
    pub(crate) outcome: Outcome,
    pub(crate) client_left: bool,
    pub(crate) status: Option<u16>,
    /// The script that was asked; `None` when there was no session.
    pub(crate) script: Option<Script>,
    /// The conversation that the request goes on from without telling it again.
    pub(crate) before: Option<Box<Before>>,
    pub(crate) answered: Option<Answered>,
    pub(crate) pieces_sent: u32,
    pub(crate) error: Option<Box<str>>,
}

/// The answer that was chosen.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) place: usize,
    pub(crate) retry: bool,
    pub(crate) held: bool,
    pub(crate) wrong: Option<(FaultPlace, Wrong)>,
}

impl Record {
    /// What it takes to keep it, roughly.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.body.len() + self.target.len() + self.headers.len()
    }

    /// The request as it was understood, read once more.
    pub(crate) fn asked(&self) -> Option<Asked> {
        let wire = self.wire?;
        let body: Value = serde_json::from_slice(&self.body).ok()?;
        let understood = understood(wire, &body, &self.headers).ok()?;
        let (request, complaints) = (understood.request, understood.complaints);
        let mut asked = Asked { request, body, headers: self.headers.clone(), complaints };
        if let Some(before) = &self.before {
            go_on(&mut asked, before);
        }
        Some(asked)
    }

    /// What was sent for the turn, made once more.
    pub(crate) fn reply(&self, asked: &Asked, mint: &Mint) -> Option<Reply> {
        let (script, answered) = (self.script.as_ref()?, self.answered.as_ref()?);
        let mut reply = Reply::of(script, answered.place, self.identity, mint, asked).ok()?;
        if let Some((_, wrong)) = &answered.wrong {
            break_reply(&mut reply, wrong);
        }
        Some(reply)
    }

    /// The body of the request, as text.
    pub(crate) fn body_text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The fault that hit the answer: the name of its field.
    pub(crate) fn fault_name(&self) -> Option<&'static str> {
        let (script, answered) = (self.script.as_ref()?, self.answered.as_ref()?);
        let ((turn, number), _) = answered.wrong.as_ref()?;
        let faults = match turn {
            Some(place) => &script.turn(*place).faults,
            None => script.faults(),
        };
        faults.get(*number)?.wrongs().first().map(|(name, _)| *name)
    }

    /// The whole entry. `used_before` says which request had used the turn at a place before this one.
    pub(crate) fn told(&self, mint: &Mint, used_before: impl Fn(usize) -> Option<u64>) -> JournalEntry {
        let asked = self.asked();
        let answered = self.answered.as_ref();
        let turn = self.script.as_ref().zip(answered).map(|(script, answered)| script.turn(answered.place));
        let held = answered.is_some_and(|answered| answered.held);
        JournalEntry {
            sequence: self.sequence,
            session: self.session.to_string(),
            target: self.target.to_string(),
            headers: self.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            arrived_ms: self.arrived_ms,
            answered_ms: self.answered_ms,
            ended_ms: self.ended_ms,
            outcome: self.outcome,
            client_left: self.client_left,
            status: self.status,
            identity: asked.as_ref().map(|_| format!("{:016x}", self.identity)).unwrap_or_default(),
            body: self.body_text(),
            turn: self
                .script
                .as_ref()
                .zip(answered)
                .map(|(script, answered)| script.turn_name(answered.place)),
            passed_over: asked.as_ref().map(|asked| self.passed_over(asked, used_before)).unwrap_or_default(),
            retry: answered.is_some_and(|answered| answered.retry),
            gate: turn.filter(|_| held).and_then(|turn| turn.hold.clone()),
            fault: self.fault_name().map(str::to_owned),
            findings: asked.as_ref().map(|asked| self.findings(asked)).unwrap_or_default(),
            answer: asked.as_ref().and_then(|asked| self.reply(asked, mint)),
            pieces_sent: self.pieces_sent,
            error: self.error.as_ref().map(ToString::to_string),
            request: asked.map(|asked| asked.request),
        }
    }

    /// What the turn expected in vain, and, for a lenient client, what the real API would have refused.
    pub(crate) fn findings(&self, asked: &Asked) -> Vec<Difference> {
        let Some((script, answered)) = self.script.as_ref().zip(self.answered.as_ref()) else {
            return Vec::new();
        };
        let mut findings = differences(&script.turn(answered.place).expect, asked);
        if script.client() == Client::Lenient {
            findings.extend(asked.complaints.iter().map(complaint));
        }
        findings
    }

    fn passed_over(&self, asked: &Asked, used_before: impl Fn(usize) -> Option<u64>) -> Vec<PassedOver> {
        let Some(script) = &self.script else { return Vec::new() };
        if self.outcome == Outcome::Rejected || self.answered.as_ref().is_some_and(|answered| answered.retry)
        {
            return Vec::new();
        }
        let chosen = self.answered.as_ref().map(|answered| answered.place);
        let told = miss::told(script, asked).into_iter();
        told.take_while(|(place, _)| Some(*place) != chosen)
            .take(PASSED_OVER_MAX)
            .map(|(place, differs)| PassedOver {
                turn: script.turn_name(place),
                used_by: used_before(place).filter(|_| !script.turn(place).repeat),
                differs,
            })
            .collect()
    }
}

/// A refusal that did not happen.
fn complaint(rejection: &Rejection) -> Difference {
    Difference {
        condition: "api".to_owned(),
        expected: rejection.param.clone().into(),
        got: rejection.message.clone(),
    }
}

/// A copy of a body that shares no memory with the connection it came on.
pub(crate) fn kept(body: &Bytes) -> Arc<[u8]> {
    body.as_ref().into()
}
