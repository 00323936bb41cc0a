//! Claims: what an entry of a registry says of itself, whatever its parameters. Suites hold each against what the entry does.

use crate::promise::PromiseCase;

/// What an entry says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryClaim {
    /// Of a publisher: what its releases promise, and with which principles.
    Promise(PromiseCase),
    /// Of a publisher: it shows how a release goes wrong. It works in a job, and is offered only to those who ask for it.
    Demonstration,
    /// Of a publisher: it is suggested where another one is not transparent.
    Suggested {
        /// Its place among the suggestions.
        place: u8,
        /// How to ask for it, as it is written in a job.
        words: &'static str,
    },
    /// Of a principle: every mixture of passing distributions passes.
    Mixtures,
    /// Of a principle: a passing group passes with any further rows.
    Growth,
    /// Of a principle: exchanging values changes nothing.
    Symmetry,
    /// Of a principle: it is nothing but a bound on every single value.
    Caps,
    /// Of a principle: it can protect some values of a column and leave the others.
    Protection,
    /// Of a principle: the number of rows that its parts must keep is the least that will do.
    LeastRobust,
    /// Of a strategy: what is released satisfies the principle on the belief of an attacker who knows the strategy.
    Safety,
    /// Of a search: what it finds is the best there is.
    Optimum,
    /// Of a metric: it is one number.
    Number,
    /// Of a metric: it sums up what is lost.
    Summary,
    /// Of a function: what its cells are.
    Cells(CellForm),
}

/// What the cells of a released table are, for whoever reads or checks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellForm {
    /// Quasi cells are the range, or set, of the values of a class.
    Boxes,
    /// Quasi cells are labels of hierarchies.
    Labels,
    /// Two tables, one of quasi-identifiers as they are and one of sensitive values, tied by a number of the group.
    Anatomy,
    /// Quasi cells are a statistic of the values of a class.
    Statistics,
}
