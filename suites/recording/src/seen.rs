//! Entries as a judge looks at them.

use serde_json::Value;

use crate::{
    Answer, Entry, Exchange, Finding, FindingKind, ModelTurn, Reception, Recording, Verdict, What, Witness,
};

/// The longest text that a finding quotes.
const QUOTE_CHARS_MAX: usize = 400;

/// A part of a recording in which a judge looks for entries.
pub trait View {
    /// The whole recording.
    fn recording(&self) -> &Recording;

    /// The case to which the view is limited.
    fn case(&self) -> Option<&str>;

    /// All entries in view, in order.
    fn all(&self) -> Vec<Seen<'_>> {
        let case = self.case();
        let recording = self.recording();
        let entries = recording.entries.iter().enumerate();
        entries
            .filter(|(_, entry)| entry.case.as_deref() == case)
            .map(|(at, _)| Seen::new(recording, at))
            .collect()
    }

    /// The entries called `label`, in order.
    fn labelled(&self, label: &str) -> Vec<Seen<'_>> {
        self.all().into_iter().filter(|seen| seen.label() == label).collect()
    }

    /// The entries whose label starts with `prefix`, in order.
    fn starting_with(&self, prefix: &str) -> Vec<Seen<'_>> {
        self.all().into_iter().filter(|seen| seen.label().starts_with(prefix)).collect()
    }

    /// The first entry called `label`. A drive that never came so far is a fault of the suite, because
    /// what stops a drive for the target's sake is judged before a judge is asked.
    fn one(&self, label: &str) -> Result<Seen<'_>, Verdict> {
        self.labelled(label).into_iter().next().ok_or_else(|| Verdict::Error {
            reason: format!("{}: nothing was recorded as `{label}`", self.recording().check),
        })
    }

    /// The fact called `label`.
    fn fact(&self, label: &str) -> Result<&Value, Verdict> {
        let found = self.recording().entries.iter().find_map(|entry| match &entry.what {
            What::Fact(value) if entry.label == label && entry.case.as_deref() == self.case() => Some(value),
            _ => None,
        });
        found.ok_or_else(|| Verdict::Error {
            reason: format!("{}: no fact `{label}` was recorded", self.recording().check),
        })
    }

    /// The requests that the target sent to the model, in order of arrival.
    fn model_turns(&self) -> Vec<(Seen<'_>, &ModelTurn)> {
        let recording = self.recording();
        self.all()
            .into_iter()
            .filter_map(|seen| match &recording.entries[seen.at()].what {
                What::Model(turn) => Some((seen, turn.as_ref())),
                _ => None,
            })
            .collect()
    }

    /// The data of the stream events recorded as `label`, in order.
    fn events(&self, label: &str) -> Vec<(Seen<'_>, &Value)> {
        let recording = self.recording();
        self.labelled(label)
            .into_iter()
            .filter_map(|seen| match &recording.entries[seen.at()].what {
                What::Event { data, .. } => Some((seen, data)),
                _ => None,
            })
            .collect()
    }
}

/// One entry, looked at.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    recording: &'a Recording,
    at: usize,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(recording: &'a Recording, at: usize) -> Self {
        Self { recording, at }
    }

    /// Its position in the recording.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The entry itself.
    pub fn entry(&self) -> &'a Entry {
        &self.recording.entries[self.at]
    }

    /// Its label.
    pub fn label(&self) -> &'a str {
        &self.entry().label
    }

    /// When it happened, in milliseconds on the world's clock.
    pub fn at_ms(&self) -> u64 {
        self.entry().at_ms
    }

    /// The pass that this entry earns.
    pub fn witness(&self) -> Witness {
        Witness::of(self.at)
    }

    /// The exchange, where the entry is one.
    pub fn exchange(&self) -> Option<&'a Exchange> {
        match &self.entry().what {
            What::Exchange(exchange) => Some(exchange),
            _ => None,
        }
    }

    /// The status of the answer, where there is one.
    pub fn status(&self) -> Option<u16> {
        self.answered().map(|answer| answer.status)
    }

    fn answered(&self) -> Option<&'a Answer> {
        match &self.exchange()?.outcome {
            Reception::Answered(answer) => Some(answer),
            Reception::Failed { .. } => None,
        }
    }

    /// The answer; a finding where there is none.
    pub fn answer(&self) -> Result<&'a Answer, Finding> {
        self.answered().ok_or_else(|| {
            let mut finding = self.finding("the target did not answer", "an answer");
            finding.kind = FindingKind::NoAnswer;
            finding
        })
    }

    /// Whether the status is in the 200s.
    pub fn is_success(&self) -> bool {
        self.status().is_some_and(|status| (200..300).contains(&status))
    }

    /// The text of the answer's body.
    pub fn text(&self) -> Option<&'a str> {
        self.recording.bodies.get(self.answered()?.body.as_ref()?)?.text()
    }

    /// The answer's body as JSON.
    pub fn body(&self) -> Option<Value> {
        serde_json::from_str(self.text()?).ok()
    }

    /// The answer's body as JSON; a finding where there is no answer or no JSON.
    pub fn json(&self) -> Result<Value, Finding> {
        self.answer()?;
        self.body().ok_or_else(|| self.finding("the answer is not JSON", "a JSON body"))
    }

    /// The request's body as JSON.
    pub fn sent(&self) -> Option<Value> {
        let body = self.exchange()?.question.body.as_ref()?;
        serde_json::from_str(self.recording.bodies.get(body)?.text()?).ok()
    }

    /// A header of the answer.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.answered()?.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The fact, where the entry is one.
    pub fn value(&self) -> Option<&'a Value> {
        match &self.entry().what {
            What::Fact(value) => Some(value),
            What::Event { data, .. } => Some(data),
            _ => None,
        }
    }

    /// A violation at this entry. `message` says what is wrong in fixed words.
    pub fn finding(&self, message: impl Into<String>, expected: impl Into<String>) -> Finding {
        Finding {
            kind: FindingKind::Violation,
            message: message.into(),
            expected: expected.into(),
            got: self.summary(),
            entry: Some(self.at),
            case: self.entry().case.clone(),
            timeline: None,
        }
    }

    /// A violation at this entry, with its own words for what was seen.
    pub fn finding_got(
        &self,
        message: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Finding {
        Finding { got: quote(&got.into()), ..self.finding(message, expected) }
    }

    /// The entry in one line: status and body of an answer, the failure, or the data.
    pub fn summary(&self) -> String {
        let text = match &self.entry().what {
            What::Exchange(exchange) => match &exchange.outcome {
                Reception::Answered(answer) => match self.text() {
                    Some("") | None => format!("{} without a body", answer.status),
                    Some(text) => format!("{} {text}", answer.status),
                },
                Reception::Failed { reason, .. } => reason.clone(),
            },
            What::Event { event, data, .. } => {
                format!("event {} {data}", event.as_deref().unwrap_or("(unnamed)"))
            }
            What::Model(turn) => format!("model request {} {}", turn.sequence, turn.request),
            What::Fact(value) => value.to_string(),
            What::Case(label) => format!("case {}: {}", label.case, label.rule),
            What::Stop(stop) => format!("{stop:?}"),
            What::End { entries } => format!("the end, after {entries} entries"),
        };
        quote(&text)
    }
}

fn quote(text: &str) -> String {
    if text.chars().count() <= QUOTE_CHARS_MAX {
        return text.to_owned();
    }
    let head: String = text.chars().take(QUOTE_CHARS_MAX).collect();
    format!("{head}… ({} characters in all)", text.chars().count())
}
