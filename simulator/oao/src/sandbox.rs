//! Sandboxes: where the files of a session are, and what its tools may do there.

use std::sync::Arc;

use agent::{
    Identity, Tool, Workspace,
    tools::{Bash, Command, CommandEnd, CommandWatch, Commands, Edit, Glob, Grep, Read, Write},
};
use serde_json::{Map, Value, json};

use crate::{Service, events::CommandEvent, runs::RunEvents};

/// One sandbox of a session. Clones are the same sandbox.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// Its id.
    pub id: String,
    /// Its files. Their identity is the provider and the snapshot of the version.
    pub workspace: Workspace,
    /// When it was opened.
    pub created_at: String,
}

impl Sandbox {
    /// A new one, as `config` wants it, without any files.
    pub(crate) fn open(service: &Service, config: &Map<String, Value>) -> Self {
        let word = |name: &str| {
            let sandbox = config.get("sandbox").and_then(|sandbox| sandbox[name].as_str());
            sandbox.unwrap_or_default().to_owned()
        };
        let identity = Identity { provider: word("provider"), snapshot: word("snapshotId") };
        Self {
            id: service.ids().uuid(),
            workspace: Workspace::of(identity),
            created_at: service.clock().rfc3339(),
        }
    }

    /// What the details of a session show of it.
    pub(crate) fn to_json(&self) -> Value {
        let identity = self.workspace.identity();
        json!({
            "id": self.id,
            "provider": identity.provider,
            "snapshotId": identity.snapshot,
            "createdAt": self.created_at,
        })
    }
}

/// Whether a configuration has a sandbox.
pub(crate) fn is_enabled(config: &Map<String, Value>) -> bool {
    config.get("sandbox").is_some_and(|sandbox| sandbox["enabled"] == true)
}

/// What the tools of a run are made of.
#[derive(Clone, Copy)]
pub struct Grant<'a> {
    /// The configuration that decides what may be done.
    pub config: &'a Map<String, Value>,
    /// Where it is done.
    pub sandbox: &'a Sandbox,
    /// What commands come to.
    pub commands: &'a Arc<Commands>,
    /// Where events of commands go.
    pub events: &'a RunEvents,
}

impl Grant<'_> {
    /// Whether the sandbox is enabled and has `capability`.
    pub fn can(&self, capability: &str) -> bool {
        let sandbox = self.config.get("sandbox").unwrap_or(&Value::Null);
        let listed = sandbox["capabilities"].as_array();
        is_enabled(self.config) && listed.is_some_and(|list| list.iter().any(|one| one == capability))
    }

    /// Whether commands reach a network.
    fn has_network(&self) -> bool {
        self.config.get("sandbox").is_some_and(|sandbox| sandbox["network"] == "restricted")
    }
}

/// The tools of the sandbox by capability: `filesystem_read` gives `read`, `filesystem_write` gives `write`
/// and `edit`, `shell` gives `bash`, `grep` and `glob`.
pub fn by_capability(grant: &Grant<'_>) -> Vec<Arc<dyn Tool>> {
    let files = || grant.sandbox.workspace.clone();
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    if grant.can("filesystem_read") {
        tools.push(Arc::new(Read(files())));
    }
    if grant.can("filesystem_write") {
        tools.push(Arc::new(Write(files())));
        tools.push(Arc::new(Edit(files())));
    }
    if grant.can("shell") {
        let watch = Arc::new(Told { events: grant.events.clone(), sandbox_id: grant.sandbox.id.clone() });
        tools.push(Arc::new(Bash { commands: grant.commands.clone(), network: grant.has_network(), watch }));
        tools.push(Arc::new(Grep(files())));
        tools.push(Arc::new(Glob(files())));
    }
    tools
}

/// Tells of commands: events say that there was one, the details of the session say which.
struct Told {
    events: RunEvents,
    sandbox_id: String,
}

impl Told {
    fn emit(&self, kind: &str, event: &CommandEvent<'_>) {
        let payload = (self.events.service().parts().events.payloads.command)(event);
        self.events.emit(kind, payload);
    }
}

impl CommandWatch for Told {
    fn started(&self, command: Command<'_>) -> String {
        let service = self.events.service();
        let id = service.ids().uuid();
        let row = json!({
            "id": id,
            "runId": self.events.run_id(),
            "sandboxId": self.sandbox_id,
            "toolCallId": command.call_id,
            "arguments": {"command": command.text},
            "status": "running",
            "startedAt": service.clock().rfc3339(),
        });
        if let Some(run) = service.state().runs.get_mut(self.events.run_id()) {
            run.sandbox_commands.push(row);
        }
        let event = CommandEvent { sandbox_id: &self.sandbox_id, command_id: &id, command, end: None };
        self.emit("sandbox.command_started", &event);
        id
    }

    fn ended(&self, id: &str, command: Command<'_>, end: &CommandEnd) {
        let service = self.events.service();
        let (kind, status, result) = match end {
            CommandEnd::Exited { output, code } => {
                ("sandbox.command_completed", "completed", json!({"output": output, "exitCode": code}))
            }
            CommandEnd::Broken(reason) => ("sandbox.command_failed", "failed", json!({"reason": reason})),
        };
        if let Some(run) = service.state().runs.get_mut(self.events.run_id())
            && let Some(row) = run.sandbox_commands.iter_mut().find(|row| row["id"] == id)
        {
            row["status"] = json!(status);
            row["result"] = result;
            row["completedAt"] = json!(service.clock().rfc3339());
        }
        let event = CommandEvent { sandbox_id: &self.sandbox_id, command_id: id, command, end: Some(end) };
        self.emit(kind, &event);
    }
}
