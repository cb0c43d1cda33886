//! `proofhouse list`.

use clap::{Args, ValueEnum};
use serde::Serialize;
use spec::{Contract, Need, Spec};

use crate::{
    console::{counted, say, wrapped},
    failure::Done,
};

/// The longest line of an open point's question.
const WIDTH: usize = 86;

/// How a list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only this contract: oao or vetta.
    #[arg(long)]
    contract: Option<Contract>,
    /// Only checks that are not built yet.
    #[arg(long)]
    pending: bool,
    /// How to write it.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// One line of the machine-readable list.
#[derive(Debug, Serialize)]
struct Line<'a> {
    kind: &'static str,
    id: &'a str,
    contract: Contract,
    level: Option<&'static str>,
    pending: bool,
    needs: Vec<String>,
    partners: Vec<&'a str>,
}

pub(crate) fn list(arguments: &Arguments) -> Done {
    let spec = Spec::load()?;
    let contracts =
        Contract::ALL.into_iter().filter(|contract| arguments.contract.is_none_or(|only| only == *contract));
    let lines: Vec<Line<'_>> = contracts
        .clone()
        .flat_map(|contract| lines(spec, contract))
        .filter(|line| !arguments.pending || (line.kind == "check" && line.pending))
        .collect();
    match arguments.format {
        Format::Json => say(&serde_json::to_string_pretty(&lines).unwrap_or_default()),
        Format::Text => {
            contracts.for_each(|contract| text(spec, contract, arguments.pending));
        }
    }
    Ok(0)
}

fn lines(spec: &Spec, contract: Contract) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    for (_, requirement) in spec.requirements(contract) {
        let level = Some(requirement.level.name());
        lines.push(Line {
            kind: "requirement",
            id: &requirement.id,
            contract,
            level,
            pending: requirement.checks.iter().all(|check| !check.is_built()),
            needs: Vec::new(),
            partners: requirement.checks.iter().map(|check| check.id.as_str()).collect(),
        });
        for check in &requirement.checks {
            let pending = !check.is_built();
            lines.push(Line {
                kind: "check",
                id: &check.id,
                contract,
                level,
                pending,
                needs: check.needs.iter().map(|need: &Need| need.name()).collect(),
                partners: vec![&requirement.id, &check.defect.id],
            });
            let partners = std::iter::once(&check.id)
                .chain(check.defect.side_effects.iter().map(|effect| &effect.check));
            lines.push(Line {
                kind: "defect",
                id: &check.defect.id,
                contract,
                level,
                pending,
                needs: Vec::new(),
                partners: partners.map(String::as_str).collect(),
            });
        }
    }
    lines.extend(spec.contract(contract).open_points.iter().map(|point| Line {
        kind: "open_point",
        id: &point.id,
        contract,
        level: None,
        pending: false,
        needs: Vec::new(),
        partners: point.requirements.iter().map(String::as_str).collect(),
    }));
    lines
}

fn text(spec: &Spec, contract: Contract, only_pending: bool) {
    let (built, pending) = spec.counts(contract);
    say(&format!(
        "{contract}: {}, {} built, {pending} pending",
        counted(spec.requirements(contract).count(), "requirement"),
        counted(built, "check")
    ));
    for topic in &spec.contract(contract).topics {
        let any = topic
            .requirements
            .iter()
            .flat_map(|requirement| &requirement.checks)
            .any(|check| !check.is_built());
        if only_pending && !any {
            continue;
        }
        say(&format!("\n  {} ({})", topic.title, topic.topic));
        for requirement in &topic.requirements {
            let checks = requirement.checks.iter().filter(|check| !only_pending || !check.is_built());
            let checks: Vec<_> = checks.collect();
            if checks.is_empty() {
                continue;
            }
            say(&format!("    {:<9} {:<7} {}", requirement.id, requirement.level.name(), requirement.slug));
            for check in checks {
                let state = check.pending.as_ref().map_or_else(
                    || format!("built; defect {}", check.defect.id),
                    |reason| format!("pending: {reason}"),
                );
                say(&format!("      {:<9} {:<49} {state}", check.id, check.slug));
            }
        }
    }
    if !only_pending {
        open_points(spec, contract);
    }
    say("");
}

fn open_points(spec: &Spec, contract: Contract) {
    say("\n  What the documents leave open (open points)");
    for point in &spec.contract(contract).open_points {
        for (at, line) in wrapped(&point.question, WIDTH).iter().enumerate() {
            say(&format!("    {:<9} {line}", if at == 0 { point.id.as_str() } else { "" }));
        }
    }
}
