//! Bodies and results that JSON allows and no rule foresees: names that come twice, numbers without end
//! (OAO-302, 303).

use engine::{Call, Driver, Drove};
use model::{Answer, ToolCall, Turn};
use recording::{Finding, Judged, Recording, Seen, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents,
    operations::{operation, with},
    refusal::{self, OTHER_REASONS, Refused},
    runs::{at, must_ask},
    scripted::{CALL, TASK, calling, play_one, scratch, terminal, told},
    wording::{publish_raw, shown},
};
use crate::table::checks;

checks! { Oao:
    "OAO-302-a" => names_come_twice, one_reading_counts;
    "OAO-303-a" => a_timeout_without_end, no_such_timeout;
    "OAO-303-b" => schemas_with_numbers_without_end, no_such_schema;
    "OAO-303-c" => a_result_without_end, no_such_result;
}

/// What stands for a text of JSON in a definition.
const PLACE: &str = "the-place-of-a-text";

/// A field, and what stands in its place: its value, the field again, and another value. One of the two is sound.
const TWICE: [(&str, &str, &str); 4] = [
    ("a sound limit first", "timeoutMs", r#"60000,"timeoutMs":900000"#),
    ("a sound limit last", "timeoutMs", r#"900000,"timeoutMs":60000"#),
    ("a sound key first", "key", r#""total","key":"finish""#),
    ("a sound key last", "key", r#""finish","key":"total""#),
];

async fn names_come_twice(driver: &Driver<'_>) -> Drove {
    publish_raw(driver, "publish once", "timeoutMs", "60000").await;
    for (name, field, text) in TWICE {
        publish_raw(driver, &format!("publish {name}"), field, text).await;
    }
    Ok(())
}

/// Which of the two values counts is the vendor's own affair (W19). What is published has to be sound.
fn one_reading_counts(recording: &Recording, _: &Spec) -> Judged {
    let message = "a value that may not be published is in a version: its name was given twice";
    let mut published_any = false;
    // Who refuses everything refuses that for no reason of its own.
    let once = recording.one("publish once")?;
    once.answer()?;
    if !once.is_success() {
        return Err(once.finding("a sound definition was refused", "a 2xx").into());
    }
    let mut witness = once.witness().and(sound_as_sent(recording, &once)?);
    for (name, field, text) in TWICE {
        let published = recording.one(&format!("publish {name}"))?;
        let status = published.answer()?.status;
        witness = witness.and(published.witness());
        if published.is_success() {
            let read = recording.one(&format!("read {name}"))?;
            let kept = shown(&published, &read)?[field].clone();
            let sound = if field == "key" { json!("total") } else { json!(60_000) };
            if kept != sound {
                let expected = format!("a refusal, or {sound}, for `{field}` given as {text}");
                return Err(at(&read, message, expected, format!("`{field}`: {kept}")).into());
            }
            witness = witness.and(read.witness());
            published_any = true;
        } else if !of_the_request(status) {
            return Err(not_a_fault(&published, "a 4xx, or a publication with the sound value").into());
        }
    }
    Ok(if published_any { witness.noting("W19: one of the two values counts") } else { witness })
}

/// The definition without a fault reads back.
fn sound_as_sent(recording: &Recording, once: &Seen<'_>) -> Result<Witness, recording::Verdict> {
    let read = recording.one("read once")?;
    if shown(once, &read)?["timeoutMs"] == 60_000 {
        return Ok(read.witness());
    }
    Err(read
        .finding("a published version does not have the definition that it was published with", "60000")
        .into())
}

fn of_the_request(status: u16) -> bool {
    (400..500).contains(&status) && !OTHER_REASONS.contains(&status)
}

fn not_a_fault(seen: &Seen<'_>, expected: &str) -> Finding {
    seen.finding("a faulty definition is not answered as a fault of the request", expected)
}

/// A name for the labels, a definition with [`PLACE`] in it, and the text that is sent in its place.
type RawFault = (&'static str, Value, &'static str);

/// As [`refusal::attempt`], with texts that no JSON value of ours can hold.
async fn attempt(driver: &Driver<'_>, faults: Vec<RawFault>) -> Drove {
    let config = |operation: Value| agents::config(driver, &json!([operation]));
    let twin = refusal::set_apart(driver, config(operation("total")), "twin");
    let agent =
        agents::need_agent(driver, "twin", &twin, "publish the same definition without the fault").await?;
    for (name, operation, text) in faults {
        let config = refusal::set_apart(driver, config(operation), name);
        let post = |path: String, body: Value| {
            Call::new("POST", path).json_text(body.to_string().replace(&format!("\"{PLACE}\""), text))
        };
        let version = post(
            format!("{}/versions", agents::path_of(driver, &agent.id)),
            json!({"config": config.clone()}),
        );
        let label = format!("fault {name}, as a version");
        driver.send(&label, version.header("idempotency-key", driver.fresh())).await;
        let own = driver.fresh();
        let body = json!({"name": own, "key": own, "initialConfig": config});
        let new = post(format!("{}/agents", agents::project(driver)), body);
        let label = format!("fault {name}, as an agent");
        driver.send(&label, new.header("idempotency-key", own)).await;
    }
    agents::list_versions(driver, "versions", &agent.id).await;
    agents::list_agents(driver, "agents", &agent.id).await;
    Ok(())
}

async fn a_timeout_without_end(driver: &Driver<'_>) -> Drove {
    let texts = [("1e309", "1e309"), ("1e400", "1e400"), ("minus 1e400", "-1e400")];
    attempt(driver, texts.map(|(name, text)| (name, with("timeoutMs", PLACE), text)).into()).await
}

fn no_such_timeout(recording: &Recording, _: &Spec) -> Judged {
    let published = "a timeout that is larger than any number was published";
    Refused { published, expected: "a 4xx for 1e309, 1e400 and -1e400", faults: 3 }.judge(recording)
}

async fn schemas_with_numbers_without_end(driver: &Driver<'_>) -> Drove {
    if driver.facts().text("schema_subset") == Some("own") {
        return Err(driver.unmet("the subset of the product: the target describes one of its own (W06)"));
    }
    let node = |node: Value| {
        with("resultSchema", json!({"type": "object", "properties": {"total": node}, "required": []}))
    };
    let faults = vec![
        ("minimum", node(json!({"type": "number", "minimum": PLACE})), "1e400"),
        ("exclusiveMaximum", node(json!({"type": "number", "exclusiveMaximum": PLACE})), "1e309"),
        ("multipleOf", node(json!({"type": "number", "multipleOf": PLACE})), "1e400"),
        ("enum", node(json!({"type": "number", "enum": [1, PLACE]})), "1e400"),
        ("const", node(json!({"type": "number", "const": PLACE})), "-1e400"),
        ("examples", node(json!({"type": "number", "examples": [PLACE]})), "1e309"),
    ];
    attempt(driver, faults).await
}

fn no_such_schema(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a schema with a number that is larger than any was published",
        expected: "a 4xx for it, wherever the schema has numbers",
        faults: 6,
    };
    words.judge(recording)
}

/// How long the operation may take; more than enough, and short where a target waits for it.
const LIMIT_MS: u64 = 5_000;

async fn a_result_without_end(driver: &Driver<'_>) -> Drove {
    let mut total = operation("total");
    total["timeoutMs"] = json!(LIMIT_MS);
    let without_end = Answer::new().call(ToolCall::with_text("huge", "finish", r#"{"total": 1e400}"#));
    let inside = [
        Turn::new("hands-in", without_end).when(scratch(TASK).no_tool_results()),
        Turn::new("corrects", calling("end", "finish", json!({"total": 7})))
            .when(scratch(TASK).tool_result_for("huge")),
    ];
    play_one(driver, total, inside).await
}

/// The call may be corrected inside or come to nothing; what was handed in is no integer.
fn no_such_result(recording: &Recording, _: &Spec) -> Judged {
    let message = "a number that is larger than any became a result";
    let (tried, _) = must_ask(recording, "hands-in", "the scratch loop did not begin")?;
    let Some((seen, texts)) = told(recording, CALL) else {
        return Err(recording.one("run")?.finding(message, "the parent with the result of its call").into());
    };
    let results: Vec<Value> =
        texts.iter().filter_map(|text| serde_json::from_str(text).ok()).filter(Value::is_object).collect();
    let Some((ending, end, _)) = terminal(recording, CALL) else {
        let message = "a call that began has no terminal event";
        return Err(recording.one("run")?.finding(message, format!("the end of `{CALL}`")).into());
    };
    if let Some(other) = results.iter().find(|result| result.get("total").is_some_and(|total| *total != 7)) {
        return Err(at(&seen, message, "{\"total\":7}, or a failure", other.to_string()).into());
    }
    if ending == "completed" && !results.contains(&json!({"total": 7})) {
        return Err(at(&seen, message, "{\"total\":7}", format!("{texts:?}")).into());
    }
    Ok(tried.witness().and(seen.witness()).and(end.witness()))
}
