//! Going through a schema from the root down.

use serde_json::{Map, Value};

use super::{
    place,
    subset::{Issue, Node, Subset},
};

/// One walk over one schema.
pub(super) struct Walk<'a> {
    subset: &'a Subset,
    issues: Vec<Issue>,
    nodes: u64,
    properties: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn over(subset: &'a Subset) -> Self {
        Self { subset, issues: Vec::new(), nodes: 0, properties: 0 }
    }

    /// Looks at the whole schema. The size comes first, because nothing else is worth reading then.
    pub(super) fn schema(&mut self, schema: &Value, at: &str) {
        let limits = &self.subset.limits;
        if (self.subset.size)(schema) > limits.bytes_max {
            self.found(at.to_owned(), format!("the schema exceeds {} UTF-8 bytes", limits.bytes_max));
            return;
        }
        if let Err((member, problem)) = (self.subset.root)(schema) {
            let at = if member.is_empty() { at.to_owned() } else { place::member(at, member) };
            self.found(at, problem.to_owned());
        }
        self.node(schema, at, 0);
        if self.nodes > limits.nodes_max {
            self.found(at.to_owned(), format!("the schema has more than {} nodes", limits.nodes_max));
        }
        if self.properties > limits.properties_max {
            self.found(
                at.to_owned(),
                format!("the schema has more than {} properties", limits.properties_max),
            );
        }
    }

    pub(super) fn first_issue(self) -> Option<Issue> {
        self.issues.into_iter().next()
    }

    fn found(&mut self, place: String, problem: String) {
        if (self.issues.len() as u64) < self.subset.limits.issues_max {
            self.issues.push(Issue { place, problem });
        }
    }

    fn node(&mut self, value: &Value, at: &str, depth: u64) {
        self.nodes += 1;
        let checked = (self.subset.reach)(depth);
        let Some(object) = value.as_object() else {
            if checked && depth > 0 {
                self.found(at.to_owned(), "a schema has to be an object".to_owned());
            }
            return;
        };
        if depth > self.subset.limits.depth_max {
            self.found(
                at.to_owned(),
                format!("the schema is nested deeper than {}", self.subset.limits.depth_max),
            );
            return;
        }
        if checked {
            let declared = self.subset.declared(object).ok().flatten();
            let node = Node { object, declared, place: at.to_owned(), depth };
            let mut issues = Vec::new();
            for rule in self.subset.rules.iter() {
                rule(self.subset, &node, &mut issues);
            }
            for issue in issues {
                self.found(issue.place, issue.problem);
            }
        }
        self.below(object, at, depth);
    }

    fn below(&mut self, object: &Map<String, Value>, at: &str, depth: u64) {
        if let Some(Value::Object(properties)) = object.get("properties") {
            let at = place::member(at, "properties");
            for (name, schema) in properties {
                self.properties += 1;
                self.node(schema, &place::member(&at, name), depth + 1);
            }
        }
        if let Some(items) = object.get("items") {
            self.node(items, &place::member(at, "items"), depth + 1);
        }
        if let Some(additional) = object.get("additionalProperties").filter(|value| !value.is_boolean()) {
            self.node(additional, &place::member(at, "additionalProperties"), depth + 1);
        }
    }
}
