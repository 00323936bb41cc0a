//! Best-of: runs several publishers on the same table and keeps the answer that costs least. Not transparent, even when every
//! one of them is: a target of attack.
//!
//! The members are given with their parameters. Each is run on the same plan, with random choices of its own. Answers are
//! judged by a metric of [`crate::utility`] on the groups, each taken to span the values of its own rows, however groups
//! are shown in the end; of equally good answers that of the first member is kept. A member that answers *nothing* loses
//! against any that releases, and *nothing* is published when all do. The release does not say which member it comes from.
//!
//! # Guarantee
//! Every group meets every goal, as the members see to that. Whoever knows the members learns that the others cost more, or
//! answered nothing, on this table: two k-jump strategies, each of them safe, give somebody among seven people away with
//! certainty when the better answer is kept. When no goal looks at sensitive values, answers follow from quasi-identifiers
//! alone, and that is harmless.
//!
//! # Cost
//! The sum over the members.
//!
//! # Reference
//! Liu, Wang, Zhang: k-jump Strategy, ICDT 2010, section 6 proposes such a choice and holds it to be safe.

use std::collections::BTreeMap;

use pellucid_inference::evidence::Evidence;
use pellucid_model::claim::EntryClaim;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::exact::Fraction;
use pellucid_model::partition::Partition;
use pellucid_model::promise;
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::{EntryArgs, ParamKind, ParamSpec, ProofStatus, RegistryEntry, find};

use crate::publisher::input::{NoRelease, PublisherInput};
use crate::publisher::{
    AlteredValues, PUBLISHERS, Publisher, PublisherAnswer, PublisherOutput, PublisherStatement, statement,
};
use crate::utility::{METRICS, MetricInput, MetricValue, NUMBER_IDS, UtilityMetric};
use pellucid_model::manifest::PublishedGrain;

/// The parameter that lists the members.
const OF: &str = "of";

