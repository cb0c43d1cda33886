//! The readers' errors in the words of this format: what is wrong, and the way out.

use serde_saphyr::{Error, budget::BudgetBreach};

use super::{
    error::suggest,
    reading::{DEPTH_MAX, VALUES_MAX, alias_values_max},
};

/// What is wrong and, when it can be told, what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) message: String,
    pub(super) fix: Option<String>,
}

/// How every script begins, for those who have written something else.
pub(crate) const BEGINNING: &str = "a script begins with `script: 1`, a `name` and `turns`";
const QUOTE_IT: &str = "put the text in quotation marks";

pub(super) fn told(message: impl Into<String>, fix: &str) -> Told {
    Told { message: message.into(), fix: (!fix.is_empty()).then(|| fix.to_owned()) }
}

/// Explains an error of the YAML reader. `pointer` is where it stands, `here` the rest of its line and
/// `text` all that was read.
pub(super) fn explain(error: &Error, pointer: &str, here: &str, text: &str) -> Told {
    match error.without_snippet() {
        Error::SerdeUnknownField { field, expected, .. } => unknown_field(field, expected),
        Error::SerdeUnknownVariant { variant, expected, .. } => unknown_value(variant, expected),
        Error::SerdeMissingField { field, .. } => missing_field(field),
        Error::SerdeInvalidType { unexpected, expected, .. }
        | Error::SerdeInvalidValue { unexpected, expected, .. } => misplaced(unexpected, expected),
        Error::SerdeInvalidLength { .. } => two_places(),
        Error::Unexpected { expected: "mapping start", .. } => no_mapping(pointer, here),
        Error::Unexpected { expected: "sequence start", .. } => no_list(),
        Error::Unexpected { expected: "string scalar", .. } => no_text(here),
        Error::NullIntoString { .. } => {
            told("a text belongs here", "write \"\" for an empty one, or leave the field out")
        }
        Error::InvalidScalar { ty, .. } => no_number(ty),
        Error::InvalidBooleanStrict { .. } => no_flag(),
        Error::QuotingRequired { value, .. } if value == "~" && !here.starts_with('~') => {
            told("a text belongs here", "write \"\" for an empty one, or leave the field out")
        }
        Error::QuotingRequired { value, .. } => {
            told(format!("`{value}` is no text"), &format!("write \"{value}\""))
        }
        Error::NonFiniteFloat { value, .. } => told(format!("`{value}` is no number in JSON"), ""),
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            told(format!("field `{key}` is given twice"), "keep one of them")
        }
        Error::DuplicateMappingKey { key: None, .. } => told("a field is given twice", "keep one of them"),
        Error::MultipleDocuments { .. } => told("a second document begins", "keep one"),
        Error::Eof { .. } if text.trim().is_empty() => told("there is nothing in here", BEGINNING),
        Error::Eof { .. } => told("the text ends before the script does", BEGINNING),
        Error::MergeValueNotMapOrSeqOfMaps { .. } => {
            told("`<<` takes over the fields of a mapping", "give it an alias of one, as in `<<: *usual`")
        }
        Error::UnknownAnchor { .. } => unknown_anchor(here),
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            told("the alias stands inside its own anchor", "write out what it stands for")
        }
        Error::UnsupportedTag { tag, .. } => {
            told(format!("the tag `{tag}` means nothing in a script"), "take it away")
        }
        Error::Budget { breach, .. } => too_much(breach, text),
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. } => too_many_aliases(text),
        Error::ExternalMessage { msg, .. } => syntax(msg, here),
        Error::AliasError { error, .. } => explain(error, pointer, here, text),
        other => {
            // The place is told apart from the message.
            let text = other.to_string();
            let end = text.rfind(" at line ").unwrap_or(text.len());
            syntax(&text[..end], here)
        }
    }
}

pub(super) fn unknown_field(field: &str, known: &[&str]) -> Told {
    told(format!("unknown field `{field}`"), &suggest(field, known))
}

