//! What the API refuses about a conversation as a whole.

use super::{Block, Said, refused};
use crate::{rejection::Rejection, wires::history::Calls};

/// Messages of one side in a row, which the API takes as one.
struct Turn<'a> {
    model: bool,
    /// The number of its last message.
    last: usize,
    blocks: Vec<Block<'a>>,
}

/// Adds what is wrong. `continues` says that more was said before, in a thread that the server keeps;
/// `thinks_always`, that every round of tools begins with a thought.
pub(super) fn judge(
    said: &[Said<'_>],
    continues: bool,
    thinks_always: bool,
    complaints: &mut Vec<Rejection>,
) {
    complaints
        .extend(said.iter().enumerate().filter_map(|(place, one)| silent(one, place + 1 == said.len())));
    complaints.extend(said.last().and_then(trailing_space));
    let turns = turns(said);
    pairs(&turns, continues, complaints);
    if thinks_always {
        complaints.extend(said.iter().filter_map(late_thought));
        complaints.extend(lost_thought(&turns));
    }
}

fn turns<'a>(said: &[Said<'a>]) -> Vec<Turn<'a>> {
    let mut turns: Vec<Turn<'a>> = Vec::new();
    // What the system says in between belongs to neither side.
    for one in said.iter().filter(|one| one.role != "system") {
        let model = one.role == "assistant";
        match turns.last_mut().filter(|turn| turn.model == model) {
            Some(turn) => {
                turn.last = one.index;
                turn.blocks.extend(&one.blocks);
            }
            None => turns.push(Turn { model, last: one.index, blocks: one.blocks.clone() }),
        }
    }
    turns
}

/// A message that says nothing, or has an empty text among what it says. The last one may be an answer
/// that is yet to be begun.
fn silent(said: &Said<'_>, is_last: bool) -> Option<Rejection> {
    let begins_answer = is_last && said.role == "assistant";
    if said.role == "system" || begins_answer {
        return None;
    }
    if said.blocks.is_empty() {
        return Some(refused(
            format!("messages.{}", said.index),
            "a message needs a content that is not empty",
        ));
    }
    let is_text = |block: &&Block<'_>| block.kind == "text";
    let empty = said.blocks.iter().filter(is_text).find(|block| block.text("text").is_empty());
    if let Some(empty) = empty {
        return Some(refused(empty.at(), "a text block may not be empty"));
    }
    let blank = said.blocks.iter().all(|block| is_text(&block) && block.text("text").trim().is_empty());
    blank.then(|| refused(said.blocks[0].at(), "a text needs more than white space"))
}

/// The beginning of an answer that ends in white space. The sentence is the one that people know from
/// the API.
fn trailing_space(last: &Said<'_>) -> Option<Rejection> {
    let end = last.blocks.last().filter(|end| last.role == "assistant" && end.kind == "text")?;
    let wrong = end.text("text").ends_with(char::is_whitespace);
    wrong.then(|| refused("messages", "final assistant content cannot end with trailing whitespace"))
}

/// Every call has its result in what the user says next, before all else, and every result its call in
/// what the model said last.
fn pairs(turns: &[Turn<'_>], continues: bool, complaints: &mut Vec<Rejection>) {
    // Calls that the thread holds are paired when it is found.
    let mut elsewhere = continues;
    let mut calls = Calls::default();
    let mut called_in = 0;
    for turn in turns {
        if turn.model {
            elsewhere = false;
            calls = Calls::default();
            called_in = turn.last;
            let made = turn.blocks.iter().filter(|block| block.kind == "tool_use");
            calls.made(made.map(|block| block.text("id").to_owned()));
            continue;
        }
        let mut spoken = false;
        for block in &turn.blocks {
            if block.kind != "tool_result" {
                spoken = true;
                continue;
            }
            let id = block.text("tool_use_id");
            if !elsewhere && !calls.answered(id) {
                let why = format!(
                    "this `tool_result` is for `{id}`, and the message before has no such `tool_use`"
                );
                complaints.push(refused(block.at(), why));
            } else if spoken {
                let why =
                    format!("the `tool_result` for `{id}` has to stand before all that is no `tool_result`");
                complaints.push(refused(block.at(), why));
            }
        }
        complaints.extend(unanswered(&mut calls, called_in));
        calls = Calls::default();
    }
    complaints.extend(unanswered(&mut calls, called_in));
}

fn unanswered(calls: &mut Calls, called_in: usize) -> Option<Rejection> {
    let left = calls.left();
    let why = || {
        format!(
            "every `tool_use` needs a `tool_result` in the next message; there is none for {}",
            left.join(", ")
        )
    };
    (!left.is_empty()).then(|| refused(format!("messages.{called_in}"), why()))
}

/// A message of the model that thinks, but not first.
fn late_thought(said: &Said<'_>) -> Option<Rejection> {
    let first = said.blocks.first().filter(|first| !first.is_thought())?;
    let why =
        || format!("a message with thoughts has to begin with one; this one begins with `{}`", first.kind);
    said.blocks.iter().any(Block::is_thought).then(|| refused(first.at(), why()))
}

/// A round of tools that is still going on and whose first thought did not come back.
fn lost_thought(turns: &[Turn<'_>]) -> Option<Rejection> {
    let is_result = |block: &Block<'_>| block.kind == "tool_result";
    let goes_on = |turn: &Turn<'_>| turn.model || turn.blocks.iter().any(is_result);
    turns.last().filter(|last| !last.model && goes_on(last))?;
    let begin = turns.iter().rposition(|turn| !goes_on(turn)).map_or(0, |last| last + 1);
    let first = turns[begin..].iter().find(|turn| turn.model)?.blocks.first()?;
    let why = || {
        format!(
            "with `thinking` enabled, the answer that a round of tools began with has to come back with its \
             `thinking` block first, and this one begins with `{}`. If the script gave no thought, give its turn \
             a `thinking`",
            first.kind
        )
    };
    (!first.is_thought()).then(|| refused(first.at(), why()))
}
