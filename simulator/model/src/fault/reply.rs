//! Wrongs that are done to what is said.

use crate::{
    reply::Reply,
    script::{BrokenArguments, Wrong},
};

/// What stands in place of arguments that are no JSON.
const NO_JSON: &str = "not json";

/// Breaks what is said, when that is what goes wrong.
pub(crate) fn break_reply(reply: &mut Reply, wrong: &Wrong) {
    match wrong {
        Wrong::ToolArguments(how) => {
            for call in reply.tool_calls_mut() {
                match how {
                    BrokenArguments::Invalid => call.arguments = NO_JSON.to_owned(),
                    BrokenArguments::Truncated => {
                        let half = call.arguments.chars().count() / 2;
                        call.arguments = call.arguments.chars().take(half).collect();
                    }
                }
            }
        }
        Wrong::UnknownTool(name) => reply.tool_calls_mut().for_each(|call| call.name.clone_from(name)),
        Wrong::DuplicateCallId => {
            let first = reply.tool_calls().next().map(|call| call.id.clone());
            if let Some(first) = first {
                reply.tool_calls_mut().for_each(|call| call.id.clone_from(&first));
            }
        }
        _ => {}
    }
}
