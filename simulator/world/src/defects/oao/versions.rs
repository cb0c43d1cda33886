//! Defects of versions.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use ::oao::{
    Parts, Version, Versions,
    errors::Refusal,
    http::{Act, Reply, Route},
    publication::{Publication, Verdict, View},
};
use serde_json::{Map, Value};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "in-place-edit", edit: |parts| around_versions(parts, |inner| Box::new(OneForAll { inner })) },
    Edit {
        id: "removal-without-version",
        edit: |parts| {
            around_versions(parts, |inner| Box::new(RemovesInPlace { inner, changed: BTreeMap::new() }));
        },
    },
    Edit { id: "old-version-writable", edit: let_versions_be_written },
    Edit { id: "partial-publish", edit: |parts| parts.publication.judge = Arc::new(one_by_one) },
];

type Store = Box<dyn Versions>;

fn around_versions(parts: &mut Parts, decorate: fn(Store) -> Store) {
    parts.versions.decorators.push(Arc::new(decorate));
}

fn put_operations(version: &mut Version, operations: Option<Value>) {
    match operations {
        Some(operations) => version.config.insert("harnessOperations".to_owned(), operations),
        None => version.config.remove("harnessOperations"),
    };
}

/// Definitions belong to the agent: every version shows those that were sent last.
struct OneForAll {
    inner: Store,
}

impl OneForAll {
    fn latest(&self, agent_id: &str) -> Option<Value> {
        self.inner.of_agent(agent_id).last()?.config.get("harnessOperations").cloned()
    }
}

impl Versions for OneForAll {
    fn publish(&mut self, version: Version) -> Result<Version, Refusal> {
        self.inner.publish(version)
    }

    fn get(&self, id: &str) -> Option<Version> {
        let mut version = self.inner.get(id)?;
        let operations = self.latest(&version.agent_id);
        put_operations(&mut version, operations);
        Some(version)
    }

    fn of_agent(&self, agent_id: &str) -> Vec<Version> {
        let operations = self.latest(agent_id);
        let mut versions = self.inner.of_agent(agent_id);
        versions.iter_mut().for_each(|version| put_operations(version, operations.clone()));
        versions
    }
}

/// A publication with fewer operations changes the latest version.
struct RemovesInPlace {
    inner: Store,
    changed: BTreeMap<String, Map<String, Value>>,
}

impl RemovesInPlace {
    fn shown(&self, mut version: Version) -> Version {
        if let Some(config) = self.changed.get(&version.id) {
            version.config = config.clone();
        }
        version
    }
}

impl Versions for RemovesInPlace {
    fn publish(&mut self, version: Version) -> Result<Version, Refusal> {
        match self.of_agent(&version.agent_id).pop() {
            Some(latest) if version.operations().len() < latest.operations().len() => {
                self.changed.insert(latest.id.clone(), version.config);
                Ok(self.shown(latest))
            }
            _ => self.inner.publish(version),
        }
    }

    fn get(&self, id: &str) -> Option<Version> {
        self.inner.get(id).map(|version| self.shown(version))
    }

    fn of_agent(&self, agent_id: &str) -> Vec<Version> {
        self.inner.of_agent(agent_id).into_iter().map(|version| self.shown(version)).collect()
    }
}

type Written = Arc<Mutex<BTreeMap<String, Map<String, Value>>>>;

/// What was written over a version is shown in its place.
struct Overwritten {
    inner: Store,
    written: Written,
}

impl Overwritten {
    fn shown(&self, mut version: Version) -> Version {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = written.get(&version.id) {
            version.config = config.clone();
        }
        version
    }
}

impl Versions for Overwritten {
    fn publish(&mut self, version: Version) -> Result<Version, Refusal> {
        self.inner.publish(version)
    }

    fn get(&self, id: &str) -> Option<Version> {
        self.inner.get(id).map(|version| self.shown(version))
    }

    fn of_agent(&self, agent_id: &str) -> Vec<Version> {
        self.inner.of_agent(agent_id).into_iter().map(|version| self.shown(version)).collect()
    }
}

/// A route that nobody thought of closing.
fn let_versions_be_written(parts: &mut Parts) {
    let written = Written::default();
    let shown = written.clone();
    parts
        .versions
        .decorators
        .push(Arc::new(move |inner| Box::new(Overwritten { inner, written: shown.clone() })));
    let write = move |_: &::oao::Service, _: &::oao::http::Call| {
        let written = written.clone();
        let act: Act = Box::new(move |_, call| {
            let config = call.body.get("config").and_then(Value::as_object).cloned().unwrap_or_default();
            let reply = Reply::json(200, serde_json::json!({"id": call.param("v"), "config": config}));
            written.lock().unwrap_or_else(PoisonError::into_inner).insert(call.param("v").to_owned(), config);
            Ok(reply)
        });
        Ok(act)
    };
    let path = "/v1/projects/{p}/agents/{a}/versions/{v}";
    parts.front.routes.push(Route::post(path, |_| vec!["agent:write"], Arc::new(write)).method("PUT"));
}

/// Publishes operation by operation: when one is refused, those before it are there already.
fn one_by_one(publication: &Publication, view: &View<'_>, config: Map<String, Value>) -> Verdict {
    let mut whole = config.clone();
    let Err(refusal) = publication.run_steps(view, &mut whole) else {
        return Verdict { publish: Some(whole), refuse: None };
    };
    let operations = config.get("harnessOperations").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_sound = |operation: &&Value| view.definition.check(operation, "harnessOperations").is_ok();
    let sound: Vec<Value> = operations.iter().take_while(is_sound).cloned().collect();
    let mut begun = config;
    let some_are = !sound.is_empty() && sound.len() < operations.len();
    begun.insert("harnessOperations".to_owned(), Value::Array(sound));
    let publish = (some_are && publication.run_steps(view, &mut begun).is_ok()).then_some(begun);
    Verdict { publish, refuse: Some(refusal) }
}
