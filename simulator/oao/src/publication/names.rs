//! Names of tools: which are taken.

use std::collections::BTreeSet;

use crate::{errors::Refusal, limits::Limits};

/// Where a name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A tool that the version lists under `tools`.
    Authored,
    /// An operation.
    Operation,
    /// A tool of a bound MCP toolset.
    Mounted,
}

/// A name and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Where it stands in the configuration, for messages.
    pub place: String,
}

/// The rules for names. The default is the contract's.
#[derive(Clone, Debug)]
pub struct Names {
    /// Names that the platform keeps for itself, whether or not it mounts such a tool.
    pub reserved: BTreeSet<String>,
    /// Whether two names of these origins may not be the same.
    pub compares: fn(Origin, Origin) -> bool,
}

impl Default for Names {
    fn default() -> Self {
        Self { reserved: Limits::default().names.reserved.into_iter().collect(), compares: |_, _| true }
    }
}

impl Names {
    /// Refuses a name that is reserved.
    pub fn check_reserved(&self, names: &[Named]) -> Result<(), Refusal> {
        let own = names.iter().filter(|named| named.origin != Origin::Mounted);
        match own.into_iter().find(|named| self.reserved.contains(&named.name)) {
            Some(named) => {
                Err(Refusal::bad_request(format!("{}: the name `{}` is reserved", named.place, named.name)))
            }
            None => Ok(()),
        }
    }

    /// Refuses a name that occurs twice.
    pub fn check_unique(&self, names: &[Named]) -> Result<(), Refusal> {
        for (at, one) in names.iter().enumerate() {
            let twin = names[..at]
                .iter()
                .find(|other| other.name == one.name && (self.compares)(other.origin, one.origin));
            if let Some(other) = twin {
                let message = format!("{}: the name `{}` collides with {}", one.place, one.name, other.place);
                return Err(Refusal::bad_request(message));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, origin: Origin) -> Named {
        Named { name: name.into(), origin, place: format!("{origin:?}") }
    }

    #[test]
    fn thirteen_names_are_reserved_for_tools_and_operations_alike() {
        let names = Names::default();
        assert_eq!(names.reserved.len(), 13);
        for name in &names.reserved {
            for origin in [Origin::Authored, Origin::Operation] {
                let why = names.check_reserved(&[named(name, origin)]).unwrap_err();
                assert!(why.message.contains("reserved"), "{name}");
            }
        }
        for name in ["Read", "browser_navigate", "reads"] {
            assert_eq!(names.check_reserved(&[named(name, Origin::Operation)]), Ok(()), "{name}");
        }
    }

    #[test]
    fn a_name_occurs_once_whatever_its_origin() {
        let names = Names::default();
        let origins = [Origin::Authored, Origin::Operation, Origin::Mounted];
        for one in origins {
            for other in origins {
                let why =
                    names.check_unique(&[named("a", one), named("b", one), named("a", other)]).unwrap_err();
                assert!(why.message.contains("collides"), "{one:?} {other:?}");
            }
        }
        assert_eq!(
            names.check_unique(&[named("a", Origin::Authored), named("A", Origin::Operation)]),
            Ok(())
        );
    }
}
