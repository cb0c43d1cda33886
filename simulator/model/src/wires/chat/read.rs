//! Requests in the words of Chat Completions.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{
    rejection::Rejection,
    request::{CalledTool, Message, ModelRequest, OfferedTool},
};

/// The fields of a request that the API documents.
const REQUEST_FIELDS: [&str; 38] = [
    "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens",
    "max_tokens", "messages", "metadata", "modalities", "model", "n", "parallel_tool_calls", "prediction",
    "presence_penalty", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "reasoning_effort",
    "response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream", "stream_options",
    "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity", "web_search_options",
    "moderation", "cache_control",
];
/// The fields of a message that the API documents.
const MESSAGE_FIELDS: [&str; 8] =
    ["audio", "content", "function_call", "name", "refusal", "role", "tool_call_id", "tool_calls"];
