//! What is wrong with a file of another tool, and what of it has no equivalent.

use std::fmt;

use crate::script::{Problem, ScriptError};

/// A file that cannot be imported. It says everything that is wrong, one problem per line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ImportError {
    /// The problems, at least one, in the order of the file.
    pub problems: Vec<Problem>,
}

impl ImportError {
    pub(super) fn one(file: &str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        let fix = Some(fix.into()).filter(|fix| !fix.is_empty());
        let (position, pointer) = (None, String::new());
        Self {
            problems: vec![Problem {
                file: file.to_owned(),
                position,
                pointer,
                message: message.into(),
                fix,
            }],
        }
    }
}

impl From<ScriptError> for ImportError {
    fn from(error: ScriptError) -> Self {
        Self { problems: error.problems }
    }
}

impl fmt::Display for ImportError {
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

/// Something that means more, or something else, in the file than in the script made from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The file.
    pub file: String,
    /// Line and column, both from 1.
    pub position: Option<(u64, u64)>,
    /// JSON Pointer to the place in the file.
    pub pointer: String,
    /// What it is and what became of it.
    pub message: String,
    /// In how many more places of the file the same holds.
    pub more: usize,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, position, pointer, message, more } = self;
        f.write_str(file)?;
        if let Some((line, column)) = position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {pointer}: {message}")?;
        match more {
            0 => Ok(()),
            1 => f.write_str(" (and in one more place)"),
            more => write!(f, " (and in {more} more places)"),
        }
    }
}
