//! Every MUST has a check, every check its requirement, every built defect its check, and pending only
//! shrinks.

use std::{collections::BTreeSet, process::Command};

use spec::{Contract, Level, Spec};

#[test]
fn every_must_has_a_built_check_a_pending_one_or_an_exclusion() {
    let spec = Spec::load().unwrap();
    for contract in Contract::ALL {
        for (_, requirement) in spec.requirements(contract) {
            let covered = !requirement.checks.is_empty() || requirement.excluded.is_some();
            assert!(
                covered || requirement.level != Level::Must,
                "{} has neither check nor exclusion",
                requirement.id
            );
        }
    }
}

#[test]
fn ids_are_unique_and_a_check_carries_the_id_of_its_requirement() {
    let spec = Spec::load().unwrap();
    let mut ids = BTreeSet::new();
    let mut slugs = BTreeSet::new();
    for contract in Contract::ALL {
        for (_, requirement) in spec.requirements(contract) {
            assert!(ids.insert(requirement.id.as_str()), "{} twice", requirement.id);
            assert!(slugs.insert(requirement.slug.as_str()), "{} twice", requirement.slug);
            for check in &requirement.checks {
                assert!(
                    check.id.starts_with(&format!("{}-", requirement.id)),
                    "{} under {}",
                    check.id,
                    requirement.id
                );
                assert!(ids.insert(check.id.as_str()), "{} twice", check.id);
                assert!(ids.insert(check.defect.id.as_str()), "{} twice", check.defect.id);
                assert!(slugs.insert(check.slug.as_str()), "{} twice", check.slug);
            }
            for point in &requirement.open_points {
                let points = &spec.contract(contract).open_points;
                assert!(points.iter().any(|each| &each.id == point), "{} names {point}", requirement.id);
            }
        }
        for point in &spec.contract(contract).open_points {
            assert!(ids.insert(point.id.as_str()), "{} twice", point.id);
        }
    }
}

#[test]
fn what_is_built_is_what_the_specification_says() {
    let spec = Spec::load().unwrap();
    let registry = checks::registry();
    for contract in Contract::ALL {
        let built: BTreeSet<&str> = registry.of(contract).map(|check| check.id).collect();
        let said: BTreeSet<&str> = spec
            .checks(contract)
            .filter(|(_, _, check)| check.is_built())
            .map(|(_, _, check)| check.id.as_str())
            .collect();
        assert_eq!(built, said, "{contract}");
        assert_eq!(built.len(), registry.of(contract).count(), "{contract}: a check is listed twice");
    }
}

#[test]
fn every_built_check_has_a_built_defect_with_a_message_and_no_defect_is_left_over() {
    let spec = Spec::load().unwrap();
    for contract in Contract::ALL {
        let mut edits: Vec<&str> = world::defects::ids(contract);
        if contract == Contract::Vetta {
            // Clients and the suite itself are subjects of this contract too.
            edits.extend(picker::defects::ids());
            edits.extend(checks::suite_defects());
        }
        let known: BTreeSet<&str> = edits.iter().copied().collect();
        assert_eq!(known.len(), edits.len(), "{contract}: a defect is listed twice");
        for (_, _, check) in spec.checks(contract) {
            assert_eq!(
                known.contains(check.defect.id.as_str()),
                check.is_built(),
                "{} for {}",
                check.defect.id,
                check.id
            );
            assert_eq!(
                check.defect.message.is_some(),
                check.is_built(),
                "the message of {}",
                check.defect.id
            );
            for effect in &check.defect.side_effects {
                let other = spec
                    .check(&effect.check)
                    .unwrap_or_else(|| panic!("{} names {}", check.defect.id, effect.check));
                assert!(other.1.is_built(), "{} names {}, which is pending", check.defect.id, effect.check);
                assert_ne!(effect.check, check.id, "{} names its own check", check.defect.id);
            }
        }
        let specified: BTreeSet<&str> =
            spec.checks(contract).map(|(_, _, check)| check.defect.id.as_str()).collect();
        assert!(known.is_subset(&specified), "{:?} are in no specification", known.difference(&specified));
    }
}

/// The committed count.
const COUNT: &str = include_str!("../../../../spec/pending.txt");

#[test]
fn the_committed_count_of_pending_checks_is_true() {
    let spec = Spec::load().unwrap();
    for contract in Contract::ALL {
        assert_eq!(committed(COUNT, contract), Some(spec.counts(contract).1), "spec/pending.txt: {contract}");
    }
}

#[test]
fn pending_only_shrinks() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(root).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // Outside a checkout, as in a source archive, there is no history to look at.
    let Some(history) = git(&["log", "--first-parent", "--reverse", "--format=%H", "--", "spec/pending.txt"])
    else {
        return;
    };
    let mut texts: Vec<String> =
        history.lines().filter_map(|commit| git(&["show", &format!("{commit}:spec/pending.txt")])).collect();
    texts.push(COUNT.to_owned());
    for contract in Contract::ALL {
        let counts: Vec<usize> = texts.iter().filter_map(|text| committed(text, contract)).collect();
        assert!(
            counts.is_sorted_by(|before, after| before >= after),
            "{contract}: the pending checks grew: {counts:?}"
        );
    }
}

fn committed(text: &str, contract: Contract) -> Option<usize> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .find_map(|line| line.strip_prefix(contract.name())?.trim().parse().ok())
}
