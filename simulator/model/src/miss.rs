//! Why no turn answers a request.

use crate::{
    matching::{Difference, differences},
    request::Asked,
    script::Script,
};

/// The most turns that are listed by name.
const LISTED_MAX: usize = 20;

/// Every turn that a request may get by its words, with what the request does not keep of its conditions
/// and of those of its conversation.
pub(crate) fn told(script: &Script, asked: &Asked) -> Vec<(usize, Vec<Difference>)> {
    let mut told = Vec::new();
    for (number, places) in script.conversations_for(&asked.request) {
        let conversation = script.conversation(number);
        let outer = conversation.map(|one| differences(&one.when, asked)).unwrap_or_default();
        told.extend(places.map(|place| {
            let inner = differences(&script.turn(place).when, asked);
            (place, outer.iter().cloned().chain(inner).collect())
        }));
    }
    told
}

/// Says why no turn of `script` answers: which turn is nearest, what differs, and what is left.
///
/// `used_by` holds, per place, the request that used the turn.
pub(crate) fn explain(session: &str, script: &Script, used_by: &[Option<u64>], asked: &Asked) -> String {
    let mut text =
        format!("no turn of script `{}` answers this request of session `{session}`. ", script.name());
    let told = told(script, asked);
    if told.is_empty() {
        text.push_str("No word of its system text or of a user message is the key of a conversation. ");
    }
    let spent = |place: usize| used_by[place].is_some() && !script.turn(place).repeat;

    let would = told.iter().find(|(_, differences)| differences.is_empty());
    let nearest = told.iter().filter(|(place, _)| !spent(*place)).min_by_key(|(_, told)| told.len());
    if let Some((place, used_by)) = would.and_then(|(place, _)| Some((*place, used_by[*place]?))) {
        let name = script.turn_name(place);
        text.push_str(&format!(
            "Turn `{name}` would, but request {used_by} used it and it does not say `repeat`. "
        ));
    }
    if let Some((place, differences)) = nearest {
        let list: Vec<String> = differences.iter().map(ToString::to_string).collect();
        text.push_str(&format!(
            "The nearest unused turn is `{}`, which differs in {}. ",
            script.turn_name(*place),
            list.join("; ")
        ));
    }
    let unused: Vec<usize> =
        used_by.iter().enumerate().filter(|(_, used)| used.is_none()).map(|(place, _)| place).collect();
    let named =
        |places: &[usize]| places.iter().map(|place| script.turn_name(*place)).collect::<Vec<_>>().join(", ");
    let repeating = script.turns().filter(|turn| turn.repeat).count();
    text.push_str(&match unused.len().checked_sub(LISTED_MAX) {
        _ if unused.is_empty() && repeating > 0 => {
            "Every turn is used, and those that repeat want something else.".to_owned()
        }
        _ if unused.is_empty() => "Every turn is used.".to_owned(),
        None | Some(0) => format!("Unused: {}.", named(&unused)),
        Some(more) => format!("Unused: {} and {more} more.", named(&unused[..LISTED_MAX])),
    });
    text
}