pub(super) fn unknown_value(value: &str, known: &[&str]) -> Told {
    told(format!("unknown value `{value}`"), &suggest(value, known))
}

pub(super) fn missing_field(field: &str) -> Told {
    told(format!("field `{field}` is missing"), "add it")
}

/// For those who only know what stands there and what belongs there, in serde's words.
pub(super) fn misplaced(unexpected: &str, expected: &str) -> Told {
    let quoted = unexpected.strip_prefix("string \"").and_then(|text| text.strip_suffix('"'));
    let is_number = quoted.is_some_and(|text| text.parse::<f64>().is_ok());
    let fix = if is_number { "take the quotation marks away" } else { "" };
    told(format!("{unexpected} stands where {expected} belongs"), fix)
}

/// The only list of a fixed length is that of two events.
pub(super) fn two_places() -> Told {
    told("two places belong here", "write them as in `[3, 4]`")
}

pub(super) fn no_list() -> Told {
    told("a list belongs here", "write `[…]`, or a line that begins with `- ` for each item")
}

/// A text cannot begin with a bracket, which is a mapping or a list.
pub(super) fn no_text(here: &str) -> Told {
    let fix = match here.chars().next() {
        Some(first @ ('{' | '[')) => format!("put a text that begins with `{first}` in quotation marks"),
        _ => String::new(),
    };
    told("a text belongs here", &fix)
}

/// Something else stands where a mapping belongs. `here` is the text of it, as far as it is known.
pub(super) fn no_mapping(pointer: &str, here: &str) -> Told {
    let word = here.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(0);
    let has_key = word > 0 && here[word..].starts_with(':');
    let fix = if pointer.is_empty() {
        BEGINNING
    } else if here.starts_with('-') {
        "write its fields without `- `"
    } else if has_key {
        "put a space after the colon"
    } else if pointer.ends_with("/answer") {
        "for a text, write `answer: {text: …}`"
    } else if pointer.rsplit('/').nth(1) == Some("blocks") {
        "for a text, write `- text: …`"
    } else {
        "write `{…}`, or a line for each field"
    };
    told("a mapping belongs here", fix)
}

/// Something else stands where a number of this type belongs.
pub(super) fn no_number(kind: &str) -> Told {
    let message = match kind {
        "floating point" | "f64" => "a number belongs here".to_owned(),
        "u32" => format!("a whole number from 0 to {} belongs here", u32::MAX),
        "u16" => format!("a whole number from 0 to {} belongs here", u16::MAX),
        _ => "a whole number, 0 or more, belongs here".to_owned(),
    };
    told(message, "")
}

pub(super) fn no_flag() -> Told {
    told("`true` or `false` belongs here", "")
}

fn unknown_anchor(here: &str) -> Told {
    let name = here.trim_start_matches('*');
    let end = name.find([' ', ',', ']', '}', '\r', '\t']).unwrap_or(name.len());
    let name = &name[..end];
    let fix = format!(
        "put a text that begins with `*` in quotation marks, or write `&{name}` before what is meant"
    );
    told(format!("`*{name}` is an alias of nothing above"), &fix)
}

fn too_many_aliases(text: &str) -> Told {
    let message = format!("aliases unfold into more than {} values", alias_values_max(text));
    told(message, "write out what is meant, or leave it out")
}

fn too_much(breach: &BudgetBreach, text: &str) -> Told {
    match breach {
        BudgetBreach::Depth { .. } => {
            told(format!("values stand more than {DEPTH_MAX} deep in each other"), "make it flatter")
        }
        BudgetBreach::Nodes { .. } | BudgetBreach::Events { .. } => {
            told(format!("the script has more than {VALUES_MAX} values"), "make several scripts of it")
        }
        BudgetBreach::Aliases { .. }
        | BudgetBreach::Anchors { .. }
        | BudgetBreach::AliasAnchorRatio { .. }
        | BudgetBreach::RecordedAnchorEvents { .. }
        | BudgetBreach::RecordedAnchorBytes { .. }
        | BudgetBreach::MergeKeys { .. } => too_many_aliases(text),
        other => told(format!("the script is larger than can be read ({other:?})"), "make several of it"),
    }
}

