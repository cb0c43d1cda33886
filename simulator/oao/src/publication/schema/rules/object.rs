//! Keywords of objects.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{
    place,
    subset::{Issue, Node, Subset},
};
use super::issue;

/// Property names, and `required`, which names properties that exist.
pub(super) fn rule(subset: &Subset, node: &Node<'_>, issues: &mut Vec<Issue>) {
    let mut known = BTreeSet::new();
    match node.member("properties") {
        None => {}
        Some((place, Value::Object(properties))) => {
            for name in properties.keys() {
                known.insert(name.as_str());
                let units = subset.limits.property_name_units;
                if !units.holds((subset.units)(name)) {
                    let problem = format!("a property name has {} to {} characters", units.min, units.max);
                    issues.push(issue(place::member(&place, name), problem));
                } else if subset.is_prohibited(name) {
                    issues.push(issue(place::member(&place, name), "this property name is prohibited"));
                }
            }
        }
        Some((place, _)) => issues.push(issue(place, "an object of schemas is needed")),
    }
    let Some((place, required)) = node.member("required") else { return };
    let names: Option<Vec<&str>> =
        required.as_array().and_then(|list| list.iter().map(Value::as_str).collect());
    match names {
        None => issues.push(issue(place, "a list of property names is needed")),
        Some(names) if names.iter().collect::<BTreeSet<_>>().len() != names.len() => {
            issues.push(issue(place, "the names have to differ from each other"));
        }
        Some(names) => {
            if let Some(name) = names.iter().find(|name| !known.contains(*name)) {
                issues.push(issue(place, format!("there is no property {}", Value::from(*name))));
            }
        }
    }
}
