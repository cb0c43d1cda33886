//! Inputs for the readers of the fake model: valid ones, and what mutation makes of them.

mod dice;
mod json;
mod seeds;
mod text;

pub use dice::Dice;
pub use seeds::seeds;

/// Changes an input of `target` in one to six places. The same dice give the same input.
pub fn mutate(target: &str, input: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=dice.below(6) {
        let parsed = if target == "template" { None } else { serde_json::from_slice(&bytes).ok() };
        bytes = match parsed {
            // Mutated as JSON it stays JSON, which gets further than bytes at random.
            Some(mut value) if dice.below(8) > 0 => {
                json::mutate(&mut value, target, dice);
                if target == "script" && dice.below(3) == 0 {
                    json::as_yaml(&value, dice).into_bytes()
                } else {
                    value.to_string().into_bytes()
                }
            }
            _ => text::mutate(&bytes, dice),
        };
    }
    bytes
}

/// Runs a target and panics when a promise is broken, for libFuzzer to see it.
pub fn check(target: &str, input: &[u8]) -> bool {
    model::fuzzing::run(target, input).unwrap_or_else(|broken| panic!("{target}: {broken}"))
}

/// The libFuzzer target of this name.
#[cfg(feature = "libfuzzer")]
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        libfuzzer_sys::fuzz_target!(|data: &[u8]| {
            $crate::check($name, data);
        });

        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            let mut dice = $crate::Dice::new(seed.into());
            if dice.below(2) == 0 {
                return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
            }
            let mutated = $crate::mutate($name, &data[..size], &mut dice);
            let size = mutated.len().min(max_size);
            data[..size].copy_from_slice(&mutated[..size]);
            size
        });
    };
}
