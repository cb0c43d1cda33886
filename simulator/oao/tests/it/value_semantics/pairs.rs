//! Schemas of the subset, and values for them: some are made to satisfy, some to miss by a little.

use std::fmt;

use serde_json::{Map, Value, json};

/// Every keyword that says something about values.
pub(crate) const KEYWORDS: [&str; 18] = [
    "type",
    "enum",
    "const",
    "minLength",
    "maxLength",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "additionalProperties",
    "title",
];

/// Texts on which a format of the runtime and the format of JSON Schema disagree.
pub(crate) const DISPUTED: [(&str, &str); 9] = [
    ("date", "2024-02-31"),
    ("date-time", "2024-05-17 10:20:30Z"),
    ("date-time", "2024-02-31T10:20:30Z"),
    ("time", "10:20"),
    ("time", "10:20:30Z"),
    ("email", "ada@localhost"),
    ("email", "o'hara@example.org"),
    ("uri", "https://münchen.example/"),
    ("uri", "https://example.org/a b"),
];

/// Texts on which they agree.
const AGREED: [(&str, &str); 22] = [
    ("date", "2024-05-17"),
    ("date", "2024-13-01"),
    ("date", "17.05.2024"),
    ("date", ""),
    ("date-time", "2024-05-17T10:20:30Z"),
    ("date-time", "2024-05-17T10:20:30.25+02:00"),
    ("date-time", "2024-05-17T10:20:30"),
    ("date-time", "2024-05-17"),
    ("time", "noon"),
    ("time", "25:00"),
    ("email", "ada@example.org"),
    ("email", "a.b+c@mail.example.org"),
    ("email", "ada"),
    ("email", "@example.org"),
    ("uri", "https://example.org/a?b=c#d"),
    ("uri", "urn:isbn:0451450523"),
    ("uri", "mailto:ada@example.org"),
    ("uri", "a/b"),
    ("uri", ""),
    ("uuid", "0f0e5c5e-9d0a-4f7c-8a51-3f8f1c1a2b3c"),
    ("uuid", "0F0E5C5E-9D0A-4F7C-8A51-3F8F1C1A2B3C"),
    ("uuid", "0f0e5c5e-9d0a-4f7c-8a51-3f8f1c1a2b3"),
];

const FORMATS: [&str; 6] = ["date", "date-time", "email", "time", "uri", "uuid"];
const WORDS: [&str; 6] = ["red", "green", "blue", "", "Rot", "éß"];
const NAMES: [&str; 6] = ["alpha", "beta", "gamma", "type", "required", "é"];

/// A schema and a value, for messages.
pub(crate) struct Pair {
    pub(crate) schema: Value,
    pub(crate) value: Value,
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.600}\n{:.600}", self.value.to_string(), self.schema.to_string())
    }
}

/// A stream of numbers: the same ones for the same start.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(start: u64) -> Self {
        Self(start)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }

    /// True once in so many times.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// A root, and values for it.
pub(crate) fn pairs_of(dice: &mut Dice, count: usize) -> (Value, Vec<Value>) {
    let schema = object(dice, 3);
    let values = (0..count).map(|_| value_for(dice, &schema)).collect();
    (schema, values)
}

/// Mostly as it should be, or with one thing wrong, or with something odd in it.
fn value_for(dice: &mut Dice, schema: &Value) -> Value {
    match dice.below(20) {
        0..9 => fitting(dice, schema),
        9..17 => {
            let mut value = fitting(dice, schema);
            spoil(dice, schema, &mut value);
            value
        }
        17..19 => {
            let mut value = fitting(dice, schema);
            let oddity = odd(dice);
            let name = (*dice.pick(&["extra", "__proto__", "constructor"])).to_owned();
            if let Value::Object(members) = &mut value {
                members.insert(name, oddity);
            }
            value
        }
        _ => odd(dice),
    }
}

fn odd(dice: &mut Dice) -> Value {
    let deep = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    match dice.below(9) {
        0 => Value::Null,
        1 => json!([1, "two", null]),
        2 => json!({"prototype": {"constructor": 1}}),
        3 => deep(60),
        4 => deep(66),
        5 => json!(9_007_199_254_740_993_i64),
        6 => json!("🧾"),
        7 => json!(1e300),
        _ => json!({}),
    }
}

