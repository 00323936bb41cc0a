//! Asking the search about granulations.

use std::time::Instant;

use dashu_int::UBig;
use pellucid_model::distribution::Distribution;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{AchievedLevel as Parameter, BoundPrinciple, SentenceClaims, logical_security};
use pellucid_model::registry::{EntryArgs, find};
use pellucid_model::table::ColumnCodes;
use pellucid_publish::search::{
    BoundMeasure, GranulationLattice, GranulationLevels, JudgedCodes, MEASURES, SearchInstance, SearchLimits, WEIGHTS,
};

use super::columns::{RepresentativeRule, RepresentativeValue};
use super::secrets::KeptSentences;
use super::{Asked, Granulations};
use crate::AnswerOptions;

/// Granulations up to which all are reported.
pub const MOST_REPORTED: u64 = 4096;

/// A part of the answer, or why it is refused.
pub type GranulationPart<T> = std::result::Result<T, String>;

/// A granulation with what can be said of it.
#[derive(Debug, Clone)]
pub struct ReportedNode {
    pub levels: GranulationLevels,
    pub secure: bool,
    /// The people of each class, by the first of them.
    pub classes: Vec<Vec<usize>>,
    pub sf: f64,
    pub ql: f64,
}

/// What was found for one choice of secrets.
#[derive(Debug)]
pub struct SecretsFinding {
    /// Number of secure granulations.
    pub secure: GranulationPart<UBig>,
    /// The most specific of them.
    pub minimal: GranulationPart<Vec<ReportedNode>>,
    /// The secure one with the highest sf * ql; `None` when none is secure.
    pub best: GranulationPart<Option<ReportedNode>>,
    /// Whether the best is the best there is.
    pub exact: bool,
    /// The granulations that are reported.
    pub nodes: Vec<ReportedNode>,
}

/// A granulation that is looked at closely, whatever is confidential.
#[derive(Debug)]
pub struct GranulationDetails {
    pub levels: GranulationLevels,
    pub classes: Vec<Vec<usize>>,
    /// By sensitive value, the people who can be deduced to have it.
    pub known: Vec<Vec<usize>>,
    /// By column, what stands for the values of its own classes, under the name of the answer.
    pub stands: Vec<(String, Vec<RepresentativeValue>)>,
}

/// The answer to either question.
#[derive(Debug)]
pub enum GranulationFindings {
    /// About given secrets.
    Secrets(SecretsFinding),
    /// About sets of values, by name; with `tau` looked at closely and `ql` of what was named.
    Sets {
        sets: Vec<(String, SecretsFinding)>,
        closely: Option<GranulationDetails>,
        quality: Vec<(GranulationLevels, f64)>,
    },
}

/// The whole answer.
#[derive(Debug)]
pub struct GranulationAnswer {
    pub people: usize,
    /// The sensitive values that occur.
    pub values: Vec<String>,
    /// By column its name and its partitions in words.
    pub columns: Vec<(String, Vec<String>)>,
    pub lattice_size: UBig,
    pub answered: GranulationFindings,
}

/// A test that lets every class pass, so that measures see the classes that another fails.
#[derive(Debug)]
struct Lenient<'a>(&'a dyn BoundPrinciple);

impl BoundPrinciple for Lenient<'_> {
    fn holds(&self, _group: &Histogram) -> bool {
        true
    }

    fn measure(&self, group: &Histogram) -> Parameter {
        self.0.measure(group)
    }

    fn robust(&self, _group: &Histogram) -> Option<u64> {
        Some(0)
    }

    fn holds_on(&self, _belief: &Distribution) -> bool {
        true
    }

    fn claims(&self) -> Option<&SentenceClaims> {
        self.0.claims()
    }
}

