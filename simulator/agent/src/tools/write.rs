//! Writing a file.

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::arguments::Arguments;
use crate::{CallContext, Tool, ToolOutcome, Workspace};

/// `write {path, content}`: makes a file, or replaces the one that is there. Folders come by themselves.
#[derive(Clone, Debug)]
pub struct Write(pub Workspace);

impl Write {
    fn write(&self, arguments: &Value) -> Result<ToolOutcome, ToolOutcome> {
        let arguments = Arguments(arguments);
        let (path, content) = (arguments.text("path")?, arguments.text("content")?);
        self.0.write(path, content.to_owned())?;
        Ok(ToolOutcome::Done(format!("wrote {} bytes to `{path}`", content.len())))
    }
}

impl Tool for Write {
    fn name(&self) -> &str {
        "write"
    }

    fn description(&self) -> &str {
        "Writes one file of the workspace. A file that is there is replaced."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Path of the file, relative to the workspace."},
                "content": {"type": "string", "description": "The whole content."},
            },
            "required": ["path", "content"],
            "additionalProperties": false,
        })
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        std::future::ready(self.write(&arguments).unwrap_or_else(|failed| failed)).boxed()
    }
}