fn node(dice: &mut Dice, levels: usize) -> Value {
    let kinds = if levels == 0 { 7 } else { 10 };
    let mut node = match dice.below(kinds) {
        0 => text(dice),
        1 => number(dice, "number"),
        2 => number(dice, "integer"),
        3 => json!({"type": "boolean"}),
        4 => json!({"type": "null"}),
        5 => return listed(dice),
        6 => return fixed(dice),
        7 => array(dice, levels - 1),
        _ => object(dice, levels - 1),
    };
    if dice.once_in(5) && node["type"] != "null" {
        let kind = node["type"].clone();
        node["type"] = if dice.once_in(2) { json!([kind, "null"]) } else { json!(["null", kind]) };
    }
    if dice.once_in(6) {
        node["title"] = json!("a title says nothing about values");
    }
    node
}

fn text(dice: &mut Dice) -> Value {
    let mut node = json!({"type": "string"});
    if dice.once_in(3) {
        node["format"] = json!(dice.pick(&FORMATS));
        return node;
    }
    bounds(dice, &mut node, "minLength", "maxLength");
    node
}

/// Two counts, each of which may be missing.
fn bounds(dice: &mut Dice, node: &mut Value, low: &str, high: &str) {
    let least = dice.below(4);
    let most = least + dice.below(3);
    if dice.once_in(2) {
        node[low] = json!(least);
    }
    if dice.once_in(2) {
        node[high] = json!(most);
    }
}

fn number(dice: &mut Dice, kind: &str) -> Value {
    let mut node = json!({"type": kind});
    let low = i32::try_from(dice.below(20)).unwrap() - 10;
    let high = low + 2 + i32::try_from(dice.below(20)).unwrap();
    let written =
        |dice: &mut Dice, bound: i32| if dice.once_in(4) { json!(f64::from(bound)) } else { json!(bound) };
    if dice.once_in(2) {
        let name = *dice.pick(&["minimum", "exclusiveMinimum"]);
        node[name] = written(dice, low);
    }
    if dice.once_in(2) {
        let name = *dice.pick(&["maximum", "exclusiveMaximum"]);
        node[name] = written(dice, high);
    }
    if dice.once_in(3) {
        node["multipleOf"] =
            dice.pick(&[json!(1), json!(2), json!(3), json!(0.5), json!(0.1), json!(2.0)]).clone();
    }
    node
}

fn listed(dice: &mut Dice) -> Value {
    let values = match dice.below(3) {
        0 => json!(["red", "green", ""]),
        1 => json!([1, 2.5, 3.0]),
        _ => json!(["red", 1, true, null]),
    };
    let mut node = json!({"enum": values});
    if values[0] == "red" && values[1] == "green" && dice.once_in(2) {
        node["type"] = if dice.once_in(2) { json!("string") } else { json!(["string", "null"]) };
    }
    node
}

fn fixed(dice: &mut Dice) -> Value {
    json!({"const": dice.pick(&[json!("red"), json!(7), json!(2.0), json!(false), Value::Null])})
}

fn array(dice: &mut Dice, levels: usize) -> Value {
    let mut built = json!({"type": "array", "items": node(dice, levels)});
    bounds(dice, &mut built, "minItems", "maxItems");
    built
}

fn object(dice: &mut Dice, levels: usize) -> Value {
    let count = dice.below(4);
    let properties: Map<String, Value> =
        (0..count).map(|_| ((*dice.pick(&NAMES)).to_owned(), node(dice, levels))).collect();
    let required: Vec<&String> = properties.keys().filter(|_| dice.once_in(2)).collect();
    let mut object = json!({"type": "object", "required": required});
    object["properties"] = json!(properties);
    match dice.below(4) {
        0 => {}
        1 => object["additionalProperties"] = json!(true),
        2 => object["additionalProperties"] = json!(false),
        _ => object["additionalProperties"] = node(dice, levels.saturating_sub(1)),
    }
    object
}

/// A value that should satisfy `schema`.
fn fitting(dice: &mut Dice, schema: &Value) -> Value {
    if let Some(values) = schema["enum"].as_array() {
        return dice.pick(values).clone();
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) if dice.once_in(4) => return kinds.iter().map(|_| Value::Null).next().unwrap(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap(),
        kind => kind.as_str().unwrap_or("null"),
    };
    match kind {
        "string" => fitting_text(dice, schema),
        "number" | "integer" => fitting_number(dice, schema, kind),
        "boolean" => json!(dice.once_in(2)),
        "array" => {
            let count = count_within(dice, schema, "minItems", "maxItems");
            (0..count).map(|_| fitting(dice, &schema["items"])).collect()
        }
        "object" => fitting_object(dice, schema),
        _ => Value::Null,
    }
}

fn count_within(dice: &mut Dice, schema: &Value, low: &str, high: &str) -> usize {
    let bound = |name: &str| schema[name].as_u64().map(|count| usize::try_from(count).unwrap());
    let least = bound(low).unwrap_or(0);
    let most = bound(high).unwrap_or(least + 3).max(least);
    least + dice.below(most - least + 1)
}

