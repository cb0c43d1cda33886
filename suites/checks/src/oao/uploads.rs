//! A file that comes with a message, for checks that look for it later.

use engine::{Driver, Halt};
use serde_json::{Value, json};

use super::{
    agents::Agent,
    runs::{Started, settle, start_saying},
};

/// What the user says to the parent model with the file. Scripts answer it with words.
pub(crate) const TAKE: &str = "take-this-file";
/// What is in the file.
pub(crate) const CONTENT: &str = "the-root-file: larch-74";
/// [`CONTENT`] in base64.
const ENCODED: &str = "dGhlLXJvb3QtZmlsZTogbGFyY2gtNzQ=";
const NAME: &str = "root.txt";

/// Starts a session whose first run brings the file, and waits until it has settled.
pub(crate) async fn bring(driver: &Driver<'_>, label: &str, agent: &Agent) -> Result<Started, Halt> {
    let files: Value = json!([{"name": NAME, "contentType": "text/plain", "contentBase64": ENCODED}]);
    let started = start_saying(driver, label, agent, TAKE, Some(files)).await?;
    settle(driver, &started).await?;
    Ok(started)
}

/// Where the file lies in the workspace.
pub(crate) fn path(started: &Started) -> String {
    format!(".oao/attachments/{}/{NAME}", started.run)
}
