//! The sequence publisher: walks along generalization functions and releases one of them, or nothing.
//!
//! Every function is a choice of levels (`functions.rs`, from what the job writes, `written.rs`), so its groups depend on
//! quasi-identifiers alone. A strategy of [`crate::sequence`] decides which function is released, and the belief engine
//! counts for it what an adversary who knows all of that would still hold possible. `account.rs` is what is told to the
//! data owner.

mod account;
mod functions;
mod written;

use hashbrown::HashMap;

pub use account::{Account, Counted, Finding, Leak, Looked, Silence, StepAccount};

use self::functions::{Listed, dropped, list};
use self::written::Written;
use super::partition::Groups;
use super::plan::{Nothing, Plan};
use super::randomness::{Purpose, Randomness};
use super::{GUARANTEE, Outcome, Publisher, Statement};
use crate::belief::{Adversary, Budget, Condition};
use crate::error::{Error, ErrorKind, Result};
use crate::granulation::Granulation;
use crate::registry::{Args, Entry, LEFT_OUT, Param, ParamKind, Status, find};
use crate::release::{PublishedFunction, PublishedGrain, PublishedSequence};
use crate::sequence::{KJump, Naive, Rule, STRATEGIES, STRATEGY_IDS, Sequence, Strategy};

/// The word for jumps that are drawn and kept secret.
const SECRET: &str = "secret";

/// What questions that decide nothing may take.
const MODEST: Budget = Budget { states: 20_000_000 };

/// The registry entry.
pub const ENTRY: Entry<dyn Publisher> = Entry {
    id: "sequence",
    summary: "walk along given generalization functions; releases one of them or nothing",
    reference: "Liu, Wang, Zhang: k-jump strategy, ICDT 2010; Zhang, Wang, Jajodia: exclusive strategy, DBSec 2008",
    status: Status::Proven,
    params: &[
        Param {
            name: "sequence",
            kind: ParamKind::Text,
            default: None,
            help: "the functions: a list such as [{ age = 1, zip = 2 }, { age = \"top\" }], \"chain\" or \"lattice\"",
        },
        Param {
            name: "strategy",
            kind: ParamKind::Choice(STRATEGY_IDS),
            default: Some("exclusive"),
            help: "how the sequence is walked along; naive is not for publication",
        },
        Param {
            name: "jumps",
            kind: ParamKind::Text,
            default: Some(LEFT_OUT),
            help: "for k-jump: a distance, a distance for every function, or \"secret\"",
        },
        Param {
            name: "silence",
            kind: ParamKind::Choice(&["unknown", "observable"]),
            default: Some("unknown"),
            help: "whether somebody may see that nothing is released",
        },
    ],
    build: |args: &Args| Ok(Box::new(SequencePublisher::new(args)?)),
};

/// A function of a sequence, as it is released.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its groups of rows; their order and the order inside them have no meaning.
    pub groups: Groups,
    /// The level of every quasi column.
    pub granulation: Granulation,
    /// What the manifest says of the sequence.
    pub published: PublishedSequence,
    /// What was seen on the way; never published.
    pub account: Account,
}

#[derive(Debug)]
struct SequencePublisher {
    written: Written,
    choice: Choice,
    silence: Silence,
}

#[derive(Debug)]
enum Choice {
    /// A strategy that everybody knows.
    Fixed(Box<dyn Strategy>),
    /// k-jump with distances drawn at random and kept secret.
    Secret,
}

/// A strategy on the functions that are not ruled out: ruled-out functions always fail and lead to the next.
#[derive(Debug)]
struct Remaining<'a> {
    strategy: &'a dyn Strategy,
    rules: Vec<Rule>,
}

impl<'a> Remaining<'a> {
    /// `strategy` on the functions `left`, by their places among `steps` functions.
    fn new(strategy: &'a dyn Strategy, steps: usize, left: &[usize]) -> Result<Self> {
        let rules = strategy.rules(steps)?;
        let rules = left.iter().enumerate().map(|(at, &place)| {
            let target = left.partition_point(|&other| other < place.saturating_add(rules[place].jump));
            Rule { looks: rules[place].looks, jump: target - at }
        });
        Ok(Self { strategy, rules: rules.collect() })
    }
}

