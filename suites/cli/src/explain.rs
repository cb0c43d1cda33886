//! `proofhouse explain`.

use clap::Args;
use spec::{Check, Contract, Found, Need, OpenPoint, Requirement, Spec, Topic};

use crate::{
    console::{say, wrapped},
    failure::Done,
};

/// The longest line of words, without the name before it.
const WIDTH: usize = 84;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A requirement (`VET-16`), a check (`VET-16-a`), a defect (`runnable-lies-true`) or an open point (`U28`).
    id: String,
}

pub(crate) fn explain(arguments: &Arguments) -> Done {
    let spec = Spec::load()?;
    match spec.find(&arguments.id)? {
        Found::Requirement(topic, requirement) => {
            requirement_words(topic, requirement);
            for check in &requirement.checks {
                let pending = if check.is_built() { "" } else { "  (pending)" };
                field("check", &format!("{} {}{pending}", check.id, check.slug));
            }
        }
        Found::Check(topic, requirement, check) => {
            check_words(check);
            say("");
            requirement_words(topic, requirement);
        }
        Found::Defect(topic, requirement, check) => defect_words(topic, requirement, check),
        Found::OpenPoint(contract, point) => open_point_words(contract, point),
    }
    Ok(0)
}

fn field(name: &str, words: &str) {
    for (at, line) in wrapped(words, WIDTH).iter().enumerate() {
        say(&format!("  {:<12} {line}", if at == 0 { name } else { "" }));
    }
}

fn requirement_words(topic: &Topic, requirement: &Requirement) {
    say(&format!("requirement {}  {}", requirement.id, requirement.slug));
    field("contract", topic.contract.name());
    field("topic", &format!("{} ({})", topic.title, topic.topic));
    field("level", requirement.level.name());
    field("statement", &requirement.statement);
    let kind = match requirement.source.kind {
        spec::SourceKind::Seed => "the published page",
        spec::SourceKind::Product => "facts of the product",
    };
    let derived = if requirement.derived { ", derived" } else { "" };
    field("source", &format!("{kind}, \"{}\"{derived}", requirement.source.place));
    if !requirement.open_points.is_empty() {
        field("open points", &requirement.open_points.join(", "));
    }
    if let Some(reason) = &requirement.excluded {
        field("excluded", reason);
    }
}

fn check_words(check: &Check) {
    say(&format!("check {}  {}", check.id, check.slug));
    field("does", &check.does);
    field("expects", &check.expects);
    let needs: Vec<String> = check.needs.iter().map(|need| need.name()).collect();
    field("needs", &needs.join(", "));
    field(
        "state",
        &check.pending.as_ref().map_or_else(|| "built".to_owned(), |reason| format!("pending: {reason}")),
    );
    field("defect", &format!("{}: {}", check.defect.id, check.defect.does));
    if check.is_built() {
        let verb = match subject(check) {
            Some(Need::ClientUnderTest) => "client-check --command COMMAND",
            _ => "run",
        };
        field("run it", &format!("proofhouse {verb} --check {}", check.id));
    }
}

fn defect_words(topic: &Topic, requirement: &Requirement, check: &Check) {
    let defect = &check.defect;
    say(&format!("defect {}", defect.id));
    field("does", &defect.does);
    field("breaks", &format!("{} {}", requirement.id, requirement.slug));
    field("proves", &format!("{} {}", check.id, check.slug));
    field("status", defect.status.name());
    field("message", defect.message.as_deref().unwrap_or("none yet: the check is pending"));
    for effect in &defect.side_effects {
        field("also turns", &format!("{} red: {}", effect.check, effect.because));
    }
    if check.is_built() {
        let (contract, id) = (topic.contract, &defect.id);
        let way = match subject(check) {
            Some(Need::ClientUnderTest) => {
                format!("proofhouse client-check --command 'proofhouse-picker --defect {id}'")
            }
            Some(_) => format!("proofhouse prove --contract {contract} --check {}", check.id),
            None => format!("proofhouse simulate --contract {contract} --defect {id}"),
        };
        field("try it", &way);
    }
}

/// Whom the check is about, where that is no server.
fn subject(check: &Check) -> Option<Need> {
    [Need::ClientUnderTest, Need::SuiteItself].into_iter().find(|need| check.needs.contains(need))
}

fn open_point_words(contract: Contract, point: &OpenPoint) {
    say(&format!("open point {}", point.id));
    field("contract", contract.name());
    field("question", &point.question);
    field("reference", &point.reference);
    point.accepts.iter().for_each(|answer| field("accepts", answer));
    field(
        "bears on",
        &if point.requirements.is_empty() {
            "nothing built yet".to_owned()
        } else {
            point.requirements.join(", ")
        },
    );
}
