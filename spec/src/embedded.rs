//! The specification files, compiled in.

use crate::Contract;

/// One embedded file.
pub(crate) struct File {
    pub(crate) contract: Contract,
    /// Its path below `spec/`, for messages.
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! files {
    ($($contract:ident / $folder:literal: $($name:literal)+;)+) => {
        &[$($(File {
            contract: Contract::$contract,
            path: concat!($folder, "/", $name, ".yaml"),
            text: include_str!(concat!("../", $folder, "/", $name, ".yaml")),
        }),+),+]
    };
}

/// One file per topic, in the order in which topics are listed.
pub(crate) const TOPICS: &[File] = files! {
    Oao / "oao":
        "definition" "result-schema" "wording" "versions" "mounting" "scratch-loop" "primitives" "inheritance" "workspace" "files" "sandbox"
        "results" "values" "tasks" "loop-endings" "endings" "overlap" "nesting" "durability" "redaction" "events" "console" "skills" "delegates"
        "http-api" "event-stream" "run-states" "caller-tools" "approvals" "webhooks";
    Vetta / "vetta":
        "selection" "catalogue" "harness-object" "reading-one" "runnable" "approvals" "structured-output"
        "streaming" "injected-tools" "second-road" "early-guards" "admission" "billing-and-idle" "growth" "clients" "sequences" "claims";
};

/// The open points of each contract.
pub(crate) const OPEN_POINTS: &[File] = files! {
    Oao / "oao": "open-points";
    Vetta / "vetta": "open-points";
};

/// The messages of each contract.
pub(crate) const MESSAGES: &[File] = files! {
    Oao / "oao": "messages";
    Vetta / "vetta": "messages";
};

/// What can be demanded of a loop.
pub(crate) const DEMANDS: &[File] = files! {
    Vetta / "vetta": "demands";
};

/// The HTTP API of each contract: its root, and the files that the root names.
pub(crate) const OPENAPI: &[File] = files! {
    Oao / "oao": "openapi";
    Oao / "oao/openapi": "agents" "approvals" "events" "parameters" "runs" "sessions" "tools" "webhooks";
    Vetta / "vetta": "openapi";
    Vetta / "vetta/openapi": "agents" "catalogue" "sessions" "tools";
};

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    #[test]
    fn every_yaml_file_of_a_contract_is_embedded() {
        let files = [TOPICS, OPEN_POINTS, MESSAGES, DEMANDS, OPENAPI].into_iter().flatten();
        let embedded: BTreeSet<String> = files.map(|file| file.path.to_owned()).collect();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut on_disk = BTreeSet::new();
        for contract in Contract::ALL {
            for folder in [contract.to_string(), format!("{contract}/openapi")] {
                for entry in fs::read_dir(root.join(&folder)).into_iter().flatten() {
                    let name = entry.unwrap().file_name().into_string().unwrap();
                    if name.ends_with(".yaml") {
                        on_disk.insert(format!("{folder}/{name}"));
                    }
                }
            }
        }
        assert_eq!(embedded, on_disk);
    }
}
