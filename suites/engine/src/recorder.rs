//! Writing a recording while a drive runs.

use std::cell::RefCell;

use recording::{
    Answer, Bodies, Body, Entry, Exchange, FailureKind, Question, Reception, Recording, TargetFacts, What,
};
use serde_json::Value;
use wire::{
    Clock,
    http::{Failure, Open, Request, Response},
};

/// Collects entries. Secrets of the target never enter.
pub(crate) struct Recorder {
    clock: Clock,
    began_ms: u64,
    secrets: RefCell<Vec<(String, String)>>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    case: Option<String>,
    entries: Vec<Entry>,
    bodies: Bodies,
}

impl Recorder {
    /// `secrets` are pairs of name and value; a value is replaced by `{{name}}` wherever it occurs.
    pub(crate) fn new(clock: Clock, secrets: Vec<(String, String)>) -> Self {
        let began_ms = clock.elapsed_ms();
        Self { clock, began_ms, secrets: RefCell::new(secrets), state: RefCell::default() }
    }

    /// From now on `value` is a secret called `name`. What was recorded before is not looked at again.
    pub(crate) fn hide(&self, name: &str, value: &str) {
        if !value.is_empty() {
            self.secrets.borrow_mut().push((name.to_owned(), value.to_owned()));
        }
    }

    pub(crate) fn at_ms(&self) -> u64 {
        self.clock.elapsed_ms().saturating_sub(self.began_ms)
    }

    pub(crate) fn began_ms(&self) -> u64 {
        self.began_ms
    }

    pub(crate) fn set_case(&self, case: Option<String>) {
        self.state.borrow_mut().case = case;
    }

    pub(crate) fn len(&self) -> usize {
        self.state.borrow().entries.len()
    }

    /// Drops the entries from `at` on, and returns them.
    pub(crate) fn cut(&self, at: usize) -> Vec<Entry> {
        self.state.borrow_mut().entries.split_off(at)
    }

    pub(crate) fn append(&self, entries: Vec<Entry>) {
        self.state.borrow_mut().entries.extend(entries);
    }

    pub(crate) fn put(&self, label: &str, what: What) {
        let at_ms = self.at_ms();
        let mut state = self.state.borrow_mut();
        let case = state.case.clone();
        state.entries.push(Entry { at_ms, label: label.to_owned(), case, what });
    }

    pub(crate) fn exchange(&self, label: &str, request: &Request, outcome: &Result<Response, Failure>) {
        let question = self.question(request);
        let outcome = match outcome {
            Ok(response) => Reception::Answered(Answer {
                status: response.status,
                headers: self.headers(&response.headers),
                body: Some(self.body(&response.body)),
            }),
            Err(failure) => failed(failure),
        };
        self.put(label, What::Exchange(Box::new(Exchange { question, outcome })));
    }

    /// The head of a stream, or the failure to open it.
    pub(crate) fn head(&self, label: &str, request: &Request, head: Result<&Open, &Failure>) {
        let question = self.question(request);
        let outcome = match head {
            Ok(open) => Reception::Answered(Answer {
                status: open.status,
                headers: self.headers(&open.headers),
                body: None,
            }),
            Err(failure) => failed(failure),
        };
        self.put(label, What::Exchange(Box::new(Exchange { question, outcome })));
    }

