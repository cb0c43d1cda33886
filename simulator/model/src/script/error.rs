//! What is wrong with a script, where, and what to do about it.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

/// A script that cannot be used. It says everything that is wrong, one problem per line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ScriptError {
    /// The problems, at least one, in the order of the text.
    pub problems: Vec<Problem>,
}

/// One problem of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The file, or a name for a script that came another way.
    pub file: String,
    /// Line and column, both from 1; `None` for a script that has no text.
    pub position: Option<(u64, u64)>,
    /// JSON Pointer to the place in the script; empty for the script as a whole.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
    /// What would be right, when that can be told.
    pub fix: Option<String>,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        f.write_str(": ")?;
        if !self.pointer.is_empty() {
            write!(f, "{}: ", in_one_line(&self.pointer))?;
        }
        f.write_str(&in_one_line(&self.message))?;
        if let Some(fix) = &self.fix {
            write!(f, "; {}", in_one_line(fix))?;
        }
        Ok(())
    }
}

/// What a script says may stand in a message, and a message is one line.
fn in_one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let escaped = |letter: char| {
        let escape = letter.is_control().then(|| letter.escape_default());
        escape.map_or_else(|| letter.to_string(), |escape| escape.to_string())
    };
    Cow::Owned(text.chars().map(escaped).collect())
}

/// `did you mean …?` for the candidate nearest to `wanted`, else the whole list.
pub(crate) fn suggest(wanted: &str, candidates: &[&str]) -> String {
    match nearest(wanted, candidates.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if candidates.is_empty() => "there is none".to_owned(),
        None => {
            let list: Vec<String> = candidates.iter().map(|name| format!("`{name}`")).collect();
            format!("there is {}", list.join(", "))
        }
    }
}

/// The candidate nearest to `wanted`, when it is near enough to be a slip.
pub(crate) fn nearest<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase()), candidate))
        .min()
        .filter(|(distance, candidate)| *distance <= 2.max(candidate.len() / 3))
        .map(|(_, candidate)| candidate)
}
