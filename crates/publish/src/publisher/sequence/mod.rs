//! The sequence publisher: walks along generalization functions and releases one of them, or nothing.
//!
//! Every function is a choice of levels (`functions.rs`, from what the job writes, `written.rs`), so its groups depend on
//! quasi-identifiers alone. A strategy of [`pellucid_inference::sequence`] decides which function is released, and the belief engine
//! counts for it what an adversary who knows all of that would still hold possible (`walk.rs`). `account.rs` is what is
//! told to the data owner.
//!
//! A principle on several columns together is walked with as the one column of its codes. A world of values is then a world
//! of codes; the worlds of values in which people have the same codes are equally many for every world of codes with the
//! published histograms, one factor for each group, so that belief in codes counted this way is exact.

mod account;
mod functions;
mod remaining;
mod walk;
mod written;

pub use account::{EvaluationRecord, NaiveLeak, SequenceAccount, SilenceAssumption, StepAccount};

use pellucid_inference::belief::Requirements;
use pellucid_inference::sequence::{KJump, STRATEGIES, STRATEGY_IDS, Sequence, Strategy};
use pellucid_model::claim::EntryClaim;
use pellucid_model::error::{Error, Result};
use pellucid_model::partition::Partition;
use pellucid_model::promise::{self, PromiseClass};
use pellucid_model::randomness::{ChoicePurpose, RandomSource};
use pellucid_model::registry::{EntryArgs, LEFT_OUT, ParamKind, ParamSpec, ProofStatus, RegistryEntry, find};

use self::functions::{SequenceFunction, dropped, list};
use self::remaining::RemainingStrategy;
use self::walk::SequenceWalker;
use self::written::WrittenSequence;
use super::input::{NoRelease, PublisherInput};
use super::{Publisher, PublisherAnswer, PublisherOutput, PublisherStatement, statement};
use crate::search::{MEASURES, SearchMeasure};
use pellucid_model::manifest::{PublishedFunction, PublishedGrain, PublishedSequence};

/// The word for jumps that are drawn and kept secret.
const SECRET: &str = "secret";

/// The registry entry.
pub const ENTRY: RegistryEntry<dyn Publisher> = RegistryEntry {
    id: "sequence",
    summary: "walk along given generalization functions; releases one of them or nothing",
    reference: "Liu, Wang, Zhang: k-jump strategy, ICDT 2010; Zhang, Wang, Jajodia: exclusive strategy, DBSec 2008",
    status: ProofStatus::Proven,
    claims: &[
        promise::with(PromiseClass::CoarseningAtRandom, "k-anonymity alone, by every strategy but `naive`"),
        promise::with(PromiseClass::RandomWorlds, "other principles, by every strategy but `naive`"),
        promise::with(PromiseClass::None, "any principles, by the strategy `naive`"),
        EntryClaim::Suggested {
            place: 2,
            words: "\"sequence\" with strategy \"exclusive\" and sequence = \"chain\", or \"lattice\" where it can be counted, \
                    over the same hierarchies",
        },
    ],
    examples: &[&[("sequence", "chain")], &[("sequence", "chain"), ("strategy", "k-jump"), ("jumps", "1")]],
    params: &[
        ParamSpec {
            name: "sequence",
            kind: ParamKind::Text,
            default: None,
            help: "the functions: a list such as [{ age = 1, zip = 2 }, { age = \"top\" }], \"chain\" or \"lattice\"",
        },
        ParamSpec {
            name: "strategy",
            kind: ParamKind::Choice(STRATEGY_IDS),
            default: Some("exclusive"),
            help: "how the sequence is walked along; naive is not for publication",
        },
        ParamSpec {
            name: "jumps",
            kind: ParamKind::Text,
            default: Some(LEFT_OUT),
            help: "for k-jump: a distance, a distance for every function, or \"secret\"",
        },
        ParamSpec {
            name: "measure",
            kind: ParamKind::Text,
            default: Some(LEFT_OUT),
            help: "for \"chain\" and \"lattice\": the measure of quality that orders the functions",
        },
        ParamSpec {
            name: "silence",
            kind: ParamKind::Choice(&["unknown", "observable"]),
            default: Some("unknown"),
            help: "whether somebody may see that nothing is released",
        },
    ],
    build: |args: &EntryArgs| Ok(Box::new(SequencePublisher::new(args)?)),
};

