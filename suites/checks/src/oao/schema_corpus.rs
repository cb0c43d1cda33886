//! Operations and tools keep one contract for schemas (OAO-54).

use engine::{Driver, Drove};
use recording::{Finding, Judged, Recording, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{self, Agent},
    operations::with,
};
use crate::table::checks;

checks! { Oao:
    "OAO-54-a" => every_schema_twice, one_verdict_each;
}

/// One schema of the corpus.
struct Item {
    name: &'static str,
    schema: Value,
    /// Whether any status but a 2xx is a refusal (D13).
    any_refusal: bool,
}

fn node(name: &'static str, node: Value) -> Item {
    Item { name, schema: json!({"type": "object", "properties": {"amount": node}}), any_refusal: false }
}

fn root(name: &'static str, schema: Value) -> Item {
    Item { name, schema, any_refusal: false }
}

/// Sound and faulty schemas. Their number and their size stay far from every limit, so that only the rules
/// themselves are compared.
fn corpus() -> Vec<Item> {
    let text = || json!({"type": "string"});
    vec![
        root("the smallest", json!({"type": "object"})),
        root(
            "a closed object",
            json!({"type": "object", "properties": {"unit": text()}, "required": ["unit"], "additionalProperties": false}),
        ),
        node("bounds", json!({"type": "integer", "minimum": 0, "exclusiveMaximum": 10})),
        node("a length", json!({"type": "string", "minLength": 1, "maxLength": 3})),
        node("a format", json!({"type": "string", "format": "date-time"})),
        node("null after the type", json!({"type": ["number", "null"]})),
        node("null before the type", json!({"type": ["null", "number"]})),
        node("values", json!({"enum": ["a", 1, null]})),
        node("a value", json!({"const": true})),
        node(
            "a list of objects",
            json!({"type": "array", "items": {"type": "object", "properties": {"unit": text()}}, "maxItems": 4}),
        ),
        node("typed further properties", json!({"type": "object", "additionalProperties": text()})),
        node(
            "annotations",
            json!({"type": "string", "title": "Amount", "description": "In cents.", "examples": ["12"]}),
        ),
        root("a root that is an array", json!({"type": "array", "items": text()})),
        root("a root that may be null", json!({"type": ["object", "null"]})),
        root("a root without type", json!({"properties": {}})),
        root("a required property that is not there", json!({"type": "object", "required": ["amount"]})),
        node("`pattern`", json!({"type": "string", "pattern": "^a$"})),
        node("`$ref`", json!({"$ref": "#"})),
        node("`oneOf`", json!({"oneOf": [text(), {"type": "null"}]})),
        node("`default`", json!({"type": "string", "default": "a"})),
        node("`uniqueItems`", json!({"type": "array", "items": text(), "uniqueItems": true})),
        node("an unknown format", json!({"type": "string", "format": "hostname"})),
        node("an array without items", json!({"type": "array"})),
        node("two types", json!({"type": ["string", "number"]})),
        node("a value of another type", json!({"type": "string", "enum": [1]})),
        node("a lower bound above the upper one", json!({"type": "number", "minimum": 2, "maximum": 1})),
        Item {
            any_refusal: true,
            ..root("a sensitive name", json!({"type": "object", "properties": {"apiKey": text()}}))
        },
    ]
}

async fn every_schema_twice(driver: &Driver<'_>) -> Drove {
    let open = json!({"type": "object"});
    for Item { name, schema, .. } in corpus() {
        let operations = json!([with("resultSchema", schema.clone())]);
        let config = agents::config(driver, &operations);
        agents::create(driver, &format!("operation: {name}"), &config).await;
        let mut config = agents::config_without_operations(driver);
        config["tools"] = json!([{
            "name": "rate", "description": "Look up the rate of one day.", "owner": "caller", "approval": "never",
            "inputSchema": open, "outputSchema": schema,
        }]);
        agents::create(driver, &format!("tool: {name}"), &config).await;
    }
    Ok(())
}

fn one_verdict_each(recording: &Recording, _: &Spec) -> Judged {
    let mut witnesses = Vec::new();
    let mut seen_verdicts = [false, false];
    for item in corpus() {
        let operation = recording.one(&format!("operation: {}", item.name))?;
        let tool = recording.one(&format!("tool: {}", item.name))?;
        let verdicts = [accepted(&operation, item.any_refusal)?, accepted(&tool, item.any_refusal)?];
        if verdicts[0] != verdicts[1] {
            let expected =
                format!("one verdict on {}, as for the operation: {}", item.name, operation.summary());
            return Err(tool
                .finding("one schema is accepted in one place and refused in the other", expected)
                .into());
        }
        seen_verdicts[usize::from(verdicts[0])] = true;
        witnesses.push(operation.witness().and(tool.witness()));
    }
    let last = recording.one("operation: the smallest")?;
    match (seen_verdicts, Witness::all(witnesses)) {
        ([true, true], Some(witness)) => Ok(witness),
        (_, None) => Err(Verdict::Error { reason: "the corpus is empty".to_owned() }),
        _ => {
            let expected = "some schemas of the corpus accepted and some refused";
            Err(last.finding("sound and faulty schemas are not told apart", expected).into())
        }
    }
}

/// Whether a publication was accepted; a finding where it was neither accepted nor refused.
fn accepted(published: &Seen<'_>, any_refusal: bool) -> Result<bool, Finding> {
    let status = published.answer()?.status;
    let expected = "an agent with `id` and `latestVersionId`, or a 4xx";
    match status {
        200..300 if Agent::of(&published.json()?).is_some() => Ok(true),
        400..500 => Ok(false),
        500..600 if any_refusal => Ok(false),
        _ => Err(published.finding("a publication was neither accepted nor refused", expected)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_labels_so_they_differ() {
        let names: BTreeSet<&str> = corpus().iter().map(|item| item.name).collect();
        assert_eq!(names.len(), corpus().len());
    }
}
