//! Valid inputs to begin with, and the words that stand in them.

use std::{collections::BTreeSet, fs, path::Path, sync::OnceLock};

use serde_json::Value;

/// The inputs of a target, in an order that repeats.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scripts = own.join("../../../fixtures/scripts");
    let folders = match target {
        "script" => vec![scripts.clone(), scripts.join("clients"), scripts.join("broken")],
        other => vec![own.join("seeds").join(other)],
    };
    let mut files: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten())
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let mut seeds: Vec<Vec<u8>> = files.iter().filter_map(|path| fs::read(path).ok()).collect();
    if target == "script" {
        let read = |seed: &Vec<u8>| Some(model::Script::from_bytes("seed", seed).ok()?.to_json().to_string().into());
        let as_json: Vec<Vec<u8>> = seeds.iter().filter_map(read).collect();
        seeds.extend(as_json);
    }
    seeds
}

/// The names of fields in the inputs of a target.
pub fn words(target: &str) -> &'static [String] {
    static WORDS: [OnceLock<Vec<String>>; model::fuzzing::TARGETS.len()] = [const { OnceLock::new() }; model::fuzzing::TARGETS.len()];
    let number = model::fuzzing::TARGETS.iter().position(|name| *name == target).unwrap_or(0);
    WORDS[number].get_or_init(|| {
        let mut words = BTreeSet::from(["x/y~z".to_owned(), String::new()]);
        for seed in seeds(target) {
            if let Ok(value) = serde_json::from_slice(&seed) {
                collect(&value, &mut words);
            }
        }
        words.into_iter().collect()
    })
}

fn collect(value: &Value, words: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, words)),
        Value::Object(fields) => {
            for (name, field) in fields {
                words.insert(name.clone());
                collect(field, words);
            }
        }
        _ => {}
    }
}
