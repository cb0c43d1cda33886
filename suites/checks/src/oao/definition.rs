//! What an operation is made of (OAO-11, 45).

use engine::{Case, Check, Driver, Drove, Halt, Kind, Property};
use recording::{CaseView, Judged, Recording, View, Witness};
use serde_json::{Value, json};
use spec::{Contract, Spec};

use super::{
    acceptance::{self, Accepted},
    agents::{self, Agent},
    canonical,
    generate::{definitions, schemas::Subset},
    operations::{by_key, documented, operation, with, without},
    refusal::{self, Refused},
};
use crate::table::checks;

checks! { Oao:
    "OAO-11-a" => documented_pair, reads_back;
    "OAO-11-b" => texts_missing, missing_text_refused;
    "OAO-45-a" => thirty_two, thirty_two_accepted;
    "OAO-45-b" => thirty_three, thirty_three_refused;
    "OAO-45-c" => no_operations, no_operations_accepted;
}

/// The property checks of this topic.
pub(crate) const PROPERTIES: &[Check] =
    &[Check { id: "OAO-11-p", contract: Contract::Oao, kind: Kind::Property(&VALID) }];

const VALID: Property = Property {
    prelude: |driver| Box::pin(subset_of(driver)),
    strategy: |known, number| {
        use proptest::prelude::Strategy;
        let case = |operations| Case {
            rule: "every rule kept".to_owned(),
            input: Value::Array(operations),
            expected: json!({"status": "2xx", "reads": "as sent"}),
        };
        definitions::operations(subset(known), number).prop_map(case).boxed()
    },
    drive: |driver, case| Box::pin(one_case(driver, case)),
    judge: case_reads_back,
};

/// Which subset of JSON Schema the target is judged on, as something that a generator is given.
pub(super) async fn subset_of(driver: &Driver<'_>) -> Result<Value, Halt> {
    Ok(json!(driver.facts().text("schema_subset").unwrap_or("product")))
}

/// The subset that [`subset_of`] found.
pub(super) fn subset(known: &Value) -> Subset {
    if known == "own" { Subset::Least } else { Subset::Product }
}

/// Says so where a target is held to its own subset.
pub(super) fn noting_subset(view: &impl View, witness: Witness) -> Witness {
    match view.recording().target.text("schema_subset") {
        Some("own") => {
            witness.noting("W06: the target has a subset of its own, so only what every subset has is judged")
        }
        _ => witness,
    }
}

async fn one_case(driver: &Driver<'_>, case: &Case) -> Drove {
    acceptance::publish_and_read(driver, "case", &agents::config(driver, &case.input)).await;
    Ok(())
}

fn case_reads_back(case: &CaseView<'_>, _: &Spec) -> Judged {
    let words = ReadBack {
        refused: "a valid definition was refused",
        differs: "a valid definition does not read back as it was sent",
    };
    Ok(noting_subset(case, words.judge(case, "publish case", "read case")?))
}

async fn documented_pair(driver: &Driver<'_>) -> Drove {
    acceptance::attempt(driver, vec![("the documented pair", documented())]).await
}

fn reads_back(recording: &Recording, _: &Spec) -> Judged {
    let words = ReadBack {
        refused: "the documented operations were refused",
        differs: "a documented operation does not read back as it was sent",
    };
    words.judge(recording, "publish the documented pair", "read the documented pair")
}

/// How a publication is judged whose definitions have to come back field by field.
struct ReadBack {
    refused: &'static str,
    differs: &'static str,
}

impl ReadBack {
    fn judge(&self, view: &impl View, published: &str, read: &str) -> Judged {
        let published = view.one(published)?;
        let status = published.answer()?.status;
        let expected = "a 2xx with `id` and `latestVersionId`";
        if !(200..300).contains(&status) {
            return Err(published.finding(self.refused, expected).into());
        }
        let Some(agent) = Agent::of(&published.json()?) else {
            return Err(published
                .finding("an accepted publication does not say what it made", expected)
                .into());
        };
        let read = view.one(read)?;
        let got = agents::operations_of(&read, &agent.version)?;
        let sent = published.sent().unwrap_or_default();
        let sent = sent.pointer("/initialConfig/harnessOperations").and_then(Value::as_array).cloned();
        let (got, sent) = (forms(&got), forms(&sent.unwrap_or_default()));
        if got == sent {
            return Ok(published.witness().and(read.witness()));
        }
        let first = sent.iter().zip(&got).find(|(sent, got)| sent != got);
        let (wanted, seen) = first.map_or_else(
            || (format!("{} operations", sent.len()), format!("{} operations", got.len())),
            |(sent, got)| differing_fields(sent, got),
        );
        Err(read.finding_got(self.differs, wanted, seen).into())
    }
}

/// The definitions in the form in which they are compared, in the order of their keys.
fn forms(operations: &[Value]) -> Vec<Value> {
    by_key(operations).into_iter().map(|(_, each)| canonical::definition(each)).collect()
}

fn differing_fields(sent: &Value, got: &Value) -> (String, String) {
    let fields = sent.as_object().into_iter().flatten().filter(|(name, value)| got.get(name) != Some(value));
    let (wanted, seen): (Vec<String>, Vec<String>) =
        fields.map(|(name, value)| (format!("{name}: {value}"), format!("{name}: {}", got[name]))).unzip();
    (wanted.join(", "), seen.join(", "))
}

const TEXTS: [&str; 3] = ["key", "description", "instructions"];

async fn texts_missing(driver: &Driver<'_>) -> Drove {
    let faults = TEXTS.map(|field| (field, vec![without(field)]));
    refusal::attempt(driver, vec![operation("total")], faults.into()).await
}

fn missing_text_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a definition with a missing field was published",
        expected: "a 4xx for a definition without `key`, `description` or `instructions`",
        faults: TEXTS.len(),
    };
    words.judge(recording)
}

/// `count` definitions that differ in their keys.
fn many(count: usize) -> Vec<Value> {
    (1..=count).map(|number| with("key", format!("total_{number}"))).collect()
}

async fn thirty_two(driver: &Driver<'_>) -> Drove {
    acceptance::attempt(driver, vec![("32 operations", many(32))]).await
}

fn thirty_two_accepted(recording: &Recording, _: &Spec) -> Judged {
    Accepted::keys(1, "32 operations were refused", "a 2xx for 32 operations").judge(recording)
}

async fn thirty_three(driver: &Driver<'_>) -> Drove {
    refusal::attempt(driver, many(30), vec![("33 operations", many(33))]).await
}

fn thirty_three_refused(recording: &Recording, _: &Spec) -> Judged {
    Refused { published: "33 operations were published", expected: "a 4xx for 33 operations", faults: 1 }
        .judge(recording)
}

async fn no_operations(driver: &Driver<'_>) -> Drove {
    acceptance::attempt(driver, vec![("no operations", Vec::new())]).await
}

fn no_operations_accepted(recording: &Recording, _: &Spec) -> Judged {
    Accepted::keys(1, "an empty list of operations was refused", "a 2xx for no operations").judge(recording)
}
