//! `[report]` of a job: what the report of a release tells.

use std::path::PathBuf;

use pellucid_model::error::{Error, Result};
use pellucid_model::exact::{Fraction, fraction, parse_fraction};
use serde::{Deserialize, Serialize};

/// Queries that the internal edition tells the error of, unless the job says how many.
const QUERIES: usize = 200;

/// The section `[report]` of a job file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportJob {
    /// Records that are found with a higher probability are counted as at risk; 1/5 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<toml::Value>,
    /// A register of the population, relative to the job file, for the internal edition: how likely somebody who has it finds a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<PathBuf>,
    /// Number of count queries whose error the internal edition tells; 0 for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queries: Option<usize>,
}

impl ReportJob {
    /// The threshold of risk.
    ///
    /// # Errors
    /// When it is no probability.
    pub fn threshold(&self) -> Result<Fraction> {
        let Some(value) = &self.threshold else { return Ok(usual_threshold()) };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let share = parse_fraction(&text).ok();
        let share = share.filter(|share| *share >= Fraction::ZERO && *share <= Fraction::ONE);
        share.ok_or_else(|| Error::invalid("report.threshold must be a probability from 0 to 1, e.g. 0.2 or \"1/5\""))
    }

    /// How many queries are asked.
    pub fn queries(&self) -> usize {
        self.queries.unwrap_or(QUERIES)
    }
}

/// The rule of five: a record among fewer than five is at risk.
pub fn usual_threshold() -> Fraction {
    fraction(1, 5u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_a_probability() {
        let threshold = |value: toml::Value| ReportJob { threshold: Some(value), ..ReportJob::default() }.threshold();
        assert_eq!(ReportJob::default().threshold().unwrap(), fraction(1, 5u8));
        assert_eq!(threshold(toml::Value::Float(0.09)).unwrap(), fraction(9, 100u8));
        assert_eq!(threshold("1/11".into()).unwrap(), fraction(1, 11u8));
        assert!(threshold(toml::Value::Integer(2)).is_err() && threshold("often".into()).is_err());
    }
}
