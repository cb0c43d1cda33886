//! A script, and how it is read and built.

use std::{path::Path, sync::Arc};

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::{
    Client, Conversation, Fault, Problem, ScriptError, Turn,
    index::Index,
    json::Json,
    places::Places,
    reading::{problem, read, text_of},
    rules,
};
use crate::request::ModelRequest;

/// The version of the script format that this build reads and writes.
pub const FORMAT_VERSION: u32 = 1;

/// A script that keeps the rules of the format: whoever holds one need not check it again. Cloning it is
/// cheap.
#[derive(Clone, Debug)]
pub struct Script(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    draft: Draft,
    index: Index,
}

/// A script whose fields have the right types, and no more is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Draft {
    pub(crate) script: u32,
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Client::is_strict")]
    pub(crate) client: Client,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) faults: Vec<Fault>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) conversations: Vec<Conversation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) turns: Vec<Turn>,
}

impl Script {
    /// A script of these turns. The errors are those of a file, without line and column.
    pub fn new(name: impl Into<String>, turns: impl IntoIterator<Item = Turn>) -> Result<Self, ScriptError> {
        let draft = Draft { turns: turns.into_iter().collect(), ..Draft::named(name) };
        Self::checked(draft, "script", None)
    }

    /// A script of these conversations.
    pub fn of_conversations(
        name: impl Into<String>,
        conversations: impl IntoIterator<Item = Conversation>,
    ) -> Result<Self, ScriptError> {
        let draft = Draft { conversations: conversations.into_iter().collect(), ..Draft::named(name) };
        Self::checked(draft, "script", None)
    }

    /// The same script with these faults for all of its turns, tried before their own.
    pub fn with_faults(&self, faults: impl IntoIterator<Item = Fault>) -> Result<Self, ScriptError> {
        let draft = Draft { faults: faults.into_iter().collect(), ..self.0.draft.clone() };
        Self::checked(draft, "script", None)
    }

    /// The same script for a client of this kind.
    pub fn for_client(&self, client: Client) -> Result<Self, ScriptError> {
        Self::checked(Draft { client, ..self.0.draft.clone() }, "script", None)
    }

    /// Reads a YAML or JSON file.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, ScriptError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => Self::from_bytes(&name, &bytes),
            Err(error) => Err(problem(name, None, String::new(), format!("cannot be read: {error}"), None)),
        }
    }

    /// Reads YAML, of which JSON is a part. `name` stands for the file in errors.
    pub fn from_yaml(name: &str, text: &str) -> Result<Self, ScriptError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self::checked(read(name, text)?, name, Some(text))
    }

    /// Reads the bytes of a YAML or JSON file. `name` stands for the file in errors.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, ScriptError> {
        Self::from_yaml(name, &text_of(name, bytes)?)
    }

    /// Reads a JSON value. Errors point into it by JSON Pointer.
    pub fn from_json(value: &Value) -> Result<Self, ScriptError> {
        let draft = Draft::deserialize(Json(value)).map_err(|misread| {
            let pointer = misread.pointer();
            problem("script".into(), None, pointer, misread.told.message, misread.told.fix)
        })?;
        Self::checked(draft, "script", None)
    }

    /// The script as JSON; [`Script::from_json`] gives it back.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.draft.name
    }

    /// All of its turns, conversation by conversation. Places in this order name a turn elsewhere.
    pub fn turns(&self) -> impl ExactSizeIterator<Item = &Turn> {
        (0..self.turn_count()).map(|place| self.turn(place))
    }

    pub(crate) fn client(&self) -> Client {
        self.0.draft.client
    }

    pub(crate) fn faults(&self) -> &[Fault] {
        &self.0.draft.faults
    }

    pub(crate) fn turn_count(&self) -> usize {
        self.0.index.turns.len()
    }

    /// The turn at a place, which is less than [`Script::turn_count`].
    pub(crate) fn turn(&self, place: usize) -> &Turn {
        let (conversation, turn) = self.0.index.turns[place];
        match self.conversation(conversation) {
            Some(conversation) => &conversation.turns[turn],
            None => &self.0.draft.turns[turn],
        }
    }

    /// A conversation by its number; `None` for the only one of a script that just lists turns.
    pub(crate) fn conversation(&self, number: usize) -> Option<&Conversation> {
        self.0.draft.conversations.get(number)
    }

    /// The number of the conversation that the turn at `place` belongs to.
    pub(crate) fn conversation_of(&self, place: usize) -> usize {
        self.0.index.turns[place].0
    }

    /// What the turn at `place` is called in journals: `turn`, or `conversation/turn`.
    pub(crate) fn turn_name(&self, place: usize) -> String {
        self.named(place, '/')
    }

    /// What the turn at `place` is called in the ids of answers.
    pub(crate) fn turn_in_ids(&self, place: usize) -> String {
        self.named(place, '_')
    }

    fn named(&self, place: usize, with: char) -> String {
        let conversation = self.conversation(self.conversation_of(place));
        joined(conversation.map(|conversation| conversation.id.as_str()), &self.turn(place).id, with)
    }

    /// The conversations that a request may belong to by its words, in order, each with the places of its
    /// turns. Conditions are not looked at.
    pub(crate) fn conversations_for(
        &self,
        request: &ModelRequest,
    ) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
        let index = &self.0.index;
        index.conversations_for(request).into_iter().map(|number| (number, index.places[number].clone()))
    }

    fn checked(draft: Draft, file: &str, text: Option<&str>) -> Result<Self, ScriptError> {
        let faults = rules::broken(&draft);
        if faults.is_empty() {
            let index = Index::of(&draft);
            return Ok(Self(Arc::new(Compiled { draft, index })));
        }
        let places = text.map(Places::of);
        let mut problems: Vec<Problem> = faults
            .into_iter()
            .map(|fault| Problem {
                file: file.to_owned(),
                position: places
                    .as_ref()
                    .and_then(|places| places.find(&fault.pointer))
                    .map(|place| (place.line, place.column)),
                pointer: fault.pointer,
                message: fault.message,
                fix: fault.fix,
            })
            .collect();
        problems.sort_by_key(|problem| problem.position);
        Err(ScriptError { problems })
    }
}

/// The name of a turn, after that of its conversation when that has one.
pub(super) fn joined(conversation: Option<&str>, turn: &str, with: char) -> String {
    match conversation {
        Some(conversation) => format!("{conversation}{with}{turn}"),
        None => turn.to_owned(),
    }
}

impl PartialEq for Script {
    fn eq(&self, other: &Self) -> bool {
        self.0.draft == other.0.draft
    }
}

impl Serialize for Script {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.draft.serialize(serializer)
    }
}

impl Draft {
    fn named(name: impl Into<String>) -> Self {
        Self {
            script: FORMAT_VERSION,
            name: name.into(),
            client: Client::default(),
            faults: Vec::new(),
            conversations: Vec::new(),
            turns: Vec::new(),
        }
    }
}
