//! Attacks on small tables: every possible original is tried, the job itself being the mechanism.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use dashu_int::UBig;
use hashbrown::HashMap;
use pellucid_inference::adversary::{
    ExternalSource, Mechanism, MinimalityBelief, PossibleWorlds, ReleaseRow, World, blind_rows, credibility,
    reverse_engineer,
};
use pellucid_inference::budget::Budget;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::granulation::{ColumnGrain, Granulation};
use pellucid_model::hierarchy::{BorderIntervals, Hierarchy};
use pellucid_model::progress::RunStage;
use pellucid_model::randomness::{RandomSource, chances};
use pellucid_model::table::{Column, Role, Table};
use pellucid_model::words::counted;

use super::attack::one_sensitive_column;
use super::{AttackFindings, Job, OpenTrial, ResolvedJob, TriedCount};
use crate::function::FunctionInput;
use crate::lines::ReleasedLines;
use crate::publisher::NoRelease;
use pellucid_model::manifest::PublishedGrain;

/// Ways in which random choices may combine on one original.
const WAYS: u64 = 1_000_000;

/// What an adversary knows before anything is released.
#[derive(Debug, Clone)]
pub struct ExternalKnowledge<'a> {
    /// Everybody who may be in the table: the job's columns except for sensitive ones and those that are kept.
    pub people: &'a Table,
    /// The sensitive column: its name, and in its domain the values that are possible.
    pub values: &'a Column,
    /// Which tables are possible, all equally likely.
    pub prior: Prior,
    /// People, by their row of `people`, whose values are known, with the codes of these.
    pub told: &'a [(usize, u32)],
    /// How many originals are tried at most, and how long that may take.
    pub budget: Budget,
}

/// Which tables are possible beforehand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prior {
    /// Those with these codes of values, each as often as it stands here, whoever has them.
    Multiset(Vec<u32>),
    /// Those of so many people, with any values.
    Size(usize),
    /// Those of any people with any values.
    Any,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeenOutput {
    /// A release.
    Release(ReleasedLines),
    /// That nothing was released.
    Nothing,
}

impl ExternalKnowledge<'_> {
    fn worlds(&self) -> PossibleWorlds {
        let (people, values) = (self.people.rows(), self.values.cardinality() as u32);
        let worlds = match &self.prior {
            Prior::Multiset(codes) => PossibleWorlds::of_multiset(people, codes),
            Prior::Size(size) => PossibleWorlds::of_size(people, *size, values),
            Prior::Any => PossibleWorlds::any(people, values),
        };
        worlds.within(self.budget.originals(), self.budget.seconds)
    }

    /// Whether more tables are possible than the budget tries.
    pub fn exceed(&self) -> bool {
        self.worlds().exceed()
    }

    /// How many tables are possible.
    pub fn count(&self) -> UBig {
        self.worlds().count()
    }
}

impl Job {
    /// The hierarchies of the columns of `table`; the content of those that are files must be at hand.
    pub fn hierarchies(&self, table: &Table) -> Result<Vec<Option<Hierarchy>>> {
        table.columns().iter().map(|column| self.hierarchy(column)).collect()
    }

    fn hierarchy(&self, column: &Column) -> Result<Option<Hierarchy>> {
        let spec = self.columns.get(column.name()).and_then(|spec| spec.hierarchy.as_ref());
        let built = spec.map(|spec| spec.build(column, Path::new(""))).transpose();
        built.map_err(|error| error.context(format!("column `{}`", column.name())))
    }
}

/// A release as the public sees it, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Showing {
    lines: ReleasedLines,
    /// By class, rows of the table with the text of the value that is shown.
    classes: Vec<Vec<(u32, String)>>,
    /// How finely every quasi column is seen, when groups were made by levels or borders.
    grains: Option<Vec<PublishedGrain>>,
}

