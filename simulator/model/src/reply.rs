//! An answer on its way: complete, and still in no wire's own words.

use serde::{Deserialize, Serialize};

use crate::{
    request::Asked,
    script::{Answer, Block, FinishReason, Script, Stream, ToolCall, Usage, template::Quotes},
    state::Mint,
};

/// What is sent for a turn, with everything filled in that the script leaves out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Sixteen hex digits that follow from script and turn; each wire puts its own prefix before them.
    pub token: String,
    /// Seconds since 1970, the same for all answers of a host.
    pub created: i64,
    /// The model that was asked for.
    pub model: String,
    /// What is said, in order.
    pub blocks: Vec<Said>,
    /// Why the answer ends.
    pub finish_reason: FinishReason,
    /// Tokens that it claims to have cost.
    pub usage: Usage,
    /// How it is streamed.
    #[serde(default, skip_serializing_if = "Stream::is_default")]
    pub stream: Stream,
}

/// One part of an answer that is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// Text.
    Text(String),
    /// Reasoning.
    Thinking(SentThought),
    /// A refusal.
    Refusal(String),
    /// A tool call.
    ToolCall(SentCall),
}

/// Reasoning that is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentThought {
    /// What is thought.
    pub text: String,
    /// Its signature on the Messages wire.
    pub signature: String,
    /// What stands for it on the Responses wire.
    pub encrypted: String,
}

/// A tool call that is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentCall {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as raw text, usually a JSON object.
    pub arguments: String,
}

impl Reply {
    /// The answer of the turn at `place` to a request of the conversation `identity`. Nothing in it depends
    /// on the session, so two sessions with one script get the same bytes.
    ///
    /// `Err` says why a template cannot be filled in.
    pub(crate) fn of(
        script: &Script,
        place: usize,
        identity: u64,
        mint: &Mint,
        asked: &Asked,
    ) -> Result<Self, String> {
        Self::with(script, place, mint.token(script, place, identity), mint.created, asked)
    }

    /// [`Reply::of`] with what [`Mint::token`] says.
    pub(crate) fn with(
        script: &Script,
        place: usize,
        token: String,
        created: i64,
        asked: &Asked,
    ) -> Result<Self, String> {
        let turn = script.turn(place);
        let answer = &turn.answer;
        let blocks = said(answer, turn.repeat, || script.turn_in_ids(place), &token, asked)?;
        let calls = blocks.iter().any(|block| matches!(block, Said::ToolCall(_)));
        let derived = if calls { FinishReason::ToolCalls } else { FinishReason::Stop };
        Ok(Self {
            created,
            model: asked.request.model.clone(),
            blocks,
            finish_reason: answer.finish_reason.unwrap_or(derived),
            usage: answer.usage.unwrap_or_default(),
            stream: turn.stream.clone(),
            token,
        })
    }

    /// The tool calls, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &SentCall> {
        self.blocks.iter().filter_map(|block| match block {
            Said::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// The tool calls, to be changed.
    pub(crate) fn tool_calls_mut(&mut self) -> impl Iterator<Item = &mut SentCall> {
        self.blocks.iter_mut().filter_map(|block| match block {
            Said::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// All texts, joined; `None` when there is none.
    pub fn text(&self) -> Option<String> {
        self.joined(|block| match block {
            Said::Text(text) => Some(text),
            _ => None,
        })
    }

    /// All refusals, joined; `None` when there is none.
    pub fn refusal(&self) -> Option<String> {
        self.joined(|block| match block {
            Said::Refusal(text) => Some(text),
            _ => None,
        })
    }

    /// All thoughts, joined; `None` when there is none.
    pub fn thinking(&self) -> Option<String> {
        self.joined(|block| match block {
            Said::Thinking(thought) => Some(&thought.text),
            _ => None,
        })
    }

    fn joined<'a>(&'a self, pick: impl Fn(&'a Said) -> Option<&'a String>) -> Option<String> {
        let mut parts = self.blocks.iter().filter_map(pick);
        let first = parts.next()?.clone();
        Some(parts.fold(first, |joined, part| joined + part))
    }
}

/// What an answer says, with ids, proofs and quotations filled in.
fn said(
    answer: &Answer,
    repeats: bool,
    turn: impl Fn() -> String,
    token: &str,
    asked: &Asked,
) -> Result<Vec<Said>, String> {
    let quotes = answer.template.then(|| Quotes::of(&asked.request, &asked.body));
    let fill = |text: String| match &quotes {
        Some(quotes) => quotes.fill(&text),
        None => Ok(text),
    };
    let arguments = |call: &ToolCall| match (&quotes, &call.arguments, &call.arguments_text) {
        (Some(quotes), Some(arguments), None) => Ok(quotes.fill_value(arguments)?.to_string()),
        (Some(quotes), _, Some(text)) => quotes.fill(text),
        _ => Ok(call.wire_arguments()),
    };
    let mut calls = 0;
    // What a request gives is no template, so everything comes filled in.
    let mut sent = |id: Option<String>, name: String, arguments: String| {
        let is_derived = id.is_none();
        let call = ToolCall { id, name, arguments: None, arguments_text: None };
        let mut id = call.wire_id(&turn(), calls);
        if is_derived && repeats {
            // Calls of one conversation must differ, however often the turn is asked for.
            id = format!("{id}_{}", &token[..8.min(token.len())]);
        }
        calls += 1;
        Said::ToolCall(SentCall { id, name: call.name, arguments })
    };
    let mut blocks = Vec::new();
    for (place, block) in answer.said().into_iter().enumerate() {
        blocks.push(match block {
            Block::Text(text) => Said::Text(fill(text)?),
            Block::Refusal(text) => Said::Refusal(fill(text)?),
            Block::ToolCall(call) => match fill(call.name.clone())? {
                // A template may find that there is nothing to call.
                name if name.is_empty() => continue,
                name => sent(call.id.clone(), name, arguments(&call)?),
            },
            Block::Thinking(thinking) => Said::Thinking(SentThought {
                text: fill(thinking.text)?,
                signature: thinking.signature.unwrap_or_else(|| format!("sig_{token}_{place}")),
                encrypted: thinking.encrypted.unwrap_or_else(|| format!("enc_{token}_{place}")),
            }),
        });
    }
    if let Some(value) = &answer.structured {
        let value = quotes.as_ref().map_or_else(|| Ok(value.clone()), |quotes| quotes.fill_value(value))?;
        blocks.push(match asked.request.forced_tool() {
            Some(name) => sent(None, name.to_owned(), value.to_string()),
            None => Said::Text(value.to_string()),
        });
    }
    Ok(blocks)
}
