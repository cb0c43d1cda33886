//! Seeds and what grows from them.

use std::collections::BTreeSet;

use proofhouse_wire::{Ids, Seed};
use rand::Rng;

fn drawn(seed: Seed) -> Vec<String> {
    let ids = Ids::new(seed);
    (0..20).flat_map(|_| [ids.uuid(), ids.prefixed("run_")]).collect()
}

#[test]
fn one_seed_gives_one_result() {
    assert_eq!(drawn(Seed::of_run(1)), drawn(Seed::of_run(1)));
    assert_ne!(drawn(Seed::of_run(1)), drawn(Seed::of_run(2)));
    assert_ne!(drawn(Seed::of_run(1)), drawn(Seed::of_run(1).child("world")));
    let stream = |seed: Seed| seed.rng().next_u64();
    assert_eq!(stream(Seed::of_run(1)), stream(Seed::of_run(1)));
    assert_ne!(stream(Seed::of_run(1)), stream(Seed::of_run(2)));
}

#[test]
fn a_recorded_seed_still_means_what_it_meant() {
    let child = Seed::of_run(1).child("VET-03-a");
    assert_eq!(child.token(), "67a7eefa31ac8357");
    assert_eq!(Ids::new(child).uuid(), "54b8dd2c-cba7-4302-b03f-dd96d1f31835");
}

#[test]
fn children_differ_by_name_and_by_parent() {
    let run = Seed::of_run(1);
    let seeds = [
        run,
        run.child(""),
        run.child("a"),
        run.child("b"),
        run.child("ab"),
        run.child("a").child("b"),
        run.child("b").child("a"),
        Seed::of_run(2).child("a"),
    ];
    let different: BTreeSet<[u8; 32]> = seeds.iter().map(Seed::bytes).collect();
    assert_eq!(different.len(), seeds.len());
    assert_eq!(run.child("a"), run.child("a"));
}

#[test]
fn a_token_is_sixteen_hex_digits() {
    for seed in [Seed::of_run(0), Seed::of_run(u64::MAX), Seed::of_run(7).child("check")] {
        let token = seed.token();
        let is_hex = token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        assert!(token.len() == 16 && is_hex, "{token}");
    }
}

#[test]
fn ids_never_repeat_and_clones_draw_from_one_stream() {
    let ids = Ids::new(Seed::of_run(1));
    let clone = ids.clone();
    let all: BTreeSet<String> = (0..5_000)
        .flat_map(|_| [ids.uuid(), clone.uuid(), ids.prefixed("a_"), clone.prefixed("a_")])
        .collect();
    assert_eq!(all.len(), 20_000);
}

#[test]
fn ids_have_their_form_and_prefixed_ones_sort_in_the_order_of_creation() {
    let ids = Ids::new(Seed::of_run(1));
    let uuid = ids.uuid();
    let hyphens: Vec<usize> = uuid.match_indices('-').map(|(at, _)| at).collect();
    assert_eq!((uuid.len(), hyphens), (36, vec![8, 13, 18, 23]), "{uuid}");
    assert_eq!(uuid.as_bytes()[14], b'4', "{uuid}");
    assert!(b"89ab".contains(&uuid.as_bytes()[19]), "{uuid}");
    assert_eq!(uuid, uuid.to_lowercase());
    let prefixed: Vec<String> = (0..300).map(|_| ids.prefixed("run_")).collect();
    assert!(prefixed.is_sorted());
    assert!(prefixed.iter().all(|id| id.len() == 24 && id.starts_with("run_")), "{:?}", prefixed[0]);
}
