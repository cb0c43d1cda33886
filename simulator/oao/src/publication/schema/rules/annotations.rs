//! Titles, descriptions and examples.

use serde_json::Value;

use super::super::subset::{Issue, Node, Subset};
use super::issue;

pub(super) fn rule(subset: &Subset, node: &Node<'_>, issues: &mut Vec<Issue>) {
    let limits = &subset.limits;
    for (name, range) in [("title", limits.title_units), ("description", limits.description_units)] {
        if let Some((place, value)) = node.member(name) {
            let fits = value.as_str().is_some_and(|text| range.holds((subset.units)(text)));
            if !fits {
                issues.push(issue(
                    place,
                    format!("a text of {} to {} characters is needed", range.min, range.max),
                ));
            }
        }
    }
    if let Some((place, value)) = node.member("examples") {
        match value.as_array() {
            Some(examples) if examples.len() as u64 <= limits.examples_max => {
                if !examples.iter().all(|example| is_plain(subset, example, 0)) {
                    issues.push(issue(place, "an example is nested too deep or has a prohibited name"));
                }
            }
            _ => issues
                .push(issue(place, format!("a list of at most {} examples is needed", limits.examples_max))),
        }
    }
}

fn is_plain(subset: &Subset, value: &Value, depth: u64) -> bool {
    if depth > subset.limits.example_depth_max {
        return false;
    }
    match value {
        Value::Array(items) => items.iter().all(|item| is_plain(subset, item, depth + 1)),
        Value::Object(members) => members
            .iter()
            .all(|(name, member)| !subset.is_prohibited(name) && is_plain(subset, member, depth + 1)),
        _ => true,
    }
}
