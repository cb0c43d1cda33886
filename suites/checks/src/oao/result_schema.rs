//! What a result schema may say (OAO-29, 30).

use engine::{Case, Check, Driver, Drove, Kind, Property};
use recording::{CaseView, Judged, Recording, View};
use serde_json::{Value, json};
use spec::{Contract, Spec};

use super::{
    agents::{self, Agent},
    definition::{noting_subset, subset, subset_of},
    generate::broken,
    operations::{operation, with, without},
    place::{Named, names_schema},
    refusal::{self, Refused},
};
use crate::table::checks;

checks! { Oao:
    "OAO-29-a" => no_schema, no_schema_refused;
    "OAO-30-a" => no_object, no_object_refused;
    "OAO-30-b" => unsupported_keyword, keyword_refused_with_place;
}

/// The property checks of this topic.
pub(crate) const PROPERTIES: &[Check] =
    &[Check { id: "OAO-30-p", contract: Contract::Oao, kind: Kind::Property(&BROKEN) }];

const BROKEN: Property = Property {
    prelude: |driver| Box::pin(subset_of(driver)),
    strategy: |known, number| broken::case(subset(known), number),
    drive: |driver, case| Box::pin(one_case(driver, case)),
    judge: case_refused,
};

async fn one_case(driver: &Driver<'_>, case: &Case) -> Drove {
    let config = |operations: &Value| agents::config(driver, operations);
    let twin = refusal::set_apart(driver, config(&case.input["twin"]), "twin");
    let agent =
        agents::need_agent(driver, "twin", &twin, "publish the same definition with no rule broken").await?;
    let broken = refusal::set_apart(driver, config(&case.input["broken"]), "one rule broken");
    agents::publish(driver, "fault", &agent.id, &broken).await;
    agents::list_versions(driver, "versions", &agent.id).await;
    Ok(())
}

fn case_refused(case: &CaseView<'_>, _: &Spec) -> Judged {
    let (twin, fault) = (case.one("twin")?, case.one("fault")?);
    let words = Refused {
        published: "a definition that breaks a rule was published",
        expected: "a 4xx for a definition that breaks one rule",
        faults: 1,
    };
    // For sensitive names any answer but a 2xx will do (D13).
    let any_refusal = case.label().expected["status"] == "no 2xx";
    if !any_refusal || (200..300).contains(&fault.answer()?.status) {
        words.refused(&fault)?;
    }
    let agent = Agent::of(&twin.json()?);
    let agent = agent.ok_or_else(|| {
        twin.finding("an accepted publication does not say what it made", "`latestVersionId`")
    })?;
    Ok(noting_subset(case, fault.witness().and(refusal::only_version(case, &agent)?)))
}

fn schema(schema: Value) -> Vec<Value> {
    vec![with("resultSchema", schema)]
}

async fn no_schema(driver: &Driver<'_>) -> Drove {
    let faults = vec![
        ("no schema", vec![without("resultSchema")]),
        ("null", schema(Value::Null)),
        ("true", schema(json!(true))),
    ];
    refusal::attempt(driver, vec![operation("total")], faults).await
}

fn no_schema_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "an operation without a result schema was published",
        expected: "a 4xx for a missing schema, for null and for true",
        faults: 3,
    };
    words.judge(recording)
}

async fn no_object(driver: &Driver<'_>) -> Drove {
    let faults = vec![
        ("an array", schema(json!({"type": "array", "items": {"type": "string"}}))),
        ("a string", schema(json!({"type": "string"}))),
        ("an object or null", schema(json!({"type": ["object", "null"]}))),
        ("a boolean", schema(json!(false))),
    ];
    refusal::attempt(driver, vec![operation("total")], faults).await
}

fn no_object_refused(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a result schema whose root is no object was published",
        expected: "a 4xx for a root that is an array, a string, an object or null, or a boolean",
        faults: 4,
    };
    words.judge(recording)
}

/// The position and the key of the operation that has the fault: not the first, so that the position shows.
const FAULTY: (usize, &str) = (1, "order");

async fn unsupported_keyword(driver: &Driver<'_>) -> Drove {
    let Some(keyword) = driver.facts().text("unsupported_keyword").map(str::to_owned) else {
        return Err(driver
            .unmet("a schema keyword outside the supported subset: give `[settings] unsupported_keyword`"));
    };
    let operations = |node: Value| {
        let mut faulty = operation(FAULTY.1);
        faulty["resultSchema"]["properties"]["remark"] = node;
        vec![operation("total"), faulty]
    };
    let mut node = home(&keyword);
    let twin = operations(node.clone());
    node[keyword.as_str()] = sample(&keyword);
    refusal::attempt(driver, twin, vec![("an unsupported keyword", operations(node))]).await
}

/// A node of the type that a keyword is about.
fn home(keyword: &str) -> Value {
    match keyword {
        "uniqueItems" | "contains" | "minContains" | "maxContains" | "prefixItems" | "unevaluatedItems" => {
            json!({"type": "array", "items": {"type": "string"}})
        }
        "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties" => json!({"type": "object", "properties": {"unit": {"type": "string"}}}),
        "multipleOf" | "exclusiveMinimum" | "exclusiveMaximum" => json!({"type": "number"}),
        _ => json!({"type": "string"}),
    }
}

/// A value that a keyword may have in JSON Schema.
fn sample(keyword: &str) -> Value {
    match keyword {
        "pattern" => json!("^a$"),
        "oneOf" | "anyOf" | "allOf" | "prefixItems" => json!([{"type": "string"}]),
        "not" | "if" | "then" | "else" | "contains" | "propertyNames" | "contentSchema" => {
            json!({"type": "string"})
        }
        "patternProperties" => json!({"^a": {"type": "string"}}),
        "$defs" | "definitions" | "dependentSchemas" => json!({}),
        "dependentRequired" => json!({"unit": []}),
        "unevaluatedItems" | "unevaluatedProperties" => json!(false),
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" | "nullable" => json!(true),
        "minContains" | "maxContains" | "minProperties" | "maxProperties" | "multipleOf"
        | "exclusiveMinimum" | "exclusiveMaximum" | "minLength" | "maxLength" => json!(1),
        "$ref" | "$dynamicRef" => json!("#"),
        "format" => json!("date"),
        "enum" | "examples" => json!(["a"]),
        _ => json!("a"),
    }
}

fn keyword_refused_with_place(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a schema with an unsupported keyword was published",
        expected: "a 4xx for a keyword outside the subset",
        faults: 1,
    };
    let witness = words.judge(recording)?;
    let mut other_way = false;
    for fault in recording.starting_with("fault ") {
        match names_schema(&fault.body().unwrap_or_default(), FAULTY.0, FAULTY.1) {
            Some(named) => other_way |= named == Named::OtherWay,
            None => {
                let expected = format!("`harnessOperations[{}].resultSchema` in the answer", FAULTY.0);
                return Err(fault
                    .finding("the refusal does not say where in which schema the fault is", expected)
                    .into());
            }
        }
    }
    Ok(if other_way {
        witness.noting("W15: the place of the fault is named in another way")
    } else {
        witness
    })
}
