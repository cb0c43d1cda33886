//! What a publication says to the letter: absent things, odd letters, odd numbers, odd JSON (OAO-287 to 289).

use engine::{Call, Driver, Drove, Reply};
use recording::{Finding, Judged, Recording, Seen, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    acceptance::{self, Accepted},
    agents::{self, Agent, project},
    operations::{operation, with},
    refusal::{self, Refused, as_warning},
};
use crate::table::checks;

checks! { Oao:
    "OAO-287-a" => null_for_operations, null_refused;
    "OAO-287-b" => keywords_at_root_and_below, keywords_refused;
    "OAO-287-c" => every_format, formats_accepted;
    "OAO-287-d" => counts_of_tokens, names_accepted;
    "OAO-288-a" => keys_that_look_alike, look_alikes_refused;
    "OAO-288-b" => combining_marks, marks_counted;
    "OAO-288-c" => too_many_combining_marks, marks_refused;
    "OAO-289-a" => numbers_in_other_notations, notations_accepted;
    "OAO-289-b" => texts_that_are_hard_to_keep, kept_or_refused;
    "OAO-289-c" => nested_without_end, nesting_refused;
}

async fn null_for_operations(driver: &Driver<'_>) -> Drove {
    let twin = agents::config(driver, &json!([operation("total")]));
    let fault = agents::config(driver, &Value::Null);
    refusal::attempt_configs(driver, twin, vec![("null", fault)]).await.map(|_| ())
}

fn null_refused(recording: &Recording, _: &Spec) -> Judged {
    let published = "null in place of a list of operations was published";
    Refused { published, expected: "a 4xx for `harnessOperations` null", faults: 1 }.judge(recording)
}

/// A keyword outside the subset, with a value that JSON Schema allows.
fn keywords() -> Vec<(&'static str, Value)> {
    let schema = || json!({"type": "object"});
    vec![
        ("$anchor", json!("here")),
        ("$comment", json!("nothing")),
        ("$defs", json!({})),
        ("$dynamicRef", json!("#")),
        ("$id", json!("https://example.org/schema")),
        ("$ref", json!("#")),
        ("$schema", json!("https://json-schema.org/draft/2020-12/schema")),
        ("allOf", json!([schema()])),
        ("anyOf", json!([schema()])),
        ("contentEncoding", json!("base64")),
        ("default", json!({})),
        ("definitions", json!({})),
        ("dependentRequired", json!({})),
        ("dependentSchemas", json!({})),
        ("deprecated", json!(true)),
        ("else", schema()),
        ("if", schema()),
        ("maxProperties", json!(9)),
        ("minProperties", json!(0)),
        ("not", json!({"type": "null"})),
        ("nullable", json!(true)),
        ("oneOf", json!([schema()])),
        ("patternProperties", json!({})),
        ("propertyNames", json!({"type": "string"})),
        ("readOnly", json!(true)),
        ("then", schema()),
        ("unevaluatedProperties", json!(false)),
        ("writeOnly", json!(true)),
        ("xMine", json!(1)),
    ]
}

/// Each is added to the root and, in a further version, to an object below it.
async fn keywords_at_root_and_below(driver: &Driver<'_>) -> Drove {
    if driver.facts().text("schema_subset") == Some("own") {
        return Err(driver.unmet("the subset of the product: the target describes one of its own (W06)"));
    }
    let config = |schema: Value| agents::config(driver, &json!([with("resultSchema", schema)]));
    let below = |node: Value| json!({"type": "object", "properties": {"unit": node}});
    let twin = refusal::set_apart(driver, config(below(json!({"type": "object"}))), "twin");
    let agent =
        agents::need_agent(driver, "twin", &twin, "publish the same definition without the fault").await?;
    for (keyword, value) in keywords() {
        let mut node = json!({"type": "object"});
        node[keyword] = value;
        for (place, schema) in [("root", node.clone()), ("below", below(node.clone()))] {
            let label = format!("fault {keyword} {place}");
            let config = refusal::set_apart(driver, config(schema), &label);
            agents::publish(driver, &label, &agent.id, &config).await;
        }
    }
    agents::list_versions(driver, "versions", &agent.id).await;
    Ok(())
}

fn keywords_refused(recording: &Recording, _: &Spec) -> Judged {
    let twin = recording.one("twin")?;
    let faults = 2 * keywords().len();
    let words = Refused {
        published: "a keyword outside the subset was published",
        expected: "a 4xx for it, at the root and below",
        faults,
    };
    let mut witness = twin.witness();
    for fault in refusal::numbered(recording.starting_with("fault "), faults, "faulty definitions")? {
        words.refused(&fault)?;
        witness = witness.and(fault.witness());
    }
    let agent = Agent::of(&twin.json()?);
    let agent =
        agent.ok_or_else(|| twin.finding("an accepted publication does not say what it made", "`id`"))?;
    Ok(witness.and(refusal::only_version(recording, &agent)?))
}

const FORMATS: [&str; 6] = ["date", "date-time", "email", "time", "uri", "uuid"];

