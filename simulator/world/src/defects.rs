//! Named ways to be wrong.
//!
//! A defect is an edit of the parts that a contract's server is put together from, made before the
//! server starts. Every wrong algorithm of the project lives below this folder, one file per topic of
//! the specification, and nowhere else.

pub mod oao;
pub mod vetta;

use spec::Contract;

/// A named edit.
pub struct Edit<Parts> {
    /// The name in the specification.
    pub id: &'static str,
    /// What it changes.
    pub edit: fn(&mut Parts),
}

/// A name that is no built defect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown defect `{id}` for contract `{contract}`{}", .hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default())]
pub struct UnknownDefect {
    /// What was asked for.
    pub id: String,
    /// The contract.
    pub contract: Contract,
    /// What may have been meant.
    pub hint: Option<String>,
}

/// Applies the defects called `ids` to `parts`.
fn apply<Parts>(
    contract: Contract,
    all: &[&[Edit<Parts>]],
    wanted: &[impl AsRef<str>],
    parts: &mut Parts,
) -> Result<(), UnknownDefect> {
    check(contract, wanted)?;
    let edits = all.iter().copied().flatten();
    wanted.iter().for_each(|id| {
        edits.clone().filter(|edit| edit.id == id.as_ref()).for_each(|edit| (edit.edit)(parts))
    });
    Ok(())
}

fn hint(contract: Contract, id: &str, known: &[&'static str]) -> Option<String> {
    if let Some((owner, check, _)) = spec::Spec::load().ok().and_then(|spec| spec.defect(id)) {
        return Some(if owner == contract && check.is_built() {
            format!("it breaks no server, but the subject of {}: a client, or the suite itself", check.id)
        } else if owner == contract {
            format!("its check {} is not built yet", check.id)
        } else {
            format!("it belongs to contract `{owner}`")
        });
    }
    spec::nearest(id, known.iter().copied()).map(|near| format!("did you mean `{near}`?"))
}

/// The ids of the built defects of `contract`.
pub fn ids(contract: Contract) -> Vec<&'static str> {
    match contract {
        Contract::Oao => oao::ALL.iter().copied().flatten().map(|edit| edit.id).collect(),
        Contract::Vetta => vetta::ALL.iter().copied().flatten().map(|edit| edit.id).collect(),
    }
}

/// Whether all of `wanted` are built defects of `contract`.
pub fn check(contract: Contract, wanted: &[impl AsRef<str>]) -> Result<(), UnknownDefect> {
    let known = ids(contract);
    match wanted.iter().map(AsRef::as_ref).find(|id| !known.contains(id)) {
        None => Ok(()),
        Some(id) => Err(UnknownDefect { id: id.to_owned(), contract, hint: hint(contract, id, &known) }),
    }
}
