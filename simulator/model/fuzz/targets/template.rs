//! The target `template` for libFuzzer.

#![no_main]

fuzz::target!("template");
