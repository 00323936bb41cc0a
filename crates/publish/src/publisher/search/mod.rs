//! The search publisher: releases the best granulation whose classes pass, leaving out rows where that is allowed.
//!
//! The search itself is [`crate::search`]; here it is bound to a plan, its answer turned into groups, and what it found
//! told (`account.rs`). A minimal or optimal choice depends on sensitive values unless principles look at group sizes
//! alone, so such releases say that they are not transparent.

mod account;
mod evidence;

pub(super) use account::alternatives;
pub use account::{FoundGranulation, SearchAccount};

use std::collections::BTreeMap;
use std::sync::Arc;

use pellucid_inference::evidence::Evidence;
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::granulation::{ColumnGrain, Granulation};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::partition::Partition;
use pellucid_model::progress::RunStage;
use pellucid_model::progress::SearchProgress;
use pellucid_model::promise;
use pellucid_model::promise::PromiseClass;
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::{EntryArgs, ParamKind, ParamSpec, ProofStatus, RegistryEntry, find};
use pellucid_model::table::Column;

use super::input::{NoRelease, PublisherInput};
use super::{Publisher, PublisherAnswer, PublisherOutput, PublisherStatement, statement};
use crate::search::{
    BoundMeasure, ColumnLattice, GENETIC_PARAMS, GranulationLattice, JudgedCodes, LatticeSearch, MEASURE_IDS, MEASURES,
    PassingNode, SEARCH_IDS, SEARCHES, SearchInstance, SearchLimits, SearchMeasure, WEIGHTS,
};
use pellucid_model::manifest::PublishedSearch;

/// The registry entry.
pub const ENTRY: RegistryEntry<dyn Publisher> = RegistryEntry {
    id: "search",
    summary: "the best levels of the hierarchies whose classes pass; minimal, so not transparent",
    reference: "Wang, Liau, Hsu: Granulation as a Privacy Protection Mechanism, TRS VII, 2007; Samarati, IEEE TKDE 13(6), 2001",
    status: ProofStatus::Published,
    claims: promise::ONLY_BY_SIZES,
    examples: &[&[], &[("measure", "height")]],
    params: &[
        ParamSpec {
            name: "find",
            kind: ParamKind::Choice(&["both", "best", "minimal"]),
            default: Some("both"),
            help: "what `pellucid search` tells: the best granulation, all maximally specific ones, or both",
        },
        ParamSpec {
            name: "measure",
            kind: ParamKind::Choice(MEASURE_IDS),
            default: Some("loss"),
            help: "what the best granulation is best in",
        },
        ParamSpec {
            name: "search",
            kind: ParamKind::Choice(SEARCH_IDS),
            default: Some("fast"),
            help: "`fast` finds the best there is; `genetic` a good one in lattices too large to walk",
        },
        WEIGHTS,
        GENETIC_PARAMS[0],
        GENETIC_PARAMS[1],
        GENETIC_PARAMS[2],
        GENETIC_PARAMS[3],
        GENETIC_PARAMS[4],
        GENETIC_PARAMS[5],
    ],
    build: |args| Ok(Box::new(SearchPublisher::new(args)?)),
};

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Find {
    /// The best granulation.
    Best,
    /// All maximally specific granulations, and the best of them.
    Minimal,
    /// The best, and all maximally specific ones where the search can tell them.
    Both,
}

#[derive(Debug)]
struct SearchPublisher {
    find: Find,
    measure_id: String,
    measure: Box<dyn SearchMeasure>,
    search_id: String,
    search: Box<dyn LatticeSearch>,
}

impl SearchPublisher {
    fn new(args: &EntryArgs) -> Result<Self> {
        let measure = find(MEASURES, "measure", args.text("measure")?)?;
        let search = find(SEARCHES, "search", args.text("search")?)?;
        let mut of_measure = EntryArgs::new();
        if let Some(weights) = args.given(WEIGHTS.name) {
            if !measure.params.iter().any(|param| param.name == WEIGHTS.name) {
                return Err(Error::invalid(format!(
                    "`weights` mean nothing to measure `{}`; remove them or choose another measure",
                    measure.id
                )));
            }
            of_measure = of_measure.with(WEIGHTS.name, weights);
        }
        let of_search = search
            .params
            .iter()
            .try_fold(EntryArgs::new(), |all, param| Ok(all.with(param.name, args.text(param.name)?)))?;
        Ok(Self {
            find: match args.text("find")? {
                "best" => Find::Best,
                "minimal" => Find::Minimal,
                _ => Find::Both,
            },
            measure_id: measure.id.to_owned(),
            measure: measure.make(&of_measure)?,
            search_id: search.id.to_owned(),
            search: search.make(&of_search)?,
        })
    }
}