impl Granulations {
    /// Asks whatever is asked.
    pub fn ask(&self, options: &AnswerOptions) -> Result<GranulationAnswer> {
        let answered = match &self.asked {
            Asked::Secrets(secrets, taus) => {
                GranulationFindings::Secrets(self.find(secrets, taus.as_deref(), options)?)
            }
            Asked::Sets(sets) => self.ask_sets(sets, options)?,
        };
        let columns = self.columns.iter().map(|column| (column.name.clone(), column.labels.clone())).collect();
        let partitions = self.lattice.columns().iter().map(|column| UBig::from(column.partitions().len()));
        let people = self.sensitive.codes.len();
        let values = self.sensitive.names.clone();
        Ok(GranulationAnswer { people, values, columns, lattice_size: partitions.product(), answered })
    }

    fn ask_sets(&self, sets: &[Vec<u32>], options: &AnswerOptions) -> Result<GranulationFindings> {
        let named = |set: &Vec<u32>| {
            let names = set.iter().map(|&code| format!("H{}", self.sensitive.names[code as usize]));
            names.collect::<Vec<String>>().join(",")
        };
        let tau: Vec<GranulationLevels> = self.tau.iter().cloned().collect();
        let mut found = Vec::with_capacity(sets.len());
        for set in sets {
            found.push((named(set), self.find(&KeptSentences::of_codes(set), Some(&tau), options)?));
        }
        let minimal = found.iter().filter_map(|(_, found)| found.minimal.as_ref().ok()).flatten();
        let mut wanted = vec![self.lattice.bottom()];
        wanted.extend(tau.iter().cloned().chain(minimal.map(|node| node.levels.clone())));
        wanted.push(self.lattice.top());
        let mut distinct: Vec<GranulationLevels> = Vec::new();
        for levels in wanted {
            if !distinct.contains(&levels) {
                distinct.push(levels);
            }
        }
        // Quality and classes do not depend on what is confidential.
        let plain = KeptSentences::of_codes(&[]);
        let (mut quality, mut closely) = (Vec::new(), None);
        self.on_ground(&plain, |bound| {
            quality = distinct.iter().map(|levels| (levels.clone(), bound.quality(levels))).collect();
            closely = self.tau.as_ref().map(|tau| self.look_closely(tau, bound));
            Ok(())
        })?;
        Ok(GranulationFindings::Sets { sets: found, closely, quality })
    }

    /// What can be said of all granulations when `secrets` are to be kept; `taus` are reported, or without them all of a
    /// small lattice and the most specific ones of a large one.
    fn find(
        &self,
        secrets: &KeptSentences,
        taus: Option<&[GranulationLevels]>,
        options: &AnswerOptions,
    ) -> Result<SecretsFinding> {
        let mut found = None;
        self.on_ground(secrets, |bound| {
            let exact = self.search.is_exact();
            let minimal = self.minimal(bound, options)?;
            let secure = minimal.as_ref().map_err(Clone::clone).map(|minimal| count_above(&self.lattice, minimal));
            let minimal = minimal.map(|minimal| minimal.iter().map(|levels| bound.node(levels)).collect::<Vec<_>>());
            let best = within(options.budget.seconds, |limits| {
                let hit = self.search.best(bound.ground, bound.product.as_ref(), limits)?.0;
                Ok(hit.map(|hit| bound.node(&hit.levels)))
            })?;
            let nodes = match (taus, self.lattice.size()) {
                (Some(taus), _) => taus.iter().map(|levels| bound.node(levels)).collect(),
                (None, Some(size)) if size <= MOST_REPORTED => {
                    (0..size).map(|node| bound.node(&self.lattice.levels(node))).collect()
                }
                _ => minimal.clone().unwrap_or_default(),
            };
            found = Some(SecretsFinding { secure, minimal, best, exact, nodes });
            Ok(())
        })?;
        found.ok_or_else(|| Error::new(ErrorKind::Internal, "a search was not asked"))
    }

    /// The most specific secure granulations; a search that does not find all of them is refused.
    fn minimal(&self, bound: &Bound<'_>, options: &AnswerOptions) -> Result<GranulationPart<Vec<GranulationLevels>>> {
        if !self.search.is_exact() {
            return Ok(Err(
                "a genetic search finds one good granulation, not all most specific ones; choose another".into()
            ));
        }
        within(options.budget.seconds, |limits| {
            Ok(self.search.minimal(bound.ground, limits)?.0.into_iter().map(|hit| hit.levels).collect())
        })
    }

