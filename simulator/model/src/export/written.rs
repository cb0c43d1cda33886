//! The text of an export, entry by entry.

use serde_json::{Value, json};

use super::{
    Format,
    excerpt::Excerpt,
    har::{self, Origin},
};
use crate::host::Host;

/// Entries on their way out. Each item is a piece of the text; an entry is told when its turn comes, so that
/// a long journal takes little memory.
#[derive(Debug)]
pub struct Export {
    excerpt: Excerpt,
    format: Format,
    origin: Origin,
    created: i64,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Head,
    First,
    Further,
    Done,
}

impl Export {
    pub(super) fn new(host: &Host, excerpt: Excerpt, format: Format) -> Self {
        let origin = Origin { started: host.started(), seed: host.mint().seed };
        Self { excerpt, format, origin, created: host.mint().created, stage: Stage::Head }
    }

    /// The media type of the text.
    pub fn media_type(&self) -> &'static str {
        self.format.media_type()
    }

    fn head(&self) -> String {
        let Excerpt { session, script, unused_turns, dropped, count, next_since, .. } = &self.excerpt;
        match self.format {
            Format::Json => format!("{{\"dropped\":{dropped},\"entries\":["),
            Format::JsonLines => {
                let mut head = json!({
                    "journal": "proofhouse.model-journal/1",
                    "clock_started": self.origin.started.to_string(),
                    "created": self.created,
                    "dropped": dropped,
                    "entries": count,
                });
                if let Some(session) = session {
                    head["session"] = json!(session);
                    head["script"] = json!(script);
                    head["unused_turns"] = json!(unused_turns);
                }
                if let Some(next) = next_since {
                    head["next_since"] = json!(next);
                }
                format!("{head}\n")
            }
            Format::Har => {
                let creator = json!({"name": "proofhouse", "version": env!("CARGO_PKG_VERSION")});
                let about = json!({"session": session, "script": script, "dropped": dropped, "next_since": next_since});
                format!(
                    "{{\"log\":{{\"version\":\"1.2\",\"creator\":{creator},\"pages\":[],\"_proofhouse\":{about},\
                     \"entries\":["
                )
            }
        }
    }

    fn tail(&self) -> String {
        let Excerpt { session, unused_turns, next_since, .. } = &self.excerpt;
        match self.format {
            Format::Json => {
                let next = next_since.map(|next| format!(",\"next_since\":{next}")).unwrap_or_default();
                let about = session.as_ref().map(|session| {
                    format!(",\"session\":{},\"unused_turns\":{}", json!(session), json!(unused_turns))
                });
                format!("]{next}{}}}", about.unwrap_or_default())
            }
            Format::JsonLines => String::new(),
            Format::Har => "]}}".to_owned(),
        }
    }

    fn entry(&mut self) -> Option<String> {
        let (record, entry) = self.excerpt.next()?;
        // An entry is made of texts, numbers and values that were JSON before.
        let json = |value: Value| value.to_string();
        Some(match self.format {
            Format::Json => serde_json::to_string(&entry).unwrap_or_default(),
            Format::JsonLines => serde_json::to_string(&entry).unwrap_or_default() + "\n",
            Format::Har => json(har::entry(&record, &entry, self.excerpt.mint(), &self.origin)),
        })
    }
}

impl Iterator for Export {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        match self.stage {
            Stage::Head => {
                self.stage = Stage::First;
                Some(self.head())
            }
            Stage::First | Stage::Further => {
                let Some(entry) = self.entry() else {
                    self.stage = Stage::Done;
                    return Some(self.tail()).filter(|tail| !tail.is_empty());
                };
                let further = self.stage == Stage::Further;
                self.stage = Stage::Further;
                let comma = further && self.format != Format::JsonLines;
                Some(if comma { format!(",{entry}") } else { entry })
            }
            Stage::Done => None,
        }
    }
}
