//! Ids under names: equal ids get equal names, other ids get other names.

use std::collections::BTreeMap;

use regex_lite::Regex;
use serde_json::Value;

/// Gives names to ids in the order in which they are met.
pub(crate) struct Names {
    known: BTreeMap<String, String>,
    counts: BTreeMap<String, usize>,
    id: Regex,
    time: Regex,
    /// What times are told from.
    began_ms: Option<i64>,
}

impl Names {
    pub(crate) fn new() -> Self {
        let id = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:[a-z]+_)[0-9a-f]{16,}|\b[0-9a-f]{64}\b";
        let time = r"(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z";
        Self {
            known: BTreeMap::new(),
            counts: BTreeMap::new(),
            id: Regex::new(id).unwrap(),
            time: Regex::new(time).unwrap(),
            began_ms: None,
        }
    }

    /// The name of `id`, which is a `kind` if it is new.
    pub(crate) fn bind(&mut self, kind: &str, id: &str) -> String {
        if let Some(name) = self.known.get(id) {
            return name.clone();
        }
        let count = self.counts.entry(kind.to_owned()).or_default();
        *count += 1;
        let name = format!("<{kind}-{count}>");
        self.known.insert(id.to_owned(), name.clone());
        name
    }

    /// The text with every id and every time in it under its name. New ids are of the kind `kind`.
    pub(crate) fn text(&mut self, kind: &str, text: &str) -> String {
        let ids: Vec<String> = self.id.find_iter(text).map(|found| found.as_str().to_owned()).collect();
        let mut named = text.to_owned();
        for id in ids {
            let prefix = id.split_once('_').map_or(kind, |(prefix, _)| prefix).to_owned();
            let name = self.bind(&prefix, &id);
            named = named.replace(&id, &name);
        }
        self.times(&named)
    }

    /// Times become the milliseconds since the first one that was met.
    fn times(&mut self, text: &str) -> String {
        let mut named = text.to_owned();
        for found in self.time.captures_iter(text) {
            let part = |at: usize| found[at].parse::<i64>().unwrap_or_default();
            let ms = ((part(2) * 60 + part(3)) * 60 + part(4)) * 1000 + part(5);
            let began = *self.began_ms.get_or_insert(ms);
            named = named.replace(&found[0], &format!("<{:+} ms>", ms - began));
        }
        named
    }

    /// The value with every id in it under its name. New ids are of the kind that the member's name says.
    pub(crate) fn value(&mut self, kind: &str, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::from(self.text(kind, text)),
            Value::Array(items) => items.iter().map(|item| self.value(kind, item)).collect(),
            Value::Object(members) => {
                let aggregate = members.get("aggregateType").and_then(Value::as_str).map(str::to_owned);
                let named = members.iter().map(|(name, member)| {
                    let kind = match name.as_str() {
                        // The rows of a list are what the list is of.
                        "id" | "data" => kind.to_owned(),
                        "aggregateId" => aggregate.clone().unwrap_or_default(),
                        name => kind_of(name).to_owned(),
                    };
                    (name.clone(), self.value(&kind, member))
                });
                Value::Object(named.collect())
            }
            other => other.clone(),
        }
    }
}

/// What the ids below a member are: `latestRunId` holds a run.
fn kind_of(member: &str) -> &str {
    match member {
        "latestRunId" => "run",
        "latestVersionId" | "agentVersionId" => "version",
        "agentDefinitionId" => "agent",
        "createdByPrincipalId" => "principal",
        "skillVersionIds" => "skill",
        name => name.strip_suffix("Id").unwrap_or(name),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ONE: &str = "0f0e5c5e-9d0a-4f7c-8a51-3f8f1c1a2b3c";
    const TWO: &str = "1f0e5c5e-9d0a-4f7c-8a51-3f8f1c1a2b3c";

    #[test]
    fn equal_ids_have_equal_names_wherever_they_stand() {
        let mut names = Names::new();
        let event =
            json!({"runId": ONE, "id": TWO, "text": format!("run {ONE} at turn:turn_0123456789abcdef0")});
        let named = names.value("event", &event);
        assert_eq!(named["runId"], "<run-1>");
        assert_eq!(named["id"], "<event-1>");
        assert_eq!(named["text"], "run <run-1> at turn:<turn-1>");
        assert_eq!(names.text("event", TWO), "<event-1>");
    }

    #[test]
    fn other_ids_have_other_names_in_the_order_in_which_they_are_met() {
        let mut names = Names::new();
        assert_eq!(names.text("run", TWO), "<run-1>");
        assert_eq!(names.text("run", &format!("{ONE} after {TWO}")), "<run-2> after <run-1>");
        assert_eq!(names.bind("call", "c"), "<call-1>");
    }

    #[test]
    fn an_aggregate_says_what_its_id_is() {
        let named = Names::new().value("event", &json!({"aggregateId": ONE, "aggregateType": "thread"}));
        assert_eq!(named["aggregateId"], "<thread-1>");
    }

    #[test]
    fn times_are_told_from_the_first() {
        let mut names = Names::new();
        assert_eq!(names.text("x", "2026-01-05T09:00:00.250Z"), "<+0 ms>");
        assert_eq!(names.text("x", "at 2026-01-05T09:00:01.500Z"), "at <+1250 ms>");
    }

    #[test]
    fn what_is_no_id_stays() {
        let value = json!({"id": "call_a", "text": "read_1 of 12", "number": 7});
        assert_eq!(Names::new().value("event", &value), value);
    }
}