/// The brackets of `mismatched bracket '[' closed by '}'`.
fn mismatched(msg: &str) -> Option<(&str, &str)> {
    msg.strip_prefix("mismatched bracket '")?.strip_suffix('\'')?.split_once("' closed by '")
}

/// What the YAML reader says about a text that is no YAML, and what it means.
fn syntax(msg: &str, here: &str) -> Told {
    let has = |part: &str| msg.contains(part);
    let first = here.chars().next().unwrap_or(' ');
    if has("tabs disallowed") || has("found a tab") || has("tab cannot") {
        told("a tab stands where spaces belong", "indent with spaces")
    } else if has("mapping values are not allowed") {
        told("a colon with a space stands inside a text", QUOTE_IT)
    } else if has("unexpected character") {
        told(format!("a text cannot begin with `{first}`"), QUOTE_IT)
    } else if has("unclosed quote") {
        told("a quotation mark opens here and none closes it", "close it")
    } else if let Some((open, close)) = mismatched(msg) {
        told(format!("`{open}` is closed by `{close}`"), "close each bracket with its own kind")
    } else if has("unclosed bracket") {
        told(format!("`{first}` opens here and nothing closes it"), "close it")
    } else if has("after double-quoted scalar") {
        let fix = "write `\\\"` for one inside, or use single quotes around";
        told("a text goes on after its closing quotation mark", fix)
    } else if has("after single-quoted scalar") {
        told("a text goes on after its closing quotation mark", "write `''` for one inside")
    } else if has("unknown escape character") {
        told("a backslash stands before a letter that it gives no meaning", "write `\\\\` for a backslash")
    } else if has("expected ',' or ']'") {
        told("a comma or `]` belongs here", "put it there")
    } else if has("expected ',' or '}'") {
        told("a comma or `}` belongs here", "put it there")
    } else if has("did not find expected key") || has("wrongly indented") || has("indentation") {
        told("the line does not fit the indentation of those above", "align it with its neighbours")
    } else if has("did not find expected '-' indicator") {
        told(
            "a list goes on here with something that is no item",
            "begin the line with `- `, or align it with the fields above",
        )
    } else if has("simple key expected ':'") || has("simple key is no longer valid") {
        told("a key stands without its colon", "write `key: value`, or put a text in quotation marks")
    } else if has("unexpected EOF") || has("unexpected eof") {
        told("the text ends in the middle of something", "close what is open")
    } else {
        told(msg, "")
    }
}

/// Explains an error of the JSON reader. `here` is the rest of the line where it stands.
pub(super) fn explain_json(error: &serde_json::Error, here: &str) -> Told {
    let text = error.to_string();
    let message = &text[..text.rfind(" at line ").unwrap_or(text.len())];
    if here.starts_with("//") || here.starts_with("/*") {
        return told("JSON has no comments", "take it away, or write YAML");
    }
    match message {
        "trailing comma" => told("nothing follows this comma", "take it away"),
        "invalid escape" => told(
            "a backslash stands before a letter that it gives no meaning",
            "write `\\\\` for a backslash",
        ),
        "key must be a string" => told("a key in quotation marks belongs here", ""),
        "expected value" if here.starts_with('\'') => {
            told("JSON knows no single quotation marks", "use double ones")
        }
        "expected value" => told("a value belongs here", ""),
        "trailing characters" => told("the text goes on after the script has ended", "keep one script"),
        "recursion limit exceeded" => {
            told(format!("values stand more than {DEPTH_MAX} deep in each other"), "make it flatter")
        }
        other => match other.strip_prefix("EOF while parsing ") {
            Some(what) => told(format!("the text ends inside {what}"), "close what is open"),
            None => match other.strip_prefix("expected ") {
                Some(what) => told(format!("{what} belongs here"), ""),
                None => told(other, ""),
            },
        },
    }
}
