//! One visit to a catalogue.

use serde_json::{Value, json};
use wire::{Clock, Net};

use crate::{Choice, Failed, Hand, Parts, choices::text};

/// Where to go, and what to pick there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The base URL.
    pub url: String,
    /// The bearer key.
    pub key: String,
    /// The base that somebody picks.
    pub pick: Option<String>,
}

/// Reads the catalogue, tells `show` every choice, and starts a session on what was picked if it can be
/// selected. An error is what went wrong; the choices that could be shown have been shown by then.
pub async fn visit(
    net: &Net,
    clock: &Clock,
    visit: &Visit,
    parts: &Parts,
    show: &mut dyn FnMut(&Choice),
) -> Result<(), Failed> {
    let hand = Hand::new(net, clock, parts, &visit.url, &visit.key)?;
    let entries = match hand.list("/v1/harnesses").await {
        Ok(entries) => (parts.read)(entries),
        Err(error) => {
            (parts.fallback)().iter().for_each(show);
            return Err(error);
        }
    };
    let offered = offered(&entries, parts);
    offered.iter().map(|(choice, _)| choice).for_each(show);
    let picked =
        visit.pick.as_deref().and_then(|pick| offered.iter().find(|(choice, _)| choice.base == pick));
    match picked {
        Some((choice, value)) if (parts.starts)(choice) => start(&hand, value, parts).await,
        _ => Ok(()),
    }
}

/// The choices, each with what an agent would put in `harness`.
fn offered(entries: &[Value], parts: &Parts) -> Vec<(Choice, String)> {
    let mut choices: Vec<Choice> = entries.iter().filter_map(|entry| choice(entry, parts)).collect();
    for known in &parts.coming {
        if choices.iter().all(|choice| choice.base != known.base) {
            let why = (!known.selectable).then(|| "is still to come".to_owned());
            choices.push(Choice { base: known.base.to_owned(), selectable: known.selectable, why });
        }
    }
    let value = |choice: &Choice| {
        let entry = entries.iter().find(|entry| text(entry, "base") == choice.base);
        entry.map_or_else(|| choice.base.clone(), parts.value)
    };
    let with_value = |choice: Choice| {
        let value = value(&choice);
        (choice, value)
    };
    choices.into_iter().map(with_value).collect()
}

/// An entry without a base cannot be named, so it cannot be shown either.
fn choice(entry: &Value, parts: &Parts) -> Option<Choice> {
    let base = text(entry, "base");
    if base.is_empty() {
        return None;
    }
    let why = parts.objections.iter().find_map(|(_, objection)| objection(entry));
    Some(Choice { base: base.to_owned(), selectable: why.is_none(), why })
}

async fn start(hand: &Hand<'_>, harness: &str, parts: &Parts) -> Result<(), Failed> {
    let models = hand.list("/v1/models").await?;
    let model = models.first().map_or("", |model| text(model, "id"));
    let agent = hand.ask("POST", "/v1/agents", Some(&(parts.agent)(harness, model))).await?;
    let session = json!({ "agent": text(&agent, "id") });
    hand.ask("POST", "/v1/sessions", Some(&session)).await.map(drop)
}
