//! Which entries of the journal are wanted, and how they are to be written.

use crate::{
    journal::{Outcome, Record},
    script::{Script, WireName, suggest},
};

/// The parameters of a query, in the order in which they are listed.
const NAMES: [&str; 6] = ["since", "limit", "outcome", "turn", "wire", "format"];
const OUTCOMES: [(&str, Outcome); 7] = [
    ("pending", Outcome::Pending),
    ("answered", Outcome::Answered),
    ("broken", Outcome::Broken),
    ("missed", Outcome::Missed),
    ("rejected", Outcome::Rejected),
    ("dropped", Outcome::Dropped),
    ("served", Outcome::Served),
];
const WIRES: [(&str, WireName); 3] =
    [("chat", WireName::Chat), ("responses", WireName::Responses), ("messages", WireName::Messages)];
const FORMATS: [(&str, Format); 3] =
    [("json", Format::Json), ("jsonl", Format::JsonLines), ("har", Format::Har)];

/// Which entries of the journal are wanted, and how. All that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The session. `None`: all of them.
    pub session: Option<String>,
    /// Only entries with a greater sequence number.
    pub since: u64,
    /// The first so many entries of those that are left.
    pub limit: Option<usize>,
    /// Only requests of which this became.
    pub outcome: Option<Outcome>,
    /// Only requests that this turn answers: `turn`, or `conversation/turn`.
    pub turn: Option<String>,
    /// Only requests on this wire.
    pub wire: Option<WireName>,
    /// How they are written.
    pub format: Format,
}

/// How entries are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// One JSON object with the list of entries.
    #[default]
    Json,
    /// A line about the whole, and a line for each entry, as JSON.
    JsonLines,
    /// HTTP Archive 1.2, for the developer tools of browsers.
    Har,
}

impl Format {
    /// The media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json | Self::Har => "application/json",
            Self::JsonLines => "application/x-ndjson",
        }
    }
}

/// A parameter that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SelectionError {
    /// The parameter.
    pub parameter: String,
    /// What is wrong with it, and what would be right.
    pub message: String,
}

impl SelectionError {
    pub(crate) fn new(parameter: &str, message: String) -> Self {
        Self { parameter: parameter.to_owned(), message }
    }
}

impl Selection {
    /// All entries of one session, or of all, as JSON.
    pub fn of(session: Option<&str>) -> Self {
        Self { session: session.map(str::to_owned), ..Self::default() }
    }

    /// What the parameters of a query ask for. Whether there is such a turn is not looked at.
    pub fn from_query(session: Option<&str>, pairs: &[(String, String)]) -> Result<Self, SelectionError> {
        let mut selection = Self::of(session);
        for (place, (name, value)) in pairs.iter().enumerate() {
            once(&pairs[..place], name)?;
            match name.as_str() {
                "since" => selection.since = number(name, value, "a sequence number, 0 or more", 0)?,
                "limit" => selection.limit = Some(number(name, value, "a number of entries, 1 or more", 1)?),
                "outcome" => selection.outcome = Some(word(name, value, &OUTCOMES)?),
                "turn" => selection.turn = Some(value.clone()),
                "wire" => selection.wire = Some(word(name, value, &WIRES)?),
                "format" => selection.format = word(name, value, &FORMATS)?,
                _ => {
                    let fix = suggest(name, &NAMES);
                    return Err(SelectionError::new(name, format!("there is no parameter `{name}`; {fix}")));
                }
            }
        }
        Ok(selection)
    }

    /// Refuses a turn that the script of the session does not have.
    pub(super) fn checked(&self, script: Option<&Script>) -> Result<(), SelectionError> {
        let (Some(turn), Some(script)) = (&self.turn, script) else { return Ok(()) };
        let names: Vec<String> = (0..script.turn_count()).map(|place| script.turn_name(place)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if names.contains(&turn.as_str()) {
            return Ok(());
        }
        let message =
            format!("`turn` names a turn of the script, which has no `{turn}`; {}", suggest(turn, &names));
        Err(SelectionError::new("turn", message))
    }

    pub(super) fn wants(&self, record: &Record) -> bool {
        let turn = || record.script.as_ref().zip(record.answered.as_ref());
        record.sequence > self.since
            && self.outcome.is_none_or(|outcome| record.outcome == outcome)
            && self.wire.is_none_or(|wanted| record.wire.is_some_and(|wire| wire.name() == wanted))
            && self.turn.as_ref().is_none_or(|wanted| {
                turn().is_some_and(|(script, answered)| script.turn_name(answered.place) == *wanted)
            })
    }
}

/// Refuses a parameter that stands among the earlier ones.
pub(crate) fn once(earlier: &[(String, String)], name: &str) -> Result<(), SelectionError> {
    if earlier.iter().any(|(earlier, _)| earlier == name) {
        return Err(SelectionError::new(name, format!("`{name}` is given twice; keep one")));
    }
    Ok(())
}

/// A whole number of a query.
pub(crate) fn number<N>(name: &str, value: &str, what: &str, least: N) -> Result<N, SelectionError>
where
    N: std::str::FromStr + PartialOrd,
{
    let wrong = || SelectionError::new(name, format!("`{name}` takes {what}; `{value}` is none"));
    value.parse().ok().filter(|number| *number >= least).ok_or_else(wrong)
}

fn word<T: Copy>(name: &str, value: &str, words: &[(&str, T)]) -> Result<T, SelectionError> {
    let found = words.iter().find(|(word, _)| *word == value).map(|(_, meaning)| *meaning);
    found.ok_or_else(|| {
        let list: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        SelectionError::new(name, format!("`{name}` takes one of {}; `{value}` is none", list.join(", ")))
    })
}