#[derive(Debug)]
struct SequencePublisher {
    written: WrittenSequence,
    measure: Option<Box<dyn SearchMeasure>>,
    choice: Choice,
    silence: SilenceAssumption,
}

#[derive(Debug)]
enum Choice {
    /// A strategy that everybody knows.
    Fixed(Box<dyn Strategy>),
    /// k-jump with distances drawn at random and kept secret.
    Secret,
}

impl SequencePublisher {
    fn new(args: &EntryArgs) -> Result<Self> {
        let written = WrittenSequence::parse(args.text("sequence")?)?;
        let measure = args.given("measure").map(|id| measure(id, &written)).transpose()?;
        let strategy = find(STRATEGIES, "strategy", args.text("strategy")?)?;
        let takes_jumps = strategy.params.iter().any(|param| param.name == "jumps");
        let choice = match args.given("jumps") {
            Some(_) if !takes_jumps => {
                return Err(Error::invalid(format!(
                    "`jumps` goes with strategy = \"k-jump\", not with `{}`; remove it or change the strategy",
                    strategy.id
                )));
            }
            Some(SECRET) => Choice::Secret,
            Some(jumps) => Choice::Fixed(strategy.make(&EntryArgs::new().with("jumps", jumps))?),
            None => Choice::Fixed(strategy.make(&EntryArgs::new())?),
        };
        let silence = if args.text("silence")? == "observable" {
            SilenceAssumption::Observable
        } else {
            SilenceAssumption::Unknown
        };
        Ok(Self { written, measure, choice, silence })
    }

    fn condition<'a>(plan: &'a PublisherInput<'_>) -> Requirements<'a> {
        let goals = plan.goals.iter().filter(|goal| goal.principle.needs_sensitive());
        Requirements::new(goals.map(|goal| goal.test.as_ref()))
    }

    /// What the manifest says; `released` is the place of the released function.
    fn published(&self, strategy: &dyn Strategy, functions: &[Function], released: usize) -> Result<PublishedSequence> {
        let left = functions.iter().filter(|function| function.ruled_out.is_none()).count();
        let (means, family) = match &self.choice {
            Choice::Fixed(strategy) => (strategy.describe(), None),
            Choice::Secret => {
                let means = "the first function whose groups and disclosure set pass the principle; when only the groups do, \
                             go on by a distance that was drawn for every function, each destination equally likely and \
                             independently of the table, and is kept secret";
                (means.to_owned(), Some(KJump::family(left).to_string()))
            }
        };
        let stated = functions.iter().map(|function| PublishedFunction {
            columns: function.listed.columns.clone(),
            ruled_out: function.ruled_out.clone(),
        });
        Ok(PublishedSequence {
            strategy: strategy.id().to_owned(),
            strategy_reference: find(STRATEGIES, "strategy", strategy.id())?.reference.to_owned(),
            means,
            family,
            silence: self.silence.as_str().to_owned(),
            functions: stated.collect(),
            released: released + 1,
        })
    }
}

/// The measure that orders a derived sequence.
fn measure(id: &str, written: &WrittenSequence) -> Result<Box<dyn SearchMeasure>> {
    if matches!(written, WrittenSequence::Functions(_)) {
        return Err(Error::invalid(
            "`measure` orders a derived sequence, and this one is written out; remove it or use \"chain\" or \"lattice\"",
        ));
    }
    let measure = find(MEASURES, "measure", id)?.make(&EntryArgs::new())?;
    if measure.looks_at_sensitive_values() {
        return Err(Error::invalid(format!(
            "measure `{id}` looks at sensitive values, and the order of a sequence must not depend on them; choose another \
             measure"
        )));
    }
    Ok(measure)
}

