//! Conversations: the turns that belong together.

use serde::{Deserialize, Serialize};

use super::{Conditions, Turn};

/// Turns that belong together, and the requests they are for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    /// Its id, unique in the script: letters, digits, `-` and `_`, 64 at most.
    pub id: String,
    /// A word that stands in the system text or in a user message of every request of it. A word is made
    /// of letters, digits, `-` and `_`. It is looked up, so ten thousand conversations cost no more than
    /// ten.
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What else its requests say.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub when: Conditions,
    /// Its turns, in order.
    pub turns: Vec<Turn>,
}

impl Conversation {
    /// A conversation of these turns for any request.
    pub fn new(id: impl Into<String>, turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { id: id.into(), turns: turns.into_iter().collect(), ..Self::default() }
    }

    /// For requests only in which the word `key` stands.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// For requests only that keep these conditions.
    #[must_use]
    pub fn when(mut self, conditions: Conditions) -> Self {
        self.when = conditions;
        self
    }
}

/// What becomes of requests that the real API would refuse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Client {
    /// They are refused in the API's own words.
    #[default]
    Strict,
    /// They are answered if they can be read at all, and the journal says what was wrong.
    Lenient,
}

impl Client {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    pub(crate) fn is_strict(&self) -> bool {
        *self == Self::Strict
    }
}
