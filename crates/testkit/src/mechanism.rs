//! Mechanisms: anything that turns a table into a random release, as the adversary sees it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use pellucid_model::histogram::Histogram;
use pellucid_model::registry::{EntryArgs, ProofStatus, RegistryEntry};
use pellucid_publish::publisher::{PUBLISHERS, Publisher};

use crate::instance::{Instance, Outputs, certainly, histogram};
use crate::literal::ace::{ValueOrder, ace};
use crate::literal::assign::Choice;
use crate::literal::hybrid::hybrid;
use crate::literal::mask::mask;
use crate::literal::mondrian::mondrian;
use crate::literal::opt_gen::{Ties, opt_gen};
use crate::literal::tailor::{share_robust, tailor};
use crate::literal::vul_gen::vul_gen;
use crate::person::Person;
use crate::principle::Principle;

/// A publisher as the adversary sees it: the exact distribution of its answer on every instance.
pub trait Mechanism {
    /// Every possible answer with its probability; probabilities sum to 1.
    fn outputs(&self, external: &[Person], instance: &Instance) -> Outputs;
}

impl<F: Fn(&[Person], &Instance) -> Outputs> Mechanism for F {
    fn outputs(&self, external: &[Person], instance: &Instance) -> Outputs {
        self(external, instance)
    }
}

/// What the three transparent algorithms are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// At most one in `l` shares a (protected) value.
    pub l: u64,
    /// Extent of every quasi attribute for the perimeter.
    pub norm: Vec<i64>,
    /// The values that need protection; `None` for all.
    pub protect: Option<BTreeSet<u32>>,
}

impl Setting {
    /// All values are protected.
    pub fn new(l: u64, norm: impl Into<Vec<i64>>) -> Self {
        Self { l, norm: norm.into(), protect: None }
    }

    /// The same setting with only `values` protected.
    #[must_use]
    pub fn protecting(mut self, values: impl IntoIterator<Item = u32>) -> Self {
        self.protect = Some(values.into_iter().collect());
        self
    }
}

/// Where a publisher of the registry is written down literally.
pub enum PublisherTwin {
    /// As a mechanism.
    Mechanism(Box<dyn Fn(Setting) -> Box<dyn Mechanism>>),
    /// It needs more than a [`Setting`]: a file of tests of its own holds it against its definition.
    Elsewhere(&'static str),
}

impl PublisherTwin {
    /// The twin of publisher `id` of the registry with arguments `args`, defaults filled in.
    ///
    /// # Panics
    /// When there is none yet.
    pub fn of(id: &str, args: &EntryArgs) -> Self {
        let is = |name: &str, word: &str| args.given(name) == Some(word);
        Self::Mechanism(match id {
            "tailor" => Box::new(|setting| Box::new(Tailor(setting))),
            "ace" => Box::new(|setting| Box::new(Ace(setting))),
            "hybrid" => Box::new(|setting| Box::new(Hybrid(setting))),
            "mondrian" => Box::new(|Setting { l, norm, .. }| Box::new(Mondrian { l, norm })),
            "vul-gen" => Box::new(|Setting { l, norm, .. }| Box::new(VulGen { l, norm })),
            "opt-gen" => {
                let disjoint = is("recoding", "disjoint");
                let ties = if is("ties", "uniform") { Ties::Uniform } else { Ties::First };
                Box::new(move |Setting { l, .. }| Box::new(OptGen { l, disjoint, ties }))
            }
            "mask" => return Self::Elsewhere("opaque.rs"),
            "best-of" => return Self::Elsewhere("best_of.rs"),
            "sequence" => return Self::Elsewhere("belief_engine.rs"),
            "search" => return Self::Elsewhere("granulation_search.rs"),
            _ => panic!(
                "publisher `{id}` has no literal twin; write it in crates/testkit/src/literal/{}.rs and name it in `PublisherTwin::of` of \
                 crates/testkit/src/mechanism.rs",
                id.replace('-', "_")
            ),
        })
    }

