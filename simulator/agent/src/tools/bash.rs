//! Commands that are answered from a table.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::{
    arguments::{Arguments, wrong},
    bounds::bounded,
};
use crate::{CallContext, Tool, ToolOutcome};

/// What becomes of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// It prints this and exits with this code.
    Exits {
        /// What it prints.
        output: String,
        /// Its exit code.
        code: i32,
    },
    /// It prints its own words, as `echo` does.
    Echoes,
    /// It prints this, where there is a network; elsewhere it cannot resolve its host and exits with 6.
    Fetches(String),
    /// It cannot be run at all, for this reason.
    Breaks(String),
}

/// The table: whole commands first, then first words. What stands in neither is not found and exits
/// with 127. Nothing is ever run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commands {
    /// By the whole command, blanks around it aside.
    pub whole: BTreeMap<String, Reaction>,
    /// By the first word.
    pub words: BTreeMap<String, Reaction>,
}

/// What `curl` and `wget` fetch, wherever there is a network.
const PAGE: &str = "<!doctype html><title>Example Domain</title><h1>Example Domain</h1>\n";

impl Default for Commands {
    fn default() -> Self {
        let exits = |output: &str, code| Reaction::Exits { output: output.to_owned(), code };
        let words = [
            ("true", exits("", 0)),
            ("false", exits("", 1)),
            ("pwd", exits("/workspace\n", 0)),
            ("echo", Reaction::Echoes),
            ("curl", Reaction::Fetches(PAGE.to_owned())),
            ("wget", Reaction::Fetches(PAGE.to_owned())),
        ];
        Self {
            whole: BTreeMap::new(),
            words: words.into_iter().map(|(word, reaction)| (word.to_owned(), reaction)).collect(),
        }
    }
}

impl Commands {
    /// What becomes of `command`: what it prints and its exit code, or why it cannot be run.
    fn run(&self, command: &str, network: bool) -> Result<(String, i32), String> {
        let (word, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        match self.whole.get(command).or_else(|| self.words.get(word)) {
            Some(Reaction::Exits { output, code }) => Ok((output.clone(), *code)),
            Some(Reaction::Echoes) => Ok((format!("{}\n", rest.trim()), 0)),
            Some(Reaction::Fetches(page)) if network => Ok((page.clone(), 0)),
            Some(Reaction::Fetches(_)) => {
                Ok((format!("{word}: (6) Could not resolve host: this sandbox has no network\n"), 6))
            }
            Some(Reaction::Breaks(reason)) => Err(reason.clone()),
            None => Ok((format!("bash: line 1: {word}: command not found\n"), 127)),
        }
    }
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// It exited, with this code.
    Exited {
        /// What it printed.
        output: String,
        /// Its exit code.
        code: i32,
    },
    /// It could not be run.
    Broken(String),
}

/// A command of a call.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    /// The model's own id for the call.
    pub call_id: &'a str,
    /// The command line.
    pub text: &'a str,
}

/// Sees commands come and go.
pub trait CommandWatch: Send + Sync {
    /// A command begins. Gives the id under which it ends.
    fn started(&self, command: Command<'_>) -> String;
    /// It has ended.
    fn ended(&self, id: &str, command: Command<'_>, end: &CommandEnd);
}

/// Sees nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl CommandWatch for Unwatched {
    fn started(&self, _: Command<'_>) -> String {
        String::new()
    }

    fn ended(&self, _: &str, _: Command<'_>, _: &CommandEnd) {}
}

/// `bash {command}`: what the table says of the command, and its exit code unless that is 0.
#[derive(Clone)]
pub struct Bash {
    /// The table.
    pub commands: Arc<Commands>,
    /// Whether commands reach a network.
    pub network: bool,
    /// Sees commands come and go.
    pub watch: Arc<dyn CommandWatch>,
}

impl Bash {
    fn run(&self, context: &CallContext, arguments: &Value) -> Result<ToolOutcome, ToolOutcome> {
        let command = Arguments(arguments).text("command")?.trim();
        if command.is_empty() {
            return Err(wrong("`command` is empty"));
        }
        let seen = Command { call_id: &context.tool_call_id, text: command };
        let id = self.watch.started(seen);
        let end = match self.commands.run(command, self.network) {
            Ok((output, code)) => CommandEnd::Exited { output, code },
            Err(reason) => CommandEnd::Broken(reason),
        };
        self.watch.ended(&id, seen, &end);
        match end {
            CommandEnd::Exited { output, code: 0 } => Ok(ToolOutcome::Done(bounded(output, "print less"))),
            CommandEnd::Exited { output, code } => {
                Ok(ToolOutcome::Done(format!("{}[exit code {code}]", bounded(output, "print less"))))
            }
            CommandEnd::Broken(reason) => {
                Err(ToolOutcome::failed("SandboxError", format!("the command could not be run: {reason}")))
            }
        }
    }
}

impl Tool for Bash {
    fn name(&self) -> &str {
        "bash"
    }

    fn description(&self) -> &str {
        "Runs one command in the sandbox and returns what it prints, and its exit code unless that is 0."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {"command": {"type": "string", "description": "The command line."}},
            "required": ["command"],
            "additionalProperties": false,
        })
    }

    fn call(&self, context: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        std::future::ready(self.run(&context, &arguments).unwrap_or_else(|failed| failed)).boxed()
    }
}