impl Strategy for Remaining<'_> {
    fn id(&self) -> &'static str {
        self.strategy.id()
    }

    fn describe(&self) -> String {
        self.strategy.describe()
    }

    fn rules(&self, steps: usize) -> Result<Vec<Rule>> {
        debug_assert_eq!(steps, self.rules.len());
        Ok(self.rules.clone())
    }

    fn is_safe(&self) -> bool {
        self.strategy.is_safe()
    }
}

impl SequencePublisher {
    fn new(args: &Args) -> Result<Self> {
        let written = Written::parse(args.word("sequence")?)?;
        let strategy = find(STRATEGIES, "strategy", args.word("strategy")?)?;
        let takes_jumps = strategy.params.iter().any(|param| param.name == "jumps");
        let choice = match args.given("jumps") {
            Some(_) if !takes_jumps => {
                return Err(Error::invalid(format!(
                    "`jumps` goes with strategy = \"k-jump\", not with `{}`; remove it or change the strategy",
                    strategy.id
                )));
            }
            Some(SECRET) => Choice::Secret,
            Some(jumps) => Choice::Fixed(strategy.make(&Args::new().with("jumps", jumps))?),
            None => Choice::Fixed(strategy.make(&Args::new())?),
        };
        let silence = if args.word("silence")? == "observable" { Silence::Observable } else { Silence::Unknown };
        Ok(Self { written, choice, silence })
    }

    fn condition<'a>(plan: &'a Plan<'_>) -> Condition<'a> {
        let goals = plan.goals.iter().filter(|goal| goal.principle.needs_sensitive());
        Condition::new(goals.map(|goal| goal.test.as_ref()))
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
            silence: self.silence.word().to_owned(),
            functions: stated.collect(),
            released: released + 1,
        })
    }
}

/// A function, and whether its group sizes rule it out.
struct Function {
    listed: Listed,
    ruled_out: Option<String>,
}

