//! The target `script` for libFuzzer.

#![no_main]

fuzz::target!("script");
