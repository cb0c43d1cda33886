//! Keys: their length, their pattern, and what else has that name (OAO-46 to 48).

use engine::{Driver, Drove};
use recording::{Judged, Recording};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    acceptance::{self, Accepted},
    agents,
    operations::{operation, with},
    refusal::{self, Refused},
};
use crate::table::checks;

checks! { Oao:
    "OAO-46-a" => ends_of_length, ends_of_length_accepted;
    "OAO-46-b" => beyond_length, beyond_length_refused;
    "OAO-47-a" => every_kind_of_character, every_kind_accepted;
    "OAO-47-b" => outside_the_pattern, outside_refused;
    "OAO-47-c" => final_line_feed, final_line_feed_refused;
    "OAO-48-a" => one_key_twice, one_key_twice_refused;
    "OAO-48-b" => key_of_a_tool, key_of_a_tool_refused;
    "OAO-48-c" => key_of_the_platform, key_of_the_platform_refused;
}

fn keyed(key: impl Into<Value>) -> Vec<Value> {
    vec![with("key", key)]
}

async fn ends_of_length(driver: &Driver<'_>) -> Drove {
    let variants = vec![("1 character", keyed("k")), ("64 characters", keyed("k".repeat(64)))];
    acceptance::attempt(driver, variants).await
}

fn ends_of_length_accepted(recording: &Recording, _: &Spec) -> Judged {
    Accepted::keys(2, "a key of an allowed length was refused", "a 2xx for keys of 1 and of 64 characters")
        .judge(recording)
}

async fn beyond_length(driver: &Driver<'_>) -> Drove {
    let faults = vec![("empty key", keyed("")), ("65 characters", keyed("k".repeat(65)))];
    refusal::attempt(driver, keyed("total"), faults).await
}

fn beyond_length_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a key outside the allowed length was published",
        expected: "a 4xx for an empty key and for one of 65 characters",
        faults: 2,
    };
    words.judge(recording)
}

async fn every_kind_of_character(driver: &Driver<'_>) -> Drove {
    acceptance::attempt(driver, vec![("a-b_9", keyed("a-b_9"))]).await
}

fn every_kind_accepted(recording: &Recording, _: &Spec) -> Judged {
    Accepted::keys(1, "a key that fits the pattern was refused", "a 2xx for the key `a-b_9`").judge(recording)
}

/// Why a key does not fit, and such a key.
const OUTSIDE: [(&str, &str); 7] = [
    ("an upper-case letter", "Total"),
    ("a digit first", "1total"),
    ("a hyphen first", "-total"),
    ("an underscore first", "_total"),
    ("a dot", "to.tal"),
    ("a space", "to tal"),
    ("a letter outside ASCII", "totál"),
];

async fn outside_the_pattern(driver: &Driver<'_>) -> Drove {
    let faults = OUTSIDE.iter().map(|(why, key)| (*why, keyed(*key))).collect();
    refusal::attempt(driver, keyed("total"), faults).await
}

fn outside_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a key that does not fit the pattern was published",
        expected: "a 4xx for every key outside `^[a-z][a-z0-9_-]*$`",
        faults: OUTSIDE.len(),
    };
    words.judge(recording)
}

async fn final_line_feed(driver: &Driver<'_>) -> Drove {
    refusal::attempt(driver, keyed("total"), vec![("a final line feed", keyed("total\n"))]).await
}

fn final_line_feed_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a key with a final line feed was published",
        expected: "a 4xx for a key that a line feed follows",
        faults: 1,
    };
    words.judge(recording)
}

async fn one_key_twice(driver: &Driver<'_>) -> Drove {
    let mut second = operation("total");
    second["description"] = json!("Add up the lines of one order.");
    let mut twin = second.clone();
    twin["key"] = json!("order");
    let faults = vec![("one key twice", vec![operation("total"), second])];
    refusal::attempt(driver, vec![operation("total"), twin], faults).await
}

fn one_key_twice_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "two operations with one key were published",
        expected: "a 4xx for a key that occurs twice",
        faults: 1,
    };
    words.judge(recording)
}

/// A caller's tool of this name.
fn tool(name: &str) -> Value {
    let schema =
        json!({"type": "object", "properties": {"day": {"type": "string"}}, "additionalProperties": false});
    json!({
        "name": name, "description": "Look up the rate of one day.", "owner": "caller", "approval": "never",
        "inputSchema": schema, "outputSchema": schema,
    })
}

async fn key_of_a_tool(driver: &Driver<'_>) -> Drove {
    let config = |key: &str| {
        let mut config = agents::config(driver, &json!(keyed(key)));
        config["tools"] = json!([tool("rate")]);
        config
    };
    refusal::attempt_configs(driver, config("total"), vec![("the key of a tool", config("rate"))])
        .await
        .map(|_| ())
}

fn key_of_a_tool_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "an operation with the name of a mounted tool was published",
        expected: "a 4xx for a key that a mounted tool has",
        faults: 1,
    };
    words.judge(recording)
}

async fn key_of_the_platform(driver: &Driver<'_>) -> Drove {
    let skills: Vec<&str> = driver.facts().text("skill_version").into_iter().collect();
    let config = |key: &str| {
        let mut config = agents::config(driver, &json!(keyed(key)));
        if !skills.is_empty() {
            config["skillVersionIds"] = json!(skills);
        }
        config
    };
    let faults = vec![("activate_skill", config("activate_skill"))];
    refusal::attempt_configs(driver, config("total"), faults).await.map(|_| ())
}

fn key_of_the_platform_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "an operation with the name of a tool of the platform was published",
        expected: "a 4xx for the key `activate_skill`",
        faults: 1,
    };
    words.judge(recording)
}
