//! The registry of defects.

use proofhouse_world::{
    defects::{UnknownDefect, check, ids, oao, vetta},
    start,
};
use spec::{Contract, Spec};
use wire::{Net, http::Request};

use crate::worlds::{ask, plan};

/// Applies `ids` to fresh parts of the server of `contract`.
fn edit(contract: Contract, ids: &[&str]) -> Result<(), UnknownDefect> {
    match contract {
        Contract::Oao => oao::edit(&mut ::oao::Parts::default(), ids),
        Contract::Vetta => vetta::edit(&mut ::vetta::Parts::shipped().unwrap(), ids),
    }
}

#[tokio::test(start_paused = true)]
async fn every_edit_applies_on_its_own_and_its_world_comes_up() {
    for contract in Contract::ALL {
        let all = ids(contract);
        assert!(!all.is_empty(), "{contract} has no defects");
        for id in all {
            edit(contract, &[id]).unwrap();
            let net = Net::memory();
            let running =
                start(plan(&net, contract, &[id])).await.unwrap_or_else(|why| panic!("{id}: {why}"));
            let answer = ask(&net, &Request::new("GET", "/_control/target")).await;
            assert_eq!(answer.map(|answer| answer.status), Ok(200), "{id}");
            running.stop().await;
        }
    }
}

#[test]
fn all_edits_of_a_contract_can_be_asked_for_at_once() {
    for contract in Contract::ALL {
        edit(contract, &ids(contract)).unwrap();
        edit(contract, &[]).unwrap();
    }
}

#[test]
fn an_unknown_id_is_refused_among_known_ones() {
    for contract in Contract::ALL {
        let known = ids(contract)[0];
        for wanted in [&["nonsense"][..], &[known, "nonsense"], &["nonsense", known], &[""]] {
            let error = edit(contract, wanted).unwrap_err();
            assert_eq!(error, check(contract, wanted).unwrap_err());
            assert_eq!((error.contract, known == error.id), (contract, false));
        }
        assert_eq!(check(contract, &[known, known]), Ok(()));
    }
}

#[test]
fn an_unknown_id_gives_a_hint() {
    let spec = Spec::load().unwrap();
    for contract in Contract::ALL {
        let words = |id: &str| check(contract, &[id]).unwrap_err().to_string();
        let start = |id: &str| format!("unknown defect `{id}` for contract `{contract}`");
        for known in ids(contract) {
            let misspelt = format!("{known}x");
            assert_eq!(words(&misspelt), format!("{}: did you mean `{known}`?", start(&misspelt)));
        }
        let other = Contract::ALL.into_iter().find(|other| *other != contract).unwrap();
        for foreign in ids(other) {
            assert_eq!(words(foreign), format!("{}: it belongs to contract `{other}`", start(foreign)));
        }
        for (_, _, pending) in spec.checks(contract).filter(|(_, _, check)| !check.is_built()) {
            let id = &pending.defect.id;
            assert_eq!(words(id), format!("{}: its check {} is not built yet", start(id), pending.id));
        }
        let nothing_like_it = "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz";
        assert_eq!(words(nothing_like_it), start(nothing_like_it));
    }
}
