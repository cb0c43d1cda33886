//! Rule files of fakellm.

mod respond;
mod when;

use super::{
    ImportError, Imported,
    rule::{Rule, script_of},
    source::{At, Source},
};
use crate::{naming::slug, script::suggest};

/// The version of rule files that is read.
const VERSION: u64 = 1;

/// Reads a rule file of fakellm: `{version: 1, rules: [{name: …, when: …, respond: …}]}`. `name` stands for the file
/// in errors and notes, and the script is called like it.
///
/// A rule becomes a turn that repeats; one with `turn` a turn that answers once, in the order of these numbers.
pub fn fakellm(text: &str, name: &str) -> Result<Imported, ImportError> {
    let (mut source, value) = Source::read(text, name)?;
    let root = At::root(&value);
    let Some(list) = root.get("rules") else {
        let fix =
            "give a rule file of fakellm, which is {version: 1, rules: [{name: …, when: …, respond: …}]}";
        return Err(ImportError::one(name, "there is no list `rules`", fix));
    };
    for (field, at) in root.fields(&mut source) {
        match field {
            "rules" => {}
            "version" if at.value.as_u64() == Some(VERSION) => {}
            "version" => {
                let message = format!("version {} of rule files is unknown", at.value);
                source.wrong(at.pointer, message, "version 1 can be read");
            }
            "defaults" => defaults(&at, &mut source),
            _ => source.note(at.pointer, format!("`{field}` is no part of a script")),
        }
    }
    let items = list.items(&mut source);
    let rules: Vec<Rule> =
        items.iter().enumerate().filter_map(|(number, at)| rule(number, at, &mut source)).collect();
    script_of(rules, source, name)
}

fn defaults(at: &At<'_>, source: &mut Source) {
    for (field, at) in at.fields(source) {
        let message = match field {
            "fallback" => {
                "a request that no rule answers gets an error here; a last turn with `repeat: true` and no `when` answers all"
                    .to_owned()
            }
            _ => format!("the default `{field}` has no equivalent"),
        };
        source.note(at.pointer, message);
    }
}

fn rule(number: usize, at: &At<'_>, source: &mut Source) -> Option<Rule> {
    at.mapping(source)?;
    let mut rule = Rule { pointer: at.pointer.clone(), ..Rule::default() };
    let name = at.get("name").and_then(|name| name.as_text(source));
    rule.name = slug(&name.unwrap_or_default(), &format!("rule-{}", number + 1));
    if let Some(when) = at.get("when") {
        when::read(&when, &mut rule, source);
    }
    let Some(respond) = at.get("respond") else {
        source.wrong(&at.pointer, "field `respond` is missing", "`respond: {content: \"\"}` says nothing");
        return None;
    };
    respond::read(&respond, &mut rule, source);
    let known = ["name", "when", "respond"];
    for (field, at) in at.fields(source) {
        if !known.contains(&field) {
            source.note(
                at.pointer,
                format!("a rule has no `{field}`, and fakellm passes it over; {}", suggest(field, &known)),
            );
        }
    }
    Some(rule)
}
