//! Jobs: what to publish and how, as a value; the one door for the command line and every binding.
//!
//! A [`Job`] is read from TOML, [`Job::check`] resolves its names against the registries, and [`Checked::run`] makes a
//! release in memory from a table. Reading and writing files is the business of `pellucid-io`.

mod measure;
mod people;
mod schema;
mod spec;

use std::collections::BTreeMap;

pub use schema::job_schema;
pub use spec::{ColumnJob, Input, Job, Method, Output, OutputFormat, Privacy, TableFormat};

use crate::error::{Error, Result};
use crate::exact::Fraction;
use crate::function::{FUNCTIONS, Function, Scene, Statistic};
use crate::hierarchy::Hierarchy;
use crate::principle::{Claims, Joint, PRINCIPLES, Principle, Sensitive, Test};
use crate::publish::{
    Axis, Goal, Granulated, Nothing, Outcome, PUBLISHERS, Plan, Publisher, Randomness, SearchAccount, Statement, Step,
    Watch, unique_rows,
};
use crate::registry::{Args, EntryInfo, LEFT_OUT, PRIVATE_FILE, ParamKind, did_you_mean, find};
use crate::release::{
    MANIFEST_FORMAT, Manifest, Mechanism, PublishedColumn, PublishedPrinciple, PublishedSequence, Release,
    reading_to_json,
};
use crate::search::Progress;
use crate::table::{Column, Role, Table};
use crate::utility::{Landscape, METRICS};

/// What a job answers.
#[derive(Debug)]
pub enum Answer {
    /// A release.
    Release(Box<Release>),
    /// Nothing can be disclosed.
    Nothing(Nothing),
}

/// A job whose names are resolved and whose parameters are checked.
#[derive(Debug)]
pub struct Checked<'j> {
    job: &'j Job,
    principles: Vec<(Args, Box<dyn Principle>)>,
    publisher: Box<dyn Publisher>,
    function: Box<dyn Function>,
    suppression: Fraction,
    explain: bool,
}

/// The parts of a run, as they are announced; a search is announced again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Reading the table.
    Read,
    /// Making groups.
    Group,
    /// Counting what an adversary holds possible.
    Count,
    /// Searching the lattice of granulations.
    Search(Progress),
    /// Showing groups.
    Show,
    /// Measuring privacy and utility.
    Measure,
    /// Writing the release.
    Write,
}

impl Stage {
    /// What is said while it lasts.
    pub fn words(self) -> &'static str {
        match self {
            Self::Read => "reading the table",
            Self::Group => "making groups",
            Self::Count => "counting worlds",
            Self::Search(_) => "searching the lattice",
            Self::Show => "writing groups out",
            Self::Measure => "measuring privacy and utility",
            Self::Write => "saving the release",
        }
    }
}

impl Job {
    /// Resolves names against the registries and checks what can be checked without the table.
    pub fn check(&self) -> Result<Checked<'_>> {
        let mut principles = Vec::new();
        for privacy in &self.privacy {
            let entry = find(PRINCIPLES, "principle", &privacy.principle)?;
            check_keys("privacy", &["principle", "suppression"], &entry.info(), privacy.parameters.keys())?;
            let args = privacy.args()?;
            principles.push((args.clone(), entry.make(&args)?));
        }
        if principles.is_empty() {
            return Err(Error::invalid("the job states no principle; add a [privacy] section"));
        }
        let publisher = find(PUBLISHERS, "publisher", &self.method.publisher)?;
        check_keys(
            "method",
            &["publisher", "function", "suppression"],
            &publisher.info(),
            self.method.parameters.keys(),
        )?;
        let publisher = publisher.make(&self.method.args()?)?;
        let function = find(FUNCTIONS, "function", &self.method.function)?.make(&Args::new())?;
        let suppression = self.suppression()?;
        if suppression > Fraction::ZERO && !publisher.suppresses() {
            return Err(Error::invalid(format!(
                "publisher `{}` leaves no row out; remove `suppression` or use publisher = \"search\"",
                self.method.publisher
            )));
        }
        let with_role = |role: Role| self.columns.values().filter(|column| column.role == role).count();
        if with_role(Role::Quasi) == 0 {
            return Err(Error::invalid("no column has role `quasi`; declare what an adversary may know of people"));
        }
        if with_role(Role::Sensitive) == 0 && principles.iter().any(|(_, principle)| principle.needs_sensitive()) {
            return Err(Error::invalid("no column has role `sensitive`; declare what must not be learned"));
        }
        self.check_people(&principles)?;
        for (name, column) in &self.columns {
            if column.protect.is_some() && column.role != Role::Sensitive {
                return Err(Error::invalid(format!(
                    "column `{name}` has `protect` but role `{}`; only sensitive values are protected",
                    column.role
                )));
            }
            if column.hierarchy.is_some() && !matches!(column.role, Role::Quasi | Role::Sensitive) {
                return Err(Error::invalid(format!(
                    "column `{name}` has a hierarchy but role `{}`; remove it or change the role",
                    column.role
                )));
            }
            if column.aggregate.is_some() && column.role != Role::Quasi {
                return Err(Error::invalid(format!(
                    "column `{name}` has `aggregate` but role `{}`; remove it, only quasi values are aggregated",
                    column.role
                )));
            }
        }
        Ok(Checked { job: self, principles, publisher, function, suppression, explain: false })
    }
}