async fn every_format(driver: &Driver<'_>) -> Drove {
    if driver.facts().text("schema_subset") == Some("own") {
        return Err(driver.unmet("the subset of the product: the target describes one of its own (W06)"));
    }
    let of = |format: &str| {
        let node = json!({"type": "string", "format": format});
        vec![with("resultSchema", json!({"type": "object", "properties": {"unit": node}}))]
    };
    acceptance::attempt(driver, FORMATS.map(|format| (format, of(format))).into()).await
}

fn formats_accepted(recording: &Recording, _: &Spec) -> Judged {
    Accepted::keys(FORMATS.len(), "a format of the subset was refused", "a 2xx for each of the six formats")
        .judge(recording)
}

/// Names with `token` in them that say how many there are, and names that only begin or end like others.
const COUNTS: [&str; 6] =
    ["inputTokens", "outputTokens", "totalTokens", "tokenCount", "keyboard", "passenger"];

async fn counts_of_tokens(driver: &Driver<'_>) -> Drove {
    let of = |name: &str| {
        let schema = json!({"type": "object", "properties": {name: {"type": "integer"}}});
        vec![with("resultSchema", schema)]
    };
    acceptance::attempt(driver, COUNTS.map(|name| (name, of(name))).into()).await
}

fn names_accepted(recording: &Recording, _: &Spec) -> Judged {
    Accepted::keys(COUNTS.len(), "a harmless property name was refused", "a 2xx for each name")
        .judge(recording)
}

/// Keys that a person cannot tell from `total` or `add_up`, or that become one when they are normalised.
const LOOK_ALIKES: [(&str, &str); 7] = [
    ("a full-width letter", "ｔotal"),
    ("a Cyrillic letter", "tоtal"),
    ("a blank of no width", "total\u{200b}"),
    ("a combining mark", "total\u{301}"),
    ("a soft hyphen", "to\u{ad}tal"),
    ("a mark of direction", "\u{200e}total"),
    ("a digit of another script", "total_٣"),
];

async fn keys_that_look_alike(driver: &Driver<'_>) -> Drove {
    let faults = LOOK_ALIKES.map(|(name, key)| (name, vec![with("key", key)]));
    refusal::attempt(driver, vec![operation("total")], faults.into()).await
}

fn look_alikes_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a key that only looks like one was published",
        expected: "a 4xx for keys with characters outside the pattern",
        faults: LOOK_ALIKES.len(),
    };
    words.judge(recording)
}

/// Two code points that many programs make one of.
fn marked(count: usize) -> String {
    "e\u{301}".repeat(count)
}

async fn combining_marks(driver: &Driver<'_>) -> Drove {
    let variants = vec![("1000 letters with a mark each", vec![with("description", marked(1000))])];
    acceptance::attempt(driver, variants).await
}

fn marks_counted(recording: &Recording, _: &Spec) -> Judged {
    let words = Accepted {
        refused: "a description of 2000 characters, half of them combining marks, was refused",
        expected: "a 2xx for 1000 letters with a combining mark each",
        fields: &["description"],
        differs: "combining marks did not come back as they were sent",
        variants: 1,
    };
    words.judge(recording)
}

async fn too_many_combining_marks(driver: &Driver<'_>) -> Drove {
    let faults = vec![("1001 letters with a mark each", vec![with("description", marked(1001))])];
    refusal::attempt(driver, vec![operation("total")], faults).await
}

fn marks_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a description of 2002 characters, half of them combining marks, was published",
        expected: "a 4xx: each letter and each mark is a character",
        faults: 1,
    };
    words.judge(recording)
}

/// Stands in a configuration where a text is put that `serde_json` would not write.
const PLACE: &str = "to-be-replaced";

/// Publishes a new agent whose operation has `json` (as it is) in the place of `field`.
pub(crate) async fn publish_raw(driver: &Driver<'_>, label: &str, field: &str, text: &str) -> Reply {
    let config = agents::config(driver, &json!([with(field, PLACE)]));
    let name = driver.fresh();
    let body = json!({"name": name, "key": name, "initialConfig": config}).to_string();
    let body = body.replace(&format!("\"{PLACE}\""), text);
    let call = Call::new("POST", format!("{}/agents", project(driver))).json_text(body);
    let published = driver.send(label, call.header("idempotency-key", name)).await;
    let agent = published.json.as_ref().filter(|_| published.is_success()).and_then(Agent::of);
    if let Some(agent) = agent {
        agents::read_version(driver, &label.replacen("publish", "read", 1), &agent.id, &agent.version).await;
    }
    published
}

/// How 1,000 and 120,000 may be written, too.
const NOTATIONS: [(&str, &str, u64); 4] = [
    ("an exponent", "1e3", 1000),
    ("a positive exponent", "12E+4", 120_000),
    ("a fraction of zero", "120000.0", 120_000),
    ("a negative exponent", "10000e-1", 1000),
];

