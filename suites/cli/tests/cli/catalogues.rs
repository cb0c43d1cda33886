//! `simulate --catalogue`: environments from files.

use std::{fs, path::PathBuf};

use crate::process::{Server, run};

fn file(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vetta/environments");
    folder.join(name).display().to_string()
}

#[test]
fn an_environment_from_a_file_is_chosen_by_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let catalogue = format!("lab={}", file("future.json"));
    let server =
        Server::start(folder.path(), &["simulate", "--contract", "vetta", "--catalogue", &catalogue]);
    for (key, code) in [("sk_sim_ada_lab", 0), ("sk_sim_ada_nobody", 2)] {
        let text = format!(
            "name = \"a\"\nversion = \"1\"\ncontract = \"vetta\"\nurl = \"{}\"\n\
             [credentials]\nprimary = {{ value = \"{key}\" }}\n[settings]\nmodel = \"sim-1\"\n",
            server.url()
        );
        fs::write(folder.path().join("target.toml"), text).unwrap();
        // The loop without injected tools is in that catalogue, and in no other that this key is for.
        let said =
            run(folder.path(), &["run", "--target", "target.toml", "--check", "VET-45-a", "--out", "out"]);
        assert_eq!(said.code, Some(code), "{said:?}");
        if code == 0 {
            assert!(said.out.contains("1 check in") && said.out.contains("1 pass"), "{said:?}");
        }
    }
}

#[test]
fn a_catalogue_that_cannot_be_served_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("broken.json"), "{\"name\": \"x\", \"rows\": 1}").unwrap();
    for (contract, catalogue, reason) in [
        ("vetta", "lab=missing.json".to_owned(), "missing.json: No such file"),
        ("vetta", "lab=broken.json".to_owned(), "broken.json: invalid type"),
        ("vetta", "nothing".to_owned(), "give NAME=FILE"),
        ("vetta", "a b=broken.json".to_owned(), "give NAME=FILE"),
        ("vetta", format!("default={}", file("future.json")), "there is an environment `default` already"),
        ("oao", format!("lab={}", file("future.json")), "this contract has no catalogues"),
    ] {
        let said = run(folder.path(), &["simulate", "--contract", contract, "--catalogue", &catalogue]);
        assert_eq!(said.code, Some(2), "{catalogue}: {said:?}");
        assert!(said.err.contains(reason), "{catalogue}: {said:?}");
    }
}
