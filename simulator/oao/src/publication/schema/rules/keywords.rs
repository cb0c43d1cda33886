//! Which members a node may have.

use super::super::subset::{Issue, Node, Subset};
use super::issue;

/// Annotations always; `enum` or `const` with nothing but `type` beside them; otherwise the keywords of
/// the declared type.
pub(super) fn rule(subset: &Subset, node: &Node<'_>, issues: &mut Vec<Issue>) {
    let tables = &subset.limits;
    let holds = |table: &[String], name: &str| table.iter().any(|known| known == name);
    for name in node.object.keys() {
        let always = name == "type" || holds(&tables.annotations, name);
        let choice = holds(&tables.choices, name);
        let of_type = match node.declared {
            Some(declared) => {
                tables.keywords.get(declared.kind.name()).is_some_and(|table| holds(table, name))
            }
            // The type itself is at fault, so only what no type knows is reported here.
            None => tables.keywords.values().any(|table| holds(table, name)),
        };
        let allowed = if node.is_choice() { always || choice } else { always || of_type };
        if !allowed {
            let place = super::super::place::member(&node.place, name);
            issues.push(issue(place, format!("`{name}` is not supported here")));
        }
    }
}