/// The registry entry.
pub const ENTRY: RegistryEntry<dyn Publisher> = RegistryEntry {
    id: "best-of",
    summary: "the best of what several publishers answer; not transparent, whatever they are",
    reference: "Liu, Wang, Zhang: k-jump strategy, ICDT 2010, section 6",
    status: ProofStatus::Published,
    claims: &[EntryClaim::Demonstration, promise::BLIND, promise::NOTHING_ELSE],
    examples: &[&[(OF, r#"["tailor", "mondrian"]"#)]],
    params: &[
        ParamSpec {
            name: OF,
            kind: ParamKind::Publishers,
            default: None,
            help: "the publishers to choose from, e.g. [\"tailor\", { publisher = \"sequence\", sequence = \"chain\" }]",
        },
        ParamSpec {
            name: "measure",
            kind: ParamKind::Choice(NUMBER_IDS),
            default: Some("normalized-certainty-penalty"),
            help: "what the answer that is kept costs least in",
        },
    ],
    build: |args| Ok(Box::new(BestOf::new(args)?)),
};

/// The function that shows any groups.
const ANY_GROUPS: &str = "mbr";

#[derive(Debug)]
struct BestOf {
    members: Vec<Member>,
    measure: Box<dyn UtilityMetric>,
}

#[derive(Debug)]
struct Member {
    id: &'static str,
    publisher: Box<dyn Publisher>,
}

impl Member {
    /// The member `id` with the parameters `args`.
    fn new(id: &str, args: &EntryArgs) -> Result<Self> {
        let entry = find(PUBLISHERS, "publisher", id)?;
        if entry.params.iter().any(|param| param.kind == ParamKind::Publishers) {
            return Err(Error::invalid(format!(
                "`{id}` cannot be one of several publishers itself; list those it chooses from"
            )));
        }
        let publisher = entry.make(args)?;
        if let Some((key, why)) = args.iter().find_map(|(key, _)| Some((key, publisher.ignores(key)?))) {
            return Err(Error::invalid(format!("key `{key}` {why}")));
        }
        Ok(Self { id: entry.id, publisher })
    }
}

impl BestOf {
    fn new(args: &EntryArgs) -> Result<Self> {
        let members = (1..).zip(args.publishers(OF)?).map(|(number, (id, args))| {
            Member::new(&id, &args).map_err(|error| error.context(format!("publisher {number} of `{OF}`")))
        });
        let members: Vec<Member> = members.collect::<Result<_>>()?;
        if members.len() < 2 {
            return Err(Error::invalid(format!(
                "`{OF}` lists {}, and there is nothing to choose from; list two or more publishers",
                members.len()
            )));
        }
        let altering = members.iter().find(|member| !member.publisher.keeps_values());
        let granulating = members.iter().find(|member| member.publisher.granulates());
        if let Some((altering, granulating)) = altering.zip(granulating) {
            return Err(Error::invalid(format!(
                "`{}` shows values that are not the table's, `{}` shows levels, and no release is made for both; choose from \
                 publishers of one sort",
                altering.id, granulating.id
            )));
        }
        let measure = find(METRICS, "metric", args.text("measure")?)?.make(&EntryArgs::new())?;
        Ok(Self { members, measure })
    }

    /// What an answer costs.
    fn cost(&self, plan: &PublisherInput<'_>, groups: &Partition) -> Result<Fraction> {
        match self.measure.measure(&MetricInput::of_groups(&plan.quasi, groups, plan.rows)) {
            MetricValue::Number(cost) => Ok(cost),
            MetricValue::Histogram(_) => Err(Error::new(ErrorKind::Internal, "the measure of `best-of` is no number")),
        }
    }

    /// What a member made as it is released: it does not say whose it is.
    fn anonymous(&self, plan: &PublisherInput<'_>, output: PublisherOutput) -> PublisherOutput {
        let PublisherOutput { groups, granulation, altered, sequence, search, levels: stated, .. } = output;
        let of_step = sequence.map(|sequence| sequence.functions[sequence.released - 1].columns.clone());
        let found = search.map(|search| levels(search.levels));
        let own = || {
            let column = plan.goals[0].column;
            AlteredValues { column: column.name().to_owned(), codes: column.codes().iter().collect() }
        };
        let altered = if self.keeps_values() { altered } else { Some(altered.unwrap_or_else(own)) };
        PublisherOutput { granulation, altered, levels: of_step.or(found).or(stated), ..groups.into() }
    }
}

/// Levels as the manifest states them.
fn levels(levels: BTreeMap<String, usize>) -> BTreeMap<String, PublishedGrain> {
    levels.into_iter().map(|(name, level)| (name, PublishedGrain::Level(level))).collect()
}

impl Publisher for BestOf {
    fn accepts(&self, plan: &PublisherInput<'_>) -> Result<()> {
        let accepts = |(number, member): (usize, &Member)| {
            member.publisher.accepts(plan).map_err(|error| error.context(format!("publisher {number} of `{OF}`")))
        };
        (1..).zip(&self.members).try_for_each(accepts)
    }

    fn statement(&self, plan: &PublisherInput<'_>) -> PublisherStatement {
        let statements: Vec<PublisherStatement> =
            self.members.iter().map(|member| member.publisher.statement(plan)).collect();
        let draws = statements.iter().any(|statement| statement.draws);
        let caveat = statements.into_iter().find_map(|statement| statement.caveat);
        if plan.is_blind() {
            return PublisherStatement { caveat, ..statement::by_sizes(draws) };
        }
        let why = "of the answers of several publishers the best is kept, so whoever knows them learns that the others look \
                   worse on this table";
        PublisherStatement { caveat, ..statement::opaque(plan, why, draws) }
    }

    /// Otherwise the function must be able to show groups without levels.
    fn granulates(&self) -> bool {
        self.members.iter().all(|member| member.publisher.granulates())
    }

    fn usual_function(&self) -> &'static str {
        let mut usual = self.members.iter().map(|member| member.publisher.usual_function());
        usual.next().filter(|first| usual.all(|other| other == *first)).unwrap_or(ANY_GROUPS)
    }

    fn keeps_values(&self) -> bool {
        self.members.iter().all(|member| member.publisher.keeps_values())
    }

    fn ties(&self) -> Option<&'static str> {
        Some("as each of the publishers says; of equally good answers that of the first")
    }

    fn evidence(&self, plan: &PublisherInput<'_>, _output: &PublisherOutput) -> Result<Evidence> {
        if plan.is_blind() {
            return Ok(Evidence::Proven);
        }
        let why = "that the other publishers look worse cannot be told group by group";
        Ok(Evidence::Unknown(why.to_owned()))
    }

    fn publish(&self, plan: &PublisherInput<'_>, randomness: RandomSource<'_>) -> Result<PublisherAnswer> {
        let mut best: Option<(Fraction, PublisherOutput)> = None;
        for (number, member) in (1..).zip(&self.members) {
            let answer = member.publisher.publish(plan, randomness.of_member(number));
            let answer = answer.map_err(|error| error.context(format!("publisher {number} of `{OF}`")))?;
            let Ok(output) = answer else { continue };
            let cost = self.cost(plan, &output.groups)?;
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, output));
            }
        }
        let Some((_, output)) = best else {
            let nothing = plan.obstacle().unwrap_or_else(|| {
                let many = self.members.len();
                NoRelease::Withheld(format!(
                    "none of the {many} publishers of `{OF}` releases anything; try them one by one"
                ))
            });
            return Ok(Err(nothing));
        };
        Ok(Ok(self.anonymous(plan, output)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(of: &str) -> String {
        ENTRY.make(&EntryArgs::new().with(OF, of)).unwrap_err().to_string()
    }

    #[test]
    fn members_that_cannot_be_chosen_from_are_refused_with_their_number() {
        for (of, words) in [
            ("[]", "`of` lists 0, and there is nothing to choose from"),
            (r#"["tailor"]"#, "`of` lists 1"),
            (r#""tailor""#, "`of` must be a list of publishers"),
            (r#"["tailor", "tailr"]"#, "publisher 2 of `of`: no publisher `tailr`, did you mean `tailor`?"),
            (r#"["sequence", "tailor"]"#, "publisher 1 of `of`: `sequence` needs `sequence`"),
            (r#"["tailor", {"publisher": "tailor", "k": 2}]"#, "publisher 2 of `of`: `tailor` has no parameter `k`"),
            (
                r#"["tailor", {"publisher": "search", "seed": 2}]"#,
                "publisher 2 of `of`: key `seed` means nothing to search `fast`",
            ),
            (r#"["tailor", "best-of"]"#, "publisher 2 of `of`: `best-of` cannot be one of several publishers itself"),
            (
                r#"["search", {"publisher": "mask", "k": 2}]"#,
                "`mask` shows values that are not the table's, `search` shows levels, and no release is made for both",
            ),
        ] {
            let message = refusal(of);
            assert!(message.contains(words) && message.contains("; "), "{of}: {message}");
        }
    }

    #[test]
    fn what_members_agree_on_the_choice_says_of_itself() {
        let made = |of: &str| ENTRY.make(&EntryArgs::new().with(OF, of)).unwrap();
        let levels = made(r#"["search", {"publisher": "search", "measure": "height"}]"#);
        assert!(levels.granulates() && levels.keeps_values() && !levels.suppresses());
        assert_eq!(levels.usual_function(), "hierarchy");
        let mixed = made(r#"["search", "tailor"]"#);
        assert!(!mixed.granulates());
        assert_eq!(mixed.usual_function(), "mbr");
        assert!(!made(r#"["mondrian", {"publisher": "mask", "k": 2}]"#).keeps_values());
    }
}
