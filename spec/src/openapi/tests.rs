use std::collections::BTreeSet;

use serde_json::json;

use super::*;
use crate::{messages, schemas};

fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[test]
fn every_reference_stays_inside_and_leads_somewhere() {
    for contract in Contract::ALL {
        let document = document(contract).unwrap();
        let mut found = Vec::new();
        references(document, &mut found);
        assert!(!found.is_empty());
        for reference in found {
            let place = reference.strip_prefix('#').unwrap_or_else(|| panic!("{contract}: {reference}"));
            assert!(document.pointer(place).is_some(), "{contract}: {reference}");
        }
    }
}

#[test]
fn every_schema_is_used() {
    for contract in Contract::ALL {
        let document = document(contract).unwrap();
        let mut found = Vec::new();
        references(document, &mut found);
        let used: BTreeSet<&str> = found.into_iter().collect();
        for name in schemas::names(contract) {
            assert!(used.contains(format!("#/components/schemas/{name}").as_str()), "{contract}: {name}");
        }
    }
}

#[test]
fn every_example_has_the_shape_of_its_schema() {
    fn walk(value: &Value, at: &str, examples: &mut Vec<(String, Value)>) {
        let Value::Object(members) = value else { return };
        if members.contains_key("schema") {
            let whole = members.get("example").into_iter();
            let named = members.get("examples").and_then(Value::as_object).into_iter().flatten();
            let named = named.map(|(_, example)| &example["value"]);
            examples.extend(whole.chain(named).map(|example| (format!("{at}/schema"), example.clone())));
        }
        for (name, member) in members.iter().filter(|(name, _)| *name != "examples") {
            walk(member, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), examples);
        }
    }
    for contract in Contract::ALL {
        let document = document(contract).unwrap();
        let mut examples = Vec::new();
        walk(document, "", &mut examples);
        assert!(examples.len() > 5, "{contract}: {}", examples.len());
        let places: BTreeSet<String> = examples.iter().map(|(place, _)| place.clone()).collect();
        let shapes = schemas::Shape::all("https://proofhouse.example/document", document, places).unwrap();
        for (place, example) in examples {
            let found = shapes[&place].violations(&example);
            assert!(found.is_empty(), "{contract}: {place}: {example}: {found:#?}");
        }
    }
}

#[test]
fn every_operation_has_a_name_of_its_own_and_says_what_it_is() {
    for contract in Contract::ALL {
        let document = document(contract).unwrap();
        let mut names = BTreeSet::new();
        for (method, path) in operations(contract).unwrap() {
            let operation = &document["paths"][&path][method.to_lowercase()];
            let name = operation["operationId"].as_str().unwrap_or_else(|| panic!("{method} {path}"));
            assert!(names.insert(name), "{contract}: {name} stands twice");
            for text in ["summary", "tags"] {
                assert!(!operation[text].is_null(), "{contract}: {name} has no {text}");
            }
        }
        let mut links = Vec::new();
        fn collect(value: &Value, links: &mut Vec<Value>) {
            let Value::Object(members) = value else { return };
            if let Some(Value::Object(found)) = members.get("links") {
                links.extend(found.values().cloned());
            }
            members.values().for_each(|member| collect(member, links));
        }
        collect(&document["paths"], &mut links);
        assert!(!links.is_empty());
        for link in links {
            assert!(names.contains(link["operationId"].as_str().unwrap()), "{contract}: {link}");
        }
    }
}

#[test]
fn a_message_has_the_schema_that_is_documented() {
    for contract in Contract::ALL {
        let document = document(contract).unwrap();
        for (method, path) in operations(contract).unwrap() {
            for (status, response) in
                document["paths"][&path][method.to_lowercase()]["responses"].as_object().unwrap()
            {
                let response = match response["$ref"].as_str() {
                    Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
                    None => response,
                };
                if response["content"].is_null() {
                    continue;
                }
                let schema =
                    response.pointer("/content/application~1json/schema/$ref").and_then(Value::as_str);
                let documented = schema.and_then(|schema| schema.strip_prefix("#/components/schemas/"));
                let known = messages::schema_of(contract, &method, &path, status.parse().unwrap()).unwrap();
                assert_eq!(documented, known, "{contract}: {method} {path} {status}");
            }
        }
    }
}

