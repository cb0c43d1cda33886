//! The arguments of a call, as a tool reads them.

use serde_json::Value;

use crate::{ToolOutcome, workspace::BadPath};

/// The arguments of one call. What a tool does not know is ignored.
pub(super) struct Arguments<'a>(pub(super) &'a Value);

impl<'a> Arguments<'a> {
    /// A text that has to be there.
    pub(super) fn text(&self, name: &str) -> Result<&'a str, ToolOutcome> {
        self.0
            .get(name)
            .and_then(Value::as_str)
            .ok_or_else(|| wrong(format!("`{name}` is missing or no string")))
    }

    /// A text that may be left out.
    pub(super) fn optional_text(&self, name: &str) -> Result<Option<&'a str>, ToolOutcome> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.text(name).map(Some),
        }
    }

    /// A count of 1 or more that may be left out.
    pub(super) fn optional_count(&self, name: &str) -> Result<Option<usize>, ToolOutcome> {
        let value = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value,
        };
        let count = value.as_u64().filter(|count| *count > 0).and_then(|count| usize::try_from(count).ok());
        count.map(Some).ok_or_else(|| wrong(format!("`{name}` has to be a whole number of 1 or more")))
    }
}

/// Arguments that a tool cannot work with.
pub(super) fn wrong(message: impl Into<String>) -> ToolOutcome {
    ToolOutcome::failed("InvalidArguments", message)
}

/// A file that is not there.
pub(super) fn no_file(path: &str) -> ToolOutcome {
    ToolOutcome::failed("NotFound", format!("there is no file `{path}`"))
}

impl From<BadPath> for ToolOutcome {
    fn from(why: BadPath) -> Self {
        wrong(why.to_string())
    }
}