impl Checked<'_> {
    /// The same, accounting for everything the publisher could have looked at when `explain` is set.
    #[must_use]
    pub fn explaining(mut self, explain: bool) -> Self {
        self.explain = explain;
        self
    }

    /// Makes the release of `table`. `hierarchies` are by column of the table.
    pub fn run(
        &self,
        table: &Table,
        hierarchies: &[Option<Hierarchy>],
        randomness: Randomness<'_>,
        progress: &dyn Fn(Stage) -> Result<()>,
    ) -> Result<Answer> {
        let randomness = randomness.check()?;
        if !self.publisher.granulates() {
            self.function.accepts(table, hierarchies)?;
        }
        self.with_plan(table, hierarchies, progress, |plan| {
            self.release(table, hierarchies, plan, randomness, progress)
        })
    }

    /// What a search of the lattice of `table` finds.
    pub fn search(
        &self,
        table: &Table,
        hierarchies: &[Option<Hierarchy>],
        progress: &dyn Fn(Stage) -> Result<()>,
    ) -> Result<SearchAccount> {
        self.with_plan(table, hierarchies, progress, |plan| {
            progress(self.publisher.stage())?;
            self.publisher.explore(plan)
        })
    }

    /// Binds the job to `table` and gives `then` the plan.
    fn with_plan<T>(
        &self,
        table: &Table,
        hierarchies: &[Option<Hierarchy>],
        progress: &dyn Fn(Stage) -> Result<()>,
        then: impl FnOnce(&Plan<'_>) -> Result<T>,
    ) -> Result<T> {
        let watch = |done: Progress| progress(Stage::Search(done));
        let identifiers: Vec<&Column> = table.with_role(Role::Identifier).collect();
        let repeated = table.rows() as u64 - unique_rows(&identifiers, table.rows());
        if !identifiers.is_empty() && repeated > 0 {
            let names: Vec<String> = identifiers.iter().map(|column| format!("`{}`", column.name())).collect();
            return Err(Error::bad_input(format!(
                "{repeated} rows share their identifier ({}) with another row, and the guarantee is for one row per person; \
                 join the rows of a person, or give the column role `drop` if it does not name people",
                names.join(", ")
            )));
        }
        let stand_in;
        let mut sensitive: Vec<(&Column, Option<&Hierarchy>)> = by_role(table, hierarchies, Role::Sensitive).collect();
        if sensitive.is_empty() {
            stand_in = no_sensitive_column(table.rows())?;
            sensitive.push((&stand_in, None));
        }
        let mut joint_columns = Vec::new();
        let mut joint_tests = Vec::new();
        for (_, principle) in &self.principles {
            let (column, test) = principle.joint(table)?.map(|Joint { column, test }| (column, test)).unzip();
            if let Some(claims) = test.as_deref().and_then(Test::claims) {
                check_satisfied(principle.as_ref(), claims)?;
            }
            joint_columns.push(column);
            joint_tests.push(test);
        }
        let joint = joint_columns.iter().zip(joint_tests).map(|(column, test)| column.as_ref().zip(test));
        let plan = self.plan(table, hierarchies, &sensitive, joint.collect(), Watch(&watch))?;
        then(&plan)
    }

    fn release(
        &self,
        table: &Table,
        hierarchies: &[Option<Hierarchy>],
        plan: &Plan<'_>,
        randomness: Randomness<'_>,
        progress: &dyn Fn(Stage) -> Result<()>,
    ) -> Result<Answer> {
        let statistics = self.statistics(table)?;
        progress(self.publisher.stage())?;
        let (mut sequence, mut account, mut search, mut searched) = (None, None, None, None);
        let (groups, granulation) = match self.publisher.publish(plan, randomness)? {
            Outcome::Groups(groups) => (groups, None),
            Outcome::Step(step) => {
                let Step { groups, granulation, published, account: walked } = *step;
                (sequence, account) = (Some(published), Some(Box::new(walked)));
                (groups, Some(granulation))
            }
            Outcome::Granulated(granulated) => {
                let Granulated { groups, granulation, published, account: looked } = *granulated;
                (search, searched) = (Some(published), Some(Box::new(looked)));
                (groups, Some(granulation))
            }
            Outcome::Nothing(nothing) => return Ok(Answer::Nothing(nothing)),
        };
        progress(Stage::Show)?;
        let (granulation, statistics) = (granulation.as_ref(), statistics.as_slice());
        let scene = Scene { table, hierarchies, groups: &groups, granulation, statistics };
        let exhibit = self.function.show(scene)?;
        measure::check_classes(plan, &groups, &exhibit.classes, &self.job.method.function)?;
        progress(Stage::Measure)?;
        let (measured, highest_share) = measure::measure(plan, &exhibit.classes);
        let landscape = Landscape::new(scene, &exhibit);
        let mut utility = BTreeMap::new();
        for entry in METRICS {
            let reading = entry.make(&Args::new())?.measure(&landscape);
            utility.insert(entry.id.to_owned(), reading_to_json(&reading));
        }
        let statement = self.publisher.statement(plan);
        let seeded = randomness.is_insecure().then(|| {
            "its random choices came from a known seed, and whoever knows the seed can undo it; publish without one"
                .to_owned()
        });
        let caveat = statement.caveat.clone().or(seeded);
        let manifest = Manifest {
            format: MANIFEST_FORMAT,
            made_by: format!("pellucid {}", env!("CARGO_PKG_VERSION")),
            for_publication: caveat.is_none(),
            caveat,
            not_transparent: statement.not_transparent.clone(),
            rows: groups.rows() as u64,
            left_out: (table.rows() - groups.rows()) as u64,
            classes: exhibit.classes.len() as u64,
            columns: self.published_columns(table),
            group_column: exhibit.group_column.clone(),
            privacy: self.published_principles()?,
            mechanism: Mechanism { search, ..self.mechanism(table, randomness, statement, sequence)? },
            measured,
            utility,
            files: Vec::new(),
        };
        Ok(Answer::Release(Box::new(Release { exhibit, manifest, highest_share, account, search: searched })))
    }

    fn plan<'a>(
        &'a self,
        table: &'a Table,
        hierarchies: &'a [Option<Hierarchy>],
        sensitive: &[(&'a Column, Option<&'a Hierarchy>)],
        joint: Vec<Option<(&'a Column, Box<dyn Test>)>>,
        watch: Watch<'a>,
    ) -> Result<Plan<'a>> {
        let quasi = by_role(table, hierarchies, Role::Quasi).map(|(column, hierarchy)| {
            let order = hierarchy.map(Hierarchy::order);
            (column, Axis::new(column, order.as_deref()))
        });
        let quasi = quasi.collect();
        let of_quasi = by_role(table, hierarchies, Role::Quasi).map(|(_, hierarchy)| hierarchy).collect();
        let mut goals = Vec::new();
        for &(column, hierarchy) in sensitive {
            let protected = self.protected(column)?;
            let whole = column.histogram();
            let alone = self.principles.iter().filter(|(_, principle)| principle.sentences().is_empty());
            for (_, principle) in alone {
                if !principle.needs_sensitive() && !std::ptr::eq(column, sensitive[0].0) {
                    continue;
                }
                let context = Sensitive {
                    name: column.name(),
                    whole: &whole,
                    cardinality: column.cardinality(),
                    protected: protected.as_deref(),
                    hierarchy,
                };
                goals.push(Goal {
                    column,
                    principle: principle.as_ref(),
                    test: principle.bind(context)?,
                    share: principle.share_bound(),
                    protected: protected.clone(),
                });
            }
        }
        for ((_, principle), joint) in self.principles.iter().zip(joint) {
            let Some((column, test)) = joint else { continue };
            goals.push(Goal { column, principle: principle.as_ref(), test, share: None, protected: None });
        }
        let identifiers = table.with_role(Role::Identifier).collect();
        Ok(Plan {
            rows: table.rows(),
            quasi,
            hierarchies: of_quasi,
            identifiers,
            goals,
            suppression: self.suppression.clone(),
            explain: self.explain,
            watch,
        })
    }

    /// By column of the table, the statistic that the job asks for.
    fn statistics(&self, table: &Table) -> Result<Vec<Option<Statistic>>> {
        let of_column = |column: &Column| {
            let statistic = self.job.columns.get(column.name()).and_then(|spec| spec.aggregate);
            statistic.map_or(Ok(()), |statistic| statistic.check(column)).map(|()| statistic)
        };
        table.columns().iter().map(of_column).collect()
    }

    /// By code, whether the value is protected.
    fn protected(&self, column: &Column) -> Result<Option<Vec<bool>>> {
        let Some(protect) = self.job.columns.get(column.name()).and_then(|spec| spec.protect.as_ref()) else {
            return Ok(None);
        };
        if protect.is_empty() {
            return Err(Error::invalid(format!(
                "`protect` of column `{}` is empty; list the values, or leave it out to protect all",
                column.name()
            )));
        }
        let texts: Vec<String> = (0..column.cardinality() as u32).map(|code| column.text(code)).collect();
        let absent = protect.iter().filter(|value| !texts.contains(value)).count();
        if absent > 0 {
            return Err(Error::invalid(format!(
                "{absent} of the {} values that `protect` lists for column `{}` do not occur in it; check their spelling, \
                 a misspelt value would go unprotected, or remove them",
                protect.len(),
                column.name()
            )));
        }
        Ok(Some(texts.iter().map(|text| protect.contains(text)).collect()))
    }

    fn published_columns(&self, table: &Table) -> Vec<PublishedColumn> {
        let published = table.columns().iter().filter(|column| !matches!(column.role(), Role::Identifier | Role::Drop));
        published
            .map(|column| {
                let spec = self.job.columns.get(column.name());
                let missing = spec.and_then(|spec| spec.missing.clone());
                let kind = column.domain().kind();
                let aggregated = self.function.aggregates() && column.role() == Role::Quasi;
                let aggregate = spec.and_then(|spec| spec.aggregate).unwrap_or_else(|| Statistic::usual(kind));
                PublishedColumn {
                    name: column.name().to_owned(),
                    role: column.role(),
                    kind,
                    hierarchy: spec.and_then(|spec| spec.hierarchy.clone()),
                    protect: spec.and_then(|spec| spec.protect.clone()),
                    aggregate: aggregated.then_some(aggregate),
                    missing: missing.unwrap_or_else(|| self.job.input.missing.clone()),
                }
            })
            .collect()
    }

    fn published_principles(&self) -> Result<Vec<PublishedPrinciple>> {
        let published = |(args, principle): &(Args, Box<dyn Principle>)| {
            let entry = find(PRINCIPLES, "principle", principle.id())?;
            let is_file =
                |name: &str| entry.params.iter().any(|param| param.name == name && param.kind == ParamKind::File);
            let parameters = args.iter().map(|(name, value)| {
                let value = if is_file(name) { PRIVATE_FILE } else { value };
                (name.to_owned(), value.to_owned())
            });
            Ok(PublishedPrinciple {
                principle: principle.id().to_owned(),
                parameters: parameters.collect(),
                means: principle.describe(),
            })
        };
        self.principles.iter().map(published).collect()
    }

    fn mechanism(
        &self,
        table: &Table,
        randomness: Randomness<'_>,
        statement: Statement,
        sequence: Option<PublishedSequence>,
    ) -> Result<Mechanism> {
        let publisher = find(PUBLISHERS, "publisher", &self.job.method.publisher)?;
        let function = find(FUNCTIONS, "function", &self.job.method.function)?;
        let ties = if !statement.draws {
            "there are none, groups follow from the released levels and quasi-identifiers alone"
        } else if self.publisher.granulates() {
            "there are none; the jumps were drawn at random"
        } else if table.with_role(Role::Identifier).next().is_some() {
            "by identifier, then by all quasi columns in order, then at random"
        } else {
            "by all quasi columns in order, then at random"
        };
        let randomness_words = if !statement.draws {
            "no choice was random"
        } else if randomness.is_insecure() {
            "a seed that can be replayed: not for publication"
        } else {
            "the operating system"
        };
        let args = self.job.method.args()?.checked(publisher.id, publisher.params)?;
        Ok(Mechanism {
            publisher: publisher.id.to_owned(),
            publisher_reference: publisher.reference.to_owned(),
            publisher_parameters: args
                .iter()
                .filter(|(_, value)| *value != LEFT_OUT)
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            function: function.id.to_owned(),
            function_reference: function.reference.to_owned(),
            sequence,
            search: None,
            ties: ties.to_owned(),
            randomness: randomness_words.to_owned(),
            guarantee: statement.guarantee,
        })
    }
}

