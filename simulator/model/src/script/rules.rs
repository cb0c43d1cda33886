//! The rules of the format that types alone do not keep.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Answer, Conditions, JsonCondition, ToolCall, Turn,
    document::{Draft, FORMAT_VERSION},
};

/// The longest id of a turn or a gate.
const ID_CHARS_MAX: usize = 64;

/// A rule that is broken.
pub(crate) struct Fault {
    pub(crate) pointer: String,
    pub(crate) message: String,
    pub(crate) fix: Option<String>,
}

#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    fn add(&mut self, pointer: String, message: impl Into<String>, fix: &str) {
        let fix = (!fix.is_empty()).then(|| fix.to_owned());
        self.0.push(Fault { pointer, message: message.into(), fix });
    }
}

/// Everything that breaks a rule, in the order of the script.
pub(crate) fn faults(draft: &Draft) -> Vec<Fault> {
    let mut faults = Faults::default();
    if draft.script != FORMAT_VERSION {
        let message = format!("format version {} is unknown", draft.script);
        faults.add("/script".into(), message, &format!("this build reads version {FORMAT_VERSION}"));
    }
    if draft.name.is_empty() {
        faults.add("/name".into(), "the name is empty", "");
    }
    if draft.turns.is_empty() {
        faults.add("/turns".into(), "there is no turn", "give at least one");
    }
    let mut ids = BTreeMap::new();
    let mut gates = BTreeMap::new();
    for (index, turn) in draft.turns.iter().enumerate() {
        let at = format!("/turns/{index}");
        if !is_id(&turn.id) {
            faults.add(format!("{at}/id"), format!("`{}` is no turn id", turn.id), ID_RULE);
        } else if let Some(first) = ids.insert(turn.id.as_str(), index) {
            let message = format!("turn id `{}` is taken by turns/{first}", turn.id);
            faults.add(format!("{at}/id"), message, "give each turn an id of its own");
        }
        gate(turn, &at, &mut gates, &mut faults);
        conditions(&turn.when, &format!("{at}/when"), &mut faults);
        conditions(&turn.expect, &format!("{at}/expect"), &mut faults);
        answer(&turn.answer, &turn.id, &format!("{at}/answer"), &mut faults);
    }
    faults.0
}

const ID_RULE: &str = "use 1 to 64 letters, digits, `-` and `_`";

/// Whether `text` can be an id: it stands in URLs and in the ids of tool calls.
pub(crate) fn is_id(text: &str) -> bool {
    (1..=ID_CHARS_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn gate<'a>(turn: &'a Turn, at: &str, gates: &mut BTreeMap<&'a str, u32>, faults: &mut Faults) {
    let pointer = format!("{at}/after_arrivals");
    match (&turn.hold, turn.after_arrivals) {
        (Some(gate), _) if !is_id(gate) => {
            faults.add(format!("{at}/hold"), format!("`{gate}` is no gate name"), ID_RULE);
        }
        (None, Some(_)) => faults.add(pointer, "no gate to open", "name one with `hold`"),
        (Some(_), Some(0)) => faults.add(pointer, "a gate cannot open after 0 arrivals", "give 1 or more"),
        (Some(gate), Some(count)) => {
            let first = *gates.entry(gate).or_insert(count);
            if first != count {
                let message = format!("gate `{gate}` opens after {first} arrivals in an earlier turn");
                faults.add(pointer, message, "a gate has one such number");
            }
        }
        (_, None) => {}
    }
}

fn conditions(conditions: &Conditions, at: &str, faults: &mut Faults) {
    let texts = [
        ("system_contains", &conditions.system_contains),
        ("user_contains", &conditions.user_contains),
        ("last_contains", &conditions.last_contains),
        ("tool_offered", &conditions.tool_offered),
        ("tool_result_for", &conditions.tool_result_for),
    ];
    for (field, texts) in texts {
        if texts.0.iter().any(String::is_empty) {
            faults.add(format!("{at}/{field}"), "an empty text holds for every request", "leave it out");
        }
    }
    for (index, JsonCondition { pointer, equals, exists }) in conditions.json.iter().enumerate() {
        let at = format!("{at}/json/{index}");
        if !pointer.is_empty() && !pointer.starts_with('/') {
            let message = format!("`{pointer}` is no JSON Pointer");
            faults.add(format!("{at}/pointer"), message, "begin it with `/`");
        }
        if equals.is_some() == exists.is_some() {
            faults.add(at, "a condition on JSON says one thing", "give either `equals` or `exists`");
        }
    }
}

fn answer(answer: &Answer, turn: &str, at: &str, faults: &mut Faults) {
    if answer.text.is_none() && answer.tool_calls.is_empty() && answer.refusal.is_none() {
        faults.add(
            at.to_owned(),
            "the answer says nothing",
            "give `text` (\"\" will do), `tool_calls` or `refusal`",
        );
    }
    let mut ids = BTreeSet::new();
    for (index, call) in answer.tool_calls.iter().enumerate() {
        let at = format!("{at}/tool_calls/{index}");
        tool_call(call, &at, faults);
        let id = call.wire_id(turn, index);
        if !ids.insert(id.clone()) {
            faults.add(format!("{at}/id"), format!("call id `{id}` is taken in this turn"), "");
        }
    }
}

fn tool_call(call: &ToolCall, at: &str, faults: &mut Faults) {
    if call.name.is_empty() {
        faults.add(format!("{at}/name"), "the tool has no name", "");
    }
    if call.id.as_ref().is_some_and(String::is_empty) {
        faults.add(format!("{at}/id"), "the call id is empty", "leave it out to get one");
    }
    match (&call.arguments, &call.arguments_text) {
        (Some(_), Some(_)) => {
            let pointer = format!("{at}/arguments_text");
            faults.add(pointer, "the arguments are given twice", "keep `arguments` or `arguments_text`");
        }
        (Some(arguments), None) if !arguments.is_object() => {
            let fix = "for anything else, write it raw as `arguments_text`";
            faults.add(format!("{at}/arguments"), "the arguments are no JSON object", fix);
        }
        _ => {}
    }
}
