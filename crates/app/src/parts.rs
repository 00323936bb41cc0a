//! What requests and answers of the door are made of, for programs that name these types. As stable as the door itself.

// Jobs and tables.
pub use pellucid_model::exact::Fraction;
pub use pellucid_model::promise::PromiseClass;
pub use pellucid_model::table::Role;
pub use pellucid_publish::job::{ColumnJob, GateKind, InputJob, MethodJob, PrivacyJob, ReportJob, ViewJob, ViewsJob};

// Releases, and why there is none.
pub use crate::report::OwnerFacts;
pub use pellucid_publish::publisher::{IneligibleTable, NoRelease, SearchAccount, SequenceAccount};
pub use pellucid_publish::release::ReleaseCosts;
pub use pellucid_report::ReleaseReport;

// Attacks, and what is believed.
pub use crate::attack::PriorKnowledge;
pub use pellucid_inference::attack::{AttackAccount, WorstRow};
pub use pellucid_inference::belief::UnitInterval;
pub use pellucid_inference::budget::SamplingPlan;
pub use pellucid_inference::estimate::{HighestProbability, SampleMethod, SampleRecord};
pub use pellucid_inference::verdict::{CountRange, Verdict, VerdictBasis, VerdictConclusion};
pub use pellucid_publish::job::{AttackFindings, PersonRisk, TrialFindings};

// Comparisons.
pub use crate::compare::{CaseEnding, ComparisonCase, QueryErrors, QuerySweep, ReleaseFigures};
pub use pellucid_publish::risk::ReidentificationRisk;
pub use pellucid_publish::workload::WorkloadErrors;

// Verification.
pub use pellucid_verify::{CheckStatus, DeclaredTable, ReleaseCheck, VerificationReport};

// The gate.
pub use crate::gate::{
    ColumnState, DecisionAuthor, DecisionOutcome, EarlierRelease, GateDecision, GateFinding, GateSettings, GateShowing,
    OwnerOverride, PersonBelief, RestorationReport, RestorationRequest, ViewRequest,
};
pub use pellucid_inference::views::{RestorationLimits, RestorationResult, RestorationSearch, SimulatableVerdict};
