//! Reading a file.

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use crate::{CallContext, Tool, ToolOutcome, Workspace};

/// `read {path}`: the text of a file of the workspace. Bytes that are no UTF-8 are replaced.
#[derive(Clone, Debug)]
pub struct Read(pub Workspace);

impl Tool for Read {
    fn name(&self) -> &str {
        "read"
    }

    fn description(&self) -> &str {
        "Returns the content of one file of the workspace as text."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {"path": {"type": "string", "description": "Path of the file, relative to the workspace."}},
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    fn call(&self, _context: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let outcome = match arguments.get("path").and_then(Value::as_str) {
            None => ToolOutcome::failed("InvalidArguments", "`path` is missing or no string"),
            Some(path) => match self.0.read(path) {
                Ok(Some(content)) => ToolOutcome::Done(String::from_utf8_lossy(&content).into_owned()),
                Ok(None) => ToolOutcome::failed("NotFound", format!("there is no file `{path}`")),
                Err(why) => ToolOutcome::failed("InvalidArguments", why.to_string()),
            },
        };
        std::future::ready(outcome).boxed()
    }
}
