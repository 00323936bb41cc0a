//! How Pellucid publishes: publishers make groups, functions show them, jobs say what is wanted, manifests what was done.
//!
//! Start with [`job`]; [`publisher`] makes groups, [`function`] shows them, [`utility`] and [`workload`] say what they cost, [`risk`] how
//! likely somebody is re-identified; [`search`] walks the lattice of granulations; [`lines`] is what can be seen of a release. Files are
//! read and written by the crates around this one.
//!
//! # Example
//! Six people, two values, at most half of a group may share one:
//! ```
//! use pellucid_model::axis::QuasiAxis;
//! use pellucid_model::exact::Fraction;
//! use pellucid_model::principle::{self, SensitiveColumn};
//! use pellucid_model::progress::ProgressWatch;
//! use pellucid_model::randomness::RandomSource;
//! use pellucid_model::registry::{EntryArgs, find};
//! use pellucid_model::table::{Column, ColumnDomain, Role};
//! use pellucid_publish::publisher::{PUBLISHERS, PrivacyGoal, PublisherInput};
//!
//! let ages = ColumnDomain::Integer(vec![21, 27, 32, 54, 60]);
//! let age = Column::new("age", Role::Quasi, ages, false, vec![0, 1, 2, 2, 3, 4])?;
//! let names = ColumnDomain::Category(vec!["HIV".into(), "cancer".into(), "flu".into()]);
//! let disease = Column::new("disease", Role::Sensitive, names, false, vec![1, 2, 2, 0, 1, 2])?;
//!
//! let principle = principle::make("frequency-l-diversity", &EntryArgs::new().with("l", 2))?;
//! let whole = disease.histogram();
//! let column = SensitiveColumn { name: "disease", whole: &whole, cardinality: 3, protected: None, hierarchy: None };
//! let goal = PrivacyGoal {
//!     column: &disease,
//!     principle: principle.as_ref(),
//!     test: principle.bind(column)?,
//!     share: principle.share_bound(),
//!     protected: None,
//! };
//! let quasi = vec![(&age, QuasiAxis::new(&age, None))];
//! let plan = PublisherInput {
//!     rows: 6,
//!     quasi,
//!     hierarchies: vec![None],
//!     identifiers: Vec::new(),
//!     goals: vec![goal],
//!     suppression: Fraction::ZERO,
//!     explain: false,
//!     watch: ProgressWatch::default(),
//! };
//! let hybrid = find(PUBLISHERS, "publisher", "hybrid")?.make(&EntryArgs::new())?;
//! let output = hybrid.publish(&plan, RandomSource::System)?.expect("the table is 2-eligible");
//! assert_eq!(output.groups.rows(), 6);
//! assert!(output.groups.iter().all(|group| group.len() >= 2));
//! # Ok::<(), pellucid_model::error::Error>(())
//! ```

pub mod function;
pub mod job;
pub mod lines;
pub mod publisher;
#[cfg(test)]
mod registry_tests;
pub mod release;
pub mod risk;
pub mod search;
pub mod utility;
pub mod workload;
