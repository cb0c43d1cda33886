//! Reading the members of an object that somebody sent.

use serde_json::{Map, Value};

use super::schema::{place, safe_integer};
use crate::{
    errors::Refusal,
    limits::{Range, utf16_units},
};

/// An object and the place where it stands. Every method gives a 400 that names the member.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a, 'p> {
    object: &'a Map<String, Value>,
    at: &'p str,
}

impl<'a, 'p> Reader<'a, 'p> {
    /// Reads `object`, which stands at `at` (empty for the body itself).
    pub fn new(object: &'a Map<String, Value>, at: &'p str) -> Self {
        Self { object, at }
    }

    /// Reads `value`, which has to be an object.
    pub fn of(value: &'a Value, at: &'p str) -> Result<Self, Refusal> {
        let object =
            value.as_object().ok_or_else(|| Refusal::bad_request(format!("{at}: an object is needed")))?;
        Ok(Self { object, at })
    }

    /// The place of a member.
    pub fn place(&self, name: &str) -> String {
        place::member(self.at, name)
    }

    /// Refuses the member `name`.
    pub fn refuse(&self, name: &str, problem: &str) -> Refusal {
        Refusal::bad_request(format!("{}: {problem}", self.place(name)))
    }

    /// Refuses members that are not listed.
    pub fn only(&self, names: &[&str]) -> Result<(), Refusal> {
        match self.object.keys().find(|name| !names.contains(&name.as_str())) {
            Some(unknown) => Err(self.refuse(unknown, "there is no such field")),
            None => Ok(()),
        }
    }

    /// The member, if it is there.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.object.get(name)
    }

    /// The member, which has to be there.
    pub fn need(&self, name: &str) -> Result<&'a Value, Refusal> {
        self.get(name).ok_or_else(|| self.refuse(name, "is missing"))
    }

    /// A text whose length is measured by `units`.
    pub fn text_by(&self, name: &str, range: Range, units: fn(&str) -> u64) -> Result<&'a str, Refusal> {
        let text = self.need(name)?.as_str().filter(|text| range.holds(units(text)));
        text.ok_or_else(|| {
            self.refuse(name, &format!("a text of {} to {} characters is needed", range.min, range.max))
        })
    }

    /// A text, measured in UTF-16 code units.
    pub fn text(&self, name: &str, range: Range) -> Result<&'a str, Refusal> {
        self.text_by(name, range, utf16_units)
    }

    /// A text that may be left out.
    pub fn optional_text(&self, name: &str, range: Range) -> Result<Option<&'a str>, Refusal> {
        self.get(name).map(|_| self.text(name, range)).transpose()
    }

    /// A whole number.
    pub fn integer(&self, name: &str, range: Range) -> Result<u64, Refusal> {
        let number = safe_integer(self.need(name)?).and_then(|number| u64::try_from(number).ok());
        number.filter(|number| range.holds(*number)).ok_or_else(|| {
            self.refuse(name, &format!("a whole number from {} to {} is needed", range.min, range.max))
        })
    }

    /// One of a few words.
    pub fn one_of(&self, name: &str, words: &[&str]) -> Result<&'a str, Refusal> {
        let word = self.need(name)?.as_str().filter(|word| words.contains(word));
        word.ok_or_else(|| self.refuse(name, &format!("one of {} is needed", words.join(", "))))
    }

    /// A truth value.
    pub fn boolean(&self, name: &str) -> Result<bool, Refusal> {
        self.need(name)?.as_bool().ok_or_else(|| self.refuse(name, "true or false is needed"))
    }

    /// A list of at most `most` items.
    pub fn list(&self, name: &str, most: u64) -> Result<&'a [Value], Refusal> {
        let list = self.need(name)?.as_array().filter(|list| list.len() as u64 <= most);
        list.map(Vec::as_slice)
            .ok_or_else(|| self.refuse(name, &format!("a list of at most {most} items is needed")))
    }

    /// A UUID.
    pub fn uuid(&self, name: &str) -> Result<&'a str, Refusal> {
        let id = self.need(name)?.as_str().filter(|id| is_uuid(id));
        id.ok_or_else(|| self.refuse(name, "a UUID is needed"))
    }
}

/// Whether a text is a UUID in its usual form.
pub fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    lengths == [8, 4, 4, 4, 12]
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
