//! The rules of the format that types alone do not keep.

mod answer;
mod conditions;
mod fault;

use std::collections::BTreeMap;

use super::{
    Turn,
    document::{Draft, FORMAT_VERSION, joined},
    index::is_word,
};

/// The longest id of a turn or a gate.
const ID_CHARS_MAX: usize = 64;
/// What an id looks like.
const ID_RULE: &str = "use 1 to 64 letters, digits, `-` and `_`";

/// What the name of a header looks like.
const HEADER_NAME_RULE: &str = "use letters, digits and `-`";

/// A rule that is broken.
pub(crate) struct Broken {
    pub(crate) pointer: String,
    pub(crate) message: String,
    pub(crate) fix: Option<String>,
}

#[derive(Default)]
struct Findings(Vec<Broken>);

impl Findings {
    fn add(&mut self, pointer: String, message: impl Into<String>, fix: &str) {
        let fix = (!fix.is_empty()).then(|| fix.to_owned());
        self.0.push(Broken { pointer, message: message.into(), fix });
    }

    /// Notes that `id` is none, or was `taken` before.
    fn id(&mut self, pointer: String, what: &str, id: &str, taken: Option<String>) {
        if !is_id(id) {
            self.add(pointer, format!("`{id}` is no {what} id"), ID_RULE);
        } else if let Some(taken) = taken {
            let message = format!("{what} id `{id}` is taken by {taken}");
            self.add(pointer, message, &format!("give each {what} an id of its own"));
        }
    }
}

/// Everything that breaks a rule, in the order of the script.
pub(super) fn broken(draft: &Draft) -> Vec<Broken> {
    let mut findings = Findings::default();
    if draft.script != FORMAT_VERSION {
        let message = format!("format version {} is unknown", draft.script);
        findings.add("/script".into(), message, &format!("this build reads version {FORMAT_VERSION}"));
    }
    if draft.name.is_empty() {
        findings.add("/name".into(), "the name is empty", "give one");
    }
    match (draft.turns.is_empty(), draft.conversations.is_empty()) {
        (true, true) => {
            findings.add(
                "/turns".into(),
                "there is no turn",
                "give at least one, or `conversations` of them",
            );
        }
        (false, false) => {
            let fix = "make them a conversation of their own";
            findings.add("/turns".into(), "turns stand beside `conversations`", fix);
        }
        _ => {}
    }
    for (index, fault) in draft.faults.iter().enumerate() {
        fault::fault(fault, &format!("/faults/{index}"), &mut findings);
    }
    let mut gates = BTreeMap::new();
    turns(&draft.turns, None, "", &mut gates, &mut findings);
    let mut ids = BTreeMap::new();
    for (index, conversation) in draft.conversations.iter().enumerate() {
        let at = format!("/conversations/{index}");
        let first = ids.insert(conversation.id.as_str(), index);
        let taken = first.map(|first| format!("/conversations/{first}"));
        findings.id(format!("{at}/id"), "conversation", &conversation.id, taken);
        if let Some(key) = conversation.key.as_ref().filter(|key| !is_word(key)) {
            let fix = "a key is one word of letters, digits, `-` and `_`";
            findings.add(format!("{at}/key"), format!("`{key}` is no word"), fix);
        }
        conditions::conditions(&conversation.when, &format!("{at}/when"), &mut findings);
        if conversation.turns.is_empty() {
            findings.add(format!("{at}/turns"), "there is no turn", "give at least one");
        }
        turns(&conversation.turns, Some(&conversation.id), &at, &mut gates, &mut findings);
    }
    findings.0
}

/// What breaks the rules of conditions that stand in a text of another kind, at the JSON Pointer `at`.
pub(crate) fn broken_conditions(given: &super::Conditions, at: &str) -> Vec<Broken> {
    let mut findings = Findings::default();
    conditions::conditions(given, at, &mut findings);
    findings.0
}

/// The events that faults can name.
pub(crate) fn event_names() -> &'static [&'static str] {
    fault::EVENTS
}

/// A name as one token of a JSON Pointer.
fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Whether `text` can be an id: it stands in URLs and in the ids of tool calls.
pub(crate) fn is_id(text: &str) -> bool {
    (1..=ID_CHARS_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn turns<'a>(
    turns: &'a [Turn],
    conversation: Option<&str>,
    within: &str,
    gates: &mut BTreeMap<&'a str, u32>,
    findings: &mut Findings,
) {
    let mut ids = BTreeMap::new();
    for (index, turn) in turns.iter().enumerate() {
        let at = format!("{within}/turns/{index}");
        let first = ids.insert(turn.id.as_str(), index);
        let taken = first.map(|first| format!("{within}/turns/{first}"));
        findings.id(format!("{at}/id"), "turn", &turn.id, taken);
        gate(turn, &at, gates, findings);
        conditions::conditions(&turn.when, &format!("{at}/when"), findings);
        conditions::conditions(&turn.expect, &format!("{at}/expect"), findings);
        if turn.stream.piece_chars == Some(0) {
            let fix = "give 1 or more characters";
            findings.add(format!("{at}/stream/piece_chars"), "a fragment of no characters goes nowhere", fix);
        }
        let in_ids = joined(conversation, &turn.id, '_');
        answer::answer(&turn.answer, &in_ids, &format!("{at}/answer"), findings);
        for (index, fault) in turn.faults.iter().enumerate() {
            fault::fault(fault, &format!("{at}/faults/{index}"), findings);
        }
    }
}

fn gate<'a>(turn: &'a Turn, at: &str, gates: &mut BTreeMap<&'a str, u32>, findings: &mut Findings) {
    let pointer = format!("{at}/after_arrivals");
    match (&turn.hold, turn.after_arrivals) {
        (Some(gate), _) if !is_id(gate) => {
            findings.add(format!("{at}/hold"), format!("`{gate}` is no gate name"), ID_RULE);
        }
        (None, Some(_)) => findings.add(pointer, "no gate to open", "name one with `hold`"),
        (Some(_), Some(0)) => findings.add(pointer, "a gate cannot open after 0 arrivals", "give 1 or more"),
        (Some(gate), Some(count)) => {
            let first = *gates.entry(gate).or_insert(count);
            if first != count {
                let message = format!("gate `{gate}` opens after {first} arrivals in an earlier turn");
                findings.add(pointer, message, "a gate has one such number");
            }
        }
        (_, None) => {}
    }
}
