//! What calls came to, by their ids, as long as their worker lives. The journal knows it after that.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use agent::ToolOutcome;
use tokio::sync::OnceCell;

/// The outcomes of the calls of one run. A call whose id is known already gets what the first one of that id
/// came to, and does nothing itself.
#[derive(Default)]
pub(crate) struct Recorded(Mutex<BTreeMap<String, Arc<OnceCell<ToolOutcome>>>>);

impl Recorded {
    /// The outcome of the call `id`; `body` runs for the first call of that id only.
    pub(crate) async fn once(&self, id: &str, body: impl Future<Output = ToolOutcome>) -> ToolOutcome {
        let cell = {
            let mut cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            cells.entry(id.to_owned()).or_default().clone()
        };
        cell.get_or_init(|| body).await.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_second_call_of_an_id_gets_what_the_first_one_got() {
        let recorded = Recorded::default();
        let done = |text: &str| std::future::ready(ToolOutcome::Done(text.to_owned()));
        for (id, text, expected) in [("a", "1", "1"), ("b", "2", "2"), ("a", "3", "1")] {
            assert_eq!(recorded.once(id, done(text)).await.content(), expected);
        }
        let failed = std::future::ready(ToolOutcome::aborted());
        recorded.once("c", failed).await;
        assert!(recorded.once("c", done("4")).await.is_error());
    }
}