/// A plan as a search sees it.
struct Site<'a> {
    ground: SearchInstance<'a>,
    hierarchies: Vec<Arc<Hierarchy>>,
}

impl<'a> Site<'a> {
    fn new(plan: &'a PublisherInput<'_>) -> Result<Self> {
        let hierarchies: Vec<Arc<Hierarchy>> = plan
            .quasi
            .iter()
            .zip(&plan.hierarchies)
            .map(|((column, _), hierarchy)| Arc::new(hierarchy.cloned().unwrap_or_else(|| Hierarchy::flat(column))))
            .collect();
        let admissible = plan.quasi.iter().zip(&hierarchies);
        let admissible =
            admissible.map(|((column, _), hierarchy)| ColumnLattice::of_hierarchy(column.name(), hierarchy));
        let lattice = GranulationLattice::new(admissible.collect::<Result<_>>()?);
        let mut judged: Vec<&Column> = Vec::new();
        let mut tests = Vec::with_capacity(plan.goals.len());
        for goal in &plan.goals {
            let place = goal.principle.needs_sensitive().then(|| {
                judged.iter().position(|column| std::ptr::eq(*column, goal.column)).unwrap_or_else(|| {
                    judged.push(goal.column);
                    judged.len() - 1
                })
            });
            tests.push((place, goal.test.as_ref()));
        }
        let judged: Vec<JudgedCodes<'a>> = judged
            .into_iter()
            .map(|column| JudgedCodes { codes: column.codes(), cardinality: column.cardinality() })
            .collect();
        let quasi: Vec<_> = plan.quasi.iter().map(|(column, _)| column.codes()).collect();
        let ground = SearchInstance::new(lattice, &quasi, &judged, tests, plan.rows, limit(plan));
        Ok(Self { ground, hierarchies })
    }
}

/// Rows that may be suppressed: the share of all rows, rounded down.
fn limit(plan: &PublisherInput<'_>) -> u64 {
    let rows = &plan.suppression * Fraction::from(plan.rows);
    u64::try_from(rows.floor()).unwrap_or(0)
}

impl SearchPublisher {
    fn run(
        &self,
        plan: &PublisherInput<'_>,
        site: &Site<'_>,
        find: Find,
    ) -> Result<(Option<PassingNode>, SearchAccount)> {
        let ground = &site.ground;
        let gauge = self.measure.gauge(ground)?;
        let limits = SearchLimits { watch: plan.watch.0, ..SearchLimits::default() };
        let mut account = SearchAccount::new(&self.search_id, &self.measure_id, plan, ground);
        if find == Find::Minimal || find == Find::Both && self.search.is_exact() {
            let (minimal, effort) = self.search.minimal(ground, &limits)?;
            account.add(&effort);
            account.minimal = Some(
                minimal.iter().map(|hit| FoundGranulation::new(ground, &scored(ground, gauge.as_ref(), hit))).collect(),
            );
        }
        let (best, effort) = self.search.best(ground, gauge.as_ref(), &limits)?;
        account.add(&effort);
        account.exact = self.search.is_exact();
        account.most_specific = account.exact && ground.limit() == 0 && gauge.is_monotone();
        account.best = best.as_ref().map(|hit| FoundGranulation::new(ground, hit));
        Ok((best, account))
    }
}

/// The same hit with its score.
fn scored(ground: &SearchInstance<'_>, gauge: &dyn BoundMeasure, hit: &PassingNode) -> PassingNode {
    PassingNode { score: Some(ground.score(gauge, &hit.levels)), ..hit.clone() }
}

impl Publisher for SearchPublisher {
    fn accepts(&self, plan: &PublisherInput<'_>) -> Result<()> {
        if plan.quasi.is_empty() {
            return Err(Error::invalid("there is no quasi column to granulate; declare one"));
        }
        Ok(())
    }

    fn statement(&self, plan: &PublisherInput<'_>) -> PublisherStatement {
        if plan.is_blind() {
            return statement::by_sizes(false);
        }
        let choice = if self.search.is_exact() {
            "the levels are the best that pass, so whoever knows that they were searched for learns that better ones fail"
        } else {
            "the levels are the best that a search found to pass, so whoever knows the search learns that better ones it \
             looked at fail"
        };
        let instead = statement::instead(plan);
        let mut guarantee =
            "holds on every published group, and against nobody who knows how the levels were chosen".to_owned();
        let (mut missing, mut caveat) = ("", None);
        if limit(plan) > 0 {
            guarantee += ", or who is in the table and left out of the release";
            missing = ". Rows are left out just when their class fails, so whoever knows who is in the table sees who is \
                       missing and learns that of them";
            caveat = plan.goals.iter().any(|goal| goal.test.claims().is_some()).then(|| {
                "rows are left out just when everybody in their class satisfies a confidential sentence, and whoever knows \
                 who is in the table sees who is missing; publish without `suppression`"
                    .to_owned()
            });
        }
        PublisherStatement {
            promise: PromiseClass::None,
            guarantee,
            caveat,
            not_transparent: Some(format!(
                "{choice}, can rule out possible originals, and may believe more of a person than the principle allows; \
                 {instead}{missing}"
            )),
            draws: false,
        }
    }

