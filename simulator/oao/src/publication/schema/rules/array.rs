//! Keywords of arrays.

use super::super::{
    kind::Kind,
    subset::{Issue, Node, Subset},
};
use super::{counts, issue};

/// Every array says what its items are; that `items` is itself a schema is seen when the walk gets there.
pub(super) fn rule(_: &Subset, node: &Node<'_>, issues: &mut Vec<Issue>) {
    if node.declared.is_none_or(|declared| declared.kind != Kind::Array) || node.is_choice() {
        return;
    }
    if !node.object.contains_key("items") {
        issues.push(issue(super::super::place::member(&node.place, "items"), "an array has to have `items`"));
    }
    counts(node, "minItems", "maxItems", issues);
}
