//! Keywords of strings.

use super::super::{
    kind::Kind,
    subset::{Issue, Node, Subset},
};
use super::{counts, issue};

pub(super) fn rule(subset: &Subset, node: &Node<'_>, issues: &mut Vec<Issue>) {
    if node.declared.is_none_or(|declared| declared.kind != Kind::String) {
        return;
    }
    counts(node, "minLength", "maxLength", issues);
    if let Some((place, value)) = node.member("format") {
        let known =
            value.as_str().is_some_and(|name| subset.limits.formats.iter().any(|format| format == name));
        if !known {
            issues.push(issue(
                place,
                format!("a format out of {} is needed", subset.limits.formats.join(", ")),
            ));
        }
    }
}
