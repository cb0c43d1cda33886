//! Changing parts of a file.

use std::ops::Range;

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::arguments::{Arguments, no_file, wrong};
use crate::{CallContext, Tool, ToolOutcome, Workspace};

/// The most edits in one call.
const EDITS_MAX: usize = 100;

/// `edit {path, edits: [{oldText, newText}]}`: replaces pieces of a file. Each `oldText` has to stand in the
/// file exactly once, as it was before the call, and no two may overlap. All of it happens or nothing.
#[derive(Clone, Debug)]
pub struct Edit(pub Workspace);

impl Edit {
    fn edit(&self, arguments: &Value) -> Result<ToolOutcome, ToolOutcome> {
        let path = Arguments(arguments).text("path")?;
        let edits = edits(arguments)?;
        let count = edits.len();
        let changed = self.0.change(path, |before| {
            let before = std::str::from_utf8(before).map_err(|_| wrong(format!("`{path}` is no text")))?;
            applied(before, &edits).map(Into::into).map_err(|why| wrong(format!("{why} in `{path}`")))
        })?;
        match changed {
            None => Err(no_file(path)),
            Some(Err(refused)) => Err(refused),
            Some(Ok(())) => Ok(ToolOutcome::Done(format!("made {count} edits in `{path}`"))),
        }
    }
}

fn edits(arguments: &Value) -> Result<Vec<(&str, &str)>, ToolOutcome> {
    let list = arguments.get("edits").and_then(Value::as_array).filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| wrong("`edits` has to be a list of {oldText, newText}, at least one"))?;
    if list.len() > EDITS_MAX {
        return Err(wrong(format!("`edits` has {} entries; {EDITS_MAX} are the most", list.len())));
    }
    let pair = |edit| {
        let edit = Arguments(edit);
        Ok((edit.text("oldText")?, edit.text("newText")?))
    };
    list.iter().map(pair).collect()
}

/// `text` with all edits made.
fn applied(text: &str, edits: &[(&str, &str)]) -> Result<String, String> {
    let mut places: Vec<(Range<usize>, &str)> = Vec::new();
    for (old, new) in edits {
        let mut found = text.match_indices(old).map(|(at, _)| at);
        match (old.is_empty(), found.next(), found.next()) {
            (true, ..) => return Err("an `oldText` is empty".to_owned()),
            (_, None, _) => return Err(format!("`{old}` does not stand")),
            (_, Some(_), Some(_)) => return Err(format!("`{old}` stands more than once")),
            (_, Some(at), None) => places.push((at..at + old.len(), new)),
        }
    }
    places.sort_by_key(|(place, _)| place.start);
    if places.windows(2).any(|pair| pair[0].0.end > pair[1].0.start) {
        return Err("two edits overlap".to_owned());
    }
    let mut changed = String::with_capacity(text.len());
    let mut copied = 0;
    for (place, new) in places {
        changed.push_str(&text[copied..place.start]);
        changed.push_str(new);
        copied = place.end;
    }
    changed.push_str(&text[copied..]);
    Ok(changed)
}

impl Tool for Edit {
    fn name(&self) -> &str {
        "edit"
    }

    fn description(&self) -> &str {
        "Replaces pieces of one file of the workspace. Each `oldText` has to stand in the file exactly once."
    }

    fn parameters(&self) -> Value {
        let edit = json!({
            "type": "object",
            "properties": {"oldText": {"type": "string", "minLength": 1}, "newText": {"type": "string"}},
            "required": ["oldText", "newText"],
            "additionalProperties": false,
        });
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Path of the file, relative to the workspace."},
                "edits": {"type": "array", "items": edit, "minItems": 1, "maxItems": EDITS_MAX},
            },
            "required": ["path", "edits"],
            "additionalProperties": false,
        })
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        std::future::ready(self.edit(&arguments).unwrap_or_else(|failed| failed)).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_made_at_the_places_of_the_text_before() {
        assert_eq!(applied("a b c", &[("c", "a"), ("a", "c")]).unwrap(), "c b a");
        assert_eq!(applied("ab", &[("a", "1"), ("b", "2")]).unwrap(), "12");
        for (edits, why) in [
            (vec![("x", "y")], "does not stand"),
            (vec![("a", "y")], "more than once"),
            (vec![("", "y")], "empty"),
            (vec![("bc", "y"), ("cd", "z")], "overlap"),
            (vec![("bcd", "y"), ("bcd", "y")], "overlap"),
        ] {
            let refused = applied("abcda", &edits).unwrap_err();
            assert!(refused.contains(why), "{edits:?}: {refused}");
        }
    }
}
