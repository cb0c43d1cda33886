//! The documents of the APIs and what is served agree.

use std::collections::BTreeSet;

use engine::Sampling;
use recording::{Body, Exchange, Reception, Recording, What};
use serde_json::Value;
use spec::{Contract, openapi};

use crate::reference::run_all;

/// Paths of the simulator's own, which no contract has: the control port, and the views of a console.
const OWN: [&str; 2] = ["/_control/", "/_view/"];

/// A path whose parameters have no names.
fn nameless(path: &str) -> String {
    let part = |part: &str| if part.starts_with('{') { "{}".to_owned() } else { part.to_owned() };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn routed(contract: Contract) -> BTreeSet<(String, String)> {
    let routes: Vec<(String, String)> = match contract {
        Contract::Oao => {
            let routes = oao::http::Front::default().routes;
            routes.iter().map(|route| (route.method.to_owned(), route.path.to_owned())).collect()
        }
        Contract::Vetta => {
            vetta::http::served().map(|(method, path)| (method.to_owned(), path.to_owned())).collect()
        }
    };
    let contractual = |(_, path): &(String, String)| !OWN.iter().any(|own| path.starts_with(own));
    routes.into_iter().filter(contractual).map(|(method, path)| (method, nameless(&path))).collect()
}

#[test]
fn what_is_routed_is_documented_and_what_is_documented_is_routed() {
    for contract in Contract::ALL {
        let documented = openapi::operations(contract).unwrap();
        let documented: BTreeSet<(String, String)> =
            documented.into_iter().map(|(method, path)| (method, nameless(&path))).collect();
        let routed = routed(contract);
        let missing: Vec<_> = routed.difference(&documented).collect();
        assert!(missing.is_empty(), "{contract}: routed and not documented: {missing:#?}");
        let invented: Vec<_> = documented.difference(&routed).collect();
        assert!(invented.is_empty(), "{contract}: documented and not routed: {invented:#?}");
    }
}

fn json(recording: &Recording, body: Option<&recording::BodyRef>) -> Option<Value> {
    let text = recording.bodies.get(body?).and_then(Body::text)?;
    serde_json::from_str(text).ok()
}

/// Whether only the beginning of a body is recorded, because it is large.
fn is_cut(recording: &Recording, body: Option<&recording::BodyRef>) -> bool {
    body.and_then(|body| recording.bodies.get(body)).is_some_and(|body| matches!(body, Body::Cut(_)))
}

/// How an exchange differs from the document; `None` where it is no matter of the contract, was not answered, or
/// is not recorded whole.
fn differences(recording: &Recording, exchange: &Exchange) -> Option<Vec<String>> {
    let question = &exchange.question;
    let path = question.path.split('?').next().unwrap_or_default();
    let Reception::Answered(answer) = &exchange.outcome else { return None };
    let cut = is_cut(recording, question.body.as_ref()) || is_cut(recording, answer.body.as_ref());
    if cut || OWN.iter().any(|own| path.starts_with(own)) {
        return None;
    }
    let asked = json(recording, question.body.as_ref());
    let told = json(recording, answer.body.as_ref());
    let exchange = openapi::Exchange {
        method: &question.method,
        path,
        asked: asked.as_ref(),
        status: answer.status,
        headers: &answer.headers,
        told: told.as_ref(),
    };
    Some(openapi::differences(recording.target.contract, &exchange).unwrap())
}

#[test]
fn every_exchange_of_a_whole_run_is_as_documented() {
    for contract in Contract::ALL {
        let mut held = 0;
        let mut found = BTreeSet::new();
        for outcome in run_all(contract, 1, Sampling { cases: 48, case: None, shrinks: 0 }, 2) {
            for entry in &outcome.recording.entries {
                let What::Exchange(exchange) = &entry.what else { continue };
                let Some(differs) = differences(&outcome.recording, exchange) else { continue };
                held += 1;
                let question = &exchange.question;
                let place =
                    format!("{} ({}): {} {}", outcome.id, entry.label, question.method, question.path);
                found.extend(differs.into_iter().map(|differs| format!("{place}: {differs}")));
            }
        }
        assert!(found.is_empty(), "{contract}: {} differences: {found:#?}", found.len());
        assert!(held > 300, "{contract}: only {held} exchanges were held against the document");
    }
}

#[test]
fn the_documents_are_openapi_3_1() {
    let schema = include_str!("../../../../fixtures/openapi/schema-3.1.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::options().build(&schema).unwrap();
    for contract in Contract::ALL {
        let document = openapi::document(contract).unwrap();
        let found: Vec<String> = validator
            .iter_errors(document)
            .map(|error| format!("{}: {error:.200}", error.instance_path()))
            .collect();
        assert!(found.is_empty(), "{contract}: {found:#?}");
        // The schema says no to what is none.
        let mut broken = document.clone();
        broken["paths"]["/x"] = serde_json::json!({"get": {"responses": {"20": {}}}});
        assert!(!validator.is_valid(&broken), "{contract}");
    }
}
