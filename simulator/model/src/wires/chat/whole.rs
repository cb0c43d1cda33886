//! A chat completion in one piece. It is the answer that is asked for most, so it is written by hand: most of
//! its bytes are names that are always the same.

use serde::Serialize;

use crate::{
    reply::{Reply, SentCall},
    script::Usage,
};

/// What is always written besides what is said, roughly.
const FRAME_BYTES: usize = 640;

/// The answer, said `choices` times.
pub(super) fn completion(reply: &Reply, choices: u64) -> String {
    let message = message(reply);
    let times = usize::try_from(choices).unwrap_or(1);
    let mut json = Json(Vec::with_capacity(FRAME_BYTES + reply.model.len() + message.0.len() * times));
    json.text(r#"{"id":"chatcmpl-"#).text(&reply.token).text(r#"","object":"chat.completion","created":"#);
    json.value(&reply.created).text(r#","model":"#).value(&reply.model).text(r#","choices":["#);
    for index in 0..choices {
        json.text(if index == 0 { r#"{"index":"# } else { r#",{"index":"# }).value(&index);
        json.text(r#","message":"#).bytes(&message.0).text(r#","logprobs":null,"finish_reason":""#);
        json.text(reply.finish_reason.word()).text("\"}");
    }
    json.text(r#"],"usage":"#);
    usage(&mut json, reply.usage);
    json.text(r#","service_tier":"default","system_fingerprint":null}"#);
    // Text was added to text, and serde_json writes UTF-8.
    String::from_utf8(json.0).unwrap_or_default()
}

/// The message of a choice.
fn message(reply: &Reply) -> Json {
    let (text, refusal) = (reply.text(), reply.refusal());
    let said = text.as_deref().map_or(0, str::len);
    let mut json = Json(Vec::with_capacity(FRAME_BYTES / 4 + said));
    json.text(r#"{"role":"assistant","content":"#).value(&text).text(r#","refusal":"#).value(&refusal);
    if let Some(thought) = reply.thinking() {
        json.text(",").value(&reply.stream.reasoning_field.word()).text(":").value(&thought);
    }
    json.text(r#","annotations":[]"#);
    for (number, SentCall { id, name, arguments }) in reply.tool_calls().enumerate() {
        json.text(if number == 0 { r#","tool_calls":[{"id":"# } else { r#",{"id":"# }).value(id);
        json.text(r#","type":"function","function":{"name":"#).value(name);
        json.text(r#","arguments":"#).value(arguments).text("}}");
    }
    if reply.tool_calls().next().is_some() {
        json.text("]");
    }
    json.text("}");
    json
}

fn usage(json: &mut Json, usage: Usage) {
    let Usage { input_tokens, output_tokens, cached_tokens, reasoning_tokens, .. } = usage;
    json.text(r#"{"prompt_tokens":"#).value(&input_tokens);
    json.text(r#","completion_tokens":"#).value(&output_tokens);
    json.text(r#","total_tokens":"#).value(&input_tokens.saturating_add(output_tokens));
    json.text(r#","prompt_tokens_details":{"cached_tokens":"#).value(&cached_tokens);
    json.text(r#","audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":"#)
        .value(&reasoning_tokens);
    json.text(r#","audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}"#);
}

/// JSON that is written piece by piece.
struct Json(Vec<u8>);

impl Json {
    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn value(&mut self, value: &impl Serialize) -> &mut Self {
        // Texts and numbers only: nothing in here can fail to be written.
        let _ = serde_json::to_writer(&mut self.0, value);
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::completion;
    use crate::{
        reply::{Reply, Said, SentCall, SentThought},
        script::{FinishReason, ReasoningField, Stream, Usage},
        wires::chat::Tokens,
    };

    fn reply(blocks: Vec<Said>) -> Reply {
        Reply {
            token: "0123".into(),
            created: 7,
            model: "a \"model\"\n".into(),
            blocks,
            finish_reason: FinishReason::Length,
            usage: Usage { cached_tokens: 3, reasoning_tokens: 4, ..Usage::default() },
            stream: Stream { reasoning_field: ReasoningField::Reasoning, ..Stream::default() },
        }
    }

    fn call(id: &str) -> Said {
        Said::ToolCall(SentCall {
            id: id.into(),
            name: "re\\ad".into(),
            arguments: "{\"a\": \"\u{1}\"}".into(),
        })
    }

    #[test]
    fn what_is_written_by_hand_is_what_serde_would_write() {
        let thought = SentThought { text: "hm\t".into(), signature: String::new(), encrypted: String::new() };
        let said = [
            vec![],
            vec![Said::Text("It's \"done\" \\ żółć 🦀\r\n".into()), Said::Text("\u{7f}".into())],
            vec![Said::Thinking(thought), Said::Refusal("no".into()), call("a"), call("b\"")],
        ];
        for (blocks, choices) in said.into_iter().zip([1, 3, 2]) {
            let reply = reply(blocks);
            let mut message = json!({
                "role": "assistant", "content": reply.text(), "refusal": reply.refusal(), "annotations": [],
            });
            if let Some(thought) = reply.thinking() {
                message["reasoning"] = thought.into();
            }
            let calls: Vec<Value> = reply
                .tool_calls()
                .map(|SentCall { id, name, arguments }| {
                    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
                })
                .collect();
            if !calls.is_empty() {
                message["tool_calls"] = calls.into();
            }
            let choice = |index| json!({"index": index, "message": message, "logprobs": null, "finish_reason": "length"});
            let expected = json!({
                "id": "chatcmpl-0123", "object": "chat.completion", "created": 7, "model": "a \"model\"\n",
                "choices": (0..choices).map(choice).collect::<Vec<_>>(),
                "usage": Tokens::from(reply.usage), "service_tier": "default", "system_fingerprint": null,
            });
            assert_eq!(serde_json::from_str::<Value>(&completion(&reply, choices)).unwrap(), expected);
        }
    }
}
