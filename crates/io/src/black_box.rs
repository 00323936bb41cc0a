//! Attacks on mechanisms that are programs: nothing is known of one but what it answers to possible originals.
//!
//! A program reads a table and writes a release. It is run on every original that is possible, or on some drawn at random,
//! and those that give the release that was seen are what is believed. A program that draws takes its randomness from a
//! seed that it is given; each of the seeds is equally likely.

use std::path::{Path, PathBuf};
use std::time::Instant;

use hashbrown::HashMap;
use pellucid_app::host::only_sensitive;
use pellucid_app::{AttackAnswer, SeenAnswer};
use pellucid_inference::adversary::{Mechanism, PossibleWorlds, World, WorldUrn, reverse_engineer, sample};
use pellucid_inference::belief::Belief;
use pellucid_inference::budget::{Budget, SamplingPlan};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::progress::RunStage;
use pellucid_model::randomness::RandomStream;
use pellucid_model::table::Column;
use pellucid_publish::job::{Job, OpenTrial, TriedCount};
use pellucid_publish::lines::ReleasedLines;
use pellucid_publish::publisher::NoRelease;

use crate::input_options;
use crate::known::{lines_of, read_release};
use crate::program::ProgramCommand;
use crate::publish::load;
use crate::read_strings;
use pellucid_model::table::TextTable;

/// Originals on which a program is run twice, to see whether it answers alike.
const CHECKS: u64 = 5;

/// A program as a mechanism, and how much work may be done with it.
#[derive(Debug, Clone, PartialEq)]
pub struct BlackBox {
    /// The command line with `{in}`, `{out}` and, where the program draws, `{seed}`.
    pub command: String,
    /// From how many seeds the program draws, `0..seeds`; `None` when it does not draw.
    pub seeds: Option<u64>,
    /// How much work may be done: when trying every original takes more than [`Budget::runs`], so many are drawn at random. A run may
    /// take as long as is left of the seconds, and a minute without them.
    pub budget: Budget,
    /// The release that was seen: its folder, or the file of its only table; without it, the program makes it of the job's table.
    pub release: Option<PathBuf>,
    /// Whether what was seen is that nothing was released.
    pub silence: bool,
}

impl BlackBox {
    /// How so many originals are drawn.
    fn sampling(&self, draws: u64) -> SamplingPlan {
        SamplingPlan { draws, ..self.budget.sampling.unwrap_or_default() }
    }
}

/// What is seen of an answer: its lines and, where the order of rows is kept, whose line is in which class.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    lines: ReleasedLines,
    classes: Vec<u32>,
}

impl Seen {
    /// The people of every class, when it is seen whose line is whose.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (person, &class) in self.classes.iter().enumerate() {
            groups.resize(groups.len().max(class as usize + 1), Vec::new());
            groups[class as usize].push(person);
        }
        groups
    }
}

