//! Finding lines in files.

use futures_util::{FutureExt, future::BoxFuture};
use regex_lite::{Regex, RegexBuilder};
use serde_json::{Value, json};

use super::{
    arguments::{Arguments, wrong},
    bounds::listed,
    pattern::Pattern,
};
use crate::{CallContext, Tool, ToolOutcome, Workspace};

/// The longest expression, in bytes, and the largest that it may become when it is compiled. The time of a
/// search grows with that size times the text, and with nothing else.
const EXPRESSION_BYTES_MAX: usize = 256;
const COMPILED_BYTES_MAX: usize = 8 * 1024;
/// How much of the workspace one call looks through, in bytes.
const SEARCHED_BYTES_MAX: usize = 1024 * 1024;
/// The most lines in a result, and how much of a line is shown, in characters.
const LINES_MAX: usize = 200;
const LINE_CHARS_MAX: usize = 500;

/// `grep {pattern, path?, glob?}`: the lines that a regular expression finds, as `path:line:text`. `path` is
/// a file or a folder, `glob` a pattern of paths below it, or of names when it has no slash.
#[derive(Clone, Debug)]
pub struct Grep(pub Workspace);

impl Grep {
    fn grep(&self, arguments: &Value) -> Result<ToolOutcome, ToolOutcome> {
        let arguments = Arguments(arguments);
        let expression = expression(arguments.text("pattern")?)?;
        let place = arguments.optional_text("path")?.unwrap_or_default();
        let files = arguments.optional_text("glob")?.map(Pattern::of).transpose();
        let files = files.map_err(|why| wrong(why.to_string()))?;
        let mut lines = Vec::new();
        let mut left = SEARCHED_BYTES_MAX;
        for found in self.0.below(place)? {
            let name = found.path.rsplit('/').next().unwrap_or_default();
            let wanted = |pattern: &Pattern| {
                pattern.matches(if pattern.is_of_names() { name } else { found.relative() })
            };
            if !files.as_ref().is_none_or(wanted) {
                continue;
            }
            if found.content.len() > left {
                lines.push(format!("[{}: not looked into, the search is at its limit]", found.path));
                continue;
            }
            left -= found.content.len();
            let text = String::from_utf8_lossy(&found.content);
            let hits = text.lines().enumerate().filter(|(_, line)| expression.is_match(line));
            lines.extend(hits.map(|(at, line)| {
                let line: String = line.chars().take(LINE_CHARS_MAX).collect();
                format!("{}:{}:{line}", found.path, at + 1)
            }));
        }
        Ok(ToolOutcome::Done(listed(&lines, LINES_MAX, "no line matches", "use a narrower pattern")))
    }
}

fn expression(text: &str) -> Result<Regex, ToolOutcome> {
    if text.len() > EXPRESSION_BYTES_MAX {
        let message = format!("`pattern` has {} bytes; {EXPRESSION_BYTES_MAX} are the most", text.len());
        return Err(wrong(message));
    }
    let built = RegexBuilder::new(text).size_limit(COMPILED_BYTES_MAX).build();
    built.map_err(|why| wrong(format!("`pattern` is no regular expression that can be used: {why}")))
}

impl Tool for Grep {
    fn name(&self) -> &str {
        "grep"
    }

    fn description(&self) -> &str {
        "Finds lines in the files of the workspace by a regular expression."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "A regular expression, without look-around and back references."},
                "path": {"type": "string", "description": "File or folder to look into; the whole workspace if left out."},
                "glob": {"type": "string", "description": "Only files such as `*.md`."},
            },
            "required": ["pattern"],
            "additionalProperties": false,
        })
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        std::future::ready(self.grep(&arguments).unwrap_or_else(|failed| failed)).boxed()
    }
}