    /// Binds principle and measures to the table, and asks `ask`.
    fn on_ground(&self, secrets: &KeptSentences, ask: impl FnOnce(&Bound<'_>) -> Result<()>) -> Result<()> {
        let (codes, claims) = secrets.claims(&self.sensitive.codes);
        let judged = [JudgedCodes { codes: &codes, cardinality: claims.satisfied.len() }];
        let test = logical_security::on_claims(claims);
        let lenient = Lenient(test.as_ref());
        let quasi: Vec<&ColumnCodes> = self.columns.iter().map(|column| &column.codes).collect();
        let people = self.sensitive.codes.len();
        let ground =
            |test| SearchInstance::new(self.lattice.clone(), &quasi, &judged, vec![(Some(0), test)], people, 0);
        let (ground, shown) = (ground(test.as_ref()), ground(&lenient));
        let gauge = |id: &str, ground: &SearchInstance<'_>| {
            let entry = find(MEASURES, "measure", id)?;
            let weighted = entry.params.iter().any(|param| param.name == WEIGHTS.name);
            let args = match &self.weights {
                Some(weights) if weighted => EntryArgs::new().with(WEIGHTS.name, weights),
                _ => EntryArgs::new(),
            };
            entry.make(&args)?.gauge(ground)
        };
        let (security, quality) = (gauge("sf", &shown)?, gauge("ql", &shown)?);
        let product = gauge("sf*ql", &ground)?;
        ask(&Bound { ground: &ground, shown: &shown, security, quality, product })
    }

    /// The classes of `tau`, what they give away, and what stands for their values.
    fn look_closely(&self, tau: &GranulationLevels, bound: &Bound<'_>) -> GranulationDetails {
        let (classes, _) = bound.classes(tau);
        let people = &self.sensitive.codes;
        let known = (0..self.sensitive.names.len() as u32).map(|value| {
            let inside = classes.iter().filter(|class| class.iter().all(|&person| people[person] == value));
            let mut known: Vec<usize> = inside.flatten().copied().collect();
            known.sort_unstable();
            known
        });
        let known = known.collect();
        let mut stands: Vec<(String, Vec<RepresentativeValue>)> = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            let Some(rule) = column.stands else { continue };
            let plain = column.name.to_lowercase().replace(' ', "_");
            let key = match rule {
                RepresentativeRule::Median { dates: true }
                    if stands.iter().all(|known| known.0 != "fig4_median_date") =>
                {
                    "fig4_median_date".to_owned()
                }
                RepresentativeRule::Median { .. } => format!("fig4_median_{plain}"),
                RepresentativeRule::Mean { .. } => format!("fig4_mean_{plain}"),
            };
            let classes = own_classes(bound, &self.lattice, at, tau[at]);
            stands.push((key, classes.iter().map(|class| column.stand(rule, class)).collect()));
        }
        GranulationDetails { levels: tau.clone(), classes, known, stands }
    }
}

/// The classes of people who share a block of one column.
fn own_classes(bound: &Bound<'_>, lattice: &GranulationLattice, column: usize, level: u32) -> Vec<Vec<usize>> {
    let mut alone = lattice.top();
    alone[column] = level;
    bound.classes(&alone).0
}

/// A table with everything bound to it.
struct Bound<'a> {
    /// Where classes must be secure.
    ground: &'a SearchInstance<'a>,
    /// Where all classes pass.
    shown: &'a SearchInstance<'a>,
    security: Box<dyn BoundMeasure>,
    quality: Box<dyn BoundMeasure>,
    product: Box<dyn BoundMeasure>,
}

