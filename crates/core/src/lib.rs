//! The science of Pellucid: publishing microdata so that privacy holds against an adversary who knows the algorithm.
//!
//! One idea runs through the crate: **worlds -> evidence -> belief -> principle -> verdict**. A world assigns sensitive
//! values to people; what is published, and how it was made, is evidence that rules worlds out; belief is what remains;
//! a principle is a predicate on belief. The publishers here are built so that the textbook principle on released groups
//! already bounds the belief of an adversary who knows everything but the sensitive values.
//!
//! Start with [`job`], the one door; [`publish`] makes groups, [`function`] shows them, [`principle`] says what must hold,
//! [`utility`] what it costs; [`attack`] plays the adversary against any publisher. Files are read and written by the crates around this one.
//!
//! # Example
//! Six people, two values, at most half of a group may share one:
//! ```
//! use pellucid_core::principle::{self, Sensitive};
//! use pellucid_core::exact::Fraction;
//! use pellucid_core::publish::{Axis, Goal, Outcome, PUBLISHERS, Plan, Randomness, Watch};
//! use pellucid_core::registry::{Args, find};
//! use pellucid_core::table::{Column, Domain, Role};
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
//! # Ok::<(), pellucid_core::error::Error>(())
//! ```

pub mod attack;
pub mod belief;
pub mod cases;
pub mod distribution;
pub mod error;
pub mod exact;
pub mod function;
pub mod granulation;
pub mod hierarchy;
pub mod histogram;
pub mod job;
pub mod notation;
pub mod principle;
pub mod publish;
pub mod registry;
pub mod release;
pub mod risk;
pub mod search;
pub mod sentence;
pub mod sequence;
pub mod table;
pub mod utility;
pub mod views;
pub mod words;
pub mod workload;
