//! The simulators that the defect matrix asks for.

use engine::{Launch, LaunchError, matrix::Bench};
use spec::Contract;
use world::degenerate;

use crate::{Degenerate, Simulator};

/// Brings up the built-in simulator.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimulatorBench;

impl Bench for SimulatorBench {
    fn simulator(&self, contract: Contract, defect: Option<&str>) -> Result<Box<dyn Launch>, LaunchError> {
        let defects: Vec<&str> = defect.into_iter().collect();
        Ok(Box::new(Simulator::new(contract, &defects)?))
    }

    fn degenerate_kinds(&self) -> Vec<&'static str> {
        degenerate::KINDS.iter().map(|(name, _)| *name).collect()
    }

    fn degenerate(&self, contract: Contract, kind: &str) -> Result<Box<dyn Launch>, LaunchError> {
        Ok(Box::new(Degenerate::new(contract, kind)?))
    }
}
