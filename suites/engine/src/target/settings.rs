//! What a target file may say of the things that the documents leave to the vendor.

use serde_json::Value;
use spec::Contract;

/// The type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// A string.
    Text,
    /// A list of strings.
    List,
    /// A base URL, of the form that the target's own has.
    Url,
}

/// One thing that a target file may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name below `[settings]`.
    pub name: &'static str,
    /// Its type.
    pub kind: SettingKind,
    /// What it means.
    pub means: &'static str,
}

const fn text(name: &'static str, means: &'static str) -> Setting {
    Setting { name, kind: SettingKind::Text, means }
}

const fn list(name: &'static str, means: &'static str) -> Setting {
    Setting { name, kind: SettingKind::List, means }
}

const fn url(name: &'static str, means: &'static str) -> Setting {
    Setting { name, kind: SettingKind::Url, means }
}

const OAO: &[Setting] = &[
    text("project", "the project that the credentials act in"),
    text("model_preset", "an approved model preset"),
    text("sandbox_provider", "a sandbox provider that a version may name"),
    text("sandbox_snapshot", "a sandbox snapshot that a version may name"),
    text("file_content", "the member of a file that holds its base64, `contentBase64` by default"),
    list("control", "features of the test-control port at /_control that it offers"),
    text("unsupported_keyword", "a JSON Schema keyword outside the supported subset"),
    text(
        "schema_measure",
        "how the 65,536 bytes of a result schema are measured: `compact` (default) or `spaced`",
    ),
    text(
        "schema_subset",
        "what result schemas may use: `product` (default, the subset of the product) or `own`",
    ),
    text("batch_cap", "how many calls of one batch it runs at once, 2 or more; without it: all of them"),
    text("skill_version", "a Skill version that an agent version may mount"),
    text("skill_intake", "the Skill version that is the package `shipment-intake`, version 1"),
    text("skill_intake_next", "the Skill version that is the package `shipment-intake`, version 2"),
    text("skill_tables", "the Skill version that is the package `carrier-tables`"),
    text("skill_notes", "the Skill version that is the package `handover-notes`"),
    text("mcp_toolset", "an MCP toolset version that an agent version may bind"),
    text("mcp_credential_policy", "a credential policy version to bind that toolset with"),
    text("mcp_tool", "the name of a tool of that toolset"),
    text("model_preset_other", "another approved model preset"),
    text("sandbox_snapshot_other", "another sandbox snapshot of the same provider"),
    text(
        "session_placeholder",
        "a placeholder in system prompts that every session fills with a value of its own",
    ),
    list(
        "delegate_arguments",
        "what `delegate_agent` calls the delegate and the task: `key`, `task` (default)",
    ),
    list(
        "message_arguments",
        "what `message_agent` calls the child and the message: `sessionId`, `message` (default)",
    ),
    list("control", "the features of the control port that the target serves"),
    text("receiver_listen", "where the suite listens for webhooks: `host:port`"),
    text("receiver_url", "the base URL under which the target reaches what listens there"),
    text(
        "console_view",
        "the path of what its console shows of a session, with `{project}` and `{session}` in it; \
         spec/control/console-view.schema.json says what is served there",
    ),
    text(
        "console_version_view",
        "the path of what its console shows of an agent version, with `{project}`, `{agent}` and `{version}`",
    ),
];

const VETTA: &[Setting] = &[
    text("model", "a model that an agent may name"),
    text("connection", "a connected account that an agent may act through"),
    text("connection_tool", "the name of a tool that this connected account contributes"),
    list("first_road", "bases whose loop is handed the contributed tools for the turn"),
    list(
        "native_tools",
        "the shell, file and search tools that a loop on the second road brings along: `shell`, `read`, `grep` \
         (default)",
    ),
    list("team_arguments", "what `send_to_agent` calls the agent and the task: `agent`, `message` (default)"),
    list("second_road", "bases whose loop reaches the contributed tools through an endpoint of the session"),
    list("control", "the features of the control port that the target serves"),
    text("receiver_listen", "where the suite listens with an MCP server: `host:port`"),
    text("receiver_url", "the base URL under which the target reaches what listens there"),
    list("reserved_ids", "ids that a chooser knows and the catalogue does not publish"),
    list("expected_bases", "every base that the deploy is known to publish"),
    text("cursor_parameter", "the query parameter that takes `next_cursor`: `cursor` (default) or another"),
    url(
        "other_environment_url",
        "the base URL of a second environment of the same release; without it the key alone tells them apart",
    ),
    text(
        "confirmation_path",
        "the path that takes a decision about a held call, with `{session}` and `{call}` in it",
    ),
    text("confirmation_body", "the body of a decision as JSON text, with `{call}` and `{decision}` in it"),
    list("decisions", "the words for yes and no in it: `allow`, `deny` (default)"),
    text("pending_event", "the type of the event that a call waits for a decision"),
    text("pending_call", "a JSON pointer in that event to the id by which the call is decided about"),
    text("delta_text", "a JSON pointer in `message.delta` to its text"),
    text("message_text", "a JSON pointer in `message.completed` to its text"),
    text("message_id", "a JSON pointer in both to the id of the message"),
    list("completed_events", "the types of events that end a turn well"),
    list("failed_events", "the types of events that say that a turn has failed"),
    list("cancelled_events", "the types of events that say that a turn was called off"),
    text(
        "turn_status",
        "a JSON pointer in a session to `completed`, `failed` or `cancelled` of its last turn",
    ),
    text("typed_answer", "a JSON pointer in a session to its typed answer"),
    text("submit_tool", "the tool by which a loop hands in a typed answer"),
    text(
        "submit_argument",
        "the argument of that tool that is the answer; empty where the arguments are the answer",
    ),
    text("write_tool", "the tool by which a loop writes a file"),
    list("write_arguments", "what that tool calls the path and the content: `path`, `content` (default)"),
    text("read_tool", "the tool by which a loop reads a file"),
    list("read_arguments", "what that tool calls the path: `path` (default)"),
    text("sandbox", "a JSON pointer in a session to the sandbox that it holds, null where it holds none"),
    text("balance_path", "where the credit balance of an account is read"),
    text("balance", "a JSON pointer in it to the number of credits"),
];

/// The settings that a target of `contract` may have.
pub fn settings(contract: Contract) -> &'static [Setting] {
    match contract {
        Contract::Oao => OAO,
        Contract::Vetta => VETTA,
    }
}

/// The credentials that a target of `contract` may give, and what each is.
pub fn credentials(contract: Contract) -> &'static [(&'static str, &'static str)] {
    match contract {
        Contract::Oao => &[
            ("primary", "a key with every scope in the project"),
            ("reader", "a key of the project that may only read"),
            ("other_project", "a key of another project"),
        ],
        Contract::Vetta => &[
            ("primary", "the key that is used where nothing else is said"),
            ("second_account", "a key of another account in the same environment"),
            ("future", "a key of an environment whose catalogue has further rows"),
            ("other_environment", "a key of a second environment of the same release, with other images"),
        ],
    }
}

impl SettingKind {
    /// Whether `value` has this type.
    pub(super) fn holds(self, value: &Value) -> bool {
        match self {
            Self::Text | Self::Url => value.is_string(),
            Self::List => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        }
    }

    /// The type in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::List => "a list of strings",
            Self::Url => "a base URL",
        }
    }
}
