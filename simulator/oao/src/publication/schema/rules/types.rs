//! What a node declares itself to be.

use super::super::subset::{Issue, Node, Subset};
use super::issue;

/// A node has a `type`, or an `enum`, or a `const`; the type is one type, or one type and `null`.
pub(super) fn rule(subset: &Subset, node: &Node<'_>, issues: &mut Vec<Issue>) {
    // What the root has to be is said once, by the subset's own root rule.
    if node.is_root() {
        return;
    }
    match subset.declared(node.object) {
        Err(()) => {
            let place = super::super::place::member(&node.place, "type");
            issues.push(issue(place, "`type` has to be one supported type, or one and \"null\""));
        }
        Ok(None) if !node.is_choice() => {
            issues.push(issue(node.place.clone(), "`type`, `enum` or `const` is needed"));
        }
        Ok(_) => {}
    }
}
