//! Feeds generated inputs to a target, without libFuzzer and on a stable compiler:
//! `cargo run --release --no-default-features --example run -- TARGET COUNT SEED [FIRST]`.
//! Input number N is the same in every run with the same seed; FIRST begins at one.

use std::{panic::catch_unwind, process::ExitCode, time::Instant};

use fuzz::{Dice, check, mutate, seeds};

/// How long an input may take, in milliseconds.
const LIMIT_MS: u128 = 1_000;
/// How often a slow one is tried again.
const TRIES: usize = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers = || Some((arguments.get(1)?.parse::<u64>().ok()?, arguments.get(2)?.parse::<u64>().ok()?));
    let (Some(target), Some((count, seed))) = (arguments.first(), numbers()) else {
        eprintln!("usage: run TARGET COUNT SEED [FIRST]; the targets are {}", model::fuzzing::TARGETS.join(", "));
        return ExitCode::from(2);
    };
    // What is found is told once, with its input.
    std::panic::set_hook(Box::new(|_| {}));
    let first = arguments.get(3).and_then(|first| first.parse::<u64>().ok()).unwrap_or(0);
    let seeds = seeds(target);
    let started = Instant::now();
    let (mut taken, mut found) = (0_u64, 0_u64);
    let mut slowest = (0, first, Vec::new());
    for number in first..first.saturating_add(count) {
        let mut dice = Dice::new(seed.wrapping_mul(1 << 32).wrapping_add(number));
        let input = mutate(target, dice.clone().pick::<Vec<u8>>(&seeds), &mut dice);
        let began = Instant::now();
        match catch_unwind(|| check(target, &input)) {
            Ok(was_taken) => taken += u64::from(was_taken),
            Err(panic) => {
                found += 1;
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                println!("input {number}: {}\n{}\n", text.unwrap_or_default(), String::from_utf8_lossy(&input));
            }
        }
        let mut ms = began.elapsed().as_millis();
        if ms > LIMIT_MS.min(slowest.0) {
            // The machine may have had something else to do: the best of some tries counts.
            for _ in 0..TRIES {
                let began = Instant::now();
                let _ = catch_unwind(|| check(target, &input));
                ms = ms.min(began.elapsed().as_millis());
            }
        }
        if ms > LIMIT_MS {
            found += 1;
            println!("input {number}: it takes {ms} ms\n{}\n", String::from_utf8_lossy(&input));
        }
        if ms > slowest.0 {
            slowest = (ms, number, input);
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let rate = count as f64 / seconds;
    println!("{target}: {count} inputs in {seconds:.1} s ({rate:.0}/s), {taken} taken, {found} findings");
    let (ms, number, input) = slowest;
    println!("the slowest, input {number} of {} bytes, took {ms} ms: {:.200}", input.len(), String::from_utf8_lossy(&input));
    ExitCode::from(u8::from(found > 0))
}
