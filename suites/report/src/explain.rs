//! Why a check is red, written out for a person.

use std::fmt::Write;

use recording::{Outcome, Recording, Status, Verdict, What};
use spec::Spec;

/// The longest body that is shown.
const BODY_CHARS_MAX: usize = 1_200;

/// How a run was asked for, so that one check of it can be asked for again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The arguments that name the target: empty, `--url …` or `--target …`.
    pub target: Vec<String>,
    /// The seed.
    pub seed: u64,
}

impl Replay {
    /// The command that repeats `outcome`.
    pub fn command(&self, outcome: &Outcome) -> String {
        let mut words = vec!["proofhouse".to_owned(), "run".to_owned()];
        words.extend(self.target.iter().map(|word| quoted(word)));
        words.extend(["--check".to_owned(), outcome.id.clone(), "--seed".to_owned(), self.seed.to_string()]);
        let case = outcome.verdict.finding().and_then(|finding| finding.case.as_deref());
        if let Some(number) = case.and_then(|case| case.split('/').next()) {
            words.extend(["--case".to_owned(), number.to_owned()]);
        }
        words.join(" ")
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=[]".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// One line: status, id, and why.
pub fn headline(outcome: &Outcome) -> String {
    match outcome.verdict.reason() {
        Some(reason) => format!("{:<15} {}  {reason}", outcome.status.name(), outcome.id),
        None => format!("{:<15} {}", outcome.status.name(), outcome.id),
    }
}

/// The whole story: requirement, expected, got, the exchange, and the command that repeats it.
pub fn explain(outcome: &Outcome, replay: &Replay, spec: &Spec) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{words}");
    };
    let entry = spec.check(&outcome.id);
    let slug = entry.map_or("", |(_, check)| check.slug.as_str());
    line(format_args!("{} {}  {slug}", outcome.status.name().to_uppercase(), outcome.id));
    if let Some((requirement, check)) = entry {
        line(format_args!(
            "  requirement  {} ({}) {}",
            requirement.id,
            requirement.level.name(),
            requirement.statement.trim()
        ));
        line(format_args!("  check        {}", check.does.trim()));
    }
    match &outcome.verdict {
        Verdict::Fail(finding) | Verdict::Warn(finding) => {
            line(format_args!("  message      {}", finding.message));
            line(format_args!("  expected     {}", finding.expected));
            line(format_args!("  got          {}", finding.got));
            if let Some(case) = &finding.case {
                line(format_args!("  case         {}", case_words(&outcome.recording, case)));
            }
            if let Some(entry) = finding.entry {
                line(format_args!("  exchange"));
                for shown in exchange(&outcome.recording, entry) {
                    line(format_args!("    {shown}"));
                }
            }
        }
        verdict => {
            if let Some(reason) = verdict.reason() {
                line(format_args!("  reason       {reason}"));
            }
        }
    }
    match outcome.status {
        Status::UnexpectedPass => line(format_args!(
            "  way out      it is listed in [scope] expected_fail and passes: take it off the list"
        )),
        Status::Untested if !outcome.excused => line(format_args!(
            "  way out      offer that in the target file, or list the check in [scope] untestable"
        )),
        _ => {}
    }
    line(format_args!("  again        {}", replay.command(outcome)));
    text
}

fn case_words(recording: &Recording, case: &str) -> String {
    let label = recording.cases().find(|view| view.label().case == case).map(|view| view.label().clone());
    label.map_or_else(
        || case.to_owned(),
        |label| {
            format!(
                "{case}: {}; input {}; expected {}",
                label.rule,
                short(&label.input.to_string()),
                label.expected
            )
        },
    )
}

fn exchange(recording: &Recording, entry: usize) -> Vec<String> {
    let Some(entry) = recording.entries.get(entry) else { return Vec::new() };
    let What::Exchange(exchange) = &entry.what else {
        return vec![short(&serde_json::to_string(&entry.what).unwrap_or_default())];
    };
    let body = |name: &Option<recording::BodyRef>| {
        let text = name.as_ref().and_then(|name| recording.bodies.get(name)).and_then(|body| body.text());
        text.filter(|text| !text.is_empty()).map(short)
    };
    let mut lines = vec![format!("> {} {}", exchange.question.method, exchange.question.path)];
    lines.extend(exchange.question.headers.iter().map(|(name, value)| format!("> {name}: {value}")));
    lines.extend(body(&exchange.question.body).map(|text| format!("> {text}")));
    match &exchange.outcome {
        recording::Reception::Answered(answer) => {
            lines.push(format!("< {}", answer.status));
            lines.extend(answer.headers.iter().map(|(name, value)| format!("< {name}: {value}")));
            lines.extend(body(&answer.body).map(|text| format!("< {text}")));
        }
        recording::Reception::Failed { reason, .. } => lines.push(format!("! {reason}")),
    }
    lines
}

fn short(text: &str) -> String {
    if text.chars().count() <= BODY_CHARS_MAX {
        return text.to_owned();
    }
    let head: String = text.chars().take(BODY_CHARS_MAX).collect();
    format!("{head}… ({} characters in all)", text.chars().count())
}