#[test]
fn lengths_and_ranges_are_those_of_the_tables() {
    let limits: Value = serde_json::from_str(include_str!("../../oao/limits.json")).unwrap();
    let components = &document(Contract::Oao).unwrap()["components"];
    let text = |range: &Value| {
        let least = range["min"].as_u64().filter(|least| *least > 0);
        (least, range["max"].as_u64())
    };
    for (place, range) in [
        ("agent-new/properties/name", "agent/name_units"),
        ("agent-new/properties/key", "agent/key_units"),
        ("agent-new/properties/description", "agent/description_units"),
        ("config/properties/systemPrompt", "config/system_prompt_units"),
        ("config/properties/modelPreset", "config/preset_units"),
        ("config.tool/properties/name", "config/tool_name_units"),
        ("config.tool/properties/description", "config/tool_description_units"),
        ("config.binding/properties/namespace", "config/namespace_units"),
        ("config.delegate/properties/key", "config/short_text_units"),
        ("config.delegate/properties/description", "config/delegate_description_units"),
        ("config.sandbox/properties/provider", "config/short_text_units"),
        ("config.sandbox/properties/snapshotId", "config/short_text_units"),
        ("operation/properties/key", "operation/key_units"),
        ("operation/properties/description", "operation/description_units"),
        ("operation/properties/instructions", "operation/instructions_units"),
        ("result-schema.name", "result_schema/property_name_units"),
        ("result-schema/properties/title", "result_schema/title_units"),
        ("result-schema/properties/description", "result_schema/description_units"),
        ("session-new/properties/title", "session/title_units"),
        ("file/properties/name", "files/name_units"),
        ("decision-new/properties/note", "approvals/note_units"),
        ("result-new.failure/properties/error/properties/message", "tool_calls/message_units"),
        ("webhook-new/properties/displayName", "webhooks/name_units"),
        ("webhook-new/properties/endpointUrl", "webhooks/url_units"),
        ("webhook-change/properties/displayName", "webhooks/name_units"),
    ] {
        let schema = components["schemas"].pointer(&format!("/{place}")).unwrap();
        let range = limits.pointer(&format!("/{range}")).unwrap();
        assert_eq!((schema["minLength"].as_u64(), schema["maxLength"].as_u64()), text(range), "{place}");
    }
    let number = |place: &str, range: &str| {
        let schema = components.pointer(place).unwrap_or_else(|| panic!("{place}"));
        let range = limits.pointer(range).unwrap();
        assert_eq!((&schema["minimum"], &schema["maximum"]), (&range["min"], &range["max"]), "{place}");
    };
    number("/schemas/operation/properties/timeoutMs", "/operation/timeout_ms");
    number("/schemas/config/properties/limits/properties/maxTurns", "/config/turns");
    number("/schemas/config/properties/limits/properties/timeoutMs", "/config/timeout_ms");
    number("/schemas/config.delegate/properties/maxParallel", "/config/delegate_parallel");
    number("/schemas/claim-new/properties/leaseMs", "/tool_calls/lease_ms");
    number("/schemas/claim-renewed/properties/leaseMs", "/tool_calls/lease_ms");
    number("/parameters/limit/schema", "/http/page");
    for (place, limit) in [
        ("/parameters/limit/schema/default", "/http/page_default"),
        ("/parameters/idempotencyKey/schema/maxLength", "/http/idempotency_key_units_max"),
        ("/schemas/config/properties/harnessOperations/maxItems", "/operation/count_max"),
        ("/schemas/operation/properties/key/pattern", "/operation/key_pattern"),
        ("/schemas/config/properties/tools/maxItems", "/config/tools_max"),
        ("/schemas/config/properties/mcpBindings/maxItems", "/config/bindings_max"),
        ("/schemas/config/properties/delegates/maxItems", "/config/delegates_max"),
        ("/schemas/result-schema.choice/properties/enum/maxItems", "/result_schema/enum_max"),
        ("/schemas/result-schema/properties/examples/maxItems", "/result_schema/examples_max"),
        ("/schemas/result-schema/properties/properties/maxProperties", "/result_schema/properties_max"),
        ("/schemas/result-schema.text/properties/format/enum", "/result_schema/formats"),
        ("/schemas/result-schema.name/not/enum", "/result_schema/prohibited_names"),
        ("/schemas/session-new/properties/files/maxItems", "/files/count/max"),
        ("/schemas/session-new/properties/initialMessage/maxLength", "/session/message_units/max"),
        ("/schemas/result-new.failure/properties/error/properties/code/enum", "/tool_calls/failure_codes"),
        ("/schemas/webhook-batch/properties/data/properties/events/maxItems", "/webhooks/batch_events_max"),
    ] {
        assert_eq!(components.pointer(place), limits.pointer(limit), "{place}");
    }
}

#[test]
fn an_exchange_is_held_against_the_document() {
    let headers = |more: &[(&str, &str)]| -> Vec<(String, String)> {
        let standard = [
            ("x-request-id", "r"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"),
            ("content-type", "application/json; charset=utf-8"),
        ];
        let all = standard.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        all.collect()
    };
    let refusal = json!({"error": {"code": "not_found", "message": "m", "requestId": "r"}});
    let list = json!({"data": [], "pageInfo": {"hasMore": false, "nextCursor": null}});
    let thread =
        json!({"id": 7, "organizationId": "o", "projectId": "p", "createdAt": "2026-01-05T09:00:00.000Z"});
    let (plain, written) = (headers(&[]), headers(&[("idempotency-replayed", "false")]));
    let claim = json!({"leaseMs": 60_000});
    let no_claim = json!({"leaseMs": 5});
    let fence = json!({"fence": "1"});
    let told = |method: &'static str, path: &'static str, status, headers, asked, told| {
        let exchange = Exchange { method, path, asked, status, headers, told };
        differences(Contract::Oao, &exchange).unwrap()
    };
    assert!(told("GET", "/v1/projects/p/threads", 200, &plain, None, Some(&list)).is_empty());
    assert!(told("GET", "/v1/projects/p/nowhere", 404, &plain, None, Some(&refusal)).is_empty());
    assert!(
        told("POST", "/v1/projects/p/tool-calls/t/claim", 200, &written, Some(&claim), Some(&fence))
            .is_empty()
    );
    for (differs, word) in [
        (told("GET", "/v1/projects/p/nowhere", 200, &plain, None, Some(&list)), "not documented"),
        (told("PUT", "/v1/projects/p/threads", 200, &plain, None, Some(&list)), "not documented"),
        (told("GET", "/v1/projects/p/threads", 404, &plain, None, Some(&refusal)), "status 404"),
        (told("GET", "/v1/projects/p/threads/t", 200, &plain, None, Some(&thread)), "/id"),
        (told("GET", "/v1/projects/p/threads", 200, &plain[1..], None, Some(&list)), "x-request-id"),
        (told("GET", "/v1/projects/p/threads", 200, &plain[..3], None, Some(&list)), "media type"),
        (
            told("POST", "/v1/projects/p/tool-calls/t/claim", 200, &written, Some(&no_claim), Some(&fence)),
            "/leaseMs",
        ),
    ] {
        assert!(differs.len() == 1 && differs[0].contains(word), "{word}: {differs:?}");
    }
}
