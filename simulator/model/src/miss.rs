//! Why no turn answers a request.

use serde_json::Value;

use crate::{matching::differences, request::ModelRequest, script::Script};

/// The most turns that are listed by name.
const LISTED_MAX: usize = 20;

/// Says why no turn of `script` answers: which turn is nearest, what differs, and what is left.
///
/// `used_by` holds, per turn, the request that used it.
pub(crate) fn explain(
    session: &str,
    script: &Script,
    used_by: &[Option<u64>],
    request: &ModelRequest,
    body: &Value,
) -> String {
    let turns = script.turns();
    let mut text =
        format!("no turn of script `{}` answers this request of session `{session}`. ", script.name());
    let told: Vec<_> = turns.iter().map(|turn| differences(&turn.when, request, body)).collect();
    let spent = |index: &usize| used_by[*index].is_some() && !turns[*index].repeat;

    let would = (0..turns.len()).find(|index| told[*index].is_empty());
    let nearest = (0..turns.len()).filter(|index| !spent(index)).min_by_key(|index| told[*index].len());
    if let Some((index, used_by)) = would.and_then(|index| Some((index, used_by[index]?))) {
        let id = &turns[index].id;
        text.push_str(&format!(
            "Turn `{id}` would, but request {used_by} used it and it does not say `repeat`. "
        ));
    }
    if let Some(index) = nearest {
        let list: Vec<String> = told[index].iter().map(ToString::to_string).collect();
        text.push_str(&format!(
            "The nearest unused turn is `{}`, which differs in {}. ",
            turns[index].id,
            list.join("; ")
        ));
    }
    let unused: Vec<&str> = turns
        .iter()
        .zip(used_by)
        .filter(|(_, used)| used.is_none())
        .map(|(turn, _)| turn.id.as_str())
        .collect();
    text.push_str(&match unused.len().checked_sub(LISTED_MAX) {
        _ if unused.is_empty() => "Every turn is used.".to_owned(),
        None | Some(0) => format!("Unused: {}.", unused.join(", ")),
        Some(more) => format!("Unused: {} and {more} more.", unused[..LISTED_MAX].join(", ")),
    });
    text
}
