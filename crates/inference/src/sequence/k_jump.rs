//! The k-jump strategies: a failed disclosure set costs a jump over the next functions.

use pellucid_model::claim::EntryClaim;
use pellucid_model::error::{Error, Result};
use pellucid_model::randomness::RandomStream;
use pellucid_model::registry::{EntryArgs, ParamKind, ParamSpec, ProofStatus, RegistryEntry};
use pellucid_model::words::counted;

use super::{StepLooks, StepRule, Strategy};

/// How far k-jump jumps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JumpDistances {
    /// The same distance from every step.
    Same(usize),
    /// A distance for every step.
    Vector(Vec<usize>),
}

/// When a step's permutation set passes and its disclosure set does not, goes on some steps further.
///
/// # Guarantee
/// A release is made only when its disclosure set passes, so every member of the family is safe. A member chosen without
/// looking at the table is safe too, for principles closed under mixtures; a member chosen for its utility on the table
/// is not.
/// # Reference
/// Liu, Wang, Zhang, "k-jump strategy for preserving privacy in micro-data disclosure", ICDT 2010, table 7, read so that a
/// failed permutation set goes on to the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KJump {
    jumps: JumpDistances,
}

impl KJump {
    /// Jumps of the given distances, each at least 1.
    pub fn new(jumps: JumpDistances) -> Result<Self> {
        let least = match &jumps {
            JumpDistances::Same(jump) => *jump,
            JumpDistances::Vector(vector) => vector.iter().copied().min().unwrap_or(1),
        };
        if least == 0 {
            return Err(Error::invalid("jumps go at least 1 step further; replace the 0"));
        }
        Ok(Self { jumps })
    }

    /// How many members of the family behave differently on a sequence of `steps` functions: from step i >= 2 a jump has
    /// `steps - i + 1` destinations, and from step 1 there is never one, because its disclosure set is its permutation set.
    pub fn family(steps: usize) -> dashu_int::UBig {
        (2..=steps).fold(dashu_int::UBig::ONE, |size, step| size * (steps - step + 1))
    }

    /// A member of the family for `steps` functions, every one that behaves differently equally likely: from step i >= 2
    /// each of the `steps - i + 1` destinations with the same probability; step 1 never jumps.
    pub fn draw(steps: usize, random: &mut RandomStream<'_>) -> Self {
        let from = |step: usize| if step == 1 { 1 } else { 1 + random.below(steps - step + 1) };
        Self { jumps: JumpDistances::Vector((1..=steps).map(from).collect()) }
    }

    /// The distances, as users write them.
    pub fn jumps(&self) -> &JumpDistances {
        &self.jumps
    }
}

impl Strategy for KJump {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        let distance = match &self.jumps {
            JumpDistances::Same(jump) => format!("{jump} further"),
            JumpDistances::Vector(vector) => {
                let words: Vec<String> = vector.iter().map(ToString::to_string).collect();
                format!("{} further from the respective step", words.join(", "))
            }
        };
        format!(
            "the first function whose groups and disclosure set pass the principle; when only the groups do, go on {distance}"
        )
    }

    fn rules(&self, steps: usize) -> Result<Vec<StepRule>> {
        let rule = |jump: usize| StepRule { looks: StepLooks::Both, jump };
        let fits = |jump: &usize| *jump <= steps;
        match &self.jumps {
            JumpDistances::Same(jump) if fits(jump) => Ok(vec![rule(*jump); steps]),
            JumpDistances::Vector(vector) if vector.len() == steps && vector.iter().all(fits) => {
                Ok(vector.iter().map(|&jump| rule(jump)).collect())
            }
            JumpDistances::Vector(vector) if vector.len() != steps => Err(Error::invalid(format!(
                "jumps lists {}, but the sequence has {}; give one for each",
                counted(vector.len(), "distance", "distances"),
                counted(steps, "function", "functions")
            ))),
            _ => Err(Error::invalid(format!("jumps must lie between 1 and {steps}, the number of functions"))),
        }
    }
}

/// Reads `2`, `1,3,1` or `[1,3,1]`.
fn parse(text: &str) -> Result<JumpDistances> {
    let fail = || {
        Error::invalid(format!(
            "jumps (`{text}`) must be a distance such as 2, a list such as [1, 3, 1] or, in a job, \"secret\""
        ))
    };
    let list = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let numbers: Vec<usize> =
        list.unwrap_or(text).split(',').map(|part| part.trim().parse().map_err(|_| fail())).collect::<Result<_>>()?;
    Ok(if list.is_some() || text.contains(',') {
        JumpDistances::Vector(numbers)
    } else {
        JumpDistances::Same(numbers[0])
    })
}

/// The registry entry of k-jump.
pub const ENTRY: RegistryEntry<dyn Strategy> = RegistryEntry {
    id: "k-jump",
    summary: "a failed disclosure set costs a jump over the next functions",
    reference: "Liu, Wang and Zhang 2010, table 7",
    status: ProofStatus::Proven,
    claims: &[EntryClaim::Safety],
    examples: &[&[("jumps", "1")], &[("jumps", "2")], &[("jumps", "1,2,1")]],
    params: &[ParamSpec {
        name: "jumps",
        kind: ParamKind::Text,
        default: None,
        help: "how many steps further a jump goes: one distance, or one for every function",
    }],
    build: |args: &EntryArgs| Ok(Box::new(KJump::new(parse(args.text("jumps")?)?)?)),
};

#[cfg(test)]
mod tests {
    use pellucid_model::randomness::{ChoicePurpose, RandomSource};

    use super::*;

    #[test]
    fn distances_must_fit_the_sequence() {
        let rules = |text: &str, steps: usize| KJump::new(parse(text)?)?.rules(steps);
        assert_eq!(rules("2", 3).unwrap()[0].jump, 2);
        assert_eq!(rules("1, 3,1", 3).unwrap()[1].jump, 3);
        assert_eq!(rules("[1,3,1]", 3).unwrap(), rules("1,3,1", 3).unwrap());
        assert!(rules("[2]", 3).unwrap_err().to_string().contains("1 distance, but"));
        assert!(rules("0", 3).unwrap_err().to_string().contains("at least 1"));
        assert!(rules("4", 3).unwrap_err().to_string().contains("between 1 and 3"));
        assert!(rules("1,1", 3).unwrap_err().to_string().contains("2 distances, but the sequence has 3"));
        assert!(rules("often", 3).unwrap_err().to_string().contains("must be a distance"));
    }

    #[test]
    fn every_effective_member_is_drawn_equally_often() {
        let mut random = RandomSource::InsecureSeed(1).stream(ChoicePurpose::Jumps, 0, 0);
        let mut counts = std::collections::BTreeMap::new();
        // Four functions have 3 * 2 * 1 = 6 members; 6000 draws give each about 1000, with a deviation of about 29.
        for _ in 0..6000 {
            let JumpDistances::Vector(vector) = KJump::draw(4, &mut random).jumps else { panic!("a vector") };
            *counts.entry(vector).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.keys().all(|vector| vector[0] == 1 && vector[3] == 1));
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn the_family_has_a_factorial_of_members() {
        assert_eq!(KJump::family(1), dashu_int::UBig::ONE);
        assert_eq!(KJump::family(5), dashu_int::UBig::from(24u8));
    }
}
