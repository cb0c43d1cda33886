//! Reading a script's text, and finding the place of what is wrong with it.

use std::borrow::Cow;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_saphyr::{Error, options::DuplicateKeyPolicy, options::MergeKeyPolicy};

use super::{
    Problem, ScriptError,
    explain::{Told, explain, explain_json},
    places::{Places, line_from},
};

/// How deep values may stand in each other. It bounds the stack that reading takes.
pub(super) const DEPTH_MAX: usize = 64;
/// How many values a text may unfold into, aliases included: a hundred thousand turns of some size, and
/// no more memory than such a script takes.
pub(super) const VALUES_MAX: usize = 5_000_000;
/// How many values aliases may add, besides one for each byte of the text: what is said again in a long script
/// is welcome, and a short one stays short.
const ALIAS_VALUES: usize = 10_000;

/// How many values aliases of a text may add.
pub(super) fn alias_values_max(text: &str) -> usize {
    ALIAS_VALUES.saturating_add(text.len())
}

/// How script texts are read: what YAML 1.1 would guess (`no` as false, `007` as 7) stays a text, and
/// a number where a text belongs is an error, so that a YAML file and its JSON twin mean the same.
fn strictly(text: &str) -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: DEPTH_MAX,
            max_nodes: VALUES_MAX,
            max_events: VALUES_MAX * 3,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: alias_values_max(text),
        },
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        reject_unsupported_tags: true,
        no_schema: true,
        with_snippet: false,
    }
}

/// How a text is read to learn where its parts stand: whatever has a place has one.
pub(super) fn for_places(text: &str) -> serde_saphyr::Options {
    let mut options = strictly(text);
    options.duplicate_keys = DuplicateKeyPolicy::PassThrough;
    options.merge_keys = MergeKeyPolicy::AsOrdinary;
    options.reject_unsupported_tags = false;
    options.null_as_string = true;
    options.no_schema = false;
    options
}

/// Reads a value as script texts are read. `file` stands for the file in errors.
pub(crate) fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, ScriptError> {
    serde_saphyr::from_str_with_options(text, strictly(text)).map_err(|error| unreadable(file, text, &error))
}

/// The text of a file. Scripts are UTF-8; a byte order mark before it is nothing.
pub(super) fn text_of<'a>(file: &str, bytes: &'a [u8]) -> Result<Cow<'a, str>, ScriptError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(Cow::Borrowed(text)),
        Err(error) => error,
    };
    let is_utf_16 = matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let (position, message) = if is_utf_16 {
        ((1, 1), "the file is UTF-16".to_owned())
    } else {
        let sound = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let line = sound.matches('\n').count() + 1;
        let column = sound.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let byte = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
        ((line as u64, column as u64), format!("the byte 0x{byte:02x} is no UTF-8"))
    };
    let fix = Some("save the file as UTF-8".to_owned());
    Err(problem(file.to_owned(), Some(position), String::new(), message, fix))
}

fn unreadable(file: &str, text: &str, error: &Error) -> ScriptError {
    if let Some((position, Told { message, fix })) = broken_json(text) {
        return problem(file.to_owned(), Some(position), String::new(), message, fix);
    }
    let (places, broken) = Places::read(text);
    // Whatever else is wrong with a text that is no YAML follows from that.
    let error = broken.as_ref().unwrap_or(error);
    let mut position = error.location().map(|location| (location.line(), location.column()));
    let mut pointer = String::new();
    if let Some((line, column)) = position {
        let lacks = matches!(error.without_snippet(), Error::SerdeMissingField { .. });
        let place = if lacks { places.lacking(line, column) } else { places.at(line, column) };
        pointer = place.map(|place| place.pointer.clone()).unwrap_or_default();
        position = place.filter(|_| lacks).map(|place| (place.line, place.column)).or(position);
    }
    let here = position.map(|(line, column)| line_from(text, line, column)).unwrap_or_default();
    let Told { message, fix } = explain(error, &pointer, here, text);
    problem(file.to_owned(), position.or(Some((1, 1))), pointer, message, fix)
}

/// What breaks a text that begins as JSON does, although it is not. YAML's reader would tell about it in
/// words that only YAML's rules explain.
fn broken_json(text: &str) -> Option<((u64, u64), Told)> {
    let inside = text.trim_start().strip_prefix('{')?.trim_start();
    if !inside.starts_with(['"', '/']) {
        return None;
    }
    let error = serde_json::from_str::<IgnoredAny>(text).err()?;
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    // Columns of the JSON reader are bytes, and those of everybody else are characters.
    let before = line.get(..error.column().saturating_sub(1)).unwrap_or(line);
    let column = before.chars().count() + 1;
    let here: String = line.chars().skip(column - 1).collect();
    Some(((error.line().max(1) as u64, column as u64), explain_json(&error, &here)))
}

pub(super) fn problem(
    file: String,
    position: Option<(u64, u64)>,
    pointer: String,
    message: String,
    fix: Option<String>,
) -> ScriptError {
    ScriptError { problems: vec![Problem { file, position, pointer, message, fix }] }
}
