//! Reading a file.

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::{
    arguments::{Arguments, no_file},
    bounds::bounded,
};
use crate::{CallContext, Tool, ToolOutcome, Workspace};

/// `read {path, offset?, limit?}`: the text of a file of the workspace, or `limit` lines of it from line
/// `offset` on, the first line being 1. Bytes that are no UTF-8 are replaced.
#[derive(Clone, Debug)]
pub struct Read(pub Workspace);

impl Read {
    fn read(&self, arguments: &Value) -> Result<ToolOutcome, ToolOutcome> {
        let arguments = Arguments(arguments);
        let path = arguments.text("path")?;
        let (offset, limit) = (arguments.optional_count("offset")?, arguments.optional_count("limit")?);
        let content = self.0.read(path)?.ok_or_else(|| no_file(path))?;
        let mut text = String::from_utf8_lossy(&content).into_owned();
        if offset.is_some() || limit.is_some() {
            let first = offset.unwrap_or(1) - 1;
            text = text.split_inclusive('\n').skip(first).take(limit.unwrap_or(usize::MAX)).collect();
        }
        Ok(ToolOutcome::Done(bounded(text, "read on with `offset` and `limit`")))
    }
}

impl Tool for Read {
    fn name(&self) -> &str {
        "read"
    }

    fn description(&self) -> &str {
        "Returns the content of one file of the workspace as text, or some lines of it."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Path of the file, relative to the workspace."},
                "offset": {"type": "integer", "minimum": 1, "description": "First line to return; 1 is the first of the file."},
                "limit": {"type": "integer", "minimum": 1, "description": "How many lines to return."},
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        std::future::ready(self.read(&arguments).unwrap_or_else(|failed| failed)).boxed()
    }
}