/// A function, and whether its group sizes rule it out.
struct Function {
    listed: SequenceFunction,
    ruled_out: Option<String>,
}

impl Publisher for SequencePublisher {
    fn accepts(&self, plan: &PublisherInput<'_>) -> Result<()> {
        if plan.quasi.is_empty() {
            return Err(Error::invalid("there is no quasi column to make groups by; declare one"));
        }
        plan.refuse_personal(ENTRY.id)?;
        let mut columns = plan.goals.iter().filter(|goal| goal.principle.needs_sensitive()).map(|goal| goal.column);
        if let Some(first) = columns.next()
            && columns.any(|other| !std::ptr::eq(first, other))
        {
            return Err(Error::invalid(
                "`sequence` protects one sensitive column, the job has several; keep one, give the others role `drop`, let \
                 `logical-security` speak of several as the only principle on values, or use publisher = \"tailor\"",
            ));
        }
        if matches!(self.choice, Choice::Secret) && !Self::condition(plan).is_closed_under_mixtures() {
            return Err(Error::invalid(
                "`jumps = \"secret\"` is safe only for principles closed under mixtures, because who does not know the jumps \
                 believes a mixture over them; choose another principle or publish the jumps",
            ));
        }
        Ok(())
    }

    fn statement(&self, plan: &PublisherInput<'_>) -> PublisherStatement {
        let safe = match &self.choice {
            Choice::Fixed(strategy) => strategy.is_safe(),
            Choice::Secret => true,
        };
        let draws = matches!(self.choice, Choice::Secret);
        if !safe {
            return PublisherStatement {
                promise: PromiseClass::None,
                guarantee: "holds on every published group, and against nobody who knows how the release was made".to_owned(),
                caveat: Some(
                    "it was made with a strategy that gives people away to whoever knows the sequence of functions; use \
                     `safe`, `exclusive` or `k-jump`"
                        .to_owned(),
                ),
                not_transparent: None,
                draws,
            };
        }
        if plan.is_blind() {
            return statement::by_sizes(draws);
        }
        let silence = match self.silence {
            SilenceAssumption::Unknown => {
                ", once a release is made; what would follow from nothing being released is not covered"
            }
            SilenceAssumption::Observable => {
                ", once a release is made; what would follow from nothing being released is judged by the data owner and is \
                 not part of this"
            }
        };
        PublisherStatement { draws, ..statement::in_random_worlds(silence) }
    }

    fn granulates(&self) -> bool {
        true
    }

    fn publish(&self, plan: &PublisherInput<'_>, randomness: RandomSource<'_>) -> Result<PublisherAnswer> {
        self.accepts(plan)?;
        let order = canonical(plan);
        let listed = list(&self.written, self.measure.as_deref(), plan, &order)?;
        let labels = listed.iter().map(|function| function.labels.clone()).collect();
        Sequence::from_labels(order.len(), labels)?.check_order()?;
        let functions: Vec<Function> =
            listed.into_iter().map(|listed| Function { ruled_out: dropped(plan, &listed), listed }).collect();
        let left: Vec<usize> = (0..functions.len()).filter(|&at| functions[at].ruled_out.is_none()).collect();
        let drawn;
        let (strategy, steps, places): (&dyn Strategy, usize, Vec<usize>) = match &self.choice {
            Choice::Fixed(strategy) => (strategy.as_ref(), functions.len(), left.clone()),
            Choice::Secret => {
                drawn = KJump::draw(left.len(), &mut randomness.stream(ChoicePurpose::Jumps, 0, 0));
                (&drawn, left.len(), (0..left.len()).collect())
            }
        };
        let remaining = RemainingStrategy::new(strategy, steps, &places)?;
        let mut account = self.account(plan, &functions, strategy, left.len());
        if !left.is_empty() {
            SequenceWalker { plan, functions: &functions, left: &left, order: &order }
                .walk(&remaining, &mut account)?;
        }
        let Some(step) = account.released else { return Ok(Err(NoRelease::Exhausted(Box::new(account)))) };
        let released = &functions[step - 1];
        Ok(Ok(PublisherOutput {
            groups: groups(&released.listed, &order),
            granulation: Some(released.listed.granulation.clone()),
            sequence: Some(self.published(strategy, &functions, step - 1)?),
            walk: Some(Box::new(account)),
            ..PublisherOutput::default()
        }))
    }
}

