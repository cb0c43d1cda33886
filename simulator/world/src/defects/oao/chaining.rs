//! Wrong ways to begin a scratch loop after another one.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use agent::Message;
use futures_util::FutureExt;
use oao::{Parts, operations::Operation};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "scratch-state-leak", edit: |parts| keep(parts, |before, now| before != now) },
    Edit { id: "scratch-kept-per-operation", edit: |parts| keep(parts, |before, now| before == now) },
];

/// The conversations that have ended, by run: the key of their operation, and how they began.
type Ended = Arc<Mutex<BTreeMap<String, Vec<(String, Vec<Message>)>>>>;

/// A conversation is kept when its loop has ended, and the next one begins with it if `follows` says so of
/// the keys of the two.
fn keep(parts: &mut Parts, follows: fn(&str, &str) -> bool) {
    let (begun, ended) = (Ended::default(), Ended::default());
    let open = parts.operations.opening.clone();
    let (begins, known) = (begun.clone(), ended.clone());
    parts.operations.opening = Arc::new(move |invocation, system, prompt| {
        let own = open(invocation, system, prompt);
        let Operation { key, .. } = &invocation.operation;
        let earlier = lock(&known).get(&invocation.run_id).cloned().unwrap_or_default();
        let kept =
            earlier.into_iter().filter(|(before, _)| follows(before, key)).flat_map(|(_, messages)| messages);
        let kept: Vec<Message> = kept.filter(|message| matches!(message, Message::User(_))).collect();
        lock(&begins).entry(invocation.tool_call_id.clone()).or_default().push((key.clone(), own.clone()));
        let (first, rest) = own.split_at(own.len().min(1));
        first.iter().cloned().chain(kept).chain(rest.iter().cloned()).collect()
    });
    parts.operations.around.push(Arc::new(move |run, invocation, body| {
        let (begun, ended) = (begun.clone(), ended.clone());
        async move {
            let outcome = body.await;
            let own = lock(&begun).remove(&invocation.tool_call_id).unwrap_or_default();
            lock(&ended).entry(run.run_id.clone()).or_default().extend(own);
            outcome
        }
        .boxed()
    }));
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
