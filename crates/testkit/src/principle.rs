//! Principles as predicates on exact distributions, and their robust size by trying every sub-multiset.

use std::collections::BTreeSet;

use dashu_int::UBig;
use pellucid_model::exact::{Fraction, format_fraction, fraction};
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{PRINCIPLES, Principle as ModelPrinciple};
use pellucid_model::registry::{EntryArgs, RegistryEntry};

/// A privacy principle, decided exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Principle {
    /// No (protected) value has more than `1/l`.
    Share {
        /// The bound's denominator.
        l: u64,
        /// The values that count; `None` for all.
        protect: Option<BTreeSet<u32>>,
    },
    /// No value has more than `ratio`.
    Ratio {
        /// The bound.
        ratio: Fraction,
    },
    /// Every value has less than `ratio`.
    Below {
        /// The bound.
        ratio: Fraction,
    },
    /// No value has more than `delta`, and every possible one at least `eps`: not closed under mixtures.
    Band {
        /// The largest share.
        delta: Fraction,
        /// The least share of a possible value.
        eps: Fraction,
    },
    /// At least `l` values are possible.
    Distinct {
        /// How many.
        l: u64,
    },
    /// Entropy of at least `ln l`.
    Entropy {
        /// The exponential of the least entropy.
        l: Fraction,
    },
    /// `r1 < c (r_l + r_{l+1} + ...)` for the shares in descending order.
    Recursive {
        /// The factor.
        c: Fraction,
        /// The first share counted on the right.
        l: usize,
    },
    /// Half the sum of differences to the whole table is at most `t`.
    EqualCloseness {
        /// The largest distance.
        t: Fraction,
    },
    /// The earth mover's distance to the whole table, with values in a row and the ends at distance 1, is at most `t`.
    OrderedCloseness {
        /// The largest distance.
        t: Fraction,
    },
    /// Every sentence, written as the values that satisfy it, is falsified by a possible value.
    Logical {
        /// The confidential sentences, the same for everybody.
        sentences: Vec<BTreeSet<u32>>,
    },
    /// Groups have at least `k` rows; says nothing of values.
    KAnonymity {
        /// How many.
        k: u64,
    },
}

impl Principle {
    /// Whether a distribution over the values `0..shares.len()` passes; `whole` is that of the whole table.
    pub fn belief_passes(&self, shares: &[Fraction], whole: &[Fraction]) -> bool {
        match self {
            Self::Share { l, protect } => (0u32..).zip(shares).all(|(value, share)| {
                protect.as_ref().is_some_and(|set| !set.contains(&value)) || *share <= fraction(1, *l)
            }),
            Self::Ratio { ratio } => shares.iter().all(|share| share <= ratio),
            Self::Below { ratio } => shares.iter().all(|share| share < ratio),
            Self::Band { delta, eps } => {
                shares.iter().all(|share| *share == Fraction::ZERO || (eps <= share && share <= delta))
            }
            Self::Distinct { l } => shares.iter().filter(|share| **share > Fraction::ZERO).count() as u64 >= *l,
            Self::Entropy { l } => entropy_at_least(shares, l),
            Self::Recursive { c, l } => {
                let mut sorted = shares.to_vec();
                sorted.sort_by(|a, b| b.cmp(a));
                let tail = sorted.iter().skip(l - 1).fold(Fraction::ZERO, |sum, share| sum + share);
                sorted[0] < c * tail
            }
            Self::EqualCloseness { t } => {
                let apart = shares.iter().zip(whole).map(|(share, whole)| distance(share, whole));
                apart.fold(Fraction::ZERO, |sum, part| sum + part) <= t * fraction(2, 1u8)
            }
            Self::OrderedCloseness { t } => {
                let (mut carried, mut work) = (Fraction::ZERO, Fraction::ZERO);
                for (share, whole) in shares.iter().zip(whole) {
                    carried = carried + share - whole;
                    work += distance(&carried, &Fraction::ZERO);
                }
                work <= t * fraction(shares.len() as u64 - 1, 1u8)
            }
            Self::Logical { sentences } => sentences.iter().all(|sentence| {
                (0u32..).zip(shares).any(|(value, share)| *share > Fraction::ZERO && !sentence.contains(&value))
            }),
            Self::KAnonymity { .. } => true,
        }
    }

    /// Whether a group with these counts passes.
    pub fn group_passes(&self, counts: &[u64], whole: &[u64]) -> bool {
        match self {
            Self::KAnonymity { k } => counts.iter().sum::<u64>() >= *k,
            _ => self.belief_passes(&shares(counts), &shares(whole)),
        }
    }

