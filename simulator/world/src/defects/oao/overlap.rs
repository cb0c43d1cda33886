//! Wrong ways to run a batch.

use std::{sync::Arc, time::Duration};

use agent::{ToolOutcome, habits::Settled};
use futures_util::{
    FutureExt, StreamExt,
    future::BoxFuture,
    stream::{self, FuturesUnordered},
};
use oao::Parts;

use super::super::Edit;

type Calls = Vec<BoxFuture<'static, Settled>>;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "batch-serialised",
        edit: |parts| {
            parts.runs.habits.batch =
                Arc::new(|calls| stream::iter(calls).then(|call| call).collect::<Vec<_>>().boxed());
        },
    },
    Edit {
        // The caller pairs results with calls by their place.
        id: "results-crosswired",
        edit: |parts| {
            parts.runs.habits.batch = Arc::new(|calls| {
                calls.into_iter().collect::<FuturesUnordered<_>>().collect::<Vec<_>>().boxed()
            });
        },
    },
    Edit {
        id: "batch-fails-as-one",
        edit: |parts| parts.runs.habits.batch = Arc::new(|calls| until_one_fails(calls).boxed()),
    },
];

/// Waits until the first call fails, and gives up those that are still at work.
async fn until_one_fails(calls: Calls) -> Vec<Settled> {
    let count = calls.len();
    let mut ended: Vec<Option<Settled>> = Vec::new();
    ended.resize_with(count, || None);
    let numbered = calls.into_iter().enumerate().map(|(at, call)| async move { (at, call.await) });
    let mut running: FuturesUnordered<_> = numbered.collect();
    while let Some((at, settled)) = running.next().await {
        let failed = matches!(settled.outcome, ToolOutcome::Failed { .. });
        ended[at] = Some(settled);
        if failed {
            break;
        }
    }
    let given_up = || Settled { outcome: ToolOutcome::aborted(), took: Duration::ZERO };
    ended.into_iter().map(|settled| settled.unwrap_or_else(given_up)).collect()
}
