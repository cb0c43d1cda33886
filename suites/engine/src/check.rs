//! Checks as values.

use futures_util::future::LocalBoxFuture;
use proptest::strategy::BoxedStrategy;
use recording::{CaseView, Judged, Recording};
use serde_json::Value;
use spec::{Contract, Spec};

use crate::{Driver, Drove};

/// The future of a drive.
pub type DriveFuture<'a> = LocalBoxFuture<'a, Drove>;

/// One executable test.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its id in the specification.
    pub id: &'static str,
    /// The contract that it tests.
    pub contract: Contract,
    /// What it is made of.
    pub kind: Kind,
}

/// What a check is made of.
#[derive(Clone, Copy)]
pub enum Kind {
    /// One drive, one judge.
    Single {
        /// Talks to the target.
        drive: for<'a> fn(&'a Driver<'a>) -> DriveFuture<'a>,
        /// Decides, from the recording alone.
        judge: fn(&Recording, &Spec) -> Judged,
    },
    /// Many generated cases.
    Property(&'static Property),
}

/// A check over generated cases.
pub struct Property {
    /// Runs once, before the cases; what it returns is given to the generator.
    pub prelude: for<'a> fn(&'a Driver<'a>) -> LocalBoxFuture<'a, Result<Value, crate::Halt>>,
    /// The generator of the case of that number. A generator that goes round its rules by the number
    /// reaches all of them with few cases.
    pub strategy: fn(&Value, u64) -> BoxedStrategy<Case>,
    /// Talks to the target about one case.
    pub drive: for<'a> fn(&'a Driver<'a>, &'a Case) -> DriveFuture<'a>,
    /// Decides one case, from its part of the recording alone.
    pub judge: for<'r> fn(&CaseView<'r>, &Spec) -> Judged,
}

/// One generated input, with the answer that is known by construction.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The rule that it keeps or breaks.
    pub rule: String,
    /// The input.
    pub input: Value,
    /// What a conforming target does with it.
    pub expected: Value,
}

/// The checks that are built, and how a target of a contract is known to be alive.
pub struct Registry {
    /// All checks, in listing order.
    pub checks: Vec<Check>,
    /// The happy path of each contract, shaped as a check.
    pub preflight: fn(Contract) -> Check,
}

impl Registry {
    /// The checks of `contract`, in listing order.
    pub fn of(&self, contract: Contract) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.contract == contract)
    }

    /// The check called `id`.
    pub fn get(&self, id: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.id == id)
    }
}
