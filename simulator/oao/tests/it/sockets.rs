//! The same service over TCP, in real time and on several threads.

use proofhouse_oao::Parts;
use serde_json::json;
use wire::{Clock, Net};

use crate::{
    model::{call, finish, text},
    world::{World, config, operation},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_run_side_by_side() {
    let script = Box::new(|asked: &crate::model::Asked| match (&asked.operation, asked.turn) {
        (Some(_), 0) => call(&[("r", "read", json!({"path": "x"}))]).after(5),
        (Some(_), _) => finish("i", "x"),
        (None, 0) => call(&[("c1", "a", json!({"task": "1"})), ("c2", "b", json!({"task": "2"}))]),
        (None, _) => text("done"),
    });
    let at = ["127.0.0.1:0", "127.0.0.1:0"];
    let world = World::on(Net::Tcp, Clock::wall(), at, Parts::default(), Some(script)).await;
    let agent = world.publish(&config(&[operation("a"), operation("b")])).await.expect(201);
    let sessions = futures_util::future::join_all((0..6).map(|_| world.session(&agent, "hi"))).await;
    assert_eq!(sessions.len(), 6);
    let completed = world.events_of("harness.operation_completed").await;
    assert_eq!(completed.len(), 12);
    let positions: Vec<u64> = world
        .events()
        .await
        .iter()
        .map(|row| row["projectPosition"].as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(positions, (1..=positions.len() as u64).collect::<Vec<_>>());
}