impl Publisher for SequencePublisher {
    fn accepts(&self, plan: &Plan<'_>) -> Result<()> {
        if plan.quasi.is_empty() {
            return Err(Error::invalid("there is no quasi column to make groups by; declare one"));
        }
        let mut columns = plan.goals.iter().filter(|goal| goal.principle.needs_sensitive()).map(|goal| goal.column);
        if let Some(first) = columns.next()
            && columns.any(|other| !std::ptr::eq(first, other))
        {
            return Err(Error::invalid(
                "`sequence` protects one sensitive column, the job has several; keep one, give the others role `drop`, or use \
                 publisher = \"tailor\"",
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

    fn statement(&self) -> Statement {
        let safe = match &self.choice {
            Choice::Fixed(strategy) => strategy.is_safe(),
            Choice::Secret => true,
        };
        let draws = matches!(self.choice, Choice::Secret);
        if !safe {
            return Statement {
                guarantee: "holds only against an adversary who does not know how the release was made".to_owned(),
                caveat: Some(
                    "it was made with a strategy that gives people away to whoever knows the sequence of functions; use \
                     `safe`, `exclusive` or `k-jump`"
                        .to_owned(),
                ),
                draws,
            };
        }
        let silence = match self.silence {
            Silence::Unknown => {
                ", once a release is made; what would follow from nothing being released is not covered"
            }
            Silence::Observable => ", once a release is made",
        };
        Statement { guarantee: format!("{GUARANTEE}{silence}"), caveat: None, draws }
    }

    fn granulates(&self) -> bool {
        true
    }

    fn publish(&self, plan: &Plan<'_>, randomness: Randomness) -> Result<Outcome> {
        self.accepts(plan)?;
        let order = canonical(plan);
        let listed = list(&self.written, plan, &order)?;
        let labels = listed.iter().map(|function| function.labels.clone()).collect();
        Sequence::from_labels(order.len(), labels)?.check_order()?;
        let functions: Vec<Function> =
            listed.into_iter().map(|listed| Function { ruled_out: dropped(plan, &listed), listed }).collect();
        let left: Vec<usize> = (0..functions.len()).filter(|&at| functions[at].ruled_out.is_none()).collect();
        let drawn;
        let (strategy, steps, places): (&dyn Strategy, usize, Vec<usize>) = match &self.choice {
            Choice::Fixed(strategy) => (strategy.as_ref(), functions.len(), left.clone()),
            Choice::Secret => {
                drawn = KJump::draw(left.len(), &mut randomness.stream(Purpose::Jumps, 0, 0));
                (&drawn, left.len(), (0..left.len()).collect())
            }
        };
        let remaining = Remaining::new(strategy, steps, &places)?;
        let mut account = self.account(plan, &functions, strategy, left.len());
        if !left.is_empty() {
            Walker { plan, functions: &functions, left: &left, order: &order }.walk(&remaining, &mut account)?;
        }
        let Some(step) = account.released else { return Ok(Outcome::Nothing(Nothing::Exhausted(Box::new(account)))) };
        let released = &functions[step - 1];
        Ok(Outcome::Step(Box::new(Step {
            groups: groups(&released.listed, &order),
            granulation: released.listed.granulation.clone(),
            published: self.published(strategy, &functions, step - 1)?,
            account,
        })))
    }
}

impl SequencePublisher {
    /// The account before anything has been looked at.
    fn account(&self, plan: &Plan<'_>, functions: &[Function], strategy: &dyn Strategy, left: usize) -> Account {
        let jumps = find(STRATEGIES, "strategy", strategy.id()).is_ok_and(|entry| !entry.params.is_empty());
        let drawn = match &self.choice {
            Choice::Secret => strategy.rules(left).ok().map(|rules| rules.iter().map(|rule| rule.jump).collect()),
            Choice::Fixed(_) => None,
        };
        let steps = (1..).zip(functions).map(|(step, function)| {
            let sizes = function.listed.sizes();
            StepAccount {
                step,
                columns: words(&function.listed),
                groups: sizes.len() as u64,
                smallest: sizes.iter().copied().min().unwrap_or(0),
                ruled_out: function.ruled_out.clone(),
                permutation: None,
                disclosure: None,
            }
        });
        let sensitive = plan.goals.iter().find(|goal| goal.principle.needs_sensitive());
        Account {
            strategy: strategy.id(),
            column: sensitive.map(|goal| goal.column.name().to_owned()),
            principles: plan.goals.iter().map(|goal| goal.principle.describe()).collect(),
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

/// Walks along the functions that are left and fills in the account.
struct Walker<'a> {
    plan: &'a Plan<'a>,
    functions: &'a [Function],
    left: &'a [usize],
    order: &'a [u32],
}

impl Walker<'_> {
    fn walk(&self, strategy: &dyn Strategy, account: &mut Account) -> Result<()> {
        let numbers: Vec<usize> = self.left.iter().map(|&place| place + 1).collect();
        let Some(goal) = self.plan.goals.iter().find(|goal| goal.principle.needs_sensitive()) else {
            // Group sizes are all that counts, and they pass.
            account.released = numbers.first().copied();
            return Ok(());
        };
        let condition = SequencePublisher::condition(self.plan);
        let values: Vec<u32> = self.order.iter().map(|&row| goal.column.code(row as usize)).collect();
        let labels = self.left.iter().map(|&place| self.functions[place].listed.labels.clone()).collect();
        let sequence = Sequence::from_labels(self.order.len(), labels)?;
        let adversary =
            |strategy: &dyn Strategy, budget| Adversary::new(&sequence, strategy, &condition, &values, budget);
        let deciding = adversary(strategy, Budget::default()).map_err(with_remedy)?;
        let walk = deciding.walk().map_err(with_remedy)?;
        account.released = walk.release.map(|step| numbers[step - 1]);
        account.looks = walk.looks.iter().map(|look| Looked::of(look, &numbers)).collect();
        // From here on nothing is decided, so a question that takes too long is left open and nothing fails.
        let atoms = atoms(&sequence);
        let curious = adversary(strategy, MODEST)?;
        for (step, &number) in (1..).zip(&numbers) {
            let seen = |disclosure: bool| {
                account.looks.iter().any(|look| look.step == number && look.disclosure == disclosure)
            };
            let (permutation, disclosure) = (self.plan.explain || seen(false), self.plan.explain || seen(true));
            let told = &mut account.steps[number - 1];
            if permutation {
                told.permutation = Some(Finding::of(curious.permutation(step), &condition, &atoms));
            }
            if disclosure {
                told.disclosure = Some(Finding::of(curious.disclosure(step), &condition, &atoms));
            }
        }
        let silence = if account.silence == Silence::Observable { &deciding } else { &curious };
        account.given_nothing = Some(Finding::of(silence.disclosure(sequence.len() + 1), &condition, &atoms));
        let leak = || -> Result<Leak> {
            let naive = adversary(&Naive, MODEST)?;
            let released = naive.walk()?.release;
            let belief = released.map(|step| Finding::of(naive.disclosure(step), &condition, &atoms));
            Ok(Leak { released: released.map(|step| numbers[step - 1]), belief })
        };
        account.naive = Some(leak().map_err(|error| error.message().to_owned()));
        Ok(())
    }
}

/// What to do when counting takes too much.
fn with_remedy(error: Error) -> Error {
    if error.kind() != ErrorKind::LimitExceeded {
        return error;
    }
    let message = format!(
        "the disclosure sets of `sequence` cannot be counted: {}; use fewer or coarser functions, functions that nest, or \
         strategy = \"exclusive\"",
        error.message()
    );
    Error::new(ErrorKind::LimitExceeded, message)
}

/// Rows in an order that does not depend on the order of the input: by quasi-identifiers, then by sensitive values.
fn canonical(plan: &Plan<'_>) -> Vec<u32> {
    let mut order: Vec<u32> = (0..plan.rows as u32).collect();
    let goal = plan.goals.iter().find(|goal| goal.principle.needs_sensitive());
    order.sort_by_cached_key(|&row| {
        let quasi = plan.quasi.iter().map(|(column, _)| column.code(row as usize));
        let key: Vec<u32> = quasi.chain(goal.map(|goal| goal.column.code(row as usize))).collect();
        key
    });
    order
}

/// A person of every atom, with the number of people who are in the same group under every function.
fn atoms(sequence: &Sequence) -> Vec<(usize, u64)> {
    let mut known: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut atoms: Vec<(usize, u64)> = Vec::new();
    for person in 0..sequence.people() {
        let key = (1..=sequence.len()).map(|step| sequence.labels(step)[person]).collect();
        let at = *known.entry(key).or_insert(atoms.len());
        if at == atoms.len() {
            atoms.push((person, 0));
        }
        atoms[at].1 += 1;
    }
    atoms
}

/// The groups of a function as rows of the table.
fn groups(function: &Listed, order: &[u32]) -> Groups {
    let sizes = function.sizes();
    let mut next: Vec<usize> =
        sizes.iter().scan(0, |end, &size| Some(std::mem::replace(end, *end + size as usize))).collect();
    let mut members = vec![0; order.len()];
    for (&label, &row) in function.labels.iter().zip(order) {
        members[next[label as usize]] = row;
        next[label as usize] += 1;
    }
    Groups::from_parts(members, next.into_iter().map(|end| end as u32).collect())
}

/// `age 1, zip [10000, 20000, 30000]`, or `as is`.
fn words(function: &Listed) -> String {
    let told = function.columns.iter().filter(|(_, grain)| **grain != PublishedGrain::Level(0));
    let words: Vec<String> = told
        .map(|(name, grain)| match grain {
            PublishedGrain::Level(level) => format!("{name} {level}"),
            PublishedGrain::Borders(borders) => format!("{name} [{}]", borders.join(", ")),
        })
        .collect();
    if words.is_empty() { "as is".to_owned() } else { words.join(", ") }
}