async fn numbers_in_other_notations(driver: &Driver<'_>) -> Drove {
    for (name, text, _) in NOTATIONS {
        publish_raw(driver, &format!("publish {name}"), "timeoutMs", text).await;
    }
    Ok(())
}

/// JSON knows one kind of number. The contract does not say so, hence a recommendation.
fn notations_accepted(recording: &Recording, _: &Spec) -> Judged {
    as_warning(notations_read_back(recording))
}

fn notations_read_back(recording: &Recording) -> Judged {
    let mut witnesses = Vec::new();
    for (name, text, number) in NOTATIONS {
        let published = recording.one(&format!("publish {name}"))?;
        let expected = format!("a 2xx for `timeoutMs` {text}, which is {number}");
        if !published.is_success() {
            published.answer()?;
            return Err(published.finding("a whole number in another notation was refused", expected).into());
        }
        let read = recording.one(&format!("read {name}"))?;
        let shown = shown(&published, &read)?;
        if shown["timeoutMs"].as_f64() != Some(number as f64) {
            return Err(read.finding("a number was changed when it was published", expected).into());
        }
        witnesses.push(published.witness().and(read.witness()));
    }
    Witness::all(witnesses)
        .ok_or_else(|| recording::Verdict::Error { reason: "nothing was published".to_owned() })
}

/// The only operation of the version that was published.
pub(crate) fn shown(published: &Seen<'_>, read: &Seen<'_>) -> Result<Value, Finding> {
    let agent = Agent::of(&published.json()?);
    let agent = agent.ok_or_else(|| {
        published.finding("an accepted publication does not say what it made", "`latestVersionId`")
    })?;
    let operations = agents::operations_of(read, &agent.version)?;
    let only = operations.into_iter().next();
    only.ok_or_else(|| read.finding("a version lost its operation", "the operation that was published"))
}

/// JSON texts, as they are sent. The escapes that stand alone are halves of a character.
const HARD: [(&str, &str); 5] = [
    ("a first half alone", r#""cut \ud83e here""#),
    ("a second half alone", r#""cut \uddfe here""#),
    ("both halves, the wrong way round", r#""cut \uddfe\ud83e here""#),
    ("a NUL", r#""cut \u0000 here""#),
    ("a whole character in two escapes", r#""kept \ud83e\uddfe here""#),
];

async fn texts_that_are_hard_to_keep(driver: &Driver<'_>) -> Drove {
    for (name, text) in HARD {
        publish_raw(driver, &format!("publish {name}"), "description", text).await;
    }
    Ok(())
}

/// Refused in whatever way, or kept as it is: what must not happen is that another text is published.
fn kept_or_refused(recording: &Recording, _: &Spec) -> Judged {
    let mut witness: Option<Witness> = None;
    for (name, text) in HARD {
        let published = recording.one(&format!("publish {name}"))?;
        published.answer()?;
        let mut own = published.witness();
        if published.is_success() {
            let read = recording.one(&format!("read {name}"))?;
            // A half alone cannot be held in a text of ours, so the body is looked at.
            let body = read.text().unwrap_or_default();
            let kept = match serde_json::from_str::<String>(text) {
                Ok(whole) => shown(&published, &read)?["description"] == whole.as_str(),
                Err(_) => body.to_lowercase().contains(text.trim_matches('"')),
            };
            if !kept {
                let expected = format!("{text} as it was sent, or no publication");
                return Err(read.finding("a text was changed when it was published", expected).into());
            }
            own = own.and(read.witness());
        } else if name == "a whole character in two escapes" {
            let expected = "a 2xx for a character outside the basic plane";
            return Err(published.finding("a text of whole characters was refused", expected).into());
        }
        witness = Some(witness.map_or(own.clone(), |witness| witness.and(own)));
    }
    witness.ok_or_else(|| recording::Verdict::Error { reason: "nothing was published".to_owned() })
}

/// Far more than any schema or example may have.
const LEVELS: usize = 20_000;

async fn nested_without_end(driver: &Driver<'_>) -> Drove {
    let deep = format!("{}{}", "[".repeat(LEVELS), "]".repeat(LEVELS));
    publish_raw(driver, "publish too deep", "resultSchema", &deep).await;
    publish_raw(driver, "publish afterwards", "description", "\"As before.\"").await;
    Ok(())
}

fn nesting_refused(recording: &Recording, _: &Spec) -> Judged {
    let (deep, after) = (recording.one("publish too deep")?, recording.one("publish afterwards")?);
    let status = deep.answer()?.status;
    if !(400..500).contains(&status) {
        let message = "a body that is nested without end is not refused as a fault of the request";
        return Err(deep.finding(message, "a 4xx").into());
    }
    after.answer()?;
    if !after.is_success() {
        let message = "a sound publication after a faulty one was refused";
        return Err(after.finding(message, "a 2xx").into());
    }
    let read = recording.one("read afterwards")?;
    if shown(&after, &read)?["description"] != "As before." {
        return Err(read.finding("a text was changed when it was published", "`As before.`").into());
    }
    Ok(deep.witness().and(after.witness()).and(read.witness()))
}
