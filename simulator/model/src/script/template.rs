//! Answers that quote the request.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::LazyLock,
};

use minijinja::{
    AutoEscape, Environment, ErrorKind, Template, UndefinedBehavior, syntax::SyntaxConfig, value::Serde,
};
use serde::Serialize;
use serde_json::Value;

use super::{
    effort::fuels,
    error::suggest,
    example::{arguments as example_arguments, example},
    tags::{effort, has_tags, too_large},
};
use crate::request::{ModelRequest, ToolChoice};

/// How long a text may become, in bytes.
const TEXT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// An engine for each amount of fuel; a loop without end runs out of it.
static ENVIRONMENTS: LazyLock<Vec<Environment<'static>>> =
    LazyLock::new(|| fuels().map(environment).collect());

fn environment(fuel: u64) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    if let Ok(syntax) = SyntaxConfig::builder().keep_trailing_newline(true).build() {
        environment.set_syntax(syntax);
    }
    environment.set_fuel(Some(fuel));
    // A namespace can hold itself, and telling such a one has no end that fuel would see.
    environment.remove_global("namespace");
    environment
}

/// Says what is wrong with a template before any request is there.
pub(crate) fn check(text: &str) -> Result<(), String> {
    if !has_tags(text) {
        return Ok(());
    }
    if let Some(told) = too_large(text) {
        return Err(told);
    }
    ENVIRONMENTS[0].template_from_str(text).map(drop).map_err(|error| told(&error))
}

/// The names of [`Quotable`].
const QUOTABLE: &[&str] = &[
    "wire",
    "model",
    "system",
    "user",
    "last",
    "tool_results",
    "tools",
    "tool",
    "body",
    "example_output",
    "example_arguments",
];
/// What the engine itself gives every template.
const GLOBALS: [&str; 3] = ["debug", "dict", "range"];

/// What a template may quote.
#[derive(Debug, Serialize)]
struct Quotable<'a> {
    wire: &'a str,
    model: &'a str,
    system: &'a str,
    /// The last user message.
    user: &'a str,
    /// The last message, whoever said it.
    last: &'a str,
    /// The texts of tool results by the ids of their calls.
    tool_results: BTreeMap<&'a str, &'a str>,
    /// The names of the tools that are offered.
    tools: Vec<&'a str>,
    /// The tool that a call would be for: the one that has to be called, else the last one that is offered;
    /// empty when there is none, or none may be called.
    tool: &'a str,
    /// The body as it was sent.
    body: &'a Value,
    /// An example of the output that the request wants, as JSON; `null` when it wants none in particular.
    example_output: String,
    /// Examples of arguments for each tool, as JSON.
    example_arguments: BTreeMap<&'a str, String>,
}

/// A text that is filled in, as long as it may become.
#[derive(Debug)]
struct Filled(Vec<u8>);

impl io::Write for Filled {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len().saturating_add(bytes.len()) > TEXT_BYTES_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A request, as templates see it.
#[derive(Debug)]
pub(crate) struct Quotes {
    quotable: minijinja::Value,
    /// How much the request brings, in bytes.
    bytes: u64,
}

impl Quotes {
    pub(crate) fn of(request: &ModelRequest, body: &Value) -> Self {
        let text = |message: Option<&'_ crate::request::Message>| message.map(|message| message.text.clone());
        let user = text(request.messages.iter().rev().find(|message| message.role == "user"));
        let last = text(request.messages.last());
        let results = request
            .messages
            .iter()
            .filter_map(|message| message.tool_call_id.as_deref().map(|call| (call, message.text.as_str())));
        let forced =
            request.forced_tool().and_then(|name| request.tools.iter().find(|tool| tool.name == name));
        let tool = match (&request.tool_choice, forced) {
            (ToolChoice::None, _) => "",
            (_, Some(forced)) => forced.name.as_str(),
            (_, None) => request.tools.last().map_or("", |tool| tool.name.as_str()),
        };
        let wanted = request.output_schema.as_ref().or(forced.map(|tool| &tool.parameters));
        let arguments = request
            .tools
            .iter()
            .map(|tool| (tool.name.as_str(), example_arguments(&tool.parameters).to_string()));
        let quotable = minijinja::Value::from(Serde(Quotable {
            wire: &request.wire,
            model: &request.model,
            system: &request.system,
            user: user.as_deref().unwrap_or_default(),
            last: last.as_deref().unwrap_or_default(),
            tool_results: results.collect(),
            tools: request.tools.iter().map(|tool| tool.name.as_str()).collect(),
            tool,
            body,
            example_output: wanted.map_or(Value::Null, example).to_string(),
            example_arguments: arguments.collect(),
        }));
        Self { quotable, bytes: size_of(body) }
    }

