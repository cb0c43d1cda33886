//! Publications that have to be accepted.

use engine::{Driver, Drove};
use recording::{Judged, Verdict, View, Witness};
use serde_json::{Value, json};

use super::{
    agents::{self, Agent},
    operations::by_key,
    refusal::numbered,
};

/// What is published and read: a name for the labels, and the operations.
pub(crate) type Variant = (&'static str, Vec<Value>);

/// How an acceptance is judged.
pub(crate) struct Accepted {
    /// What is wrong when a publication is refused.
    pub(crate) refused: &'static str,
    /// What had to be accepted.
    pub(crate) expected: &'static str,
    /// The fields that are compared with what was sent.
    pub(crate) fields: &'static [&'static str],
    /// What is wrong when one of them differs.
    pub(crate) differs: &'static str,
    /// How many variants were published.
    pub(crate) variants: usize,
}

impl Accepted {
    /// Only the keys of so many `variants` are compared.
    pub(crate) const fn keys(variants: usize, refused: &'static str, expected: &'static str) -> Self {
        let differs = "a published version does not have the operations that it was published with";
        Self { refused, expected, fields: &["key"], differs, variants }
    }

    /// Every variant was accepted and reads back.
    pub(crate) fn judge(&self, view: &impl View) -> Judged {
        let mut witnesses = Vec::new();
        for published in numbered(view.starting_with("publish "), self.variants, "publications")? {
            let answer = published.answer()?;
            if !(200..300).contains(&answer.status) {
                return Err(published.finding(self.refused, self.expected).into());
            }
            let Some(agent) = Agent::of(&published.json()?) else {
                let expected = "an agent with `id` and `latestVersionId`";
                return Err(published
                    .finding("an accepted publication does not say what it made", expected)
                    .into());
            };
            let read = view.one(&published.label().replacen("publish", "read", 1))?;
            let got = agents::operations_of(&read, &agent.version)?;
            let sent = published.sent().unwrap_or_default();
            let sent = sent.pointer("/initialConfig/harnessOperations").and_then(Value::as_array);
            let sent = sent.map_or(&[][..], Vec::as_slice);
            if self.picked(&got) != self.picked(sent) {
                return Err(read
                    .finding(self.differs, format!("`{}` as sent", self.fields.join("`, `")))
                    .into());
            }
            witnesses.push(published.witness().and(read.witness()));
        }
        Witness::all(witnesses).ok_or_else(|| Verdict::Error { reason: "nothing was published".to_owned() })
    }

    fn picked(&self, operations: &[Value]) -> Vec<Vec<Value>> {
        let pick = |each: &Value| {
            self.fields.iter().map(|field| each.get(field).cloned().unwrap_or_default()).collect()
        };
        by_key(operations).into_iter().map(|(_, each)| pick(each)).collect()
    }
}

/// Publishes every variant as an agent of its own and reads its version back.
pub(crate) async fn attempt(driver: &Driver<'_>, variants: Vec<Variant>) -> Drove {
    for (name, operations) in variants {
        let config = agents::config(driver, &json!(operations));
        publish_and_read(driver, name, &config).await;
    }
    Ok(())
}

/// Publishes `config` and reads its version back where there is one.
pub(crate) async fn publish_and_read(driver: &Driver<'_>, name: &str, config: &Value) {
    let published = agents::create(driver, &format!("publish {name}"), config).await;
    let agent = published.json.as_ref().filter(|_| published.is_success()).and_then(Agent::of);
    if let Some(agent) = agent {
        agents::read_version(driver, &format!("read {name}"), &agent.id, &agent.version).await;
    }
}
