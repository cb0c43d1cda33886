//! Virtual time.

use std::time::Duration;

use proofhouse_wire::{
    Clock, Pace,
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

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_time_of_the_clock_ends_then_or_at_once() {
    let clock = Clock::virtual_time();
    clock.pause(Duration::from_millis(40)).await;
    clock.pause_until(Duration::from_millis(100)).await;
    assert_eq!(clock.elapsed_ms(), 100);
    clock.pause_until(Duration::from_millis(40)).await;
    assert_eq!(clock.elapsed_ms(), 100);
    assert!(clock.within(LONG, clock.pause_until(Duration::MAX)).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_pace_is_counted_from_its_start_and_work_in_between_does_not_add_up() {
    let clock = Clock::virtual_time();
    clock.pause(Duration::from_millis(7)).await;
    let pace = clock.pace(Duration::from_millis(30), Duration::from_millis(10));
    for number in 0..50 {
        pace.wait(number).await;
        assert_eq!(clock.elapsed_ms(), 37 + u64::from(number) * 10);
        clock.pause(Duration::from_millis(u64::from(number % 10))).await;
    }
    // Who is late has the missed ones at once and is in step again.
    clock.pause(Duration::from_millis(95)).await;
    let late = clock.elapsed_ms();
    for number in 50..60 {
        pace.wait(number).await;
        assert_eq!(clock.elapsed_ms(), late.max(37 + u64::from(number) * 10));
    }
}

#[tokio::test(start_paused = true)]
async fn deadlines_out_of_reach_are_waited_for_and_none_are_not() {
    let clock = Clock::virtual_time();
    let unpaced = clock.pace(Duration::ZERO, Duration::ZERO);
    unpaced.wait(u32::MAX).await;
    assert_eq!((clock.elapsed_ms(), unpaced.is_unpaced()), (0, true));
    let never = |pace: Pace, number| {
        let clock = clock.clone();
        async move { clock.within(LONG, pace.wait(number)).await.is_none() }
    };
    assert!(never(clock.pace(Duration::MAX, Duration::ZERO), 0).await);
    assert!(never(clock.pace(Duration::ZERO, Duration::MAX), 1).await);
    assert!(never(clock.pace(LONG, LONG), u32::MAX).await);
}
