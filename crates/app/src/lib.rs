//! The public door of Pellucid: publish, attack, compare, verify and gate tables in memory.
//!
//! A program hands over record batches and a [`Job`] without `[input]`, and gets releases as record batches, a [`Manifest`] and report
//! values that serialize themselves. Nothing here reads or writes a file. The command `pellucid` is built on the same calls, so both
//! make the same bytes.
//!
//! | to | begin with | and get |
//! |---|---|---|
//! | publish, search levels | [`JobSession`], of a [`Job`] and a [`JobData`] | [`PublishAnswer`] with a [`ReleaseOutput`] |
//! | attack a release | [`JobSession::attack`] or [`AttackRequest::without_table`] | [`AttackAnswer`] |
//! | see publishers side by side | [`Comparison`] | a [`ComparedRelease`] for each |
//! | check a release, by other code | [`ReleaseVerification`] | a [report](parts::VerificationReport) |
//! | answer repeated queries on one table | [`Gate`] | values, or a refusal |
//!
//! [`parts`] has the types of fields and answers. [`host`] is for programs that read formats, keep ledgers or write pages.

mod account;
mod attack;
mod compare;
mod dataset;
#[doc(hidden)]
pub mod example;
mod fingerprint;
mod gate;
pub mod host;
mod known;
mod output;
pub mod parts;
mod register;
mod report;
mod roster;
mod session;
mod verify;

pub use attack::{AttackRequest, ExternalPeople, SeenAnswer};
pub use compare::{ComparedRelease, Comparison};
pub use dataset::JobData;
pub use gate::{Gate, LedgerRecords, MemoryLedger};
pub use output::{OutputTable, ReleaseOutput};
pub use session::{JobSession, PublishAnswer};
pub use verify::ReleaseVerification;

/// # Example
/// A job is read from TOML, with keys set on the way if need be. Hierarchies come by value, so that no file is read.
/// ```
/// use pellucid_app::Job;
///
/// let text = r#"
///     columns.sex = { role = "quasi" }
///     columns.disease = { role = "sensitive" }
///     privacy = { principle = "k-anonymity", k = 2 }
/// "#;
/// let job = Job::read(text, &[])?.with_hierarchy("sex", "F;*\nM;*\n")?;
/// assert_eq!(job.with_publisher("mondrian")?.method.publisher, "mondrian");
///
/// let job = Job::read(text, &[("method.publisher".into(), "hybrid".into())])?;
/// assert_eq!(job.method.publisher, "hybrid");
/// # Ok::<(), pellucid_app::Error>(())
/// ```
#[doc(inline)]
pub use pellucid_publish::job::Job;

/// # Example
/// ```
/// # use pellucid_app::{JobData, Error, JobSession};
/// use pellucid_app::AttackAnswer;
///
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// # let session = JobSession::new(&job, &data);
/// match session.attack(&Default::default())? {
///     AttackAnswer::Release(found) => {
///         // Somebody who knows how the release was made; `blind` is the one who ignores it.
///         let knowing = &found.account.knowing;
///         assert!(knowing.conclusion.holds());
///         assert_eq!(knowing.certain.high, 0);
///     }
///     AttackAnswer::Nothing(_) => println!("nothing was released, so there is nothing to attack"),
/// }
/// # Ok::<(), Error>(())
/// ```
#[doc(inline)]
pub use pellucid_publish::job::AttackAnswer;

/// # Example
/// ```
/// # use pellucid_app::{JobData, Error, PublishAnswer, JobSession};
/// use pellucid_app::Manifest;
///
/// # let (job, patients) = pellucid_app::example::six_people();
/// # let data = JobData::from_batches(&job, &patients)?;
/// # let PublishAnswer::Release(release) = JobSession::new(&job, &data).publish()? else { panic!("groups of two are possible") };
/// let manifest: &Manifest = release.manifest();
/// assert!(manifest.for_publication);
/// assert_eq!((manifest.rows, manifest.classes), (6, 3));
/// # Ok::<(), Error>(())
/// ```
#[doc(inline)]
pub use pellucid_model::manifest::Manifest;

/// # Example
/// ```
/// use pellucid_app::RunStage;
///
/// assert_eq!(RunStage::Group.label(), "making groups");
/// ```
#[doc(inline)]
pub use pellucid_model::progress::RunStage;

/// # Example
/// An attack that may take a tenth of what is usual, and ten seconds at most:
/// ```
/// use pellucid_app::{AttackRequest, Budget};
///
/// let usual = Budget::attack();
/// let budget = Budget { seconds: Some(10.0), ..usual.scaled(usual.states / 10) };
/// let request = AttackRequest { budget, ..AttackRequest::default() };
/// # assert_eq!(request.budget.seconds, Some(10.0));
/// ```
#[doc(inline)]
pub use pellucid_inference::budget::Budget;

/// # Example
/// Messages name the thing, the rule and the remedy, and never hold a cell of the table.
/// ```
/// use pellucid_app::{ErrorKind, Job};
///
/// let error = Job::read("columns = 1", &[]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidParameter);
/// assert!(!error.message().is_empty());
/// ```
#[doc(inline)]
pub use pellucid_model::error::Error;
/// # Example
/// ```
/// use pellucid_app::{Error, ErrorKind};
///
/// // What the caller asked for, and not a defect.
/// let stopped = Error::new(ErrorKind::Interrupted, "stopped by the user");
/// assert_eq!(stopped.kind(), ErrorKind::Interrupted);
/// ```
#[doc(inline)]
pub use pellucid_model::error::ErrorKind;
#[doc(inline)]
pub use pellucid_model::error::Result;
