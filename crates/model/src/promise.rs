//! What a release promises beyond its groups, and against whom: a class for every publisher with its principles.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::claim::EntryClaim;

/// Against which attackers a release keeps what its principles say; from weak to strong.
///
/// # Reference
/// `RandomWorlds`: Xiao, Tao, Koudas: Transparent Anonymization, ACM TODS 35(2), 2010, theorem 1. `CoarseningAtRandom`: Heitjan,
/// Rubin: Ignorability and Coarse Data, Annals of Statistics 19(4), 1991: Pr[output | table] depends on the table only through what
/// the output shows of each group, so belief given output and algorithm is the prior conditioned on the groups, for every prior.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromiseClass {
    /// Against nobody who knows the algorithm.
    None,
    /// Against attackers who know the algorithm and all quasi-identifiers and nothing else.
    RandomWorlds,
    /// Whatever attackers know beforehand: the algorithm tells nothing beyond the groups.
    CoarseningAtRandom,
}

impl PromiseClass {
    /// Every class.
    pub const ALL: [Self; 3] = [Self::None, Self::RandomWorlds, Self::CoarseningAtRandom];

    /// As it is written in manifests and lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::RandomWorlds => "random-worlds",
            Self::CoarseningAtRandom => "coarsening-at-random",
        }
    }

    /// The attacker against whom it holds, as what follows "against".
    pub fn attacker(self) -> &'static str {
        match self {
            Self::None => "nobody who knows the algorithm",
            Self::RandomWorlds => {
                "an attacker who knows the algorithm and everyone's quasi-identifiers, but nothing else: not the usual rates, not \
                 anybody's value, not even their own"
            }
            Self::CoarseningAtRandom => {
                "an attacker who knows the algorithm, everyone's quasi-identifiers and anything else beforehand, to whom the \
                 algorithm tells nothing beyond the values that each group shows"
            }
        }
    }

    /// What it does not bound.
    pub fn unbounded(self) -> &'static str {
        match self {
            Self::None => "what follows from how the groups were made",
            Self::RandomWorlds => {
                "what attackers learn who know more; one who knows the usual rates can guess most values"
            }
            Self::CoarseningAtRandom => "what the groups themselves show",
        }
    }
}

impl fmt::Display for PromiseClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A class that a publisher reaches, and with which principles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromiseCase {
    /// Against which attackers the promise holds.
    pub class: PromiseClass,
    /// With which principles, as a clause; empty where it is reached with all that the publisher takes.
    pub with: &'static str,
}

/// With k-anonymity alone, groups follow from quasi-identifiers.
pub const BLIND: EntryClaim = with(PromiseClass::CoarseningAtRandom, "k-anonymity alone");

/// With all other principles nothing is promised.
pub const NOTHING_ELSE: EntryClaim = with(PromiseClass::None, "principles on sensitive values");

/// The claims of a publisher that looks at sensitive values where a principle does.
pub const ONLY_BY_SIZES: &[EntryClaim] = &[BLIND, NOTHING_ELSE];

/// A class that is reached with some principles.
pub const fn with(class: PromiseClass, with: &'static str) -> EntryClaim {
    EntryClaim::Promise(PromiseCase { class, with })
}

/// A class that is reached with all principles that the publisher takes.
pub const fn always(class: PromiseClass) -> EntryClaim {
    with(class, "")
}