impl ResolvedJob<'_> {
    /// The lines of the release that the job makes of `table`, or why nothing can be disclosed.
    pub fn lines(&self, table: &Table, hierarchies: &[Option<Hierarchy>]) -> Result<Result<ReleasedLines, NoRelease>> {
        Ok(self.showing(table, hierarchies, RandomSource::System.check()?)?.map(|showing| showing.lines))
    }

    /// Whether the publisher draws at random.
    pub fn draws(&self, table: &Table, hierarchies: &[Option<Hierarchy>]) -> Result<bool> {
        self.with_plan(table, hierarchies, &|_| Ok(()), |plan| Ok(self.publisher.statement(plan).draws))
    }

    /// Whether a release shows the value of every row of its table, so that it tells how often each occurs.
    pub fn shows_every_value(&self) -> bool {
        self.publisher.keeps_values() && self.suppression == Fraction::ZERO
    }

    /// Tries every original that is possible beforehand, knowing the job.
    ///
    /// # Guarantee
    /// Proposition 1 of Xiao, Tao and Koudas 2010: probabilities are exact, random choices of the publisher included. What
    /// is seen is the lines of the released tables.
    ///
    /// # Errors
    /// When there are more originals than the limit, trying them takes too long, or none of them gives what was seen.
    pub fn try_originals(
        &self,
        known: &ExternalKnowledge<'_>,
        seen: &SeenOutput,
        progress: &dyn Fn(RunStage) -> Result<()>,
    ) -> Result<AttackFindings> {
        let worlds = known.worlds();
        worlds.check()?;
        let mechanism = JobMechanism::new(self, known, seen);
        let answer = match seen {
            SeenOutput::Release(lines) => Some(Seen::Release(lines.clone())),
            SeenOutput::Nothing => None,
        };
        let originals = u64::try_from(worlds.count()).unwrap_or(u64::MAX);
        let work = || reverse_engineer(&mechanism, &worlds, answer.as_ref());
        let knowing = mechanism.tried.watch(originals, progress, work)?;
        let example = mechanism.example.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((world, showing)) = example else {
            if originals == 0 {
                return Err(Error::bad_input(format!(
                    "the external source has {}, fewer than the release has rows; it must hold everybody who is in the table",
                    counted(known.people.rows(), "person", "people"),
                )));
            }
            return Err(Error::bad_input(format!(
                "none of the {} originals that are possible beforehand gives {}; check that it belongs to this job, that the \
                 parameters are those it was made with, and that the external source lacks nobody",
                worlds.count(),
                if answer.is_some() { "this release" } else { "the answer that nothing can be disclosed" },
            )));
        };
        let (table, hierarchies) = mechanism.table(&world)?;
        let groups = showing.as_ref().map(|showing| mechanism.groups(&world, showing)).transpose()?;
        let blind = match (&showing, &groups) {
            (Some(showing), Some(groups)) if groups.iter().map(Vec::len).sum::<usize>() == world.rows().len() => {
                let rows = mechanism.rows(showing, groups)?;
                blind_rows(known.people.rows(), rows, known.budget.originals(), None)?
            }
            // Nothing is shown of somebody: without the mechanism nothing is learned that was not known beforehand.
            _ => reverse_engineer(&Silent, &worlds, None)?,
        };
        let (promised, minimizes) = self.with_plan(&table, &hierarchies, &|_| Ok(()), |plan| {
            Ok((self.promised(), self.publisher.statement(plan).not_transparent.is_some()))
        })?;
        // Nobody takes a transparent publisher's releases for minimal.
        let minimal = groups.as_deref().filter(|_| minimizes);
        let minimal = minimal.and_then(|groups| minimal_belief(known, groups, promised.as_ref()));
        let trial = OpenTrial {
            mechanism: self.job.method.publisher.clone(),
            evidence: "which originals the job answers so to".to_owned(),
            values: known.values,
            silence: answer.is_none(),
            originals,
            left: knowing.worlds,
            blind: blind.belief(),
            knowing: knowing.belief(),
            minimal,
        };
        self.judge(&table, &hierarchies, &trial)
    }

    /// Fails unless `seen` is one of the answers to the table in which the people of `known` have the codes `truth`.
    pub fn check_belongs(&self, known: &ExternalKnowledge<'_>, seen: &SeenOutput, truth: &World) -> Result<()> {
        let mechanism = JobMechanism::new(self, known, seen);
        let answers = mechanism.answers(truth)?;
        let same = |answer: &Option<Seen>| match (answer, seen) {
            (Some(Seen::Release(lines)), SeenOutput::Release(seen)) => lines == seen,
            (None, SeenOutput::Nothing) => true,
            _ => false,
        };
        if answers.iter().any(|(answer, _)| same(answer)) {
            return Ok(());
        }
        Err(Error::bad_input(match seen {
            SeenOutput::Release(_) => {
                "the release does not belong to the table: the job makes another one of it; give the table, the job and the \
                 parameters that it was made with"
            }
            SeenOutput::Nothing => {
                "the job makes a release of this table, so `nothing` is not what was seen; leave that out"
            }
        }))
    }

    fn showing(
        &self,
        table: &Table,
        hierarchies: &[Option<Hierarchy>],
        randomness: RandomSource<'_>,
    ) -> Result<Result<Showing, NoRelease>> {
        if !self.publisher.granulates() {
            self.function.accepts(table, hierarchies)?;
        }
        self.with_plan(table, hierarchies, &|_| Ok(()), |plan| {
            let column = one_sensitive_column(plan)?;
            let made = match self.make(table, plan, randomness)? {
                Ok(made) => made,
                Err(nothing) => return Ok(Err(nothing)),
            };
            let statistics = self.statistics(table)?;
            let scene = made.scene(table, hierarchies, &statistics);
            let exhibit = self.exhibit(plan, &made, scene)?;
            let shown = scene.table.column(column.name())?;
            let value = |&row: &u32| (row, shown.text(shown.code(row as usize)));
            let grain = |(at, grain): (usize, &ColumnGrain)| {
                let published = made.output.grain(plan.quasi[at].0.name()).cloned();
                published.unwrap_or_else(|| PublishedGrain::Level(grain.level()))
            };
            let grains = made.output.granulation.as_ref().map(Granulation::grains);
            Ok(Ok(Showing {
                lines: ReleasedLines::of(&exhibit),
                classes: exhibit.classes.iter().map(|rows| rows.iter().map(value).collect()).collect(),
                grains: grains.map(|grains| grains.iter().enumerate().map(grain).collect()),
            }))
        })
    }
}

