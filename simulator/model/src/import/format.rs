//! Which tool a file belongs to.

use std::{fs, path::Path};

use serde_json::Value;

use super::{ImportError, Imported, aimock, fakellm};
use crate::script::{read, suggest};

/// A tool whose files can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Fixture files of aimock, JSON.
    Aimock,
    /// Rule files of fakellm, YAML.
    FakeLlm,
}

impl Format {
    /// Every format by the word for it.
    pub const ALL: [(&'static str, Self); 2] = [("aimock", Self::Aimock), ("fakellm", Self::FakeLlm)];

    /// The format of a word. `Err` lists the words.
    pub fn of_word(word: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(known, _)| *known == word).map(|(_, format)| *format);
        found.ok_or_else(|| {
            format!("unknown format `{word}`; {}", suggest(word, &Self::ALL.map(|(word, _)| word)))
        })
    }

    /// The format of a text, by the field that only its files have.
    fn of_text(text: &str, file: &str) -> Result<Self, ImportError> {
        let value: Value = read(file, text)?;
        match (value.get("fixtures"), value.get("rules")) {
            (Some(_), None) => Ok(Self::Aimock),
            (None, Some(_)) => Ok(Self::FakeLlm),
            _ if value.get("script").is_some() => {
                Err(ImportError::one(file, "this is a script already", "use it as it stands"))
            }
            _ => {
                let message =
                    "the file has neither `fixtures`, as those of aimock, nor `rules`, as those of fakellm";
                Err(ImportError::one(file, message, "give a file of either tool"))
            }
        }
    }
}

/// Reads a file of another tool: of this one, or of the one that it looks like.
///
/// What may be written to a file is [`Script::to_json`](crate::Script::to_json).
pub fn file(path: &Path, format: Option<Format>) -> Result<Imported, ImportError> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path)
        .map_err(|error| ImportError::one(&name, format!("cannot be read: {error}"), ""))?;
    match format.map_or_else(|| Format::of_text(&text, &name), Ok)? {
        Format::Aimock => aimock(&text, &name),
        Format::FakeLlm => fakellm(&text, &name),
    }
}
