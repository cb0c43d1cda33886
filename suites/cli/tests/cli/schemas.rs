//! Our own formats have the shape that their schemas in `spec/control` say.

use std::{
    fs,
    path::{Path, PathBuf},
};

use jsonschema::Registry;
use serde_json::{Value, json};
use spec::Contract;

use crate::{
    process::{Server, run},
    target_files::{example, uncommented},
};

const NAMES: [&str; 6] = ["target", "recording-line", "report", "summary", "prove", "list"];

fn schema(name: &str) -> Value {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/control");
    let text = fs::read_to_string(folder.join(format!("{name}.schema.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The schema called `name`, with all others within its reach.
struct Validator(jsonschema::Validator);

impl Validator {
    fn of(name: &str) -> Self {
        let mut registry = Registry::new();
        for name in NAMES {
            let schema = schema(name);
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
            let id = schema["$id"].as_str().unwrap().to_owned();
            assert!(id.ends_with(&format!("/{name}.schema.json")), "{id}");
            registry = registry.add(&id, schema).unwrap();
        }
        let registry = registry.prepare().unwrap();
        Self(jsonschema::options().with_registry(&registry).build(&schema(name)).unwrap())
    }

    fn holds(&self, value: &Value) {
        let wrong: Vec<String> =
            self.0.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    fn refuses(&self, value: &Value) {
        assert!(!self.0.is_valid(value), "{value}");
    }
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// A run's files, each against its schema.
pub(crate) fn files_hold(out: &Path, contracts: &[&str]) {
    Validator::of("summary").holds(&read(&out.join("summary.json")));
    let line = Validator::of("recording-line");
    for contract in contracts {
        Validator::of("report").holds(&read(&out.join(contract).join("report.json")));
        for text in fs::read_to_string(out.join(contract).join("recording.jsonl")).unwrap().lines() {
            line.holds(&serde_json::from_str(text).unwrap());
        }
    }
}

/// Whether some line of the recording holds all of `words`.
fn recorded(out: &Path, contract: &str, words: &[&str]) {
    let text = fs::read_to_string(out.join(contract).join("recording.jsonl")).unwrap();
    assert!(text.lines().any(|line| words.iter().all(|word| line.contains(word))), "{words:?}");
}

#[test]
fn a_run_of_both_contracts() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["run", "--cases", "2", "--out", "out"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let out = folder.path().join("out");
    files_hold(&out, &["oao", "vetta"]);
    for kind in ["exchange", "event", "model", "case"] {
        recorded(&out, "oao", &["\"line\":\"entry\"", &format!("\"what\":{{\"{kind}\":")]);
    }
}

#[test]
fn runs_that_end_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let defects = ["simulate", "--contract", "oao", "--defect", "nullable-order-refused"];
    let server = Server::start(folder.path(), &defects);
    let said = run(folder.path(), &["run", "--url", server.url(), "--check", "OAO-11*", "--out", "out"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    files_hold(&out, &["oao"]);
    recorded(&out, "oao", &["/shrunk"]);

    let server = Server::start(folder.path(), &["simulate", "--contract", "vetta"]);
    let text = format!(
        "name = \"a\"\nversion = \"1\"\ncontract = \"vetta\"\nurl = \"{}\"\n\
         [credentials]\nprimary = {{ value = \"sk_sim_ada\" }}\n[settings]\nmodel = \"sim-1\"\n\
         [scope]\nuntestable = [\"VET-03-c\"]\nexpected_fail = [\"VET-03-a\"]\n",
        server.url()
    );
    fs::write(folder.path().join("target.toml"), text).unwrap();
    let said = run(folder.path(), &["run", "--target", "target.toml", "--out", "out"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    files_hold(&out, &["vetta"]);
    recorded(&out, "vetta", &["\"stop\":{\"unmet\""]);
    recorded(&out, "vetta", &["\"stop\":{\"inapplicable\""]);

    let server = Server::start(folder.path(), &["simulate", "--contract", "oao", "--degenerate", "echo"]);
    let said = run(folder.path(), &["run", "--url", server.url(), "--out", "out"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    files_hold(&out, &["oao", "vetta"]);
}

#[test]
fn lists_and_proofs() {
    let folder = tempfile::tempdir().unwrap();
    for (schema, arguments) in [
        ("list", &["list", "--format", "json"][..]),
        ("list", &["list", "--pending", "--format", "json"]),
        ("prove", &["prove", "--format", "json", "--check", "VET-59*", "--check", "OAO-45"]),
    ] {
        let said = run(folder.path(), arguments);
        Validator::of(schema).holds(&serde_json::from_str(&said.out).unwrap());
    }
}

#[test]
fn descriptions_of_targets() {
    let validator = Validator::of("target");
    for contract in Contract::ALL {
        let text = example(contract);
        for text in [text.clone(), uncommented(&text)] {
            let written: toml::Value = toml::from_str(&text).unwrap();
            validator.holds(&serde_json::to_value(written).unwrap());
        }
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(folder.path(), &["simulate", "--contract", contract.name()]);
        let description = told_by(server.url());
        assert_eq!(description["contract"], contract.name());
        validator.holds(&description);
    }
    let good = json!({"name": "a", "version": "1", "contract": "oao", "url": "http://127.0.0.1:9/x"});
    validator.holds(&good);
    for (member, value) in [
        ("url", json!("https://127.0.0.1:9")),
        ("contract", json!("veta")),
        ("claims", json!("all")),
        ("credentials", json!({"primary": "sk-secret"})),
        ("credentials", json!({"primary": {"env": "A", "value": "b"}})),
        ("credentials", json!({"primary": {"value": "sk-zz-7"}})),
        ("settings", json!({"reserved_ids": []})),
        ("scope", json!({"untestable": ["VET-03"]})),
        ("model", json!({"lisen": "127.0.0.1:0"})),
        ("extra", json!(1)),
    ] {
        let mut wrong = good.clone();
        wrong[member] = value;
        validator.refuses(&wrong);
    }
}

/// What the server says at `/_control/target`.
fn told_by(url: &str) -> Value {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let limits = wire::http::Limits {
        head: std::time::Duration::from_secs(5),
        whole: std::time::Duration::from_secs(5),
        body_bytes_max: 1 << 20,
    };
    let request = wire::http::Request::new("GET", "/_control/target");
    let authority = url.strip_prefix("http://").unwrap();
    let answer = runtime.block_on(wire::http::send(&wire::Net::Tcp, authority, &request, limits)).unwrap();
    serde_json::from_slice(&answer.body).unwrap()
}

#[test]
fn schemas_refuse_what_is_not_theirs() {
    for name in NAMES {
        for wrong in [json!(null), json!({}), json!([{}]), json!({"line": "header"}), json!("text")] {
            Validator::of(name).refuses(&wrong);
        }
    }
    let line = Validator::of("recording-line");
    let entry = |what: Value| json!({"line": "entry", "entry": {"at_ms": 0, "label": "a", "what": what}});
    for what in [
        json!({"fact": 1}),
        json!({"stop": {"setup": {"step": "a", "expected": "b"}}}),
        json!({"stop": {"budget": {"ms": 1}}}),
        json!({"stop": {"broken": {"reason": "a"}}}),
        json!({"exchange": {"question": {"method": "GET", "path": "/", "headers": [["a", "b"]]},
            "outcome": {"failed": {"kind": "connect", "reason": "a"}}}}),
    ] {
        line.holds(&entry(what));
    }
    for what in
        [json!({}), json!({"fact": 1, "case": 2}), json!({"stop": {"unmet": {}}}), json!({"other": 1})]
    {
        line.refuses(&entry(what));
    }
}

#[test]
fn every_member_is_described() {
    for name in NAMES {
        let schema = schema(name);
        assert!(schema["title"].is_string() && schema["description"].is_string(), "{name}");
        described(&schema, name);
    }
}

/// Every member below a `properties` has a description, unless it only narrows one that has.
fn described(value: &Value, at: &str) {
    let Value::Object(members) = value else {
        if let Value::Array(items) = value {
            items.iter().for_each(|item| described(item, at));
        }
        return;
    };
    for (name, member) in members {
        let at = format!("{at}/{name}");
        if matches!(name.as_str(), "oneOf" | "allOf") {
            continue;
        }
        if name == "properties" {
            for (property, schema) in member.as_object().unwrap() {
                assert!(schema["description"].is_string(), "{at}/{property} has no description");
            }
        }
        described(member, &at);
    }
}