/// The credibility of everybody, where an l is promised and counting it is feasible.
fn minimal_belief(
    known: &ExternalKnowledge<'_>,
    groups: &[Vec<(usize, u32)>],
    promised: Option<&Fraction>,
) -> Option<MinimalityBelief> {
    let l = promised.filter(|promised| promised.numerator() == &dashu_int::IBig::ONE)?.denominator();
    let vector = |row: usize| known.people.with_role(Role::Quasi).map(|column| i64::from(column.code(row))).collect();
    let source = ExternalSource::new((0..known.people.rows()).map(vector).collect()).ok()?;
    credibility(&source, groups, u64::try_from(l.clone()).ok()?, known.budget.originals()).ok()
}

/// What a job answers to an original.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    Release(ReleasedLines),
    /// An error that the original's values or people cause.
    Refused,
}

/// Columns and hierarchies that do not depend on who has which value.
#[derive(Debug)]
struct Base {
    columns: Vec<Column>,
    hierarchies: Vec<Option<Hierarchy>>,
}

/// Some people, and the values that somebody of them has.
type Cast = (Vec<u32>, Vec<u32>);

struct JobMechanism<'a> {
    checked: &'a ResolvedJob<'a>,
    known: &'a ExternalKnowledge<'a>,
    seen: &'a SeenOutput,
    bases: Mutex<HashMap<Cast, Arc<Base>>>,
    /// The first original that gives what was seen, and how.
    example: Mutex<Option<(World, Option<Showing>)>>,
    tried: TriedCount,
}

impl<'a> JobMechanism<'a> {
    fn new(checked: &'a ResolvedJob<'a>, known: &'a ExternalKnowledge<'a>, seen: &'a SeenOutput) -> Self {
        Self { checked, known, seen, bases: Mutex::default(), example: Mutex::default(), tried: TriedCount::default() }
    }

