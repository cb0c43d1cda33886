//! Canonical scenarios of the Vetta contract as golden files: what goes over the wire, what the model is
//! asked, what events say.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

#[path = "../snapshots/names.rs"]
mod names;
mod scenario;
mod shown;
mod stage;

use std::path::Path;

/// `fixtures/vetta/scenarios/NAME.yaml`, played, beside `snapshots/vetta/NAME.*.snap`.
fn plays(name: &str) {
    let played = stage::play(&scenario::Scenario::read(name));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../snapshots/vetta"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (part, text) in [("traffic", played.traffic), ("model", played.model), ("events", played.events)]
        {
            insta::assert_snapshot!(format!("{name}.{part}"), text);
        }
    });
}

#[test]
fn the_catalogue_in_two_environments() {
    plays("catalogue");
}

#[test]
fn every_refusal() {
    plays("refusals");
}

#[test]
fn a_held_call_is_allowed() {
    plays("ask_allow");
}

#[test]
fn a_held_call_is_denied() {
    plays("ask_deny");
}

#[test]
fn the_known_gap() {
    plays("known_gap");
}

#[test]
fn a_typed_answer() {
    plays("typed_answer");
}

#[test]
fn contributed_tools_on_the_second_road() {
    plays("second_road");
}

#[test]
fn a_coordinator_that_waits() {
    plays("team_run");
}

#[test]
fn a_coordinator_that_parks() {
    plays("team_parks");
}

/// No file is left over, and none is forgotten.
#[test]
fn every_scenario_is_played() {
    let played = include_str!("main.rs");
    let mut count = 0;
    for entry in std::fs::read_dir(scenario::folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(played.contains(&format!("plays(\"{name}\")")), "{name} is not played");
        count += 1;
    }
    assert_eq!(count, played.matches("    plays(\"").count());
}
