//! Reading the members of a request body, and saying what is wrong with them.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::Fault;

/// The members of one object of a body. A member that is `null` counts as absent, and one that nobody
/// asked for is a fault: to drop it in silence would be a demand quietly lost.
pub(crate) struct Fields<'a> {
    members: &'a Map<String, Value>,
    /// Path of the object: empty for the body, `tools.` for a member of it.
    path: String,
    known: Vec<&'static str>,
    faults: Vec<Fault>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(members: &'a Map<String, Value>, path: impl Into<String>) -> Self {
        Self { members, path: path.into(), known: Vec::new(), faults: Vec::new() }
    }

    /// Path of a member.
    pub(crate) fn path(&self, name: &str) -> String {
        format!("{}{}", self.path, visible(name))
    }

    pub(crate) fn fault(&mut self, name: &str, message: impl Into<String>) {
        let path = self.path(name);
        self.faults.push(Fault::at(path, message));
    }

    /// Takes over the faults of an object inside this one.
    pub(crate) fn adopt(&mut self, faults: Vec<Fault>) {
        self.faults.extend(faults);
    }

    pub(crate) fn value(&mut self, name: &'static str) -> Option<&'a Value> {
        self.known.push(name);
        self.members.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&mut self, name: &'static str, chars: RangeInclusive<usize>) -> Option<String> {
        let value = self.value(name)?;
        let Some(text) = value.as_str() else {
            self.fault(name, "is not a string");
            return None;
        };
        if !chars.contains(&text.chars().count()) {
            self.fault(name, format!("does not have {} to {} characters", chars.start(), chars.end()));
            return None;
        }
        Some(text.to_owned())
    }

    pub(crate) fn required_text(&mut self, name: &'static str, chars: RangeInclusive<usize>) -> String {
        if self.value(name).is_none() {
            self.fault(name, "is missing");
        }
        self.text(name, chars).unwrap_or_default()
    }

    pub(crate) fn flag(&mut self, name: &'static str) -> Option<bool> {
        let value = self.value(name)?;
        if !value.is_boolean() {
            self.fault(name, "is neither true nor false");
        }
        value.as_bool()
    }

    pub(crate) fn object(&mut self, name: &'static str) -> Option<&'a Map<String, Value>> {
        let value = self.value(name)?;
        if !value.is_object() {
            self.fault(name, "is not an object");
        }
        value.as_object()
    }

    pub(crate) fn list(&mut self, name: &'static str, len: RangeInclusive<usize>) -> Option<&'a [Value]> {
        let value = self.value(name)?;
        let Some(list) = value.as_array() else {
            self.fault(name, "is not an array");
            return None;
        };
        if !len.contains(&list.len()) {
            self.fault(name, format!("does not have {} to {} entries", len.start(), len.end()));
            return None;
        }
        Some(list)
    }

    /// What is wrong with the object.
    pub(crate) fn finish(mut self) -> Vec<Fault> {
        let unknown: Vec<String> =
            self.members.keys().filter(|name| !self.known.contains(&name.as_str())).cloned().collect();
        for name in unknown {
            self.fault(&name, "is not a member that is known here");
        }
        self.faults
    }
}

/// A name that can be told: an empty one stands between quotes, so that what names it is not empty too.
pub(crate) fn visible(name: &str) -> &str {
    if name.is_empty() { "\"\"" } else { name }
}
