//! The rules of the subset, one noun per file.

mod annotations;
mod array;
mod choice;
mod keywords;
mod number;
mod object;
mod text;
mod types;

use serde_json::Value;

use super::{
    kind::safe_integer,
    subset::{Issue, Node, Rule},
};
use crate::sequence::Sequence;

/// All rules, in the order in which their findings are reported.
pub(super) fn all() -> Sequence<Rule> {
    Sequence::of(vec![
        ("keywords", keywords::rule as Rule),
        ("types", types::rule),
        ("annotations", annotations::rule),
        ("choice", choice::rule),
        ("text", text::rule),
        ("number", number::rule),
        ("array", array::rule),
        ("object", object::rule),
    ])
}

fn issue(place: String, problem: impl Into<String>) -> Issue {
    Issue { place, problem: problem.into() }
}

/// A pair of bounds that are counts: non-negative safe integers, the lower not above the upper.
fn counts(node: &Node<'_>, lower: &str, upper: &str, issues: &mut Vec<Issue>) {
    let mut read = |name: &str| {
        let (place, value) = node.member(name)?;
        let count = safe_integer(value).filter(|count| *count >= 0);
        if count.is_none() {
            issues.push(issue(place, "a non-negative whole number is needed"));
        }
        count
    };
    let bounds = (read(lower), read(upper));
    if let (Some(least), Some(most)) = bounds
        && least > most
    {
        issues.push(issue(node.place.clone(), format!("`{lower}` is larger than `{upper}`")));
    }
}

/// Whether two primitives are the same value, as JSON sees it: `1` and `1.0` are.
fn same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}
