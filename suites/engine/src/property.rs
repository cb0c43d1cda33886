//! Generating, driving and shrinking the cases of a property check.

use proptest::{
    strategy::{BoxedStrategy, Strategy, ValueTree},
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use recording::{CaseLabel, Status, What};
use spec::Spec;

use crate::{Case, Driver, Halt, Property, Sampling, frame};

/// Drives the cases that `sampling` asks for, and shrinks the first one that is red.
pub(crate) async fn drive_cases(
    check: &str,
    property: &Property,
    driver: &Driver<'_>,
    sampling: Sampling,
    spec: &Spec,
) -> Result<(), Halt> {
    let known = (property.prelude)(driver).await?;
    let numbers = match sampling.case {
        Some(case) => case..case + 1,
        None => 0..sampling.cases,
    };
    let mut shrunk = false;
    for number in numbers {
        let mut runner = runner(driver, number);
        let strategy = (property.strategy)(&known, number);
        let Some(mut tree) = tree(&strategy, &mut runner) else {
            return Err(driver.broken(format!("{check}: case {number} could not be generated")));
        };
        let name = number.to_string();
        drive_case(property, driver, &name, &tree.current()).await;
        if !shrunk && is_red(check, property, driver, &name, spec) {
            shrunk = true;
            shrink(check, property, driver, &name, tree.as_mut(), sampling.shrinks, spec).await;
        }
    }
    Ok(())
}

fn runner(driver: &Driver<'_>, number: u64) -> TestRunner {
    let seed = driver.seed().child(&format!("case {number}")).bytes();
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}

type Tree = Box<dyn ValueTree<Value = Case>>;

fn tree(strategy: &BoxedStrategy<Case>, runner: &mut TestRunner) -> Option<Tree> {
    strategy.new_tree(runner).ok()
}

async fn drive_case(property: &Property, driver: &Driver<'_>, name: &str, case: &Case) {
    driver.recorder().set_case(Some(name.to_owned()));
    let label = CaseLabel {
        case: name.to_owned(),
        rule: case.rule.clone(),
        input: case.input.clone(),
        expected: case.expected.clone(),
    };
    driver.recorder().put("case", What::Case(label));
    // A case that stops has recorded why, and is judged by it.
    let _ = (property.drive)(driver, case).await;
    driver.recorder().set_case(None);
}

fn is_red(check: &str, property: &Property, driver: &Driver<'_>, name: &str, spec: &Spec) -> bool {
    let recording = driver.recorder().of_case(name, check, driver.token(), driver.facts().clone());
    recording.cases().find(|case| case.label().case == name).is_some_and(|case| {
        matches!(frame::judge_case(property, &case, &recording, spec).status(), Status::Fail | Status::Warn)
    })
}

/// Looks for a smaller case that is red too. The smallest stays in the recording as `N/shrunk`.
async fn shrink(
    check: &str,
    property: &Property,
    driver: &Driver<'_>,
    name: &str,
    tree: &mut dyn ValueTree<Value = Case>,
    attempts: u32,
    spec: &Spec,
) {
    let name = format!("{name}/shrunk");
    let mark = driver.recorder().len();
    let mut best = Vec::new();
    let mut left = attempts;
    let mut more = tree.simplify();
    while more && left > 0 {
        left -= 1;
        drive_case(property, driver, &name, &tree.current()).await;
        let red = is_red(check, property, driver, &name, spec);
        let entries = driver.recorder().cut(mark);
        if red {
            best = entries;
            more = tree.simplify();
        } else {
            more = tree.complicate();
        }
    }
    driver.recorder().append(best);
}