    /// A text with what it quotes filled in. `Err` says what the request does not have.
    pub(crate) fn fill(&self, text: &str) -> Result<String, String> {
        if !has_tags(text) {
            return Ok(text.to_owned());
        }
        let environment = &ENVIRONMENTS[effort(text).tank(self.bytes)];
        let template = environment.template_from_str(text).map_err(|error| told(&error))?;
        let mut filled = Filled(Vec::new());
        match template.render_captured_to(&self.quotable, &mut filled) {
            // Texts were added to texts.
            Ok(_) => Ok(String::from_utf8(filled.0).unwrap_or_default()),
            Err(error) => Err(match error.kind() {
                ErrorKind::UndefinedError => self.missing(&template).unwrap_or_else(|| told(&error)),
                ErrorKind::WriteFailure => format!("it becomes longer than {TEXT_BYTES_MAX} bytes"),
                _ => told(&error),
            }),
        }
    }

    /// What a template quotes that is not there, as far as its names tell.
    fn missing(&self, template: &Template<'_, '_>) -> Option<String> {
        // Their order is random, and messages repeat to the byte.
        let names: BTreeSet<String> = template.undeclared_variables(true).into_iter().collect();
        let is_there = |name: &str| {
            let found =
                name.split('.').try_fold(self.quotable.clone(), |value, part| value.get_attr(part).ok());
            found.is_some_and(|value| !value.is_undefined())
        };
        let missing = names.iter().find(|name| !GLOBALS.contains(&name.as_str()) && !is_there(name))?;
        let root = missing.split('.').next().unwrap_or_default();
        Some(match QUOTABLE.contains(&root) {
            true => format!("the request has no `{missing}`"),
            false => format!("there is no `{root}` to be quoted; {}", suggest(root, QUOTABLE)),
        })
    }

    /// A value with its strings filled in.
    pub(crate) fn fill_value(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => Value::String(self.fill(text)?),
            Value::Array(items) => {
                items.iter().map(|item| self.fill_value(item)).collect::<Result<_, _>>()?
            }
            Value::Object(fields) => Value::Object(
                fields
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), self.fill_value(value)?)))
                    .collect::<Result<_, String>>()?,
            ),
            other => other.clone(),
        })
    }
}

/// How many bytes the texts of a value have, and what else there is in it.
fn size_of(value: &Value) -> u64 {
    let of_text = |text: &str| u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_add(2);
    match value {
        Value::String(text) => of_text(text),
        Value::Array(items) => items.iter().map(size_of).sum::<u64>() + 2,
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| of_text(name) + size_of(value)).sum::<u64>() + 2
        }
        _ => 4,
    }
}

/// An error without the name that the engine gives a template that has none.
fn told(error: &minijinja::Error) -> String {
    let kind = match error.kind() {
        ErrorKind::UndefinedError => "something that is quoted is not there".to_owned(),
        kind => kind.to_string(),
    };
    let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    let line = error.line().filter(|line| *line > 1);
    let line = line.map(|line| format!(" (line {line} of the text)")).unwrap_or_default();
    format!("{kind}{detail}{line}")
}
