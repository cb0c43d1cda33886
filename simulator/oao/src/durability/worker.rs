//! The worker of a run, and its death.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;

use super::Point;

/// What a worker is about to do when it passes a point.
#[derive(Clone, Copy, Debug)]
pub struct Here<'a> {
    /// The point.
    pub point: Point,
    /// The model's own id of the call, where it is about one.
    pub call: Option<&'a str>,
}

/// A death that has been ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Where.
    pub point: Point,
    /// The call that it has to be about; `None` for any.
    pub call: Option<String>,
    /// The time at which it is fatal, 1 being the next one.
    pub nth: u64,
}

/// The deaths that have been ordered of the workers of a service. Each happens once.
#[derive(Debug, Default)]
pub struct Orders(Mutex<Vec<Order>>);

impl Orders {
    /// Orders one more.
    pub fn give(&self, order: Order) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(order);
    }

    /// Whether a worker that is here has to die.
    fn is_fatal(&self, here: Here<'_>) -> bool {
        let mut orders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let meant = |order: &Order| {
            order.point == here.point && order.call.as_deref().is_none_or(|call| here.call == Some(call))
        };
        for order in orders.iter_mut().filter(|order| meant(order)) {
            order.nth = order.nth.saturating_sub(1);
        }
        let due = orders.iter().position(|order| meant(order) && order.nth == 0);
        due.map(|at| orders.remove(at)).is_some()
    }
}

/// The worker that drives one run. Clones are the same worker.
///
/// When it dies, everything that it was doing is dropped on the spot. The service goes on answering, as it
/// does in a product whose workers are processes of their own.
#[derive(Clone, Debug)]
pub struct Worker {
    orders: Arc<Orders>,
    deaths: Arc<watch::Sender<u64>>,
}

impl Worker {
    /// A worker that obeys these orders.
    pub fn under(orders: Arc<Orders>) -> Self {
        Self { orders, deaths: Arc::new(watch::Sender::new(0)) }
    }

    /// Does `work` unless the worker dies before it is done.
    pub async fn live<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut deaths = self.deaths.subscribe();
        tokio::select! {
            biased;
            _ = deaths.changed() => None,
            done = work => Some(done),
        }
    }

    /// The worker is here. Where it has to die this does not come back.
    pub async fn reach(&self, here: Here<'_>) {
        if self.orders.is_fatal(here) {
            self.deaths.send_modify(|deaths| *deaths += 1);
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(point: Point, call: &'static str) -> Here<'static> {
        Here { point, call: Some(call) }
    }

    #[tokio::test]
    async fn it_dies_at_the_nth_time_and_only_there() {
        let orders = Arc::new(Orders::default());
        let (worker, other) = (Worker::under(orders.clone()), Worker::under(orders.clone()));
        orders.give(Order { point: Point::CallAfterRecord, call: Some("a".into()), nth: 2 });
        for here in [
            at(Point::CallAfterRecord, "a"),
            at(Point::CallAfterRecord, "b"),
            at(Point::CallBeforeRecord, "a"),
            Here { point: Point::CallAfterRecord, call: None },
        ] {
            assert_eq!(worker.live(worker.reach(here)).await, Some(()), "{here:?}");
        }
        let bystander = other.live(async {
            assert_eq!(worker.live(worker.reach(at(Point::CallAfterRecord, "a"))).await, None);
        });
        assert_eq!(bystander.await, Some(()), "each run has a worker of its own");
        let again = worker.live(worker.reach(at(Point::CallAfterRecord, "a"))).await;
        assert_eq!(again, Some(()), "an order is carried out once");
    }

    #[tokio::test]
    async fn everything_that_it_does_ends_with_it() {
        let orders = Arc::new(Orders::default());
        let worker = Worker::under(orders.clone());
        orders.give(Order { point: Point::MessageAfterAppend, call: None, nth: 1 });
        let sibling = std::future::pending::<()>();
        let here = Here { point: Point::MessageAfterAppend, call: None };
        let both = worker.live(async { tokio::join!(worker.reach(here), sibling) });
        assert!(both.await.is_none());
    }
}
