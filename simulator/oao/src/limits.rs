//! The numbers and tables of the contract, read from `spec/oao/limits.json`.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

/// A range, both ends included.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub struct Range {
    /// The smallest value.
    pub min: u64,
    /// The largest value.
    pub max: u64,
}

impl Range {
    /// Whether `value` lies in the range.
    pub fn holds(&self, value: u64) -> bool {
        (self.min..=self.max).contains(&value)
    }
}

/// All limits. Units are in the names: `units` are UTF-16 code units, `bytes` are UTF-8.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct Limits {
    pub operation: OperationLimits,
    pub names: NameTables,
    pub result_schema: SchemaLimits,
    pub config: ConfigLimits,
    pub agent: AgentLimits,
    pub session: SessionLimits,
    pub files: FileLimits,
    pub http: HttpLimits,
    pub events: FeedLimits,
    pub tool_calls: ToolCallLimits,
    pub approvals: ApprovalLimits,
    pub webhooks: WebhookLimits,
    pub summaries: SummaryLimits,
    pub run_states: BTreeMap<String, Vec<String>>,
    pub payload_keys: BTreeMap<String, Vec<String>>,
    pub sensitive: SensitiveTables,
}

/// One operation.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct OperationLimits {
    pub fields: Vec<String>,
    pub count_max: u64,
    pub key_pattern: String,
    pub key_units: Range,
    pub description_units: Range,
    pub instructions_units: Range,
    pub timeout_ms: Range,
    pub task_units: Range,
    pub prompts_max: u32,
}

/// Names that nobody may take.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct NameTables {
    pub reserved: Vec<String>,
}

/// The subset of JSON Schema.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct SchemaLimits {
    pub bytes_max: u64,
    pub depth_max: u64,
    pub nodes_max: u64,
    pub properties_max: u64,
    pub property_name_units: Range,
    pub title_units: Range,
    pub description_units: Range,
    pub enum_max: u64,
    pub examples_max: u64,
    pub example_depth_max: u64,
    pub issues_max: u64,
    pub value_depth_max: u64,
    pub annotations: Vec<String>,
    pub choices: Vec<String>,
    pub keywords: BTreeMap<String, Vec<String>>,
    pub formats: Vec<String>,
    pub prohibited_names: Vec<String>,
}

/// A configuration as a whole.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct ConfigLimits {
    pub system_prompt_units: Range,
    pub preset_units: Range,
    pub tools_max: u64,
    pub tool_name_units: Range,
    pub tool_description_units: Range,
    pub bindings_max: u64,
    pub namespace_units: Range,
    pub delegates_max: u64,
    pub delegate_description_units: Range,
    pub delegate_parallel: Range,
    pub short_text_units: Range,
    pub turns: Range,
    pub timeout_ms: Range,
}

/// An agent.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct AgentLimits {
    pub name_units: Range,
    pub key_units: Range,
    pub description_units: Range,
}

/// A session and its messages.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct SessionLimits {
    pub message_units: Range,
    pub title_units: Range,
}

/// Files that come with a message.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct FileLimits {
    pub count: Range,
    pub bytes_max: u64,
    pub turn_bytes_max: u64,
    pub name_units: Range,
}

/// HTTP conventions.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct HttpLimits {
    pub idempotency_key_units_max: u64,
    pub idempotency_window_s: u64,
    pub request_id_chars_max: u64,
    pub page: Range,
    pub page_default: u64,
    pub body_bytes_max: u64,
}

/// The event feed.
#[derive(Clone, Copy, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct FeedLimits {
    pub page: u64,
    pub keepalive_ms: u64,
    pub lifetime_ms: u64,
}

/// Calls of authored tools.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct ToolCallLimits {
    pub lease_ms: Range,
    pub lease_default_ms: u64,
    pub attempts_max: u64,
    pub message_units: Range,
    pub failure_codes: Vec<String>,
    pub retryable_codes: Vec<String>,
}

/// Approvals.
#[derive(Clone, Copy, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct ApprovalLimits {
    pub lasts_ms: u64,
    pub note_units: Range,
}

/// Event webhooks.
#[derive(Clone, Copy, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct WebhookLimits {
    pub per_project_max: u64,
    pub name_units: Range,
    pub url_units: Range,
    pub kinds_max: u64,
    pub kind_units_max: u64,
    pub secret_bytes: Range,
    pub batch_events_max: u64,
    pub batch_bytes_max: u64,
    pub request_ms: u64,
    pub backoff_first_ms: u64,
    pub backoff_max_ms: u64,
    pub jitter_percent: u64,
    pub retry_after_s: Range,
}

/// Summaries of steps.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct SummaryLimits {
    pub names_max: u64,
    pub value_units_max: u64,
    pub command_units_max: u64,
    pub value_arguments: Vec<String>,
}

/// Keys that must not be published.
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "the fields are the members of the file, under the same names")]
pub struct SensitiveTables {
    pub allowed: Vec<String>,
    pub exact: Vec<String>,
    pub token_prefixes: Vec<String>,
    pub fragments: Vec<String>,
}

static LIMITS: LazyLock<Limits> = LazyLock::new(|| {
    let text = include_str!("../../../spec/oao/limits.json");
    // The file is compiled in and a test reads it, so this cannot happen to a user.
    serde_json::from_str(text).unwrap_or_else(|why| panic!("spec/oao/limits.json: {why}"))
});

impl Default for Limits {
    fn default() -> Self {
        LIMITS.clone()
    }
}

/// Length in UTF-16 code units, the unit in which the contract counts characters.
pub fn utf16_units(text: &str) -> u64 {
    text.chars().map(|c| c.len_utf16() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_reads_and_says_what_the_contract_says() {
        let limits = Limits::default();
        assert_eq!(limits.operation.count_max, 32);
        assert_eq!(limits.names.reserved.len(), 13);
        assert_eq!(limits.result_schema.bytes_max, 65_536);
        assert_eq!(limits.run_states.len(), 9);
    }

    #[test]
    fn astral_characters_count_twice() {
        assert_eq!(utf16_units("a🧾é"), 4);
    }
}