impl Bound<'_> {
    /// The people of each class, by the first of them, and whether all classes are secure.
    fn classes(&self, levels: &[u32]) -> (Vec<Vec<usize>>, bool) {
        let (class_of, passes) = self.ground.partition(levels);
        let mut classes: Vec<Vec<usize>> = vec![Vec::new(); passes.len()];
        for (person, class) in class_of.into_iter().enumerate() {
            classes[class as usize].push(person);
        }
        classes.sort_unstable();
        (classes, passes.into_iter().all(|passes| passes))
    }

    fn quality(&self, levels: &[u32]) -> f64 {
        self.shown.score(self.quality.as_ref(), levels).value()
    }

    fn node(&self, levels: &[u32]) -> ReportedNode {
        let (classes, secure) = self.classes(levels);
        let sf = self.shown.score(self.security.as_ref(), levels).value();
        ReportedNode { levels: levels.into(), secure, classes, sf, ql: self.quality(levels) }
    }
}

/// Searches for so many seconds; what takes more, or needs more than a search may use, is refused.
fn within<T>(seconds: Option<f64>, search: impl FnOnce(&SearchLimits<'_>) -> Result<T>) -> Result<GranulationPart<T>> {
    let start = Instant::now();
    let watch = |_| {
        let Some(seconds) = seconds.filter(|&seconds| start.elapsed().as_secs_f64() > seconds) else { return Ok(()) };
        let message = format!("searching takes more than {seconds} seconds; raise --seconds or name a smaller lattice");
        Err(Error::new(ErrorKind::LimitExceeded, message))
    };
    match search(&SearchLimits { watch: &watch, ..SearchLimits::default() }) {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.kind() == ErrorKind::LimitExceeded => Ok(Err(error.message().to_owned())),
        Err(error) => Err(error),
    }
}

/// Number of granulations that are one of `minimal` or less specific than one; the lattice must have a [`GranulationLattice::size`].
///
/// Column by column, with those of `minimal` that the granulation lies above so far. Once one of them asks for nothing
/// more, whatever the other columns have counts.
fn count_above(lattice: &GranulationLattice, minimal: &[GranulationLevels]) -> UBig {
    let bottom = lattice.bottom();
    let all: Vec<&GranulationLevels> = minimal.iter().collect();
    UBig::from(count_from(lattice, &bottom, &all, 0))
}

/// The same for the columns from `at` on, when the others lie above `below`.
fn count_from(
    lattice: &GranulationLattice,
    bottom: &GranulationLevels,
    below: &[&GranulationLevels],
    at: usize,
) -> u64 {
    let rest = &lattice.columns()[at..];
    if below.iter().any(|one| one[at..] == bottom[at..]) {
        return rest.iter().map(|column| column.partitions().len() as u64).product();
    }
    let Some(column) = rest.first().filter(|_| !below.is_empty()) else { return 0 };
    let with = |level: u32| {
        let still = below.iter().copied().filter(|one| column.is_at_most(one[at], level));
        count_from(lattice, bottom, &still.collect::<Vec<_>>(), at + 1)
    };
    (0..column.partitions().len() as u32).map(with).sum()
}

#[cfg(test)]
mod tests {
    use pellucid_publish::search::ColumnLattice;

    use super::*;
    use crate::granulation::domain::dense;

    #[test]
    fn granulations_above_some_are_counted_without_naming_them() {
        let column = |sizes: &[i64]| {
            let part = |&size: &i64| dense((0..12).map(move |value| value / size));
            ColumnLattice::new("x", sizes.iter().map(part).collect()).unwrap()
        };
        let lattice = GranulationLattice::new(vec![column(&[1, 2, 3, 6, 12]), column(&[1, 4, 12]), column(&[1, 12])]);
        let minimal: Vec<GranulationLevels> = vec![vec![1, 1, 0].into(), vec![2, 0, 1].into(), vec![4, 0, 0].into()];
        let size = lattice.size().unwrap();
        let above = |levels: &GranulationLevels| minimal.iter().any(|one| lattice.is_at_most(one, levels));
        let literal = (0..size).filter(|&node| above(&lattice.levels(node))).count();
        assert!(literal > 0 && (literal as u64) < size);
        assert_eq!(count_above(&lattice, &minimal), UBig::from(literal));
        assert_eq!(count_above(&lattice, &[]), UBig::ZERO);
        assert_eq!(count_above(&lattice, &[lattice.bottom()]), UBig::from(size));
        assert_eq!(count_above(&lattice, &[lattice.top()]), UBig::ONE);
    }
}