    /// `text` with the values of secrets replaced by their names.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.secrets
            .borrow()
            .iter()
            .fold(text.to_owned(), |text, (name, value)| text.replace(value, &format!("{{{{{name}}}}}")))
    }

    /// As [`Recorder::redact`], for what may be JSON: a secret that is spelled with escapes is found too. A
    /// text that has one is written anew, compact; any other stays as it came.
    pub(crate) fn redact_json(&self, text: &str) -> String {
        let plain = self.redact(text);
        if !plain.contains('\\') {
            return plain;
        }
        let Ok(mut value) = serde_json::from_str::<Value>(&plain) else { return plain };
        if self.redact_value(&mut value) { value.to_string() } else { plain }
    }

    fn redact_value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => {
                let clean = self.redact(text);
                let found = clean != *text;
                *text = clean;
                found
            }
            Value::Array(items) => {
                items.iter_mut().fold(false, |found, item| self.redact_value(item) | found)
            }
            Value::Object(members) => {
                let mut found = false;
                let given = std::mem::take(members);
                for (name, mut member) in given {
                    found |= self.redact_value(&mut member);
                    let clean = self.redact(&name);
                    found |= clean != name;
                    members.insert(clean, member);
                }
                found
            }
            _ => false,
        }
    }

    /// Ends the recording. Its last entry says how many came before it, so that one that was cut is seen
    /// to be.
    pub(crate) fn finish(&self, check: &str, token: &str, target: TargetFacts) -> Recording {
        self.set_case(None);
        self.put("end", What::End { entries: self.len() });
        let state = self.state.take();
        Recording {
            check: check.to_owned(),
            token: token.to_owned(),
            target,
            entries: state.entries,
            bodies: state.bodies,
        }
    }

    /// A copy of what was recorded of `case`, with the bodies that it names and no others: a check of many
    /// cases would otherwise copy all of them for each.
    pub(crate) fn of_case(&self, case: &str, check: &str, token: &str, target: TargetFacts) -> Recording {
        let state = self.state.borrow();
        let of_case = |entry: &&Entry| entry.case.as_deref() == Some(case);
        let entries: Vec<Entry> = state.entries.iter().filter(of_case).cloned().collect();
        let mut bodies = Bodies::default();
        for name in entries.iter().flat_map(Entry::bodies) {
            if let Some(body) = state.bodies.get(name) {
                bodies.put(body.clone());
            }
        }
        Recording { check: check.to_owned(), token: token.to_owned(), target, entries, bodies }
    }

    fn question(&self, request: &Request) -> Question {
        Question {
            method: request.method.clone(),
            path: self.redact(&request.path),
            headers: self.headers(&request.headers),
            body: request.body.as_ref().map(|body| self.body(body)),
        }
    }

    fn headers(&self, headers: &[(String, String)]) -> Vec<(String, String)> {
        headers.iter().map(|(name, value)| (name.clone(), self.redact(value))).collect()
    }

    fn body(&self, bytes: &[u8]) -> recording::BodyRef {
        let body = match std::str::from_utf8(bytes) {
            Ok(text) => Body::new(self.redact_json(text).as_bytes()),
            Err(_) => Body::new(bytes),
        };
        self.state.borrow_mut().bodies.put(body)
    }
}

fn failed(failure: &Failure) -> Reception {
    let kind = match failure {
        Failure::Connect { .. } | Failure::Untrusted { .. } => FailureKind::Connect,
        Failure::Unsendable(_) => FailureKind::Unsendable,
        Failure::Broken(_) => FailureKind::Broken,
        Failure::NoHead(_) | Failure::NoEnd(_) => FailureKind::Deadline,
        Failure::TooLarge(_) => FailureKind::TooLarge,
    };
    Reception::Failed { kind, reason: failure.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_secret_is_found_however_it_is_spelled() {
        let secrets =
            vec![("primary".to_owned(), "sk/a+b==".to_owned()), ("other".to_owned(), "plain".to_owned())];
        let recorder = Recorder::new(Clock::virtual_time(), secrets);
        for (text, expected) in [
            (r#"{"a":"Bearer sk/a+b=="}"#, r#"{"a":"Bearer {{primary}}"}"#),
            (r#"{"a": "Bearer sk\/a+b=="}"#, r#"{"a":"Bearer {{primary}}"}"#),
            (r#"["\u0070lain", 1]"#, r#"["{{other}}",1]"#),
            (r#"{"sk\/a+b==": null}"#, r#"{"{{primary}}":null}"#),
            (r#"{"kept":  "a\nb"}"#, r#"{"kept":  "a\nb"}"#),
            ("not json \\ sk/a+b==", "not json \\ {{primary}}"),
        ] {
            assert_eq!(recorder.redact_json(text), expected, "{text}");
        }
        assert_eq!(recorder.redact("late"), "late");
        recorder.hide("learned", "late");
        recorder.hide("nothing", "");
        assert_eq!(recorder.redact("late"), "{{learned}}", "a secret may be learned on the way");
    }
}