/// Attacks what the program makes of the job's table.
///
/// The job says where the table is, which column is sensitive and what is promised; its method is not used.
pub fn attack_program(
    job: &Job,
    base_dir: &Path,
    black_box: &BlackBox,
    progress: &dyn Fn(RunStage) -> Result<()>,
) -> Result<AttackAnswer> {
    let begun = Instant::now();
    let checked = job.check()?;
    progress(RunStage::Read)?;
    let (job, data) = load(job, base_dir)?;
    let job = &job;
    let sensitive = only_sensitive(data.table()).ok_or_else(|| {
        Error::invalid("belief is counted for one sensitive column; declare exactly one with role `sensitive`")
    })?;
    let path = base_dir.join(&job.input.path);
    let options = input_options(job);
    let raw = read_strings(&path, &options)?;
    let separator = job.input.separator.and_then(|separator| u8::try_from(separator).ok()).unwrap_or(b',');
    let program = ProgramCommand::new(&black_box.command, separator, (begun, black_box.budget.seconds))?;
    let case = Case::new(&program, &raw, sensitive, black_box.seeds)?;
    progress(RunStage::Try { done: 0, of: 0 })?;
    let truth = World::new((0..).zip(sensitive.codes().iter()).collect());
    let seen = case.seen(&truth, job, base_dir, black_box)?;
    if seen.is_none() && !black_box.silence {
        return Ok(AttackAnswer::Nothing(NoRelease::Withheld("the program released nothing".to_owned())));
    }
    let worlds = case.worlds(&truth);
    case.check_alike(&worlds, black_box)?;
    let groups = seen.as_ref().map(Seen::groups).unwrap_or_default();
    let blind = case.blind(&groups, &truth)?;
    let sampling = black_box.sampling(black_box.budget.runs());
    let possible = case.possible(&groups, &truth);
    let (knowing, originals, left) =
        if possible.saturating_mul(case.seeds()) <= sampling.draws && worlds.check().is_ok() {
            let fitting = Fitting { case: &case, truth: &truth, groups: &groups };
            let work = || reverse_engineer(&fitting, &worlds, seen.as_ref());
            let posterior = case.tried.watch(possible.saturating_mul(case.seeds()), progress, work)?;
            (posterior.belief(), possible, posterior.worlds)
        } else {
            let urn = if groups.is_empty() {
                WorldUrn::Worlds(&worlds)
            } else {
                WorldUrn::Within { groups: &groups, world: &truth }
            };
            let gives = |world: &World, source: &mut RandomStream<'_>| {
                let seed = source.below(case.seeds() as usize) as u64;
                Ok(case.answer(world, seed)? == seen)
            };
            let work = || sample(raw.rows(), sensitive.cardinality() as u32, urn, &sampling, gives);
            let sampled = case.tried.watch(sampling.draws, progress, work)?;
            let left = sampled.samples().iter().map(|record| record.effective as u64).sum();
            (sampled, sampling.draws, left)
        };
    let known = if groups.is_empty() {
        ""
    } else {
        ", who is in which class being seen by the order of its lines (which shows everybody's value too: shuffle them)"
    };
    let trial = OpenTrial {
        mechanism: "program".to_owned(),
        evidence: format!("which originals the program answers so to{known}"),
        values: sensitive,
        silence: seen.is_none(),
        originals,
        left,
        blind,
        knowing,
        minimal: None,
    };
    Ok(AttackAnswer::Release(Box::new(checked.judge(data.table(), data.hierarchies(), &trial)?)))
}

/// A program and the tables that it is run on.
struct Case<'a> {
    program: &'a ProgramCommand,
    raw: &'a TextTable,
    /// The place of the sensitive column.
    column: usize,
    name: &'a str,
    /// By code, the text that the table has for it.
    texts: Vec<String>,
    seeds: Option<u64>,
    /// Whether lines come in the order of the rows, as far as was seen.
    ordered: std::sync::OnceLock<bool>,
    tried: TriedCount,
}

impl<'a> Case<'a> {
    fn new(program: &'a ProgramCommand, raw: &'a TextTable, sensitive: &'a Column, seeds: Option<u64>) -> Result<Self> {
        match (program.draws(), seeds) {
            (true, None) => {
                return Err(Error::invalid(
                    "the command has a place for a {seed}; say with `--seeds` from how many it is drawn",
                ));
            }
            (false, Some(_)) => {
                return Err(Error::invalid(
                    "`--seeds` is given, but the command has no place for one; write {seed} where it goes",
                ));
            }
            (true, Some(0)) => {
                return Err(Error::invalid("`--seeds` is 0; a program that draws has one seed at least"));
            }
            _ => (),
        }
        let column = raw.columns().iter().position(|column| column.name() == sensitive.name());
        let column =
            column.ok_or_else(|| Error::new(ErrorKind::Internal, "the sensitive column vanished; please report it"))?;
        let mut texts = vec![String::new(); sensitive.cardinality()];
        for row in 0..raw.rows() {
            raw.columns()[column].cell(row).clone_into(&mut texts[sensitive.code(row) as usize]);
        }
        Ok(Self {
            program,
            raw,
            column,
            name: sensitive.name(),
            texts,
            seeds,
            ordered: std::sync::OnceLock::new(),
            tried: TriedCount::default(),
        })
    }

    fn seeds(&self) -> u64 {
        self.seeds.unwrap_or(1)
    }

