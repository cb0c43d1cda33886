//! Finding files by their path.

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::{
    arguments::{Arguments, wrong},
    bounds::listed,
    pattern::Pattern,
};
use crate::{CallContext, Tool, ToolOutcome, Workspace};

/// The most paths in a result.
const PATHS_MAX: usize = 1_000;

/// `glob {pattern, path?}`: the paths of the files that a pattern means, in order, one a line. With `path`,
/// the pattern begins below that folder.
#[derive(Clone, Debug)]
pub struct Glob(pub Workspace);

impl Glob {
    fn glob(&self, arguments: &Value) -> Result<ToolOutcome, ToolOutcome> {
        let arguments = Arguments(arguments);
        let pattern = Pattern::of(arguments.text("pattern")?).map_err(|why| wrong(why.to_string()))?;
        let folder = arguments.optional_text("path")?.unwrap_or_default();
        let found: Vec<String> = self
            .0
            .below(folder)?
            .into_iter()
            .filter(|found| pattern.matches(found.relative()))
            .map(|found| found.path)
            .collect();
        Ok(ToolOutcome::Done(listed(&found, PATHS_MAX, "no file matches", "use a narrower pattern")))
    }
}

impl Tool for Glob {
    fn name(&self) -> &str {
        "glob"
    }

    fn description(&self) -> &str {
        "Lists the files of the workspace whose path matches a pattern: `*` and `?` within a part, `**` for any folders."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "Such as `**/*.json`."},
                "path": {"type": "string", "description": "Folder below which to look; the whole workspace if left out."},
            },
            "required": ["pattern"],
            "additionalProperties": false,
        })
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        std::future::ready(self.glob(&arguments).unwrap_or_else(|failed| failed)).boxed()
    }
}
