//! Which target a run is about.

use std::{fs, path::PathBuf};

use clap::Args;
use engine::{Launch, target};
use spec::Contract;
use targets::{Address, Simulator};

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct Subject {
    /// The description of the target: a target.toml.
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    target: Option<PathBuf>,
    /// The URL of a simulator, or of a target whose control port describes it.
    #[arg(long)]
    url: Option<String>,
}

/// A target, ready to be brought up.
pub(crate) struct Target {
    pub(crate) launch: Box<dyn Launch>,
    /// Whether anything but its URL is known of it.
    pub(crate) is_known: bool,
}

impl Subject {
    /// The arguments that name the target again.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let target = self.target.iter().flat_map(|path| ["--target".to_owned(), path.display().to_string()]);
        target.chain(self.url.iter().flat_map(|url| ["--url".to_owned(), url.clone()])).collect()
    }

    /// Whether it is the built-in simulator.
    pub(crate) fn is_embedded(&self) -> bool {
        self.target.is_none() && self.url.is_none()
    }

    /// The targets, one per contract.
    pub(crate) fn targets(&self, contract: Option<Contract>) -> Result<Vec<Target>, Failure> {
        let wanted =
            || Contract::ALL.into_iter().filter(move |each| contract.is_none_or(|only| only == *each));
        if let Some(path) = &self.target {
            let text =
                fs::read_to_string(path).map_err(|error| Failure(format!("{}: {error}", path.display())))?;
            let within = |error: target::DescriptionError| Failure(format!("{}: {error}", path.display()));
            let description = target::from_toml(&text, |name| std::env::var(name).ok()).map_err(within)?;
            let address = Address::described(description).map_err(within)?;
            return Ok(vec![known(address, contract)?]);
        }
        if let Some(url) = &self.url {
            return match Address::ask(url)? {
                Some(address) => Ok(vec![known(address, contract)?]),
                None => wanted()
                    .map(|contract| {
                        Ok(Target { launch: Box::new(Address::unknown(url, contract)?), is_known: false })
                    })
                    .collect(),
            };
        }
        wanted()
            .map(|contract| {
                let simulator = Simulator::new(contract, &[] as &[&str])?;
                Ok(Target { launch: Box::new(simulator), is_known: true })
            })
            .collect()
    }
}

fn known(address: Address, wanted: Option<Contract>) -> Result<Target, Failure> {
    let contract = address.description().contract;
    match wanted {
        Some(wanted) if wanted != contract => Err(Failure(format!(
            "--contract {wanted}: the target is described as one of contract `{contract}`"
        ))),
        _ => Ok(Target { launch: Box::new(address), is_known: true }),
    }
}