    /// All originals: the values of the table, given to its people in every way.
    fn worlds(&self, truth: &World) -> PossibleWorlds {
        let values: Vec<u32> = truth.rows().iter().map(|row| row.1).collect();
        PossibleWorlds::of_multiset(self.raw.rows(), &values)
    }

    /// Runs the program on `world`.
    fn tables(&self, world: &World, seed: u64) -> Result<Option<Vec<(&'static str, TextTable)>>> {
        let header: Vec<&str> = self.raw.header().collect();
        let row = |&(person, value): &(usize, u32)| {
            let cell = |(at, column): (usize, &'a pellucid_model::table::TextColumn)| {
                if at == self.column { self.texts[value as usize].as_str() } else { column.cell(person) }
            };
            self.raw.columns().iter().enumerate().map(cell).collect::<Vec<&str>>()
        };
        let rows: Vec<Vec<&str>> = world.rows().iter().map(row).collect();
        let written = self.program.run(&header, &rows, seed)?;
        let Some(tables) = written else { return Ok(None) };
        if !tables.iter().any(|(_, table)| table.column(self.name).is_ok()) {
            return Err(Error::bad_input(format!(
                "what the program of the mechanism wrote has no column `{}`; let it keep the name of the sensitive column",
                self.name
            )));
        }
        Ok(Some(tables))
    }

