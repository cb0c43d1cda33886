//! A server that has run out of file descriptors.
//!
//! The limit belongs to a process, so the test runs itself again in one of its own.
#![cfg(target_os = "linux")]

use std::{
    fs::File,
    io::{Read, Seek},
    process::Command,
    time::Duration,
};

use axum::{body::Body, extract::Request, response::Response};
use proofhouse_wire::{
    Clock, Net,
    http::{Limits, Request as Ask, send},
    serve::serve_with,
};
use tokio::net::TcpStream;

const INSIDE: &str = "PROOFHOUSE_FEW_DESCRIPTORS";

#[test]
fn a_server_without_descriptors_rests_and_recovers() {
    let this = std::env::current_exe().unwrap();
    let outcome = Command::new("sh")
        .args(["-c", "ulimit -n 40 && exec \"$0\" --exact descriptors::in_a_process_with_few --nocapture"])
        .arg(this)
        .env(INSIDE, "yes")
        .output()
        .unwrap();
    assert!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr));
}

#[tokio::test]
async fn in_a_process_with_few() {
    if std::env::var_os(INSIDE).is_none() {
        return;
    }
    let listener = Net::Tcp.listen("127.0.0.1:0").await.unwrap();
    let authority = listener.authority().to_owned();
    let answer = |_: Request| async { Response::new(Body::from("served")) };
    tokio::spawn(serve_with(listener, answer, None, std::future::pending()));
    let clock = Clock::wall();
    let mut stat = File::open("/proc/self/stat").unwrap();
    let spare = File::open("/proc/self/stat").unwrap();
    let mut idle = Vec::new();
    // Both ends are in this process: every connection takes two.
    while let Ok(stream) = TcpStream::connect(&authority).await {
        idle.push(stream);
        clock.pause(Duration::from_millis(1)).await;
    }
    assert!(idle.len() > 10, "{} connections", idle.len());
    // One more, which takes the last descriptor and cannot be accepted.
    drop(spare);
    idle.push(TcpStream::connect(&authority).await.unwrap());
    let before = processor_ms(&mut stat);
    clock.pause(Duration::from_millis(600)).await;
    let spent = processor_ms(&mut stat) - before;
    assert!(spent < 150, "{spent} ms of processor time in 600 ms of waiting");
    drop(idle);
    let second = Duration::from_secs(5);
    let limits = Limits { head: second, whole: second, body_bytes_max: 100 };
    let answer = send(&Net::Tcp, &authority, &Ask::new("GET", "/"), limits).await.unwrap();
    assert_eq!(answer.body, "served");
}

/// Processor time of this process, in units of 10 ms: fields 14 and 15 of its `stat`.
fn processor_ms(stat: &mut File) -> u64 {
    let mut text = String::new();
    stat.rewind().unwrap();
    stat.read_to_string(&mut text).unwrap();
    let fields: Vec<&str> = text.rsplit_once(") ").unwrap().1.split(' ').collect();
    (fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()) * 10
}