    fn base(&self, world: &World) -> Result<Arc<Base>> {
        let rows: Vec<u32> = world.rows().iter().map(|row| row.0 as u32).collect();
        let mut values: Vec<u32> = world.rows().iter().map(|row| row.1).collect();
        values.sort_unstable();
        values.dedup();
        let key = (rows, values);
        if let Some(base) = self.bases.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Arc::clone(base));
        }
        let columns =
            self.known.people.columns().iter().map(|column| column.of_rows(&key.0)).collect::<Result<Vec<_>>>()?;
        let job = self.checked.job;
        let sensitive = self.sensitive(world)?;
        let all = columns.iter().chain([&sensitive]);
        let hierarchies = all.map(|column| job.hierarchy(column)).collect::<Result<_>>()?;
        let base = Arc::new(Base { columns, hierarchies });
        self.bases.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&base));
        Ok(base)
    }

    fn sensitive(&self, world: &World) -> Result<Column> {
        self.known.values.recoded(&world.rows().iter().map(|row| row.1).collect::<Vec<u32>>())
    }

    /// The original as a table, with its hierarchies.
    fn table(&self, world: &World) -> Result<(Table, Vec<Option<Hierarchy>>)> {
        let base = self.base(world)?;
        let columns = base.columns.iter().cloned().chain([self.sensitive(world)?]);
        Ok((Table::new(columns.collect())?, base.hierarchies.clone()))
    }

    /// The classes as people and the codes of the values that are shown for them.
    fn groups(&self, world: &World, showing: &Showing) -> Result<Vec<Vec<(usize, u32)>>> {
        let values = self.known.values;
        let codes: HashMap<String, u32> =
            (0..values.cardinality() as u32).map(|code| (values.text(code), code)).collect();
        let unknown = || Error::new(ErrorKind::Internal, "a value is shown that nobody has; please report it");
        let row =
            |(row, text): &(u32, String)| Ok((world.rows()[*row as usize].0, *codes.get(text).ok_or_else(unknown)?));
        showing.classes.iter().map(|rows| rows.iter().map(row).collect()).collect()
    }

    /// The rows of the release, with everybody whom each may be.
    fn rows(&self, showing: &Showing, groups: &[Vec<(usize, u32)>]) -> Result<Vec<ReleaseRow>> {
        let (checked, people) = (self.checked, self.known.people);
        let hierarchies = checked.job.hierarchies(people)?;
        let granulation = showing.grains.as_ref().map(|grains| {
            let quasi = people.columns().iter().zip(&hierarchies).filter(|(column, _)| column.role() == Role::Quasi);
            let grains = quasi.zip(grains).map(|((column, hierarchy), grain)| match grain {
                PublishedGrain::Borders(borders) => {
                    Ok(ColumnGrain::new(Arc::new(BorderIntervals::new(borders)?.build(column)?), 1))
                }
                PublishedGrain::Level(level) => {
                    let hierarchy = Arc::new(hierarchy.clone().unwrap_or_else(|| Hierarchy::flat(column)));
                    let level = (*level).min(hierarchy.top());
                    Ok(ColumnGrain::new(hierarchy, level))
                }
            });
            Ok::<_, Error>(Granulation::new(grains.collect::<Result<_>>()?))
        });
        let granulation = granulation.transpose()?;
        let statistics = vec![None; people.columns().len()];
        let none = pellucid_model::partition::Partition::default();
        let scene = FunctionInput {
            table: people,
            hierarchies: &hierarchies,
            groups: &none,
            granulation: granulation.as_ref(),
            statistics: &statistics,
        };
        let of_group = |group: &Vec<(usize, u32)>| {
            let class: Vec<u32> = group.iter().map(|row| row.0 as u32).collect();
            let covers: Vec<bool> =
                (0..people.rows() as u32).map(|row| checked.function.covers(scene, &class, row)).collect();
            group.iter().map(|row| ReleaseRow { value: row.1, covers: covers.clone() }).collect::<Vec<ReleaseRow>>()
        };
        Ok(groups.iter().flat_map(of_group).collect())
    }

    fn note(&self, world: &World, showing: Option<&Showing>) {
        let mut example = self.example.lock().unwrap_or_else(PoisonError::into_inner);
        if example.as_ref().is_none_or(|(first, _)| world < first) {
            *example = Some((world.clone(), showing.cloned()));
        }
    }
}

impl Mechanism for JobMechanism<'_> {
    type Seen = Seen;

    fn answers(&self, world: &World) -> Result<Vec<(Option<Seen>, Fraction)>> {
        self.tried.add();
        if self.known.told.iter().any(|&(person, code)| world.value_of(person) != Some(code)) {
            // Impossible to whoever knows these values: nothing that was seen speaks for it.
            return Ok(vec![(Some(Seen::Refused), Fraction::ONE)]);
        }
        let (table, hierarchies) = self.table(world)?;
        let run = |randomness: RandomSource<'_>| match self.checked.showing(&table, &hierarchies, randomness) {
            Ok(showing) => Ok(Some(showing.ok())),
            Err(error) if error.kind() == ErrorKind::InvalidParameter => Ok(None),
            Err(error) => Err(error),
        };
        let mut answers: Vec<(Option<Seen>, Fraction)> = Vec::new();
        for (answer, probability) in chances(WAYS, run)? {
            let seen = match answer {
                None => Some(Seen::Refused),
                Some(showing) => {
                    let noted = match (&showing, self.seen) {
                        (Some(showing), SeenOutput::Release(lines)) => showing.lines == *lines,
                        (None, SeenOutput::Nothing) => true,
                        _ => false,
                    };
                    if noted {
                        self.note(world, showing.as_ref());
                    }
                    showing.map(|showing| Seen::Release(showing.lines))
                }
            };
            match answers.iter_mut().find(|(answer, _)| *answer == seen) {
                Some((_, sum)) => *sum += probability,
                None => answers.push((seen, probability)),
            }
        }
        Ok(answers)
    }
}

/// Says nothing, whatever the table.
struct Silent;

impl Mechanism for Silent {
    type Seen = ();

    fn answers(&self, _: &World) -> Result<Vec<(Option<()>, Fraction)>> {
        Ok(vec![(None, Fraction::ONE)])
    }
}
