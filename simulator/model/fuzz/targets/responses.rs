//! The target `responses` for libFuzzer.

#![no_main]

fuzz::target!("responses");