    /// The smallest m such that every non-empty sub-multiset of `group` with at least m rows passes, by trying them
    /// all; `None` when the group itself fails. Values are `0..domain`.
    pub fn robust(&self, group: &Histogram, whole: &Histogram, domain: u32) -> Option<u64> {
        let counts = |of: &Histogram| -> Vec<u64> { (0..domain).map(|value| of.count(value)).collect() };
        let (group, whole) = (counts(group), counts(whole));
        if !self.group_passes(&group, &whole) {
            return None;
        }
        let failing = sub_multisets(&group).into_iter().filter(|sub| {
            let rows: u64 = sub.iter().sum();
            rows > 0 && !self.group_passes(sub, &whole)
        });
        Some(failing.map(|sub| sub.iter().sum::<u64>()).max().unwrap_or(0) + 1)
    }
}

impl Principle {
    /// The literal form of principle `id` of the registry with all its arguments.
    ///
    /// # Panics
    /// When it has none yet.
    pub fn of(id: &str, args: &EntryArgs) -> Self {
        let number = |name: &str| args.number(name).expect("a number");
        let whole = |name: &str| args.integer(name).expect("a whole number");
        match (id, args.given("distance")) {
            ("k-anonymity", _) => Self::KAnonymity { k: whole("k") },
            ("frequency-l-diversity", _) => Self::Share { l: whole("l"), protect: None },
            ("highest-ratio", _) => Self::Ratio { ratio: number("ratio") },
            ("distinct-l-diversity", _) => Self::Distinct { l: whole("l") },
            ("entropy-l-diversity", _) => Self::Entropy { l: number("l") },
            ("recursive-cl-diversity", _) => Self::Recursive { c: number("c"), l: whole("l") as usize },
            ("t-closeness", Some("ordered")) => Self::OrderedCloseness { t: number("t") },
            // The test kit's hierarchies are flat, where the hierarchical distance is the equal one.
            ("t-closeness", _) => Self::EqualCloseness { t: number("t") },
            ("band", _) => Self::Band { delta: number("delta"), eps: number("eps") },
            ("logical-security", _) => Self::Logical { sentences: sets(args.text("sentences").expect("it is given")) },
            _ => panic!("principle `{id}` has no literal form; write it in crates/testkit/src/principle.rs"),
        }
    }

    /// Every principle of the registry with the arguments of each of its examples, and its literal form.
    pub fn examples() -> impl Iterator<Item = (&'static RegistryEntry<dyn ModelPrinciple>, EntryArgs, Self)> {
        PRINCIPLES.iter().flat_map(|entry| {
            entry.examples().map(move |args| {
                let args = args.checked(entry.id, entry.params).expect("examples are good");
                let literal = Self::of(entry.id, &args);
                (entry, args, literal)
            })
        })
    }

    /// The principle's id and arguments in the registry.
    ///
    /// # Panics
    /// For sentences, which speak of columns.
    pub fn in_registry(&self) -> (&'static str, EntryArgs) {
        let number = |name: &str, value: &Fraction| EntryArgs::new().with(name, format_fraction(value));
        match self {
            Self::Share { l, .. } => ("frequency-l-diversity", EntryArgs::new().with("l", l)),
            Self::Ratio { ratio } => ("highest-ratio", number("ratio", ratio)),
            // r1 < ratio says that r1 < ratio / (1 - ratio) times the rest.
            Self::Below { ratio } => {
                let c = ratio / (Fraction::ONE - ratio);
                ("recursive-cl-diversity", number("c", &c).with("l", 2))
            }
            Self::Band { delta, eps } => ("band", number("delta", delta).with("eps", format_fraction(eps))),
            Self::Distinct { l } => ("distinct-l-diversity", EntryArgs::new().with("l", l)),
            Self::Entropy { l } => ("entropy-l-diversity", number("l", l)),
            Self::Recursive { c, l } => ("recursive-cl-diversity", number("c", c).with("l", l)),
            Self::EqualCloseness { t } => ("t-closeness", number("t", t).with("distance", "equal")),
            Self::OrderedCloseness { t } => ("t-closeness", number("t", t).with("distance", "ordered")),
            Self::KAnonymity { k } => ("k-anonymity", EntryArgs::new().with("k", k)),
            Self::Logical { .. } => panic!("sentences speak of columns"),
        }
    }

    /// How many values a domain must have for the definition to make sense.
    pub fn least_domain(&self) -> u32 {
        match self {
            Self::OrderedCloseness { .. } => 2,
            Self::Logical { sentences } => sentences.iter().flatten().max().map_or(0, |most| most + 1),
            _ => 1,
        }
    }
}

