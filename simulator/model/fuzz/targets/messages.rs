//! The target `messages` for libFuzzer.

#![no_main]

fuzz::target!("messages");
