//! How large a result schema may be (OAO-53).

use engine::{Driver, Drove};
use recording::{Judged, Recording};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    acceptance::{self, Accepted},
    operations::with,
    refusal::{self, Refused},
};
use crate::table::checks;

checks! { Oao:
    "OAO-53-a" => largest, largest_accepted;
    "OAO-53-b" => too_large, too_large_refused;
    "OAO-53-c" => two_byte_characters, two_byte_characters_refused;
}

/// The limit.
const BYTES_MAX: usize = 65_536;
/// A size that is below the limit in every serialization.
const SAFE_BYTES: usize = 60_000;
/// What a target that measures with spaces is judged on: a margin below the limit, because how exactly it
/// spaces is not known.
const SPACED_BYTES: usize = 65_000;
/// The longest description of a node.
const DESCRIPTION_MAX: usize = 2000;
/// Nodes that hold more than [`BYTES_MAX`] in their descriptions.
const NODES: usize = 34;

/// A root with these descriptions, one property each. No default is left to be written out.
fn described(descriptions: impl Iterator<Item = String>) -> Value {
    let property = |(at, description): (usize, String)| {
        (format!("part{at}"), json!({"type": "string", "description": description}))
    };
    let properties: serde_json::Map<String, Value> = descriptions.enumerate().map(property).collect();
    json!({"type": "object", "properties": properties, "required": [], "additionalProperties": false})
}

/// A schema that is exactly `bytes` of compact JSON.
fn sized(bytes: usize) -> Value {
    let with_extra = |extra: usize| {
        let share =
            move |at: usize| extra.saturating_sub(at * (DESCRIPTION_MAX - 1)).min(DESCRIPTION_MAX - 1);
        described((0..NODES).map(move |at| "d".repeat(1 + share(at))))
    };
    let least = with_extra(0).to_string().len();
    with_extra(bytes.saturating_sub(least))
}

/// How many bytes a serialization is longer that puts a space after each colon and comma.
fn separators(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len().saturating_sub(1) + items.iter().map(separators).sum::<usize>(),
        Value::Object(members) => {
            members.len() + members.len().saturating_sub(1) + members.values().map(separators).sum::<usize>()
        }
        _ => 0,
    }
}

/// The largest schema that the target has to accept, by the measure that it claims.
fn largest_by(measure: &str) -> Value {
    match measure {
        "spaced" => sized(SPACED_BYTES - separators(&sized(SPACED_BYTES))),
        _ => sized(BYTES_MAX),
    }
}

fn schema(schema: Value) -> Vec<Value> {
    vec![with("resultSchema", schema)]
}

async fn largest(driver: &Driver<'_>) -> Drove {
    let measure = driver.facts().text("schema_measure").unwrap_or("compact");
    acceptance::attempt(driver, vec![("the largest schema", schema(largest_by(measure)))]).await
}

fn largest_accepted(recording: &Recording, _: &Spec) -> Judged {
    let words = Accepted::keys(1, "a schema of the largest size was refused", "a 2xx for 65536 bytes");
    let witness = words.judge(recording)?;
    Ok(match recording.target.text("schema_measure") {
        Some("spaced") => {
            witness.noting("W03: measured with spaces, so judged at 65000 bytes of such a form")
        }
        _ => witness,
    })
}

async fn too_large(driver: &Driver<'_>) -> Drove {
    let faults = vec![("65537 bytes", schema(sized(BYTES_MAX + 1)))];
    refusal::attempt(driver, schema(sized(SAFE_BYTES)), faults).await
}

fn too_large_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a schema of 65537 bytes was published",
        expected: "a 4xx for 65537 bytes of compact JSON",
        faults: 1,
    };
    words.judge(recording)
}

/// A schema whose descriptions hold `count` thousand characters of two bytes each.
fn two_bytes(thousands: usize) -> Value {
    described((0..thousands / 2).map(|_| "é".repeat(DESCRIPTION_MAX)))
}

async fn two_byte_characters(driver: &Driver<'_>) -> Drove {
    let faults = vec![("40000 two-byte characters", schema(two_bytes(40)))];
    refusal::attempt(driver, schema(two_bytes(30)), faults).await
}

fn two_byte_characters_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a schema of 80000 bytes in 40000 characters was published",
        expected: "a 4xx, because the limit counts bytes",
        faults: 1,
    };
    words.judge(recording)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest_description(schema: &Value) -> usize {
        let properties = schema["properties"].as_object().unwrap().values();
        properties.map(|node| node["description"].as_str().unwrap().chars().count()).max().unwrap()
    }

    #[test]
    fn a_schema_has_exactly_the_size_that_is_asked_for() {
        for bytes in [SAFE_BYTES, SPACED_BYTES, BYTES_MAX, BYTES_MAX + 1] {
            let schema = sized(bytes);
            assert_eq!(schema.to_string().len(), bytes);
            assert!(longest_description(&schema) <= DESCRIPTION_MAX);
        }
    }

    #[test]
    fn a_measure_with_spaces_is_longer_by_the_separators() {
        assert_eq!(
            separators(&json!({"a": [1, 2], "b": {"c": ":,"}})),
            r#"{"a": [1, 2], "b": {"c": ":,"}}"#.len() - r#"{"a":[1,2],"b":{"c":":,"}}"#.len()
        );
        let schema = largest_by("spaced");
        assert_eq!(schema.to_string().len() + separators(&schema), SPACED_BYTES);
        assert!(separators(&sized(SAFE_BYTES)) + SAFE_BYTES < BYTES_MAX);
    }

    #[test]
    fn two_byte_characters_are_few_characters_and_many_bytes() {
        let text = two_bytes(40).to_string();
        assert!(text.len() > 80_000 && text.chars().count() < BYTES_MAX);
        let twin = two_bytes(30);
        assert!(twin.to_string().len() + separators(&twin) < BYTES_MAX);
        assert!(longest_description(&twin) <= DESCRIPTION_MAX);
    }
}
