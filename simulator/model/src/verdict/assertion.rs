//! Holding a session against what is expected of it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Expectations, RequestExpectation, Where, verdict};
use crate::{host::Host, journal::Record, matching::differences, script::ScriptError, state::Story};

/// The most turns that are listed by name.
const UNUSED_MAX: usize = 20;

/// Expectations that do not hold, or that cannot be looked at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssertError {
    /// No session is loaded under this key.
    #[error("no session `{0}` is loaded")]
    NoSession(String),
    /// The expectations ask for something that there cannot be.
    #[error("{0}")]
    Invalid(ScriptError),
    /// They do not hold.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Unmet(Vec<Unmet>),
}

/// An expectation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmet {
    /// Which one, as a JSON Pointer.
    pub at: String,
    /// What is expected.
    pub expected: String,
    /// What there is.
    pub got: String,
    /// The requests that counted, by their sequence numbers.
    pub sequences: Vec<u64>,
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, expected, got, sequences } = self;
        write!(f, "{at}: expected {expected}, got {got} (requests {sequences:?})")
    }
}

impl Host {
    /// Holds a session against what is expected of it, by what the journal holds now.
    pub fn assert(&self, key: &str, expectations: &Expectations) -> Result<(), AssertError> {
        let no_session = || AssertError::NoSession(key.to_owned());
        let story = self.story(key).ok_or_else(no_session)?;
        expectations.checked(&story.script).map_err(AssertError::Invalid)?;
        let session = Seen(&story);
        let mut unmet = Vec::new();
        for (index, expected) in expectations.requests.iter().enumerate() {
            unmet.extend(session.count(expected, format!("/requests/{index}")));
        }
        unmet.extend(session.order(&expectations.in_order));
        unmet.extend(expectations.exhausted.and_then(|wanted| session.exhausted(wanted)));
        if let Some(wanted) = expectations.verdict {
            let verdict = verdict(key, &story, self.mint(), self.epoch_ms());
            if verdict.overall != wanted {
                let told =
                    verdict.findings.iter().map(|finding| format!("{}: {}", finding.rule, finding.message));
                let told: Vec<String> =
                    std::iter::once(verdict.overall.word().to_owned()).chain(told).collect();
                let mut sequences: Vec<u64> =
                    verdict.findings.iter().flat_map(|finding| &finding.evidence).copied().collect();
                sequences.sort_unstable();
                sequences.dedup();
                let expected = wanted.word().to_owned();
                unmet.push(Unmet { at: "/verdict".to_owned(), expected, got: told.join("; "), sequences });
            }
        }
        if unmet.is_empty() { Ok(()) } else { Err(AssertError::Unmet(unmet)) }
    }
}

/// The requests of a session.
struct Seen<'a>(&'a Story);

impl Seen<'_> {
    fn count(&self, expected: &RequestExpectation, at: String) -> Option<Unmet> {
        let counted = self.0.records.iter().filter(|record| self.counts(record, &expected.which));
        let sequences: Vec<u64> = counted.map(|record| record.sequence).collect();
        let count = sequences.len();
        let least = expected.exactly.or(expected.at_least).unwrap_or(0);
        let most = expected.exactly.or(expected.at_most).unwrap_or(usize::MAX);
        // Requests that the journal has lost may have been of this kind.
        let lost = usize::try_from(self.0.dropped).unwrap_or(usize::MAX);
        if count >= least && count.saturating_add(lost) <= most {
            return None;
        }
        let wanted = match expected {
            RequestExpectation { exactly: Some(count), .. } => format!("exactly {count}"),
            RequestExpectation { at_least: Some(least), at_most: Some(most), .. } => {
                format!("{least} to {most}")
            }
            RequestExpectation { at_most: Some(most), .. } => format!("at most {most}"),
            _ => format!("at least {least}"),
        };
        let of = serde_json::to_string(&expected.which).unwrap_or_default();
        let expected = format!("{wanted} where {of}");
        let got = match lost {
            0 => count.to_string(),
            _ => format!("{count}, and {lost} requests of the session are not in the journal any more"),
        };
        Some(Unmet { at, expected, got, sequences })
    }

    fn counts(&self, record: &Record, which: &Where) -> bool {
        which.turn.as_ref().is_none_or(|turn| self.turn(record).as_ref() == Some(turn))
            && which.outcome.is_none_or(|outcome| record.outcome == outcome)
            && which.target_contains.as_ref().is_none_or(|part| record.target.contains(part.as_str()))
            && (which.when.is_empty()
                || record.asked().is_some_and(|asked| differences(&which.when, &asked).is_empty()))
    }

    fn turn(&self, record: &Record) -> Option<String> {
        record.answered.as_ref().map(|answered| self.0.script.turn_name(answered.place))
    }

    fn order(&self, wanted: &[String]) -> Option<Unmet> {
        let answered: Vec<(String, u64)> =
            self.0.records.iter().filter_map(|record| Some((self.turn(record)?, record.sequence))).collect();
        let mut left = wanted.iter().peekable();
        for (turn, _) in &answered {
            left.next_if(|next| *next == turn);
        }
        let missing = left.next()?;
        let (turns, sequences): (Vec<String>, Vec<u64>) = answered.into_iter().unzip();
        let order = match turns.len() {
            0 => "no turn answered".to_owned(),
            _ => turns.join(", "),
        };
        let lost = match self.0.dropped {
            0 => String::new(),
            lost => format!(", and {lost} requests of the session are not in the journal any more"),
        };
        let got = format!("{order}; `{missing}` does not come in its place{lost}");
        Some(Unmet { at: "/in_order".to_owned(), expected: wanted.join(", "), got, sequences })
    }

    fn exhausted(&self, wanted: bool) -> Option<Unmet> {
        let unused = self.0.played.unused.iter();
        let mut unused: Vec<String> = unused.map(|place| self.0.script.turn_name(*place)).collect();
        if unused.is_empty() == wanted {
            return None;
        }
        unused.truncate(UNUSED_MAX);
        let (expected, got) = if wanted {
            ("that every turn answered a request", format!("turns that did not: {}", unused.join(", ")))
        } else {
            ("that some turn answered no request", "all of them did".to_owned())
        };
        let sequences = self.0.records.iter().map(|record| record.sequence).collect();
        Some(Unmet { at: "/exhausted".to_owned(), expected: expected.to_owned(), got, sequences })
    }
}