/// Fails on a key of `section` that is neither one of its `own` nor a parameter of `entry`.
fn check_keys<'a>(
    section: &str,
    own: &[&str],
    entry: &EntryInfo,
    mut keys: impl Iterator<Item = &'a String>,
) -> Result<()> {
    let known: Vec<&str> = own.iter().copied().chain(entry.params.iter().map(|param| param.name)).collect();
    keys.find(|key| !known.contains(&key.as_str())).map_or(Ok(()), |key| {
        let owner = PUBLISHERS.iter().find(|other| other.params.iter().any(|param| param.name == key));
        let hint = match owner {
            Some(owner) if section == "method" => format!(", it belongs to publisher `{}`", owner.id),
            _ => did_you_mean(key, known.iter().copied()),
        };
        let known = known.join("`, `");
        Err(Error::invalid(format!("unknown key `{key}` in [{section}]{hint}; with `{}` it has `{known}`", entry.id)))
    })
}

/// Fails on a sentence that no row satisfies: a misspelt one would protect nobody.
fn check_satisfied(principle: &dyn Principle, claims: &Claims) -> Result<()> {
    let nobodys = |at: &usize| !claims.satisfied.iter().any(|truths| truths[*at]);
    let Some(at) = (0..claims.sentences).find(nobodys) else { return Ok(()) };
    let sentence = principle.sentences().get(at).map_or_else(String::new, |sentence| format!(" (`{sentence}`)"));
    Err(Error::invalid(format!(
        "sentence {} of `sentences`{sentence} is satisfied by no row, so it protects nobody; check it, or remove it",
        at + 1
    )))
}

fn by_role<'a>(
    table: &'a Table,
    hierarchies: &'a [Option<Hierarchy>],
    role: Role,
) -> impl Iterator<Item = (&'a Column, Option<&'a Hierarchy>)> {
    let pairs = table.columns().iter().zip(hierarchies);
    pairs.filter(move |(column, _)| column.role() == role).map(|(column, hierarchy)| (column, hierarchy.as_ref()))
}

/// A column with one value, for principles that look at group sizes only.
fn no_sensitive_column(rows: usize) -> Result<Column> {
    let domain = crate::table::Domain::Category(vec!["(none)".to_owned()]);
    Column::new("(none)", Role::Sensitive, domain, false, vec![0; rows])
}