    /// Every publisher of the registry with the arguments of each of its examples that has a mechanism as its twin.
    pub fn mechanisms() -> impl Iterator<Item = MechanismTwin> {
        let all = PUBLISHERS.iter().flat_map(|entry| entry.examples().map(move |args| (entry, args)));
        all.filter_map(|(entry, args)| {
            let filled = args.checked(entry.id, entry.params).expect("examples are good");
            match Self::of(entry.id, &filled) {
                Self::Mechanism(make) => Some(MechanismTwin { entry, args, make }),
                Self::Elsewhere(_) => None,
            }
        })
    }
}

/// A publisher of the registry beside its twin.
pub struct MechanismTwin {
    /// The publisher.
    pub entry: &'static RegistryEntry<dyn Publisher>,
    /// Its arguments.
    pub args: EntryArgs,
    /// Makes the twin.
    pub make: Box<dyn Fn(Setting) -> Box<dyn Mechanism>>,
}

impl MechanismTwin {
    /// Whether the publisher promises something, with all principles it takes, to whoever knows it.
    pub fn is_proven(&self) -> bool {
        self.entry.status == ProofStatus::Proven
    }
}

/// Literal Tailor.
#[derive(Debug, Clone)]
pub struct Tailor(pub Setting);

impl Mechanism for Tailor {
    fn outputs(&self, external: &[Person], instance: &Instance) -> Outputs {
        let robust = share_robust(self.0.l, self.0.protect.as_ref());
        certainly(tailor(external, instance, &self.0.norm, &robust))
    }
}

/// Literal Ace.
#[derive(Debug, Clone)]
pub struct Ace(pub Setting);

impl Mechanism for Ace {
    fn outputs(&self, external: &[Person], instance: &Instance) -> Outputs {
        let rules = (ValueOrder::Public, Choice::Random);
        ace(external, instance, self.0.l, &self.0.norm, self.0.protect.as_ref(), rules)
    }
}

/// Literal Hybrid.
#[derive(Debug, Clone)]
pub struct Hybrid(pub Setting);

impl Mechanism for Hybrid {
    fn outputs(&self, external: &[Person], instance: &Instance) -> Outputs {
        hybrid(external, instance, self.0.l, &self.0.norm, self.0.protect.as_ref())
    }
}

/// Ace with a choice anyone can reproduce, or an order on values taken from the data: both break it.
#[derive(Debug, Clone)]
pub struct BrokenAce {
    /// As for [`Ace`].
    pub setting: Setting,
    /// Where the order on values comes from.
    pub order: ValueOrder,
    /// How rows are chosen.
    pub choice: Choice,
}

impl Mechanism for BrokenAce {
    fn outputs(&self, external: &[Person], instance: &Instance) -> Outputs {
        let rules = (self.order, self.choice);
        ace(external, instance, self.setting.l, &self.setting.norm, self.setting.protect.as_ref(), rules)
    }
}

/// Literal Tailor for any principle, with the robust size found by trying every sub-multiset.
#[derive(Debug)]
pub struct TailorFor {
    norm: Vec<i64>,
    principle: Principle,
    domain: u32,
    known: RefCell<BTreeMap<(Histogram, Histogram), Option<u64>>>,
}

impl TailorFor {
    /// Tailor for `principle` on sensitive values `0..domain`.
    pub fn new(principle: Principle, norm: impl Into<Vec<i64>>, domain: u32) -> Self {
        Self { norm: norm.into(), principle, domain, known: RefCell::default() }
    }
}

impl Mechanism for TailorFor {
    fn outputs(&self, external: &[Person], instance: &Instance) -> Outputs {
        let whole = histogram(instance.rows());
        let robust = |group: &Histogram| {
            let key = (group.clone(), whole.clone());
            let mut known = self.known.borrow_mut();
            *known.entry(key).or_insert_with(|| self.principle.robust(group, &whole, self.domain))
        };
        certainly(tailor(external, instance, &self.norm, &robust))
    }
}

/// Literal Mondrian.
#[derive(Debug, Clone)]
pub struct Mondrian {
    /// Each half is l-diverse.
    pub l: u64,
    /// Extent of every quasi attribute.
    pub norm: Vec<i64>,
}

impl Mechanism for Mondrian {
    fn outputs(&self, external: &[Person], instance: &Instance) -> Outputs {
        certainly(mondrian(external, instance, self.l, &self.norm))
    }
}

/// Literal Opt-Gen.
#[derive(Debug, Clone, Copy)]
pub struct OptGen {
    /// Each group is l-diverse.
    pub l: u64,
    /// Whether boxes must not overlap; otherwise only equal quasi-identifiers must stay together.
    pub disjoint: bool,
    /// Which of several minimisers is published.
    pub ties: Ties,
}

impl Mechanism for OptGen {
    fn outputs(&self, external: &[Person], instance: &Instance) -> Outputs {
        opt_gen(external, instance, self.l, self.disjoint, self.ties)
    }
}

/// Literal Mask on a fixed partition.
#[derive(Debug, Clone)]
pub struct Mask {
    /// At most one in `l` of a group shares a protected value.
    pub l: u64,
    /// The k-anonymous partition of everyone.
    pub partition: Vec<Vec<usize>>,
    /// The protected values.
    pub protect: BTreeSet<u32>,
}

impl Mechanism for Mask {
    fn outputs(&self, external: &[Person], instance: &Instance) -> Outputs {
        mask(external, instance, self.l, &self.partition, &self.protect)
    }
}

/// Literal Vul-Gen.
#[derive(Debug, Clone)]
pub struct VulGen {
    /// Each group is l-diverse.
    pub l: u64,
    /// Extent of every quasi attribute.
    pub norm: Vec<i64>,
}

impl Mechanism for VulGen {
    fn outputs(&self, external: &[Person], instance: &Instance) -> Outputs {
        certainly(vul_gen(external, instance, self.l, &self.norm))
    }
}
