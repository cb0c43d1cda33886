//! `enum` and `const`.

use serde_json::Value;

use super::super::subset::{Issue, Node, Subset};
use super::{issue, same};

pub(super) fn rule(subset: &Subset, node: &Node<'_>, issues: &mut Vec<Issue>) {
    let fits = |value: &Value| {
        let primitive = !value.is_array() && !value.is_object();
        primitive && node.declared.is_none_or(|declared| declared.fits(value))
    };
    if let (Some((place, _)), true) = (node.member("const"), node.object.contains_key("enum")) {
        issues.push(issue(place, "`enum` and `const` exclude each other"));
    }
    if let Some((place, value)) = node.member("const")
        && !fits(value)
    {
        issues.push(issue(place, "a primitive value of the declared type is needed"));
    }
    let Some((place, value)) = node.member("enum") else { return };
    let most = subset.limits.enum_max;
    let Some(values) = value.as_array().filter(|values| (1..=most).contains(&(values.len() as u64))) else {
        issues.push(issue(place, format!("a list of 1 to {most} values is needed")));
        return;
    };
    if !values.iter().all(fits) {
        issues.push(issue(place, "every value has to be a primitive of the declared type"));
    } else if values.iter().enumerate().any(|(at, one)| values[..at].iter().any(|other| same(one, other))) {
        issues.push(issue(place, "the values have to differ from each other"));
    }
}
