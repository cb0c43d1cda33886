//! A service on the agent loop, and the model that it asks.

use std::sync::{Arc, RwLock};

use model::{Host, Script};
use serde_json::{Value, json};
use vetta::{Parts, turns::Looped};
use wire::{Clock, Ids, Net, Seed};

use crate::desk::Desk;

pub(crate) struct Table {
    pub(crate) desk: Desk,
    pub(crate) host: Host,
}

impl Table {
    /// The service as it ships; its model plays `turns`.
    pub(crate) async fn laid(turns: Value) -> Self {
        Self::edited(turns, |_| {}).await
    }

    pub(crate) async fn edited(turns: Value, edit: impl FnOnce(&mut Parts)) -> Self {
        let (net, clock, ids) = (Net::memory(), Clock::virtual_time(), Ids::new(Seed::of_run(1)));
        let host = Host::new(clock.clone(), Seed::of_run(1));
        host.load("k", Script::from_json(&json!({"script": 1, "name": "s", "turns": turns})).unwrap());
        let listener = net.listen("model:80").await.unwrap();
        tokio::spawn(model::serve(host.clone(), listener, std::future::pending()));
        let url = Arc::new(RwLock::new(Some("http://model/s/k/v1".parse().unwrap())));
        let turns = Looped::new(net.clone(), clock.clone(), ids.clone(), url);
        let mut parts = Parts::shipped().unwrap();
        parts.tools.contributors = vetta::contributions::all(net.clone()).unwrap();
        edit(&mut parts);
        Self { desk: Desk::at(net, clock, ids, parts, Arc::new(turns)).await, host }
    }

    /// Starts a session on `base` whose agent has this tools policy.
    pub(crate) async fn session(&self, base: &str, tools: Value) -> String {
        let key = crate::desk::ADA;
        let agent = self.desk.agent(key, json!({"harness": base, "tools": tools})).await;
        let (status, session) = self.desk.post("/v1/sessions", json!({"agent": agent})).await;
        assert_eq!(status, 201, "{session}");
        session["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn say(&self, session: &str, content: &str) -> u16 {
        self.desk.post(&format!("/v1/sessions/{session}/messages"), json!({"content": content})).await.0
    }

    /// Answers a held call.
    pub(crate) async fn decide(&self, session: &str, call: &str, decision: &str) -> (u16, Value) {
        let body = json!({"tool_call_id": call, "decision": decision});
        self.desk.post(&format!("/v1/sessions/{session}/tool_confirmations"), body).await
    }

    pub(crate) async fn interrupt(&self, session: &str) -> (u16, Value) {
        self.desk.post(&format!("/v1/sessions/{session}/interrupt"), json!({})).await
    }

    pub(crate) async fn shown(&self, session: &str) -> Value {
        self.desk.get(&format!("/v1/sessions/{session}")).await.1
    }

    /// The tools that have done something, in order.
    pub(crate) fn effects(&self, session: &str) -> Vec<String> {
        self.desk.effects.of_session(session).into_iter().map(|effect| effect.name).collect()
    }

    /// The names of the tools that the model was offered in the request of that number.
    pub(crate) fn offered(&self, number: usize) -> Vec<String> {
        let asked = serde_json::to_value(self.host.journal("k")).unwrap();
        let tools = asked[number]["request"]["tools"].as_array().cloned().unwrap_or_default();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// From now on the model plays `turns`.
    pub(crate) fn load(&self, turns: Value) {
        let script = json!({"script": 1, "name": "s", "turns": turns});
        self.host.load("k", Script::from_json(&script).unwrap());
    }

    /// The scripted turns that were asked for, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        let asked = serde_json::to_value(self.host.journal("k")).unwrap();
        asked
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|entry| entry["turn"].as_str().map(str::to_owned))
            .collect()
    }

    /// What the model was told of the call, in whichever request.
    pub(crate) fn told_anywhere(&self, call: &str) -> String {
        let asked = serde_json::to_value(self.host.journal("k")).unwrap();
        let requests = asked.as_array().unwrap().iter();
        let mut messages =
            requests.flat_map(|entry| entry["request"]["messages"].as_array().cloned().unwrap());
        let told = messages.find(|message| message["tool_call_id"] == call);
        told.map_or_else(String::new, |told| told["text"].as_str().unwrap().to_owned())
    }

    /// What the model was told of the call in the request of that number.
    pub(crate) fn told(&self, number: usize, call: &str) -> String {
        let asked = serde_json::to_value(self.host.journal("k")).unwrap();
        let messages = asked[number]["request"]["messages"].as_array().unwrap().clone();
        let told = messages.iter().rev().find(|message| message["tool_call_id"] == call).unwrap();
        told["text"].as_str().unwrap().to_owned()
    }
}

/// A turn that calls tools: id, name, arguments.
pub(crate) fn calls(id: &str, calls: &[(&str, &str, Value)]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, arguments)| json!({"id": id, "name": name, "arguments": arguments}))
        .collect();
    json!({"id": id, "answer": {"tool_calls": calls}})
}

/// A turn that says `text`.
pub(crate) fn says(id: &str, text: &str) -> Value {
    json!({"id": id, "answer": {"text": text}})
}
