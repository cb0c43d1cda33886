//! Holding an exchange against the document.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde_json::Value;

use super::{METHODS, OpenApiError, document};
use crate::{Contract, schemas::Shape};

/// A request and its answer.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// Method, in upper case.
    pub method: &'a str,
    /// Path without its query.
    pub path: &'a str,
    /// The body of the request, where it is JSON.
    pub asked: Option<&'a Value>,
    /// Status of the answer.
    pub status: u16,
    /// Headers of the answer, names in lower case.
    pub headers: &'a [(String, String)],
    /// The body of the answer, where it is JSON.
    pub told: Option<&'a Value>,
}

impl Exchange<'_> {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

type Shapes = BTreeMap<String, Shape>;

static SHAPES: LazyLock<BTreeMap<Contract, Result<Shapes, OpenApiError>>> =
    LazyLock::new(|| Contract::ALL.into_iter().map(|contract| (contract, shapes(contract))).collect());

/// How an exchange differs from what is documented, in words; nothing where it is as documented.
///
/// A path or method that is not documented has to be refused. What is accepted has to have the documented
/// form, and so has every answer: its status, its media type, its headers and its body.
pub fn differences(
    contract: Contract,
    exchange: &Exchange<'_>,
) -> Result<Vec<String>, &'static OpenApiError> {
    let (document, shapes) = (document(contract)?, SHAPES[&contract].as_ref()?);
    let Some((place, operation)) = find(document, exchange) else {
        let refused = (400..500).contains(&exchange.status);
        return Ok(if refused {
            Vec::new()
        } else {
            vec!["the path or the method is not documented".to_owned()]
        });
    };
    let status = exchange.status.to_string();
    let Some(response) = operation["responses"].get(&status) else {
        return Ok(vec![format!("status {status} is not documented")]);
    };
    let mut found = Vec::new();
    let (response, place_of_response) = resolved(document, response, format!("{place}/responses/{status}"));
    found.extend(headers_of(document, shapes, response, &place_of_response, exchange));
    found.extend(body_of(shapes, response, &place_of_response, exchange));
    if (200..300).contains(&exchange.status) {
        found.extend(request_of(shapes, operation, &place, exchange));
    }
    Ok(found)
}

/// The operation that an exchange is about, and its place in the document.
fn find<'a>(document: &'a Value, exchange: &Exchange<'_>) -> Option<(String, &'a Value)> {
    let paths = document["paths"].as_object()?;
    let (path, item) = paths.iter().find(|(path, _)| fits(path, exchange.path))?;
    let method = exchange.method.to_lowercase();
    let operation = item.get(&method).filter(|_| METHODS.contains(&method.as_str()))?;
    Some((format!("/paths/{}/{method}", escaped(path)), operation))
}

fn fits(template: &str, path: &str) -> bool {
    let (wanted, given): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    let fits =
        |(wanted, given): (&&str, &&str)| wanted == given || (wanted.starts_with('{') && !given.is_empty());
    wanted.len() == given.len() && wanted.iter().zip(&given).all(fits)
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// What a reference leads to, or the thing itself, with its place.
fn resolved<'a>(document: &'a Value, value: &'a Value, place: String) -> (&'a Value, String) {
    let reference =
        value.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    match reference.and_then(|pointer| Some((document.pointer(pointer)?, pointer))) {
        Some((target, pointer)) => resolved(document, target, pointer.to_owned()),
        None => (value, place),
    }
}

fn violations(shapes: &Shapes, place: &str, value: &Value, what: &str) -> Vec<String> {
    let Some(shape) = shapes.get(place) else {
        return vec![format!("{what}: there is no schema at {place}")];
    };
    shape
        .violations(value)
        .into_iter()
        .map(|violation| format!("{what}: at `{}`: {}", violation.at, violation.reason))
        .collect()
}

fn headers_of(
    document: &Value,
    shapes: &Shapes,
    response: &Value,
    place: &str,
    exchange: &Exchange<'_>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (name, header) in response["headers"].as_object().into_iter().flatten() {
        let (header, place) = resolved(document, header, format!("{place}/headers/{}", escaped(name)));
        match exchange.header(name) {
            Some(value) => {
                let what = format!("the header {name}");
                found.extend(violations(shapes, &format!("{place}/schema"), &Value::from(value), &what));
            }
            None if header["required"] == true => found.push(format!("the header {name} is missing")),
            None => {}
        }
    }
    found
}

fn body_of(shapes: &Shapes, response: &Value, place: &str, exchange: &Exchange<'_>) -> Vec<String> {
    let Some(content) = response["content"].as_object() else {
        let silent = exchange.told.is_none() && exchange.header("content-type").is_none();
        return if silent { Vec::new() } else { vec!["a body is not documented".to_owned()] };
    };
    let media = exchange.header("content-type").unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    if !content.contains_key(media) {
        return vec![format!("the media type `{media}` is not documented")];
    }
    match exchange.told {
        Some(body) if media == "application/json" => {
            violations(shapes, &format!("{place}/content/{}/schema", escaped(media)), body, "the body")
        }
        None if media == "application/json" => vec!["the body is no JSON".to_owned()],
        _ => Vec::new(),
    }
}

/// A request that was accepted has the form that is documented for it.
fn request_of(shapes: &Shapes, operation: &Value, place: &str, exchange: &Exchange<'_>) -> Vec<String> {
    if operation["requestBody"]["content"]["application/json"].is_null() {
        return Vec::new();
    }
    let place = format!("{place}/requestBody/content/application~1json/schema");
    match exchange.asked {
        Some(body) => violations(shapes, &place, body, "the request, which was accepted"),
        None => vec!["a request without a body was accepted".to_owned()],
    }
}

/// Every schema that stands at a request, an answer or a header.
fn shapes(contract: Contract) -> Result<Shapes, OpenApiError> {
    let broken = |reason: String| OpenApiError::Broken { contract, reason };
    let document = document(contract).map_err(|error| broken(error.to_string()))?;
    let mut places = BTreeSet::new();
    collect(document, String::new(), &mut places);
    let uri = format!("https://proofhouse.example/spec/{contract}/openapi.json");
    Shape::all(&uri, document, places).map_err(broken)
}

/// The places called `schema` outside of schemas and of examples.
fn collect(value: &Value, at: String, places: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let here = format!("{at}/{}", escaped(name));
                match name.as_str() {
                    "schema" => drop(places.insert(here)),
                    "schemas" | "example" | "examples" => {}
                    _ => collect(member, here, places),
                }
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| collect(item, format!("{at}/{index}"), places));
        }
        _ => {}
    }
}
