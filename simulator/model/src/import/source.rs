//! A file of another tool while it is read.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::error::{ImportError, Note};
use crate::script::{Places, Problem, read};

/// What has been found in a file so far.
pub(super) struct Source {
    file: String,
    places: Places,
    notes: Vec<Note>,
    /// Where the first note of a kind stands in `notes`.
    kinds: BTreeMap<&'static str, usize>,
    problems: Vec<Problem>,
}

impl Source {
    /// Reads YAML, of which JSON is a part.
    pub(super) fn read(text: &str, file: &str) -> Result<(Self, Value), ImportError> {
        let value = read(file, text)?;
        let (notes, kinds, problems) = (Vec::new(), BTreeMap::new(), Vec::new());
        Ok((Self { file: file.to_owned(), places: Places::of(text), notes, kinds, problems }, value))
    }

    fn position(&self, pointer: &str) -> Option<(u64, u64)> {
        self.places.find(pointer).map(|place| (place.line, place.column))
    }

    /// Notes something that has no equivalent.
    pub(super) fn note(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        let (file, pointer) = (self.file.clone(), pointer.into());
        let position = self.position(&pointer);
        self.notes.push(Note { file, position, pointer, message: message.into(), more: 0 });
    }

    /// Notes something that holds for many places, at the first of them.
    pub(super) fn note_once(
        &mut self,
        kind: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        match self.kinds.get(kind) {
            Some(first) => self.notes[*first].more += 1,
            None => {
                self.kinds.insert(kind, self.notes.len());
                self.note(pointer, message);
            }
        }
    }

    /// Notes something that the tool itself would not take.
    pub(super) fn wrong(&mut self, pointer: impl Into<String>, message: impl Into<String>, fix: &str) {
        let (file, pointer) = (self.file.clone(), pointer.into());
        let position = self.position(&pointer);
        let fix = (!fix.is_empty()).then(|| fix.to_owned());
        self.problems.push(Problem { file, position, pointer, message: message.into(), fix });
    }

    /// How much has been found wrong so far.
    pub(super) fn problems(&self) -> usize {
        self.problems.len()
    }

    /// The notes in the order of the file, or what is wrong.
    pub(super) fn finish(mut self) -> Result<Vec<Note>, ImportError> {
        if self.problems.is_empty() {
            self.notes.sort_by_key(|note| note.position);
            return Ok(self.notes);
        }
        self.problems.sort_by_key(|problem| problem.position);
        Err(ImportError { problems: self.problems })
    }
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct At<'a> {
    pub(super) value: &'a Value,
    pub(super) pointer: String,
}

impl<'a> At<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        Self { value, pointer: String::new() }
    }

    /// The field of a mapping; a field that says `null` is not there.
    pub(super) fn get(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(Self { value, pointer: self.below(name) })
    }

    fn below(&self, name: &str) -> String {
        format!("{}/{}", self.pointer, name.replace('~', "~0").replace('/', "~1"))
    }

    /// The fields of a mapping that are not `null`. What is no mapping is wrong.
    pub(super) fn fields(&self, source: &mut Source) -> Vec<(&'a str, Self)> {
        let Some(fields) = self.mapping(source) else { return Vec::new() };
        let given = fields.iter().filter(|(_, value)| !value.is_null());
        given.map(|(name, value)| (name.as_str(), Self { value, pointer: self.below(name) })).collect()
    }

    pub(super) fn mapping(&self, source: &mut Source) -> Option<&'a Map<String, Value>> {
        let mapping = self.value.as_object();
        if mapping.is_none() {
            source.wrong(&self.pointer, format!("{} stands where a mapping belongs", kind(self.value)), "");
        }
        mapping
    }

    /// The items of a list. What is no list is wrong.
    pub(super) fn items(&self, source: &mut Source) -> Vec<Self> {
        let Some(items) = self.value.as_array() else {
            source.wrong(&self.pointer, format!("{} stands where a list belongs", kind(self.value)), "");
            return Vec::new();
        };
        let at = |index| format!("{}/{index}", self.pointer);
        items.iter().enumerate().map(|(index, value)| Self { value, pointer: at(index) }).collect()
    }

    /// A text. What is none is wrong.
    pub(super) fn text(&self, source: &mut Source) -> Option<&'a str> {
        let text = self.value.as_str();
        if text.is_none() {
            source.wrong(&self.pointer, format!("{} stands where a text belongs", kind(self.value)), "");
        }
        text
    }

    /// A text, or a number or a flag as one.
    pub(super) fn as_text(&self, source: &mut Source) -> Option<String> {
        match self.value {
            Value::Bool(_) | Value::Number(_) => Some(self.value.to_string()),
            _ => self.text(source).map(str::to_owned),
        }
    }

    /// A number that is 0 or more; a fraction is rounded.
    pub(super) fn number(&self, source: &mut Source) -> Option<f64> {
        let number = self.value.as_f64().filter(|number| number.is_finite() && *number >= 0.0);
        if number.is_none() {
            let message = format!("{} stands where a number, 0 or more, belongs", kind(self.value));
            source.wrong(&self.pointer, message, "");
        }
        number
    }

    /// [`At::number`], whole.
    pub(super) fn count(&self, source: &mut Source) -> Option<u32> {
        self.number(source).map(rounded)
    }

    pub(super) fn flag(&self, source: &mut Source) -> Option<bool> {
        let flag = self.value.as_bool();
        if flag.is_none() {
            source.wrong(
                &self.pointer,
                format!("{} stands where `true` or `false` belongs", kind(self.value)),
                "",
            );
        }
        flag
    }
}

/// The nearest whole number; the largest that there is for what is larger.
pub(super) fn rounded(number: f64) -> u32 {
    number.round() as u32
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => "a text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
    }
}