impl SequencePublisher {
    /// The account before anything has been looked at.
    fn account(
        &self,
        plan: &PublisherInput<'_>,
        functions: &[Function],
        strategy: &dyn Strategy,
        left: usize,
    ) -> SequenceAccount {
        let jumps = find(STRATEGIES, "strategy", strategy.id()).is_ok_and(|entry| !entry.params.is_empty());
        let drawn = match &self.choice {
            Choice::Secret => strategy.rules(left).ok().map(|rules| rules.iter().map(|rule| rule.jump).collect()),
            Choice::Fixed(_) => None,
        };
        let steps = (1..).zip(functions).map(|(step, function)| {
            let sizes = function.listed.sizes();
            StepAccount {
                step,
                columns: label(&function.listed),
                groups: sizes.len() as u64,
                smallest: sizes.iter().copied().min().unwrap_or(0),
                ruled_out: function.ruled_out.clone(),
                permutation: None,
                disclosure: None,
            }
        });
        let sensitive = plan.goals.iter().find(|goal| goal.principle.needs_sensitive());
        SequenceAccount {
            strategy: strategy.id(),
            column: sensitive.map(|goal| goal.column.name().to_owned()),
            principles: plan.goals.iter().map(|goal| goal.principle.describe()).collect(),
            kept: sensitive.map_or("value", account::kept),
            silence: self.silence,
            family: jumps.then(|| KJump::family(left).to_string()),
            drawn,
            steps: steps.collect(),
            looks: Vec::new(),
            released: None,
            naive: None,
            given_nothing: None,
        }
    }
}

/// Rows in an order that does not depend on the order of the input: by quasi-identifiers, then by sensitive values.
fn canonical(plan: &PublisherInput<'_>) -> Vec<u32> {
    let mut order: Vec<u32> = (0..plan.rows as u32).collect();
    let goal = plan.goals.iter().find(|goal| goal.principle.needs_sensitive());
    order.sort_by_cached_key(|&row| {
        let quasi = plan.quasi.iter().map(|(column, _)| column.code(row as usize));
        let key: Vec<u32> = quasi.chain(goal.map(|goal| goal.column.code(row as usize))).collect();
        key
    });
    order
}

/// The groups of a function as rows of the table.
fn groups(function: &SequenceFunction, order: &[u32]) -> Partition {
    let sizes = function.sizes();
    let mut next: Vec<usize> =
        sizes.iter().scan(0, |end, &size| Some(std::mem::replace(end, *end + size as usize))).collect();
    let mut members = vec![0; order.len()];
    for (&label, &row) in function.labels.iter().zip(order) {
        members[next[label as usize]] = row;
        next[label as usize] += 1;
    }
    Partition::from_parts(members, next.into_iter().map(|end| end as u32).collect())
}

/// `age 1, zip [10000, 20000, 30000]`, or `as is`.
fn label(function: &SequenceFunction) -> String {
    let told = function.columns.iter().filter(|(_, grain)| **grain != PublishedGrain::Level(0));
    let words: Vec<String> = told
        .map(|(name, grain)| match grain {
            PublishedGrain::Level(level) => format!("{name} {level}"),
            PublishedGrain::Borders(borders) => format!("{name} [{}]", borders.join(", ")),
        })
        .collect();
    if words.is_empty() { "as is".to_owned() } else { words.join(", ") }
}
