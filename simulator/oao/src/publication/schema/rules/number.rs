//! Keywords of numbers and integers.

use super::super::{
    kind::Kind,
    subset::{Issue, Node, Subset},
};
use super::issue;

pub(super) fn rule(_: &Subset, node: &Node<'_>, issues: &mut Vec<Issue>) {
    let numeric = node.declared.is_some_and(|declared| matches!(declared.kind, Kind::Number | Kind::Integer));
    if !numeric {
        return;
    }
    let mut read = |name: &str| {
        let (place, value) = node.member(name)?;
        let number = value.as_f64().filter(|number| number.is_finite());
        if number.is_none() {
            issues.push(issue(place, "a finite number is needed"));
        }
        number
    };
    let (low, low_open) = (read("minimum"), read("exclusiveMinimum"));
    let (high, high_open) = (read("maximum"), read("exclusiveMaximum"));
    let step = read("multipleOf");
    let at = |name: &str| super::super::place::member(&node.place, name);
    if low.is_some() && low_open.is_some() {
        issues.push(issue(at("exclusiveMinimum"), "`minimum` and `exclusiveMinimum` exclude each other"));
    }
    if high.is_some() && high_open.is_some() {
        issues.push(issue(at("exclusiveMaximum"), "`maximum` and `exclusiveMaximum` exclude each other"));
    }
    if let (Some(low), Some(high)) = (low.or(low_open), high.or(high_open))
        && low > high
    {
        issues.push(issue(node.place.clone(), "the lower bound is above the upper one"));
    }
    if step.is_some_and(|step| step <= 0.0) {
        issues.push(issue(at("multipleOf"), "a number above 0 is needed"));
    }
}
