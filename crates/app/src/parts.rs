//! What requests and answers of the door are made of, for programs that name these types. As stable as the door itself.

// Jobs and tables.
pub use pellucid_model::exact::Fraction;
pub use pellucid_model::promise::PromiseClass;
pub use pellucid_model::table::Role;
pub use pellucid_publish::job::{ColumnJob, GateKind, Input, Method, Privacy, ReportJob, ViewJob, ViewsJob};

// Releases, and why there is none.
pub use crate::report::OwnerFacts;
pub use pellucid_publish::publisher::{Account, Ineligible, Nothing, SearchAccount};
pub use pellucid_publish::release::Costs;
pub use pellucid_report::ReleaseReport;

// Attacks, and what is believed.
pub use crate::attack::PriorKnowledge;
pub use pellucid_inference::attack::{AttackAccount, WorstRow};
pub use pellucid_inference::belief::Interval;
pub use pellucid_inference::budget::Sampling;
pub use pellucid_inference::estimate::{HighestProbability, SampleMethod, SampleRecord};
pub use pellucid_inference::verdict::{Basis, Conclusion, CountRange, Verdict};
pub use pellucid_publish::job::{Findings, PersonRisk, Tried};

// Comparisons.
pub use crate::compare::{CaseEnding, ComparisonCase, QueryErrors, QuerySweep, ReleaseFigures};
pub use pellucid_publish::risk::Found;
pub use pellucid_publish::workload::Errors;

// Verification.
pub use pellucid_verify::{Check, Declared, Report, Status};

// The gate.
pub use crate::gate::{
    Author, Decided, EarlierRelease, Finding, GateSettings, Outcome, Overrides, PersonBelief, Showing, Sought, State,
    ViewRequest, Wanted,
};
pub use pellucid_inference::views::{Reach, Restoration, Restored, Simulated};
