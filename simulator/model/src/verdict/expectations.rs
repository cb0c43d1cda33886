//! What is expected of the requests of a session.

use serde::{Deserialize, Serialize};

use super::Overall;
use crate::{
    journal::Outcome,
    script::{BEGINNING, Conditions, Problem, Script, ScriptError, broken_conditions, read, suggest},
};

/// Expectations of a session, all of which must hold. At least one is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expectations {
    /// How many requests of some kind there are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<RequestExpectation>,
    /// Turns that answered in this order. Others may have answered in between.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_order: Vec<String>,
    /// Whether every turn of the script answered a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exhausted: Option<bool>,
    /// The verdict on the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Overall>,
}

/// How many requests of some kind there are: `exactly` so many, or `at_least`, or `at_most`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequestExpectation {
    /// Which requests count. Left out: all.
    #[serde(rename = "where", skip_serializing_if = "Where::is_empty")]
    pub which: Where,
    /// So many, no more and no less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exactly: Option<usize>,
    /// So many or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<usize>,
    /// So many or fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<usize>,
}

/// Which requests count. All that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Where {
    /// The turn that answers: `turn`, or `conversation/turn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// What became of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What it says. A request that cannot be read says nothing.
    #[serde(skip_serializing_if = "Conditions::is_empty")]
    pub when: Conditions,
    /// A part of its method and path: `POST /v1/messages`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_contains: Option<String>,
}

impl Where {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Expectations {
    /// Reads JSON or YAML. The error names every field that is not known, and the nearest that is.
    pub fn from_text(text: &str) -> Result<Self, ScriptError> {
        read(NAME, text).map_err(|mut error: ScriptError| {
            for problem in error.problems.iter_mut().filter(|one| one.fix.as_deref() == Some(BEGINNING)) {
                problem.message = problem.message.replace("the script does", "the expectations do");
                problem.fix =
                    Some("give an object with `requests`, `in_order`, `exhausted` or `verdict`".to_owned());
            }
            error
        })
    }

    /// What is wrong with the expectations themselves, by the script that they are about.
    pub(super) fn checked(&self, script: &Script) -> Result<(), ScriptError> {
        let mut problems = Vec::new();
        if *self == Self::default() {
            problem(
                &mut problems,
                "",
                "nothing is expected",
                "give `requests`, `in_order`, `exhausted` or `verdict`",
            );
        }
        let names: Vec<String> = (0..script.turn_count()).map(|place| script.turn_name(place)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for (index, name) in self.in_order.iter().enumerate() {
            turn(&mut problems, &format!("/in_order/{index}"), name, &names);
        }
        for (index, expected) in self.requests.iter().enumerate() {
            let at = format!("/requests/{index}");
            expected.checked(&mut problems, &at, &names);
        }
        if problems.is_empty() { Ok(()) } else { Err(ScriptError { problems }) }
    }
}

/// Stands for a file in errors.
const NAME: &str = "expectations";

impl RequestExpectation {
    fn checked(&self, problems: &mut Vec<Problem>, at: &str, names: &[&str]) {
        match (self.exactly, self.at_least, self.at_most) {
            (None, None, None) => {
                problem(problems, at, "it does not say how many", "give `exactly`, `at_least` or `at_most`");
            }
            (Some(_), None, None) | (None, _, _) => {}
            _ => problem(problems, at, "`exactly` leaves no room for `at_least` or `at_most`", "keep one"),
        }
        if self.at_least == Some(0) {
            problem(problems, &format!("{at}/at_least"), "0 or more always holds", "give 1 or more");
        }
        if let Some((least, most)) = self.at_least.zip(self.at_most).filter(|(least, most)| least > most) {
            let message = format!("no number is at least {least} and at most {most}");
            problem(problems, at, &message, "make `at_most` the larger one");
        }
        if let Some(name) = &self.which.turn {
            turn(problems, &format!("{at}/where/turn"), name, names);
        }
        if self.which.target_contains.as_ref().is_some_and(String::is_empty) {
            problem(
                problems,
                &format!("{at}/where/target_contains"),
                "every target holds an empty text",
                "leave it out",
            );
        }
        for broken in broken_conditions(&self.which.when, &format!("{at}/where/when")) {
            problem(problems, &broken.pointer, &broken.message, broken.fix.as_deref().unwrap_or_default());
        }
    }
}

fn turn(problems: &mut Vec<Problem>, at: &str, name: &str, names: &[&str]) {
    if !names.contains(&name) {
        problem(problems, at, &format!("the script has no turn `{name}`"), &suggest(name, names));
    }
}

fn problem(problems: &mut Vec<Problem>, at: &str, message: &str, fix: &str) {
    problems.push(Problem {
        file: NAME.to_owned(),
        position: None,
        pointer: at.to_owned(),
        message: message.to_owned(),
        fix: (!fix.is_empty()).then(|| fix.to_owned()),
    });
}
