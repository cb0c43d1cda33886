//! The tools that the platform has for its own loops (open point U44).
//!
//! They answer from what they are asked, so that a turn repeats: nothing is fetched, searched or made.

use std::sync::Arc;

use agent::{ToolOutcome, Workspace};
use futures_util::FutureExt;
use serde_json::{Value, json};

use super::{Candidate, Origin, Run};
use crate::environment::Row;

/// Name, the argument that it takes, and what the model is told.
const PLAIN: [(&str, &str, &str); 5] = [
    ("web_search", "query", "Searches the web and returns the titles that it finds."),
    ("web_fetch", "url", "Fetches one page of the web and returns its text."),
    ("generate_media", "prompt", "Makes a picture and returns the address of it."),
    ("disclose_skill", "skill", "Returns the instructions of one skill."),
    ("browser", "action", "Does one thing in a managed browser and returns what is shown."),
];

/// `publish_file`, `web_search`, `web_fetch`, `generate_media`, `disclose_skill`, `browser`.
pub fn built_ins(_: &Row, files: &Workspace) -> Vec<Candidate> {
    let publish = built_in(
        "publish_file",
        "path",
        "Publishes one file of the workspace and returns the address of it.",
        publish(files.clone()),
    );
    let plain = PLAIN.map(|(name, argument, description)| {
        let run: Run = Arc::new(move |_, arguments| {
            let outcome = match arguments[argument].as_str() {
                Some(asked) => ToolOutcome::Done(format!("{name}: nothing is known of `{asked}`")),
                None => missing(argument),
            };
            std::future::ready(outcome).boxed()
        });
        built_in(name, argument, description, run)
    });
    std::iter::once(publish).chain(plain).collect()
}

fn publish(files: Workspace) -> Run {
    Arc::new(move |_, arguments: Value| {
        let outcome = match arguments["path"].as_str().map(|path| (path, files.read(path))) {
            Some((path, Ok(Some(_)))) => {
                ToolOutcome::Done(format!("https://files.vetta.test/{}", path.trim_start_matches('/')))
            }
            Some((path, Ok(None))) => {
                ToolOutcome::failed("NotFound", format!("there is no file `{path}` in the workspace"))
            }
            Some((_, Err(bad))) => ToolOutcome::failed("InvalidArguments", bad.to_string()),
            None => missing("path"),
        };
        std::future::ready(outcome).boxed()
    })
}

fn missing(argument: &str) -> ToolOutcome {
    ToolOutcome::failed("InvalidArguments", format!("`{argument}` is missing or no string"))
}

fn built_in(name: &str, argument: &str, description: &str, run: Run) -> Candidate {
    let schema = json!({
        "type": "object",
        "properties": {argument: {"type": "string"}},
        "required": [argument],
        "additionalProperties": false,
    });
    let (name, description) = (name.to_owned(), description.to_owned());
    Candidate { name, description, schema, origin: Origin::BuiltIn, remote: None, run }
}
