//! Mutation of JSON values.

use serde_json::{Map, Number, Value, json};

use crate::{Dice, seeds::words};

/// Texts that something may be about.
const TEXTS: &[&str] = &[
    "", "a", "user", "assistant", "tool", "system", "developer", "text", "input_text", "output_text", "tool_use", "tool_result", "thinking",
    "redacted_thinking", "reasoning", "function", "function_call", "function_call_output", "message", "item_reference", "image", "image_url",
    "document", "required", "any", "auto", "none", "json_schema", "json_object", "call_1", "toolu_1", "resp_1", "get_weather", "#", "#/$defs/a",
    "{{ user }}", "{{", "proofhouse-session:k", "proofhouse-session:", "🦀", "\u{0}", "\u{2028}", "a\nb", "\"", "stop", "chat", "lf",
];

/// Changes a value in one place.
pub fn mutate(value: &mut Value, target: &str, dice: &mut Dice) {
    let count = size(value);
    let donor = nth(value, dice.below(count)).cloned().unwrap_or_default();
    let Some(place) = nth_mut(value, &mut dice.below(count)) else { return };
    match (dice.below(10), place) {
        (0..=1, place) => *place = donor,
        (2, place) => *place = plain(dice),
        (3, place) => {
            let inner = place.take();
            *place = if dice.below(2) == 0 { json!([inner]) } else { json!({ dice.pick(words(target)).as_str(): inner }) };
        }
        (_, Value::Array(items)) => list(items, donor, dice),
        (_, Value::Object(fields)) => object(fields, donor, target, dice),
        (_, Value::String(text)) => string(text, dice),
        (_, place) => *place = plain(dice),
    }
}

fn list(items: &mut Vec<Value>, donor: Value, dice: &mut Dice) {
    let at = dice.below(items.len());
    match dice.below(5) {
        0 if !items.is_empty() => drop(items.remove(at)),
        1 if !items.is_empty() => items.insert(at, items[at].clone()),
        2 if !items.is_empty() => {
            let other = dice.below(items.len());
            items.swap(at, other);
        }
        3 => items.clear(),
        _ => items.insert(at, donor),
    }
}

fn object(fields: &mut Map<String, Value>, donor: Value, target: &str, dice: &mut Dice) {
    let names: Vec<String> = fields.keys().cloned().collect();
    let new = dice.pick(words(target)).clone();
    match dice.below(6) {
        0 | 1 if !names.is_empty() => drop(fields.remove(dice.pick(&names))),
        2 if !names.is_empty() => {
            let value = fields.remove(dice.pick(&names)).unwrap_or_default();
            fields.insert(new, value);
        }
        3 => drop(fields.insert(new, plain(dice))),
        _ => drop(fields.insert(new, donor)),
    }
}

fn string(text: &mut String, dice: &mut Dice) {
    let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let at = *dice.pick(&cuts);
    match dice.below(4) {
        0 => text.truncate(at),
        1 => text.insert_str(at, dice.pick::<&str>(TEXTS)),
        2 => *text = text.repeat(dice.below(4)),
        _ => *text = (*dice.pick(TEXTS)).to_owned(),
    }
}

fn plain(dice: &mut Dice) -> Value {
    match dice.below(8) {
        0 => Value::Null,
        1 => Value::Bool(dice.below(2) == 0),
        2 => json!([]),
        3 => json!({}),
        4 => (*dice.pick(&[0_i64, 1, 2, 3, 128, 200, 429, 599, -1, i64::MIN, i64::MAX, 4_294_967_295, 4_294_967_296])).into(),
        5 => Number::from_f64(*dice.pick(&[0.0, -0.0, 0.5, 1.0, 1e308, -1e-308, 429.0])).map_or(Value::Null, Value::Number),
        6 => u64::MAX.into(),
        _ => (*dice.pick(TEXTS)).into(),
    }
}

/// How many values there are in a value, itself counted.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(fields) => fields.values().map(size).sum(),
        _ => 0,
    }
}

fn nth(value: &Value, number: usize) -> Option<&Value> {
    let mut all = vec![value];
    let mut left = number;
    while let Some(next) = all.pop() {
        if left == 0 {
            return Some(next);
        }
        left -= 1;
        match next {
            Value::Array(items) => all.extend(items),
            Value::Object(fields) => all.extend(fields.values()),
            _ => {}
        }
    }
    None
}

fn nth_mut<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| nth_mut(item, left)),
        Value::Object(fields) => fields.values_mut().find_map(|field| nth_mut(field, left)),
        _ => None,
    }
}

/// A value as YAML, partly in blocks and partly in flow.
pub fn as_yaml(value: &Value, dice: &mut Dice) -> String {
    let mut text = String::new();
    block(value, 0, dice, &mut text);
    text
}

fn block(value: &Value, indent: usize, dice: &mut Dice, text: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(fields) if !fields.is_empty() && dice.below(6) > 0 => {
            for (name, field) in fields {
                text.push_str(&format!("\n{pad}{}:", word(name, dice)));
                block(field, indent + 2, dice, text);
            }
        }
        Value::Array(items) if !items.is_empty() && dice.below(6) > 0 => {
            for item in items {
                text.push_str(&format!("\n{pad}-"));
                block(item, indent + 2, dice, text);
            }
        }
        Value::String(string) => text.push_str(&format!(" {}", word(string, dice))),
        other => text.push_str(&format!(" {other}")),
    }
}

/// A text without quotation marks when it looks harmless, and sometimes when it does not.
fn word(text: &str, dice: &mut Dice) -> String {
    let harmless = !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-/ .".contains(letter));
    if (harmless || dice.below(20) == 0) && dice.below(8) > 0 { text.to_owned() } else { Value::from(text).to_string() }
}
