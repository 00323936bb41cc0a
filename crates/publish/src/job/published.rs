//! What the manifest says of the job: its columns, its principles and the mechanism.

use pellucid_model::error::Result;
use pellucid_model::principle::{PRINCIPLES, Principle};
use pellucid_model::promise::PromiseClass;
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::{EntryArgs, LEFT_OUT, PRIVATE_FILE, ParamKind, find};
use pellucid_model::table::unique_rows;
use pellucid_model::table::{Column, Role, Table};

use super::ResolvedJob;
use crate::function::{FUNCTIONS, JoinRule};
use crate::publisher::{PUBLISHERS, PublisherInput, PublisherStatement, statement};
use crate::release::ReleaseCosts;
use pellucid_model::manifest::{PublishedColumn, PublishedMechanism, PublishedPrinciple, PublishedSequence};
use pellucid_model::statistic::ColumnStatistic;

impl ResolvedJob<'_> {
    /// The columns that are published, in the order of the table.
    ///
    /// What was lost of them is said with `costs`, which are given where the released cells imply them.
    pub(super) fn published_columns(&self, table: &Table, costs: Option<&ReleaseCosts>) -> Vec<PublishedColumn> {
        let published = table.columns().iter().filter(|column| !matches!(column.role(), Role::Identifier | Role::Drop));
        published
            .map(|column| {
                let spec = self.job.columns.get(column.name());
                let missing = spec.and_then(|spec| spec.missing.clone());
                let kind = column.domain().kind();
                let aggregated = self.function.aggregates() && column.role() == Role::Quasi;
                let aggregate = spec.and_then(|spec| spec.aggregate).unwrap_or_else(|| ColumnStatistic::usual(kind));
                PublishedColumn {
                    name: column.name().to_owned(),
                    role: column.role(),
                    kind,
                    hierarchy: spec.and_then(|spec| spec.hierarchy.clone()),
                    protect: spec.and_then(|spec| spec.protect.clone()),
                    aggregate: aggregated.then_some(aggregate),
                    missing: missing.unwrap_or_else(|| self.job.input.missing.clone()),
                    lost: costs.and_then(|costs| costs.losses.get(column.name()).cloned()),
                }
            })
            .collect()
    }

    /// The principles with their parameters; of a private file only that there is one.
    pub(super) fn published_principles(&self) -> Result<Vec<PublishedPrinciple>> {
        let published = |(args, principle): &(EntryArgs, Box<dyn Principle>)| {
            let entry = find(PRINCIPLES, "principle", principle.id())?;
            let is_file =
                |name: &str| entry.params.iter().any(|param| param.name == name && param.kind == ParamKind::File);
            let parameters = args.iter().map(|(name, value)| {
                let value = if is_file(name) { PRIVATE_FILE } else { value };
                (name.to_owned(), value.to_owned())
            });
            Ok(PublishedPrinciple {
                principle: principle.id().to_owned(),
                parameters: parameters.collect(),
                means: principle.describe(),
            })
        };
        self.principles.iter().map(published).collect()
    }

    /// What the publisher says of itself with the function of the job.
    ///
    /// Tailor decides by the histograms of its groups. Where the function shows several as one class, only their union is told, and
    /// belief is no longer the prior conditioned on what is shown: two groups of people that an identifier alone tells apart have one
    /// box, and the cut between them tells of each. People whom nothing public tells apart are exchangeable, which costs nothing. In
    /// random worlds joining groups is post-processing.
    pub(super) fn statement(&self, plan: &PublisherInput<'_>, randomness: RandomSource<'_>) -> PublisherStatement {
        let stated = self.publisher.statement(plan);
        if plan.is_blind() {
            return stated;
        }
        if randomness.is_insecure() && stated.draws {
            let guarantee = "holds on every published group, and against nobody who knows the seed".to_owned();
            return PublisherStatement { promise: PromiseClass::None, guarantee, ..stated };
        }
        let all_shown = match self.function.joins() {
            JoinRule::Nothing => true,
            JoinRule::EqualPeople => {
                let quasi: Vec<&Column> = plan.quasi.iter().map(|(column, _)| *column).collect();
                plan.identifiers.is_empty() || unique_rows(&quasi, plan.rows) == plan.rows as u64
            }
            JoinRule::EqualCells => false,
        };
        if stated.promise == PromiseClass::CoarseningAtRandom && !all_shown {
            let more = "; more is not promised, because groups that are shown alike are joined";
            return PublisherStatement { draws: stated.draws, ..statement::in_random_worlds(more) };
        }
        stated
    }

    /// Publisher and function, and what settled ties and random choices.
    pub(super) fn mechanism(
        &self,
        table: &Table,
        randomness: RandomSource<'_>,
        statement: PublisherStatement,
        sequence: Option<PublishedSequence>,
    ) -> Result<PublishedMechanism> {
        let publisher = find(PUBLISHERS, "publisher", &self.job.method.publisher)?;
        let function = find(FUNCTIONS, "function", &self.job.method.function)?;
        let ties = if let Some(ties) = self.publisher.ties() {
            ties
        } else if !statement.draws {
            "there are none, groups follow from the released levels and quasi-identifiers alone"
        } else if self.publisher.granulates() {
            "there are none; the jumps were drawn at random"
        } else if table.with_role(Role::Identifier).next().is_some() {
            "by identifier, then by all quasi columns in order, then at random"
        } else {
            "by all quasi columns in order, then at random"
        };
        let randomness_words = if !statement.draws {
            "no choice was random"
        } else if randomness.is_insecure() {
            "a seed that can be replayed: not for publication"
        } else {
            "the operating system"
        };
        let args = self.job.method.args()?.checked(publisher.id, publisher.params)?;
        Ok(PublishedMechanism {
            publisher: publisher.id.to_owned(),
            publisher_reference: publisher.reference.to_owned(),
            publisher_parameters: args
                .iter()
                .filter(|(name, value)| *value != LEFT_OUT && self.publisher.ignores(name).is_none())
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            function: function.id.to_owned(),
            function_reference: function.reference.to_owned(),
            sequence,
            search: None,
            levels: None,
            altered: None,
            ties: ties.to_owned(),
            randomness: randomness_words.to_owned(),
            promise: Some(statement.promise),
            guarantee: statement.guarantee,
        })
    }
}
