//! Why a check is red, written out for a person.

use std::fmt::Write;

use recording::{Outcome, Recording, Status, Verdict, What};
use spec::Spec;

use crate::timeline::bars;

/// The longest body that is shown.
const BODY_CHARS_MAX: usize = 1_200;

/// How a run was asked for, so that one check of it can be asked for again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The verb: `run`, or `client-check`.
    pub verb: &'static str,
    /// The arguments that name the target: empty, `--url …` or `--target …`.
    pub target: Vec<String>,
    /// The seed.
    pub seed: u64,
}

impl Replay {
    /// The command that repeats `outcome`.
    pub fn command(&self, outcome: &Outcome) -> String {
        let mut words = vec!["proofhouse".to_owned(), self.verb.to_owned()];
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
            line(format_args!("  got          {}", one_line(&finding.got)));
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
    if let Some(timeline) = outcome.verdict.timeline() {
        line(format_args!("  timeline"));
        bars(timeline).iter().for_each(|bar| line(format_args!("    {bar}")));
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
        text.filter(|text| !text.is_empty()).map(short).unwrap_or_default()
    };
    let marked = |mark: char, text: String| -> Vec<String> {
        text.lines().map(|line| format!("{mark} {line}").trim_end().to_owned()).collect()
    };
    let mut lines = vec![format!("> {} {}", exchange.question.method, exchange.question.path)];
    lines.extend(exchange.question.headers.iter().map(|(name, value)| format!("> {name}: {value}")));
    lines.extend(marked('>', body(&exchange.question.body)));
    match &exchange.outcome {
        recording::Reception::Answered(answer) => {
            lines.push(format!("< {}", answer.status));
            lines.extend(answer.headers.iter().map(|(name, value)| format!("< {name}: {value}")));
            lines.extend(marked('<', body(&answer.body)));
        }
        recording::Reception::Failed { reason, .. } => lines.push(format!("! {reason}")),
    }
    lines
}

/// `text` without its line breaks.
pub fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

fn short(text: &str) -> String {
    if text.chars().count() <= BODY_CHARS_MAX {
        return text.to_owned();
    }
    let head: String = text.chars().take(BODY_CHARS_MAX).collect();
    format!("{head}… ({} characters in all)", text.chars().count())
}

#[cfg(test)]
mod tests {
    use recording::{
        Answer, Bodies, Body, Entry, Exchange, Finding, FindingKind, Lane, Question, Reception, TargetFacts,
    };
    use spec::Contract;

    use super::*;

    /// A check that failed on a page of several lines.
    fn failed() -> Outcome {
        let mut bodies = Bodies::default();
        let page = bodies.put(Body::new(b"<html>\n\n  <h1>Hello</h1>\n"));
        let question = Question {
            method: "GET".to_owned(),
            path: "/v1/harnesses".to_owned(),
            headers: vec![("accept".to_owned(), "*/*".to_owned())],
            body: None,
        };
        let outcome = Reception::Answered(Answer { status: 200, headers: Vec::new(), body: Some(page) });
        let what = What::Exchange(Box::new(Exchange { question, outcome }));
        let recording = Recording {
            check: "VET-59-a".to_owned(),
            token: "t".to_owned(),
            target: TargetFacts {
                name: "acme".to_owned(),
                version: "1".to_owned(),
                contract: Contract::Vetta,
                lane: Lane::Wall,
                claims: Default::default(),
                credentials: Default::default(),
                settings: Default::default(),
            },
            entries: vec![Entry { at_ms: 0, label: "list".to_owned(), case: None, what }],
            bodies,
        };
        let finding = Finding {
            kind: FindingKind::Violation,
            message: "the answer is not JSON".to_owned(),
            expected: "a JSON body".to_owned(),
            got: "200 <html>\n\n  <h1>Hello</h1>\n".to_owned(),
            entry: Some(0),
            case: None,
            timeline: None,
        };
        Outcome {
            id: "VET-59-a".to_owned(),
            status: Status::Fail,
            excused: false,
            verdict: Verdict::Fail(finding),
            recording,
            duration_ms: 1,
        }
    }

    #[test]
    fn every_line_of_a_body_is_marked_and_what_was_got_is_one_line() {
        let target = vec!["--target".to_owned(), "my target.toml".to_owned()];
        let story = explain(&failed(), &Replay { verb: "run", target, seed: 7 }, Spec::load().unwrap());
        let told: Vec<&str> = story.lines().skip_while(|line| !line.starts_with("  message")).collect();
        assert_eq!(
            told,
            [
                "  message      the answer is not JSON",
                "  expected     a JSON body",
                "  got          200 <html> <h1>Hello</h1>",
                "  exchange",
                "    > GET /v1/harnesses",
                "    > accept: */*",
                "    < 200",
                "    < <html>",
                "    <",
                "    <   <h1>Hello</h1>",
                "  again        proofhouse run --target 'my target.toml' --check VET-59-a --seed 7",
            ]
        );
    }

    #[test]
    fn a_pass_against_expectation_and_a_missing_means_say_the_way_out() {
        let replay = Replay { verb: "run", target: Vec::new(), seed: 1 };
        for (status, verdict, words) in [
            (
                Status::Untested,
                Verdict::Untested { reason: "a key: give it".to_owned() },
                "[scope] untestable",
            ),
            (
                Status::UnexpectedPass,
                Verdict::Pass(failed().recording.at(0).witness()),
                "take it off the list",
            ),
        ] {
            let outcome = Outcome { status, verdict, ..failed() };
            let story = explain(&outcome, &replay, Spec::load().unwrap());
            assert!(story.contains("  way out") && story.contains(words), "{story}");
            assert!(story.lines().all(|line| line == line.trim_end()), "{story}");
        }
    }
}