fn fitting_text(dice: &mut Dice, schema: &Value) -> Value {
    if let Some(format) = schema["format"].as_str() {
        let texts: Vec<&str> =
            AGREED.iter().chain(&DISPUTED).filter(|(of, _)| *of == format).map(|(_, text)| *text).collect();
        return json!(dice.pick(&texts));
    }
    let count = count_within(dice, schema, "minLength", "maxLength");
    let letters = if dice.once_in(6) { ["a", "🧾", "é"] } else { ["a", "b", "é"] };
    json!((0..count).map(|_| *dice.pick(&letters)).collect::<String>())
}

fn fitting_number(dice: &mut Dice, schema: &Value, kind: &str) -> Value {
    let bound = |name: &str| schema[name].as_f64();
    let low = bound("minimum").or(bound("exclusiveMinimum").map(|low| low + 1.0)).unwrap_or(-12.0);
    let step = bound("multipleOf").unwrap_or(1.0);
    let step = if kind == "integer" { step.max(1.0) } else { step };
    let times = (low / step).ceil() + dice.below(4) as f64;
    let number = times * step;
    if number.fract() == 0.0 && !dice.once_in(4) { json!(number as i64) } else { json!(number) }
}

fn fitting_object(dice: &mut Dice, schema: &Value) -> Value {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map_or(Vec::new(), |names| names.iter().filter_map(Value::as_str).collect());
    let mut members = Map::new();
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if required.contains(&name.as_str()) || dice.once_in(2) {
            members.insert(name.clone(), fitting(dice, schema));
        }
    }
    if dice.once_in(3) {
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => {}
            Some(of @ Value::Object(_)) => drop(members.insert("extra".to_owned(), fitting(dice, of))),
            _ => drop(members.insert("extra".to_owned(), json!({"kept": [1, "two"]}))),
        }
    }
    Value::Object(members)
}

/// Makes one thing wrong, or tries to: at this value or further down.
fn spoil(dice: &mut Dice, schema: &Value, value: &mut Value) {
    let properties = schema["properties"].clone();
    match value {
        Value::Object(members) if !members.is_empty() && !dice.once_in(3) => {
            let names: Vec<String> = members.keys().cloned().collect();
            let name = dice.pick(&names).clone();
            let of =
                properties.get(&name).or(schema.get("additionalProperties")).cloned().unwrap_or_default();
            if let Some(member) = members.get_mut(&name) {
                spoil(dice, &of, member);
            }
        }
        Value::Array(items) if !items.is_empty() && !dice.once_in(3) => {
            let at = dice.below(items.len());
            spoil(dice, &schema["items"].clone(), &mut items[at]);
        }
        // Only texts about which something is known stand where a format is asked for.
        Value::String(_) if schema.get("format").is_some() && !dice.once_in(3) => {
            *value = fitting_text(dice, schema);
        }
        Value::String(_) if schema.get("format").is_some() => {
            *value = if dice.once_in(2) { Value::Null } else { json!(dice.pick(&WORDS)) };
        }
        _ => *value = spoiled(dice, value.clone()),
    }
}

/// A value near this one.
fn spoiled(dice: &mut Dice, value: Value) -> Value {
    match value {
        Value::Object(mut members) => {
            let names: Vec<String> = members.keys().cloned().collect();
            match names.first() {
                Some(name) if dice.once_in(2) => drop(members.remove(name)),
                _ => drop(members.insert("unknown".to_owned(), odd(dice))),
            }
            Value::Object(members)
        }
        Value::Array(mut items) => {
            if dice.once_in(2) {
                items.pop();
            } else {
                let last = items.last().cloned().unwrap_or(json!("x"));
                items.extend([last.clone(), last.clone(), last]);
            }
            Value::Array(items)
        }
        Value::String(text) => match dice.below(5) {
            0 => json!(format!("{text}aaa")),
            1 => json!(text.chars().skip(1).collect::<String>()),
            2 => json!(format!("{text}🧾")),
            3 => json!(dice.pick(&WORDS)),
            _ => Value::Null,
        },
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            match dice.below(7) {
                0 => json!(number + 0.5),
                1 => json!(number - 1.0),
                2 => json!(number + 40.0),
                3 => json!(number - 40.0),
                4 => json!(number + 0.001),
                5 => json!(number.to_string()),
                _ => json!(9_007_199_254_740_993_i64),
            }
        }
        Value::Bool(_) => dice.pick(&[json!("true"), json!(1), Value::Null]).clone(),
        Value::Null => dice.pick(&[json!(false), json!(0), json!(""), json!({})]).clone(),
    }
}
