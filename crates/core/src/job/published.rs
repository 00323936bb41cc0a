//! What the manifest says of the job: its columns, its principles and the mechanism.

use super::Checked;
use crate::error::Result;
use crate::function::{FUNCTIONS, Statistic};
use crate::principle::{PRINCIPLES, Principle};
use crate::publish::{PUBLISHERS, PromiseClass, Randomness, Statement};
use crate::registry::{Args, LEFT_OUT, PRIVATE_FILE, ParamKind, find};
use crate::release::{Costs, Mechanism, PublishedColumn, PublishedPrinciple, PublishedSequence};
use crate::table::{Role, Table};

impl Checked<'_> {
    /// The columns that are published, in the order of the table.
    ///
    /// What was lost of them is said with `costs`, which are given where the released cells imply them.
    pub(super) fn published_columns(&self, table: &Table, costs: Option<&Costs>) -> Vec<PublishedColumn> {
        let published = table.columns().iter().filter(|column| !matches!(column.role(), Role::Identifier | Role::Drop));
        published
            .map(|column| {
                let spec = self.job.columns.get(column.name());
                let missing = spec.and_then(|spec| spec.missing.clone());
                let kind = column.domain().kind();
                let aggregated = self.function.aggregates() && column.role() == Role::Quasi;
                let aggregate = spec.and_then(|spec| spec.aggregate).unwrap_or_else(|| Statistic::usual(kind));
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
        let published = |(args, principle): &(Args, Box<dyn Principle>)| {
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

    /// Publisher and function, and what settled ties and random choices.
    pub(super) fn mechanism(
        &self,
        table: &Table,
        randomness: Randomness<'_>,
        statement: Statement,
        sequence: Option<PublishedSequence>,
    ) -> Result<Mechanism> {
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
        // Whoever knows the seed can undo what random choices protect.
        let seeded = randomness.is_insecure() && statement.promise == PromiseClass::RandomWorlds;
        let promise = if seeded { PromiseClass::None } else { statement.promise };
        let randomness_words = if !statement.draws {
            "no choice was random"
        } else if randomness.is_insecure() {
            "a seed that can be replayed: not for publication"
        } else {
            "the operating system"
        };
        let args = self.job.method.args()?.checked(publisher.id, publisher.params)?;
        Ok(Mechanism {
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
            promise: Some(promise),
            guarantee: statement.guarantee,
        })
    }
}