    fn granulates(&self) -> bool {
        true
    }

    /// Levels are what was searched for, so they are shown.
    fn usual_function(&self) -> &'static str {
        "hierarchy"
    }

    fn stage(&self) -> RunStage {
        RunStage::Search(SearchProgress::default())
    }

    fn suppresses(&self) -> bool {
        true
    }

    /// The parameters of one search mean nothing to another.
    fn ignores(&self, name: &str) -> Option<String> {
        let takes = |entry: &&RegistryEntry<dyn LatticeSearch>| entry.params.iter().any(|param| param.name == name);
        let takers: Vec<&str> = SEARCHES.iter().filter(takes).map(|entry| entry.id).collect();
        if takers.is_empty() || takers.contains(&self.search_id.as_str()) {
            return None;
        }
        let other = takers.iter().map(|id| format!("`search = \"{id}\"`")).collect::<Vec<_>>().join(" or ");
        Some(format!("means nothing to search `{}`; set {other}, or delete the key", self.search_id))
    }

    fn evidence(&self, plan: &PublisherInput<'_>, output: &PublisherOutput) -> Result<Evidence> {
        match &output.granulation {
            Some(granulation) => self.rejected(plan, granulation),
            None => Ok(Evidence::Unknown("the levels of its groups are not at hand".to_owned())),
        }
    }

    fn explore(&self, plan: &PublisherInput<'_>) -> Result<SearchAccount> {
        self.accepts(plan)?;
        Ok(self.run(plan, &Site::new(plan)?, self.find)?.1)
    }

    fn publish(&self, plan: &PublisherInput<'_>, _randomness: RandomSource<'_>) -> Result<PublisherAnswer> {
        self.accepts(plan)?;
        let site = Site::new(plan)?;
        let (best, account) = self.run(plan, &site, Find::Best)?;
        let Some(best) = best else {
            let obstacle = if site.ground.limit() == 0 && site.ground.is_monotone() { plan.obstacle() } else { None };
            return Ok(Err(obstacle.unwrap_or_else(|| NoRelease::NoGranulation(Box::new(account)))));
        };
        let grains = site.hierarchies.iter().zip(&best.levels);
        let grains = grains.map(|(hierarchy, &level)| ColumnGrain::new(hierarchy.clone(), level as usize)).collect();
        let published = PublishedSearch {
            measure: self.measure_id.clone(),
            levels: levels(&site.ground, &best),
            may_leave_out: site.ground.limit(),
        };
        Ok(Ok(PublisherOutput {
            groups: groups(&site.ground, &best.levels),
            granulation: Some(Granulation::new(grains)),
            search: Some(published),
            searched: Some(Box::new(account)),
            ..PublisherOutput::default()
        }))
    }
}

/// By quasi column, its level.
fn levels(ground: &SearchInstance<'_>, hit: &PassingNode) -> BTreeMap<String, usize> {
    let columns = ground.lattice().columns().iter().zip(&hit.levels);
    columns.map(|(column, &level)| (column.name().to_owned(), level as usize)).collect()
}

/// The passing classes of a granulation as groups of rows.
fn groups(ground: &SearchInstance<'_>, levels: &[u32]) -> Partition {
    let (class_of, passes) = ground.partition(levels);
    let mut sizes = vec![0u32; passes.len()];
    for &class in &class_of {
        sizes[class as usize] += 1;
    }
    let mut next: Vec<u32> = Vec::with_capacity(passes.len());
    let (mut ends, mut end) = (Vec::new(), 0);
    for (&size, &passes) in sizes.iter().zip(&passes) {
        next.push(end);
        if passes {
            end += size;
            ends.push(end);
        }
    }
    let mut members = vec![0u32; end as usize];
    for (row, &class) in (0u32..).zip(&class_of) {
        if passes[class as usize] {
            let place = &mut next[class as usize];
            members[*place as usize] = row;
            *place += 1;
        }
    }
    Partition::from_parts(members, ends)
}