    /// By line, the value of its row, if the only table has a line for every row.
    fn is_in_order(&self, tables: &[(&'static str, TextTable)], world: &World) -> bool {
        let [(_, table)] = tables else { return false };
        let Ok(shown) = table.column(self.name) else { return false };
        let own = |line: usize| shown.cell(line) == self.texts[world.rows()[line].1 as usize];
        table.rows() == world.rows().len() && (0..table.rows()).all(own)
    }

    fn seen_of(&self, tables: Vec<(&'static str, TextTable)>, world: &World) -> Seen {
        let ordered = *self.ordered.get().unwrap_or(&false) && self.is_in_order(&tables, world);
        let classes = if ordered { classes(&tables[0].1, self.name) } else { Vec::new() };
        Seen { lines: lines_of(&tables), classes }
    }

    fn answer(&self, world: &World, seed: u64) -> Result<Option<Seen>> {
        self.tried.add();
        Ok(self.tables(world, seed)?.map(|tables| self.seen_of(tables, world)))
    }

    /// What was seen: what the program makes of the truth, or what was said, if it makes that with some seed.
    fn seen(&self, truth: &World, job: &Job, base_dir: &Path, black_box: &BlackBox) -> Result<Option<Seen>> {
        let mut first = None;
        let given = match &black_box.release {
            _ if black_box.silence => Some(None),
            None => None,
            Some(path) => Some(SeenAnswer::from_tables(job, &read_release(&base_dir.join(path))?).lines().cloned()),
        };
        for seed in 0..self.seeds() {
            let tables = self.tables(truth, seed)?;
            if first.is_none() {
                let ordered = match &tables {
                    Some(tables) => self.is_in_order(tables, truth) && self.keeps_order(truth)?,
                    None => false,
                };
                // Set once, before anything is compared.
                let _ = self.ordered.set(ordered);
                first = Some(());
            }
            let answer = tables.map(|tables| self.seen_of(tables, truth));
            match &given {
                None => return Ok(answer),
                Some(given) if answer.as_ref().map(|seen| &seen.lines) == given.as_ref() => return Ok(answer),
                Some(_) => (),
            }
        }
        if given == Some(None) {
            return Err(Error::bad_input(
                "the program makes a release of this table, so `nothing` is not what was seen; leave that out",
            ));
        }
        Err(Error::bad_input(
            "the release does not belong to the table: the program makes another one of it; give the table and the command that it \
             was made with",
        ))
    }

    /// Whether lines come in the order of rows for other originals too.
    fn keeps_order(&self, truth: &World) -> Result<bool> {
        let values: Vec<u32> = truth.rows().iter().map(|row| row.1).collect();
        for turn in 1..=CHECKS as usize {
            let turned = (0..values.len()).map(|at| (at, values[(at + turn) % values.len()]));
            let world = World::new(turned.collect());
            if self.tables(&world, 0)?.is_some_and(|tables| !self.is_in_order(&tables, &world)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Fails when two runs on one table differ.
    fn check_alike(&self, worlds: &PossibleWorlds, black_box: &BlackBox) -> Result<()> {
        let sampling = black_box.sampling(CHECKS);
        let alike = |world: &World, _: &mut RandomStream<'_>| {
            let once = self.answer(world, 0)?;
            Ok(once == self.answer(world, 0)? && once == self.answer(world, 0)?)
        };
        let found = sample(self.raw.rows(), self.texts.len() as u32, WorldUrn::Worlds(worlds), &sampling, alike)?;
        if found.samples().iter().all(|record| record.effective as u64 == record.draws) {
            return Ok(());
        }
        Err(Error::bad_input(
            "the program of the mechanism is not deterministic: it makes different releases of one table; let it take its randomness \
             from a seed, write {seed} where the command takes it, and say with `--seeds` from how many it is drawn",
        ))
    }

    /// How many originals are possible: all, or those in which values stay within their classes.
    fn possible(&self, groups: &[Vec<usize>], truth: &World) -> u64 {
        let count = |people: &[usize]| {
            let values: Vec<u32> = people.iter().filter_map(|&person| truth.value_of(person)).collect();
            u64::try_from(PossibleWorlds::of_multiset(people.len(), &values).count()).unwrap_or(u64::MAX)
        };
        if groups.is_empty() {
            return count(&(0..self.raw.rows()).collect::<Vec<usize>>());
        }
        groups.iter().map(|group| count(group)).fold(1, u64::saturating_mul)
    }

    /// Belief of one who ignores the program: by class where that is seen, otherwise what the whole release shows.
    fn blind(&self, groups: &[Vec<usize>], truth: &World) -> Result<Belief> {
        let everybody = vec![(0..self.raw.rows()).collect::<Vec<usize>>()];
        let groups = if groups.is_empty() { &everybody } else { groups };
        let groups: Vec<Vec<u32>> =
            groups.iter().map(|group| group.iter().map(|&person| person as u32).collect()).collect();
        let unknown = || Error::new(ErrorKind::Internal, "a group holds somebody without a value; please report it");
        let value = |person: usize| truth.value_of(person).ok_or_else(unknown);
        let values = (0..self.raw.rows()).map(value).collect::<Result<Vec<u32>>>()?;
        Ok(Belief::of_groups(groups.iter().map(Vec::as_slice), &values))
    }
}

/// By line, the number of its class: lines that agree in all columns but `name`, in the order of their first lines.
fn classes(table: &TextTable, name: &str) -> Vec<u32> {
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    let columns: Vec<_> = table.columns().iter().filter(|column| column.name() != name).collect();
    let class = |line: usize| {
        let key = columns.iter().map(|column| column.code(line)).collect();
        let next = known.len() as u32;
        *known.entry(key).or_insert(next)
    };
    (0..table.rows()).map(class).collect()
}

/// The program, run only on originals that fit the classes that were seen.
struct Fitting<'a> {
    case: &'a Case<'a>,
    truth: &'a World,
    groups: &'a [Vec<usize>],
}

impl Mechanism for Fitting<'_> {
    type Seen = Seen;

    fn answers(&self, world: &World) -> Result<Vec<(Option<Seen>, Fraction)>> {
        let values = |world: &World, group: &[usize]| {
            let mut values: Vec<Option<u32>> = group.iter().map(|&person| world.value_of(person)).collect();
            values.sort_unstable();
            values
        };
        if self.groups.iter().any(|group| values(world, group) != values(self.truth, group)) {
            // Whatever it answers, it is not what was seen.
            let other = Seen { lines: ReleasedLines::new(Vec::new()), classes: Vec::new() };
            return Ok(vec![(Some(other), Fraction::ONE)]);
        }
        let seeds = self.case.seeds();
        let mut answers: Vec<(Option<Seen>, Fraction)> = Vec::new();
        for seed in 0..seeds {
            let (answer, share) = (self.case.answer(world, seed)?, fraction(1, seeds));
            match answers.iter_mut().find(|(other, _)| *other == answer) {
                Some((_, sum)) => *sum += share,
                None => answers.push((answer, share)),
            }
        }
        Ok(answers)
    }
}
