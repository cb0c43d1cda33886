//! Tools that the platform answers, from a table.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde_json::{Value, json};

use super::Envelope;

/// Answers the arguments of a call.
pub type PlatformTool = Arc<dyn Fn(&Value) -> Envelope + Send + Sync>;

/// What each tool of the platform answers, by its name.
#[derive(Clone)]
pub struct PlatformTools(pub BTreeMap<String, PlatformTool>);

impl Default for PlatformTools {
    /// `echo` gives its arguments back as `{"echo": …}`.
    fn default() -> Self {
        let echo: PlatformTool = Arc::new(|arguments| Envelope::Success(json!({"echo": arguments})));
        Self([("echo".to_owned(), echo)].into())
    }
}

impl fmt::Debug for PlatformTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

impl PlatformTools {
    /// The answer of the tool `name`; one that is not in the table fails.
    pub(super) fn answer(&self, name: &str, arguments: &Value) -> Envelope {
        match self.0.get(name) {
            Some(tool) => tool(arguments),
            None => Envelope::failure("platform_tool_failed", format!("the platform has no tool `{name}`")),
        }
    }
}
