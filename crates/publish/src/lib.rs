//! How Pellucid publishes: publishers make groups, functions show them, jobs say what is wanted, manifests what was done.
//!
//! Start with [`job`]; [`publisher`] makes groups, [`function`] shows them, [`utility`] and [`workload`] say what they cost, [`risk`] how
//! likely somebody is re-identified; [`search`] walks the lattice of granulations; [`lines`] is what can be seen of a release. Files are
//! read and written by the crates around this one.
//!
//! # Example
//! Six people, two values, at most half of a group may share one:
//! ```
//! use pellucid_model::axis::Axis;
//! use pellucid_model::exact::Fraction;
//! use pellucid_model::principle::{self, Sensitive};
//! use pellucid_model::progress::Watch;
//! use pellucid_model::randomness::Randomness;
//! use pellucid_model::registry::{Args, find};
//! use pellucid_model::table::{Column, Domain, Role};
//! use pellucid_publish::publisher::{Goal, Outcome, PUBLISHERS, Plan};
//!
//! let ages = Domain::Integer(vec![21, 27, 32, 54, 60]);
//! let age = Column::new("age", Role::Quasi, ages, false, vec![0, 1, 2, 2, 3, 4])?;
//! let names = Domain::Category(vec!["HIV".into(), "cancer".into(), "flu".into()]);
//! let disease = Column::new("disease", Role::Sensitive, names, false, vec![1, 2, 2, 0, 1, 2])?;
//!
//! let principle = principle::make("frequency-l-diversity", &Args::new().with("l", 2))?;
//! let whole = disease.histogram();
//! let column = Sensitive { name: "disease", whole: &whole, cardinality: 3, protected: None, hierarchy: None };
//! let goal = Goal {
//!     column: &disease,
//!     principle: principle.as_ref(),
//!     test: principle.bind(column)?,
//!     share: principle.share_bound(),
//!     protected: None,
//! };
//! let quasi = vec![(&age, Axis::new(&age, None))];
//! let plan = Plan {
//!     rows: 6,
//!     quasi,
//!     hierarchies: vec![None],
//!     identifiers: Vec::new(),
//!     goals: vec![goal],
//!     suppression: Fraction::ZERO,
//!     explain: false,
//!     watch: Watch::default(),
//! };
//! let hybrid = find(PUBLISHERS, "publisher", "hybrid")?.make(&Args::new())?;
//! let Outcome::Groups(groups) = hybrid.publish(&plan, Randomness::System)? else { panic!("the table is 2-eligible") };
//! assert_eq!(groups.rows(), 6);
//! assert!(groups.iter().all(|group| group.len() >= 2));
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
