//! The target `chat` for libFuzzer.

#![no_main]

fuzz::target!("chat");
