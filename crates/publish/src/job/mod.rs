//! Jobs: what to publish and how, as a value; the one door for the command line and every binding.
//!
//! A [`Job`] is read from TOML, [`Job::check`] resolves its names against the registries, and [`ResolvedJob::run`] makes a
//! release in memory from a table. Reading and writing files is the business of `pellucid-io`.

mod altered;
mod attack;
mod check;
mod deprecated;
mod from_manifest;
mod measure;
mod methods;
mod originals;
mod people;
mod published;
mod reading;
mod report;
mod schema;
mod spec;
mod trial;
mod views;
mod watched;

use std::collections::BTreeMap;

use self::altered::AlteredTable;
pub use attack::{AttackAnswer, AttackFindings};
pub use deprecated::{DEPRECATED_KEYS, DeprecatedKey};
pub use originals::{ExternalKnowledge, Prior, SeenOutput};
pub use report::ReportJob;
pub use schema::job_schema;
pub use spec::{ColumnJob, InputJob, Job, MethodJob, OutputFormat, OutputJob, PrivacyJob, TableFormat};
pub use trial::{OpenTrial, PersonRisk, TrialFindings};
pub use views::{GateKind, ViewJob, ViewsJob};
pub use watched::TriedCount;

use pellucid_model::axis::QuasiAxis;
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::principle::{BoundPrinciple, JointColumn, Principle, SensitiveColumn, SentenceClaims};
use pellucid_model::progress::SearchProgress;
use pellucid_model::progress::{ProgressWatch, RunStage};
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::EntryArgs;
use pellucid_model::table::unique_rows;
use pellucid_model::table::{Column, Role, Table};
use pellucid_model::words::absent_values;

use crate::function::{Function, FunctionInput, ReleasedTables, SpanRule};
use crate::publisher::{
    AlteredValues, NoRelease, PrivacyGoal, Publisher, PublisherInput, PublisherOutput, SearchAccount,
};
use crate::release::{Release, ReleaseCosts, reading_to_json};
use crate::utility::{METRICS, MetricInput};
use pellucid_model::manifest::{MANIFEST_FORMAT, Manifest, NO_COLUMN, PublishedMechanism};
use pellucid_model::statistic::ColumnStatistic;

/// What a job answers.
#[derive(Debug)]
pub enum JobAnswer {
    /// Every principle holds in every class; nothing is written yet.
    Release(Box<Release>),
    /// Nothing can be disclosed.
    Nothing(NoRelease),
}

/// A job whose names are resolved and whose parameters are checked.
#[derive(Debug)]
pub struct ResolvedJob<'j> {
    job: &'j Job,
    principles: Vec<(EntryArgs, Box<dyn Principle>)>,
    publisher: Box<dyn Publisher>,
    function: Box<dyn Function>,
    suppression: Fraction,
    explain: bool,
    spread: bool,
}

/// What the publisher made, with the table as it is shown.
#[derive(Debug)]
struct Made {
    output: PublisherOutput,
    altered: Option<AlteredTable>,
}

impl Made {
    /// What a function shows of it.
    fn scene<'a>(
        &'a self,
        table: &'a Table,
        hierarchies: &'a [Option<Hierarchy>],
        statistics: &'a [Option<ColumnStatistic>],
    ) -> FunctionInput<'a> {
        let table = self.altered.as_ref().map_or(table, |altered| &altered.table);
        let PublisherOutput { groups, granulation, .. } = &self.output;
        FunctionInput { table, hierarchies, groups, granulation: granulation.as_ref(), statistics }
    }
}

