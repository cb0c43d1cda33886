//! Reading the files, and finding what they hold.

use std::{collections::BTreeMap, sync::LazyLock};

use crate::{Check, Contract, Defect, OpenPoint, Requirement, Topic, embedded, entry::OpenPoints};

/// Everything that is specified.
#[derive(Debug)]
pub struct Spec {
    contracts: BTreeMap<Contract, ContractSpec>,
}

/// What is specified of one contract.
#[derive(Debug)]
pub struct ContractSpec {
    /// Topics in listing order.
    pub topics: Vec<Topic>,
    /// Open points in the order of their ids.
    pub open_points: Vec<OpenPoint>,
}

/// An entry found by its id.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// A requirement.
    Requirement(&'a Topic, &'a Requirement),
    /// A check, under its requirement.
    Check(&'a Topic, &'a Requirement, &'a Check),
    /// A defect, under its check.
    Defect(&'a Topic, &'a Requirement, &'a Check),
    /// An open point.
    OpenPoint(Contract, &'a OpenPoint),
}

/// A specification file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// The file does not parse.
    #[error("spec/{path}: {reason}")]
    Unreadable {
        /// Path below `spec/`.
        path: &'static str,
        /// Where and why.
        reason: String,
    },
    /// The file says that it belongs elsewhere.
    #[error("spec/{path}: says contract `{says}`")]
    Misplaced {
        /// Path below `spec/`.
        path: &'static str,
        /// The contract it names.
        says: Contract,
    },
}

/// An id that names nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown id `{id}`: no requirement, check, defect or open point is called so{}", suggestion(.nearest))]
pub struct UnknownId {
    /// What was asked for.
    pub id: String,
    /// The nearest id, when one is near.
    pub nearest: Option<String>,
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

static SPEC: LazyLock<Result<Spec, SpecError>> = LazyLock::new(Spec::parse);

impl Spec {
    /// The specification of this build.
    pub fn load() -> Result<&'static Self, &'static SpecError> {
        SPEC.as_ref()
    }

    fn parse() -> Result<Self, SpecError> {
        let mut contracts: BTreeMap<Contract, ContractSpec> = Contract::ALL
            .into_iter()
            .map(|contract| (contract, ContractSpec { topics: Vec::new(), open_points: Vec::new() }))
            .collect();
        for file in embedded::TOPICS {
            let topic: Topic = read(file)?;
            placed(file, topic.contract)?;
            contracts.entry(file.contract).and_modify(|spec| spec.topics.push(topic));
        }
        for file in embedded::OPEN_POINTS {
            let points: OpenPoints = read(file)?;
            placed(file, points.contract)?;
            contracts.entry(file.contract).and_modify(|spec| spec.open_points.extend(points.open_points));
        }
        Ok(Self { contracts })
    }

    /// What is specified of `contract`.
    pub fn contract(&self, contract: Contract) -> &ContractSpec {
        &self.contracts[&contract]
    }

    /// All requirements of `contract`, with their topics.
    pub fn requirements(&self, contract: Contract) -> impl Iterator<Item = (&Topic, &Requirement)> {
        self.contract(contract)
            .topics
            .iter()
            .flat_map(|topic| topic.requirements.iter().map(move |entry| (topic, entry)))
    }

    /// All checks of `contract`, with their topics and requirements.
    pub fn checks(&self, contract: Contract) -> impl Iterator<Item = (&Topic, &Requirement, &Check)> {
        self.requirements(contract)
            .flat_map(|(topic, entry)| entry.checks.iter().map(move |check| (topic, entry, check)))
    }

    /// The check called `id`, with its requirement.
    pub fn check(&self, id: &str) -> Option<(&Requirement, &Check)> {
        Contract::ALL
            .into_iter()
            .flat_map(|contract| self.checks(contract))
            .find(|(_, _, check)| check.id == id)
            .map(|(_, requirement, check)| (requirement, check))
    }

    /// The defect called `id`, with its contract and check.
    pub fn defect(&self, id: &str) -> Option<(Contract, &Check, &Defect)> {
        Contract::ALL.into_iter().find_map(|contract| {
            self.checks(contract)
                .find(|(_, _, check)| check.defect.id == id)
                .map(|(_, _, check)| (contract, check, &check.defect))
        })
    }

    /// Whatever is called `id`.
    pub fn find(&self, id: &str) -> Result<Found<'_>, UnknownId> {
        for contract in Contract::ALL {
            for (topic, requirement) in self.requirements(contract) {
                if requirement.id.eq_ignore_ascii_case(id) || requirement.slug == id {
                    return Ok(Found::Requirement(topic, requirement));
                }
                for check in &requirement.checks {
                    if check.id.eq_ignore_ascii_case(id) || check.slug == id {
                        return Ok(Found::Check(topic, requirement, check));
                    }
                    if check.defect.id == id {
                        return Ok(Found::Defect(topic, requirement, check));
                    }
                }
            }
            for point in &self.contract(contract).open_points {
                if point.id.eq_ignore_ascii_case(id) {
                    return Ok(Found::OpenPoint(contract, point));
                }
            }
        }
        Err(UnknownId { id: id.to_owned(), nearest: nearest(id, self.ids()) })
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        Contract::ALL.into_iter().flat_map(move |contract| {
            let requirements = self.requirements(contract).map(|(_, entry)| entry.id.as_str());
            let checks =
                self.checks(contract).flat_map(|(_, _, check)| [check.id.as_str(), check.defect.id.as_str()]);
            let points = self.contract(contract).open_points.iter().map(|point| point.id.as_str());
            requirements.chain(checks).chain(points)
        })
    }

    /// Checks of `contract` that are built, and those that are pending.
    pub fn counts(&self, contract: Contract) -> (usize, usize) {
        let built = self.checks(contract).filter(|(_, _, check)| check.is_built()).count();
        (built, self.checks(contract).count() - built)
    }
}

/// The candidate nearest to `wanted`, when one is near enough to be a slip.
pub fn nearest<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let wanted = wanted.to_lowercase();
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase()), candidate))
        .min()
        .filter(|(distance, candidate)| *distance <= 2.max(candidate.len() / 4))
        .map(|(_, candidate)| candidate.to_owned())
}

pub(crate) fn read<T: serde::de::DeserializeOwned>(file: &embedded::File) -> Result<T, SpecError> {
    serde_saphyr::from_str(file.text)
        .map_err(|error| SpecError::Unreadable { path: file.path, reason: error.to_string() })
}

pub(crate) fn placed(file: &embedded::File, says: Contract) -> Result<(), SpecError> {
    if says == file.contract { Ok(()) } else { Err(SpecError::Misplaced { path: file.path, says }) }
}