/// The values that satisfy each of some sentences such as `x in (a, b)`, where `a` is value 0.
fn sets(sentences: &str) -> Vec<BTreeSet<u32>> {
    let written: Vec<String> = serde_json::from_str(sentences).expect("a list of sentences");
    let values = |sentence: String| {
        let list = sentence.strip_prefix("x in (").and_then(|rest| rest.strip_suffix(')')).map(str::to_owned);
        let list = list.unwrap_or_else(|| panic!("`{sentence}` is not written like `x in (a, b)`; read it in `sets`"));
        list.bytes().filter(u8::is_ascii_lowercase).map(|letter| u32::from(letter - b'a')).collect()
    };
    written.into_iter().map(values).collect()
}

/// Counts as shares of their sum.
pub fn shares(counts: &[u64]) -> Vec<Fraction> {
    let total: u64 = counts.iter().sum();
    counts.iter().map(|&count| fraction(count, total)).collect()
}

/// All count vectors that are at most `counts` everywhere.
fn sub_multisets(counts: &[u64]) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for &count in counts {
        all = all
            .iter()
            .flat_map(|sub| (0..=count).map(move |taken| sub.iter().copied().chain([taken]).collect::<Vec<u64>>()))
            .collect();
    }
    all
}

fn distance(a: &Fraction, b: &Fraction) -> Fraction {
    if a < b { b - a } else { a - b }
}

/// `-sum p ln p >= ln l` without logarithms: with shares `a_i / n` and `l = x / y` it says
/// `n^n y^n >= x^n prod a_i^a_i`.
fn entropy_at_least(shares: &[Fraction], l: &Fraction) -> bool {
    let n = shares.iter().fold(UBig::ONE, |n, share| lcm(n, share.denominator()));
    let power = |base: &UBig, exponent: &UBig| base.pow(usize::try_from(exponent).expect("small tables"));
    let mut right = power(&natural(l), &n);
    for share in shares.iter().filter(|share| **share > Fraction::ZERO) {
        let part = natural(share) * (&n / share.denominator());
        right *= power(&part, &part);
    }
    power(&(&n * l.denominator()), &n) >= right
}

/// The numerator of a fraction that is not negative.
fn natural(value: &Fraction) -> UBig {
    UBig::try_from(value.numerator().clone()).expect("not negative")
}

fn lcm(a: UBig, b: &UBig) -> UBig {
    use dashu_int::ops::Gcd;
    let common = (&a).gcd(b);
    a / common * b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_robust_size_of_a_share_is_l_times_the_largest_count() {
        let principle = Principle::Share { l: 2, protect: None };
        let group = Histogram::from_counts([2, 2, 1]);
        // 2 * 2 rows; with 3 rows two of them may be equal.
        assert_eq!(principle.robust(&group, &group, 3), Some(4));
        let group = Histogram::from_counts([3, 2]);
        assert_eq!(principle.robust(&group, &group, 2), None);
    }

    #[test]
    fn entropy_is_decided_exactly() {
        let even = shares(&[1, 1, 0]);
        assert!(entropy_at_least(&even, &fraction(2, 1u8)));
        assert!(!entropy_at_least(&even, &fraction(2001, 1000u16)));
        // Shares 1/2, 1/4, 1/4: entropy 1.5 ln 2, exp of it 2.828...
        let skewed = shares(&[2, 1, 1]);
        assert!(entropy_at_least(&skewed, &fraction(2828, 1000u16)));
        assert!(!entropy_at_least(&skewed, &fraction(2829, 1000u16)));
    }

    #[test]
    fn ordered_distance_counts_steps() {
        // All mass at one end against all at the other is at distance 1, at the middle 1/2.
        let (low, middle, high) = (shares(&[1, 0, 0]), shares(&[0, 1, 0]), shares(&[0, 0, 1]));
        let within = |t: Fraction| Principle::OrderedCloseness { t };
        assert!(within(fraction(1, 2u8)).belief_passes(&low, &middle));
        assert!(!within(fraction(49, 100u8)).belief_passes(&low, &middle));
        assert!(!within(fraction(99, 100u8)).belief_passes(&low, &high));
        assert!(!Principle::EqualCloseness { t: fraction(99, 100u8) }.belief_passes(&low, &middle));
    }

    #[test]
    fn a_band_is_not_closed_under_mixtures() {
        let band = Principle::Band { delta: fraction(1, 2u8), eps: fraction(1, 3u8) };
        let passes = |counts: &[u64]| band.belief_passes(&shares(counts), &shares(counts));
        assert!(passes(&[1, 1, 0]) && passes(&[1, 0, 1]));
        assert!(!passes(&[2, 1, 1]) && !passes(&[1, 0, 0]));
    }
}
