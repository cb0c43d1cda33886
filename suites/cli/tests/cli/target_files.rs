//! The example descriptions in `fixtures/targets`.

use std::{fs, path::PathBuf};

use engine::target::{Credential, DescriptionError, from_toml, settings};
use spec::Contract;

use crate::process::{Server, proofhouse};

pub(crate) fn example(contract: Contract) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/targets");
    fs::read_to_string(folder.join(format!("{contract}.toml"))).unwrap()
}

/// The same file with every example in its comments taken at its word.
pub(crate) fn uncommented(text: &str) -> String {
    let is_field = |line: &&str| {
        line.split_once(" = ")
            .is_some_and(|(name, _)| name.chars().all(|each| each.is_ascii_lowercase() || each == '_'))
    };
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        let example = line.strip_prefix("# ").filter(is_field);
        // An example of a field that is set stands right before it.
        if let (Some(before), Some((name, _))) = (lines.last(), line.split_once(" = "))
            && before.split_once(" = ").is_some_and(|(other, _)| other == name)
        {
            continue;
        }
        lines.push(example.unwrap_or(line));
    }
    lines.join("\n")
}

#[test]
fn the_examples_are_read_and_name_everything() {
    for contract in Contract::ALL {
        let text = example(contract);
        for text in [text.clone(), uncommented(&text)] {
            let read = from_toml(&text, |name| Some(format!("secret of {name}"))).unwrap();
            assert_eq!(read.contract, contract);
            assert!(read.secret("primary").is_some_and(|secret| secret.starts_with("secret of ")), "{text}");
            assert!(read.model.is_some() && read.address().is_ok(), "{text}");
            assert!(read.credentials.values().all(|each| matches!(each, Credential::Value(_))));
        }
        let all = from_toml(&uncommented(&text), |name| Some(format!("secret of {name}"))).unwrap();
        for setting in settings(contract) {
            assert!(all.settings.contains_key(setting.name), "{contract}: {}", setting.name);
        }
        assert!(!all.scope.untestable.is_empty() && !all.scope.expected_fail.is_empty());
        assert!(all.model.is_some_and(|model| model.public_url.is_some()));
    }
}

#[test]
fn a_variable_that_is_not_set_is_named() {
    for contract in Contract::ALL {
        let read = from_toml(&example(contract), |_| None);
        assert!(matches!(read, Err(DescriptionError::NoSecret { .. })), "{read:?}");
    }
}

/// The example of `contract`, with `keys` in its variables, on the simulator that it describes.
fn runs_green(contract: Contract, checks: &[&str], keys: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["simulate", "--contract", contract.name()]);
    let text = example(contract).replace("http://127.0.0.1:4000", server.url());
    fs::write(folder.path().join("target.toml"), text).unwrap();
    let mut command = proofhouse(folder.path());
    command.args(["run", "--target", "target.toml", "--out", "out"]);
    for check in checks {
        command.args(["--check", check]);
    }
    let output = command.envs(keys.iter().copied()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    for file in ["report.json", "junit.xml", "recording.jsonl"] {
        let text = fs::read_to_string(folder.path().join("out").join(contract.name()).join(file)).unwrap();
        assert!(keys.iter().all(|(_, key)| !text.contains(key)), "{file} holds a key");
    }
}

#[test]
fn the_oao_example_describes_the_simulator() {
    let keys = [
        ("OAO_KEY", "oao_exampleprefix_0123456789abcdef0123456789abcdef"),
        ("OAO_READER_KEY", "oao_readerprefix_0123456789abcdef0123456789abcdef"),
        ("OAO_OTHER_PROJECT_KEY", "oao_otherprefix1_0123456789abcdef0123456789abcdef"),
    ];
    runs_green(Contract::Oao, &["OAO-11-a", "OAO-13", "OAO-30-b", "OAO-234", "OAO-245"], &keys);
}

#[test]
fn the_vetta_example_describes_the_simulator() {
    let keys = [
        ("VETTA_KEY", "sk_sim_ada"),
        ("VETTA_KEY_OF_SECOND_ACCOUNT", "sk_sim_ben"),
        ("VETTA_KEY_OF_OTHER_ENVIRONMENT", "sk_sim_ada_staging"),
    ];
    runs_green(Contract::Vetta, &["VET-03", "VET-57", "VET-63", "VET-16"], &keys);
}
