//! Virtual time.

use std::time::Duration;

use proofhouse_wire::{
    Clock,
    clock::{Stopwatch, VIRTUAL_EPOCH},
};

/// A day.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

#[tokio::test(start_paused = true)]
async fn virtual_time_passes_without_waiting() {
    let (clock, machine) = (Clock::virtual_time(), Stopwatch::start());
    clock.pause(LONG).await;
    assert_eq!(clock.elapsed(), LONG);
    assert_eq!(clock.elapsed_ms(), 86_400_000);
    assert!(machine.elapsed() < LONG / 100, "the machine waited for {:?}", machine.elapsed());
}

#[tokio::test(start_paused = true)]
async fn every_world_begins_at_the_same_instant() {
    let clock = Clock::virtual_time();
    assert_eq!(clock.now().to_string(), VIRTUAL_EPOCH);
    assert_eq!(clock.rfc3339(), "2026-01-05T09:00:00.000Z");
    clock.pause(Duration::from_millis(90_061_007)).await;
    assert_eq!(clock.rfc3339(), "2026-01-06T10:01:01.007Z");
    assert_eq!(clock.clone().rfc3339(), clock.rfc3339());
    // Another one starts over, however late it is made.
    assert_eq!(Clock::virtual_time().rfc3339(), "2026-01-05T09:00:00.000Z");
}

#[tokio::test(start_paused = true)]
async fn waits_end_in_the_order_of_their_length() {
    let clock = Clock::virtual_time();
    let (sender, mut ended) = tokio::sync::mpsc::unbounded_channel();
    for seconds in [30, 10, 20] {
        let (sender, pause) = (sender.clone(), clock.pause(Duration::from_secs(seconds)));
        tokio::spawn(async move {
            pause.await;
            sender.send(seconds).unwrap();
        });
    }
    drop(sender);
    for seconds in [10, 20, 30] {
        assert_eq!(ended.recv().await, Some(seconds));
        assert_eq!(clock.elapsed(), Duration::from_secs(seconds));
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_fires_at_its_instant_and_drops_the_work() {
    let clock = Clock::virtual_time();
    let second = Duration::from_secs(1);
    assert_eq!(clock.within(LONG, async { 7 }).await, Some(7));
    assert_eq!(clock.elapsed(), Duration::ZERO, "work that is done is not waited for");
    let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
    let work = async {
        clock.pause(LONG).await;
        drop(sender);
    };
    assert_eq!(clock.within(second, work).await, None);
    assert_eq!(clock.elapsed(), second);
    assert!(receiver.await.is_err(), "the work went on");
    assert_eq!(clock.elapsed(), second);
}