impl ResolvedJob<'_> {
    /// The same, accounting for everything the publisher could have looked at when `explain` is set.
    #[must_use]
    pub fn explaining(mut self, explain: bool) -> Self {
        self.explain = explain;
        self
    }

    /// The same; releases then say what a reader takes their cells for ([`Release::spreads`]), which is found out last, as the stage
    /// [`RunStage::Query`].
    #[must_use]
    pub fn spreading(mut self) -> Self {
        self.spread = true;
        self
    }

    /// Makes the release of `table`. `hierarchies` are by column of the table.
    pub fn run(
        &self,
        table: &Table,
        hierarchies: &[Option<Hierarchy>],
        randomness: RandomSource<'_>,
        progress: &dyn Fn(RunStage) -> Result<()>,
    ) -> Result<JobAnswer> {
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
        progress: &dyn Fn(RunStage) -> Result<()>,
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
        progress: &dyn Fn(RunStage) -> Result<()>,
        then: impl FnOnce(&PublisherInput<'_>) -> Result<T>,
    ) -> Result<T> {
        let watch = |done: SearchProgress| progress(RunStage::Search(done));
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
            let (column, test) = principle.joint(table)?.map(|JointColumn { column, test }| (column, test)).unzip();
            if let Some(claims) = test.as_deref().and_then(BoundPrinciple::claims) {
                check_satisfied(principle.as_ref(), claims)?;
            }
            joint_columns.push(column);
            joint_tests.push(test);
        }
        let joint = joint_columns.iter().zip(joint_tests).map(|(column, test)| column.as_ref().zip(test));
        let plan = self.plan(table, hierarchies, &sensitive, joint.collect(), ProgressWatch(&watch))?;
        then(&plan)
    }

    fn release(
        &self,
        table: &Table,
        hierarchies: &[Option<Hierarchy>],
        plan: &PublisherInput<'_>,
        randomness: RandomSource<'_>,
        progress: &dyn Fn(RunStage) -> Result<()>,
    ) -> Result<JobAnswer> {
        progress(self.publisher.stage())?;
        let made = match self.make(table, plan, randomness)? {
            Ok(made) => made,
            Err(nothing) => return Ok(JobAnswer::Nothing(nothing)),
        };
        progress(RunStage::Show)?;
        let statistics = self.statistics(table)?;
        let scene = made.scene(table, hierarchies, &statistics);
        let exhibit = self.exhibit(plan, &made, scene)?;
        let PublisherOutput { groups, sequence, walk, search, levels, searched, .. } = &made.output;
        let (table, altered) = (scene.table, made.altered.as_ref());
        progress(RunStage::Measure)?;
        let (measured, of_sentences) = measure::measure(plan, &exhibit.classes, altered);
        let sensitive = table.with_role(Role::Sensitive).map(|column| Ok((column, self.protected(column)?)));
        let shares = measure::shown_shares(&exhibit.classes, &sensitive.collect::<Result<Vec<_>>>()?);
        let shown_share = shares.highest;
        let highest_share = of_sentences.or(shares.protected);
        let landscape = MetricInput::new(scene, &exhibit);
        let is_implied = exhibit.reach == SpanRule::Rows;
        let (mut utility, mut published) = (BTreeMap::new(), BTreeMap::new());
        for entry in METRICS {
            let metric = entry.make(&EntryArgs::new())?;
            let reading = reading_to_json(&metric.measure(&landscape));
            if is_implied || !metric.looks_at_spans() {
                published.insert(entry.id.to_owned(), reading.clone());
            }
            utility.insert(entry.id.to_owned(), reading);
        }
        let losses = landscape.losses().into_iter().map(|loss| (loss.column.clone(), loss.into())).collect();
        let costs = ReleaseCosts { utility, losses };
        let statement = self.statement(plan, randomness);
        let seeded = randomness.is_insecure().then(|| {
            "its random choices came from a known seed, and whoever knows the seed can undo it; publish without one"
                .to_owned()
        });
        let unmet = altered.and_then(|altered| altered.caveat(plan, &exhibit.classes));
        let caveat = statement.caveat.clone().or(unmet).or(seeded);
        let altered = altered.map(|altered| altered.column.clone());
        let manifest = Manifest {
            format: MANIFEST_FORMAT,
            made_by: format!("pellucid {}", env!("CARGO_PKG_VERSION")),
            for_publication: caveat.is_none(),
            caveat,
            not_transparent: statement.not_transparent.clone(),
            earlier_result: None,
            rows: groups.rows() as u64,
            left_out: (table.rows() - groups.rows()) as u64,
            classes: exhibit.classes.len() as u64,
            columns: self.published_columns(table, is_implied.then_some(&costs)),
            group_column: exhibit.group_column.clone(),
            privacy: self.published_principles()?,
            mechanism: PublishedMechanism {
                search: search.clone(),
                levels: levels.clone(),
                altered,
                ..self.mechanism(table, randomness, statement, sequence.clone())?
            },
            measured,
            utility: published,
            files: Vec::new(),
        };
        let (account, search) = (walk.clone(), searched.clone());
        let spreads = if self.spread {
            progress(RunStage::Query)?;
            Some(self.function.spread(scene, &exhibit))
        } else {
            None
        };
        // Only a principle on shares caps belief: of distinct values one may still be nearly certain.
        let bound = plan.goals.iter().filter_map(|goal| goal.share.clone()).min();
        let single_value = shares.single;
        let is_blind = plan.is_blind();
        let release = Release {
            exhibit,
            manifest,
            highest_share,
            shown_share,
            single_value,
            costs,
            is_blind,
            bound,
            account,
            search,
            spreads,
        };
        Ok(JobAnswer::Release(Box::new(release)))
    }

    /// Makes groups, or answers nothing.
    fn make(
        &self,
        table: &Table,
        plan: &PublisherInput<'_>,
        randomness: RandomSource<'_>,
    ) -> Result<Result<Made, NoRelease>> {
        let mut output = match self.publisher.publish(plan, randomness)? {
            Ok(output) => output,
            Err(nothing) => return Ok(Err(nothing)),
        };
        let altered =
            output.altered.take().map(|AlteredValues { column, codes }| AlteredTable::new(table, column, codes));
        Ok(Ok(Made { output, altered: altered.transpose()? }))
    }

    /// Shows what was made.
    fn exhibit(&self, plan: &PublisherInput<'_>, made: &Made, scene: FunctionInput<'_>) -> Result<ReleasedTables> {
        let exhibit = self.function.show(scene)?;
        measure::check_classes(plan, &made.output.groups, &exhibit.classes, &self.job.method.function)?;
        Ok(exhibit)
    }

    fn plan<'a>(
        &'a self,
        table: &'a Table,
        hierarchies: &'a [Option<Hierarchy>],
        sensitive: &[(&'a Column, Option<&'a Hierarchy>)],
        joint: Vec<Option<(&'a Column, Box<dyn BoundPrinciple>)>>,
        watch: ProgressWatch<'a>,
    ) -> Result<PublisherInput<'a>> {
        let quasi = by_role(table, hierarchies, Role::Quasi).map(|(column, hierarchy)| {
            let order = hierarchy.map(Hierarchy::order);
            (column, QuasiAxis::new(column, order.as_deref()))
        });
        let quasi = quasi.collect();
        let of_quasi = by_role(table, hierarchies, Role::Quasi).map(|(_, hierarchy)| hierarchy).collect();
        let mut goals = Vec::new();
        for &(column, hierarchy) in sensitive {
            let first = std::ptr::eq(column, sensitive[0].0);
            let alone = self.principles.iter().map(|(_, principle)| principle.as_ref());
            let alone = alone.filter(|principle| principle.sentences().is_empty());
            let wanted = alone.filter(|principle| principle.needs_sensitive() || first);
            goals.extend(self.goals(column, hierarchy, wanted)?);
        }
        for ((_, principle), joint) in self.principles.iter().zip(joint) {
            let Some((column, test)) = joint else { continue };
            goals.push(PrivacyGoal { column, principle: principle.as_ref(), test, share: None, protected: None });
        }
        let identifiers = table.with_role(Role::Identifier).collect();
        Ok(PublisherInput {
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

    /// The principles on single columns `wanted`, bound to `column`.
    fn goals<'a>(
        &'a self,
        column: &'a Column,
        hierarchy: Option<&'a Hierarchy>,
        wanted: impl Iterator<Item = &'a dyn Principle>,
    ) -> Result<Vec<PrivacyGoal<'a>>> {
        let protected = self.protected(column)?;
        let whole = column.histogram();
        let goals = wanted.map(|principle| {
            let context = SensitiveColumn {
                name: column.name(),
                whole: &whole,
                cardinality: column.cardinality(),
                protected: protected.as_deref(),
                hierarchy,
            };
            Ok(PrivacyGoal {
                column,
                principle,
                test: principle.bind(context)?,
                share: principle.share_bound(),
                protected: protected.clone(),
            })
        });
        goals.collect()
    }

    /// By column of the table, the statistic that the job asks for.
    fn statistics(&self, table: &Table) -> Result<Vec<Option<ColumnStatistic>>> {
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
            return Err(Error::invalid(absent_values(absent, protect.len(), "`protect`", column.name())));
        }
        Ok(Some(texts.iter().map(|text| protect.contains(text)).collect()))
    }
}

/// Fails on a sentence that no row satisfies: a misspelt one would protect nobody.
fn check_satisfied(principle: &dyn Principle, claims: &SentenceClaims) -> Result<()> {
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
    let domain = pellucid_model::table::ColumnDomain::Category(vec![NO_COLUMN.to_owned()]);
    Column::new(NO_COLUMN, Role::Sensitive, domain, false, vec![0; rows])
}
