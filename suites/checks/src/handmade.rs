//! Recordings made by hand, for tests of judges.

use std::collections::{BTreeMap, BTreeSet};

use recording::{
    Answer, Bodies, Body, Entry, Exchange, Lane, Question, Reception, Recording, TargetFacts, What,
};
use serde_json::Value;
use spec::Contract;

/// A recording that grows entry by entry.
pub(crate) struct Handmade(Recording);

impl Handmade {
    /// An empty recording of the check `id`.
    pub(crate) fn of(id: &str) -> Self {
        let contract = if id.starts_with("OAO") { Contract::Oao } else { Contract::Vetta };
        let target = TargetFacts {
            name: "handmade".to_owned(),
            version: "0".to_owned(),
            contract,
            lane: Lane::Virtual,
            claims: BTreeSet::new(),
            credentials: BTreeSet::new(),
            settings: BTreeMap::new(),
        };
        Self(Recording {
            check: id.to_owned(),
            token: "t0ken".to_owned(),
            target,
            entries: Vec::new(),
            bodies: Bodies::default(),
        })
    }

    /// An answer with a JSON body, recorded as `label`.
    pub(crate) fn answer(self, label: &str, status: u16, body: &Value) -> Self {
        self.exchange(label, (status, "application/json"), &Value::Null, body)
    }

    /// A request with a body and its answer, recorded as `label`.
    pub(crate) fn exchange(
        mut self,
        label: &str,
        (status, kind): (u16, &str),
        sent: &Value,
        body: &Value,
    ) -> Self {
        let mut put = |body: &Value| Some(self.0.bodies.put(Body::new(body.to_string().as_bytes())));
        let question =
            Question { method: "GET".to_owned(), path: "/".to_owned(), headers: Vec::new(), body: put(sent) };
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        let outcome = Reception::Answered(Answer { status, headers, body: put(body) });
        self.0.entries.push(Entry {
            at_ms: 0,
            label: label.to_owned(),
            case: None,
            what: What::Exchange(Box::new(Exchange { question, outcome })),
        });
        self
    }

    /// What the judge of the check says of it.
    pub(crate) fn judged(&self) -> recording::Judged {
        let registry = crate::registry();
        let check = registry.get(&self.0.check).unwrap();
        let engine::Kind::Single { judge, .. } = check.kind else { panic!("{} has cases", self.0.check) };
        judge(&self.0, spec::Spec::load().unwrap())
    }

    /// The status of that.
    pub(crate) fn status(&self) -> recording::Status {
        recording::Verdict::from(self.judged()).status()
    }
}
