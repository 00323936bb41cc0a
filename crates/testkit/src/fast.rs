//! The publishers of the product, run on the test kit's people and instances.
//!
//! A [`Sheet`] holds the columns of a table as the product wants them: an identifier column with the numbers of the
//! people (or none), integer quasi columns, and category columns whose codes are the sensitive values. A [`Want`] names a
//! principle of the registry; [`Sheet::publish`] runs a publisher of the registry and gives groups of rows. [`Fast`] is
//! the same as a [`Mechanism`], for the adversary.

use std::collections::{BTreeMap, BTreeSet};

use pellucid_model::axis::QuasiAxis;
use pellucid_model::error::Result;
use pellucid_model::exact::Fraction;
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::histogram::Histogram;
use pellucid_model::partition::Partition;
use pellucid_model::principle::{JointColumn, Principle, SensitiveColumn, make};
use pellucid_model::progress::ProgressWatch;
use pellucid_model::randomness::{ChoiceScript, RandomSource};
use pellucid_model::registry::{EntryArgs, ParamKind, RegistryEntry, find};
use pellucid_model::table::{Column, ColumnDomain, Role, Table};
use pellucid_publish::publisher::{AlteredValues, PUBLISHERS, PrivacyGoal, PublisherAnswer, PublisherInput};

use crate::instance::{Group, Instance, Output, Outputs, publish, sorted};
use crate::mechanism::Mechanism;
use crate::person::Person;

/// A seed for where any will do.
pub const SEED: RandomSource<'static> = RandomSource::InsecureSeed(17);

/// A principle of the product's registry, wanted on one sensitive column.
#[derive(Debug, Clone)]
pub struct Want {
    /// Id in the registry.
    pub principle: &'static str,
    /// Its arguments.
    pub args: EntryArgs,
    /// Which of the sensitive columns.
    pub column: usize,
    /// The values that need protection; `None` for all.
    pub protect: Option<BTreeSet<u32>>,
}

impl Want {
    /// `principle` with `args` on the first sensitive column, all values protected.
    pub fn new(principle: &'static str, args: EntryArgs) -> Self {
        Self { principle, args, column: 0, protect: None }
    }

    /// Frequency l-diversity on the first sensitive column.
    pub fn frequency(l: u64) -> Self {
        Self::new("frequency-l-diversity", EntryArgs::new().with("l", l))
    }

    /// Logical security with the same sentences for everybody; they speak of columns `s0` and so on, or of `value`, the
    /// first sensitive column.
    pub fn logical(sentences: &[&str]) -> Self {
        let quoted: Vec<String> = sentences.iter().map(|sentence| format!("\"{sentence}\"")).collect();
        Self::new("logical-security", EntryArgs::new().with("sentences", format!("[{}]", quoted.join(", "))))
    }

    /// A principle of the registry with the arguments of an example, whose sentences speak of values `a`, `b` and so on of a
    /// column `x`: these are the values 0, 1 and so on of the first sensitive column.
    pub fn example(entry: &'static RegistryEntry<dyn Principle>, args: &EntryArgs) -> Self {
        let word = |word: &str| match word.as_bytes() {
            b"x" => "value".to_owned(),
            [letter @ b'a'..=b'd'] => format!("{:010}", letter - b'a'),
            _ => word.to_owned(),
        };
        let on_codes = |text: &str| -> String {
            let parts = text.split_inclusive(|mark: char| !mark.is_alphanumeric());
            let split = |part: &str| part.len() - usize::from(part.ends_with(|mark: char| !mark.is_alphanumeric()));
            parts.map(|part| word(&part[..split(part)]) + &part[split(part)..]).collect()
        };
        let is_text = |name: &str| entry.params.iter().any(|param| param.name == name && param.kind == ParamKind::Text);
        let given =
            args.iter().map(|(name, text)| (name, if is_text(name) { on_codes(text) } else { text.to_owned() }));
        Self::new(entry.id, given.fold(EntryArgs::new(), |args, (name, text)| args.with(name, text)))
    }

    /// The same on another sensitive column.
    #[must_use]
    pub fn on(mut self, column: usize) -> Self {
        self.column = column;
        self
    }

    /// The same with only `values` protected.
    #[must_use]
    pub fn protecting(mut self, values: Option<BTreeSet<u32>>) -> Self {
        self.protect = values;
        self
    }
}

/// The columns of a table.
#[derive(Debug, Clone)]
pub struct Sheet {
    identifiers: Vec<Column>,
    quasi: Vec<Column>,
    sensitive: Vec<Column>,
    rows: usize,
}

impl Sheet {
    /// A table of `quasi` and `sensitive` columns, the latter with values `0..domain`, and an identifier column when
    /// `ids` is given.
    pub fn new(ids: Option<&[u32]>, quasi: &[Vec<i64>], sensitive: &[Vec<u32>], domain: u32) -> Self {
        let column = |name: String, role, domain, codes| {
            Column::new(name, role, domain, false, codes).expect("codes are below the domain")
        };
        let integers = |name: String, role, values: &[i64]| {
            let mut distinct = values.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            let code = |value: &i64| distinct.binary_search(value).expect("every value is in the domain") as u32;
            let codes = values.iter().map(code).collect();
            column(name, role, ColumnDomain::Integer(distinct), codes)
        };
        let names: Vec<String> = (0..domain).map(|value| format!("{value:010}")).collect();
        let identifiers = ids.iter().map(|ids| {
            let ids: Vec<i64> = ids.iter().copied().map(i64::from).collect();
            integers("id".to_owned(), Role::Identifier, &ids)
        });
        Self {
            identifiers: identifiers.collect(),
            quasi: (0..).zip(quasi).map(|(at, values)| integers(format!("q{at}"), Role::Quasi, values)).collect(),
            sensitive: (0..)
                .zip(sensitive)
                .map(|(at, values): (usize, _)| {
                    column(format!("s{at}"), Role::Sensitive, ColumnDomain::Category(names.clone()), values.clone())
                })
                .collect(),
            rows: sensitive.first().map_or(0, Vec::len),
        }
    }

    /// The table of `people`, row i with `sensitive[..][i]`.
    pub fn of_people(people: &[&Person], sensitive: &[Vec<u32>], domain: u32, identified: bool) -> Self {
        let ids: Vec<u32> = people.iter().map(|person| person.id).collect();
        let attributes = people.first().map_or(0, |person| person.quasi.len());
        let quasi: Vec<Vec<i64>> =
            (0..attributes).map(|at| people.iter().map(|person| person.quasi[at]).collect()).collect();
        Self::new(identified.then_some(&ids[..]), &quasi, sensitive, domain)
    }

    /// The table of `instance`, rows in order of the person.
    pub fn of_instance(external: &[Person], instance: &Instance, domain: u32, identified: bool) -> Self {
        let people: Vec<&Person> = instance.rows().iter().map(|row| &external[row.0]).collect();
        let values = instance.rows().iter().map(|row| row.1).collect();
        Self::of_people(&people, &[values], domain, identified)
    }

    /// What the publisher `id` makes of the table without parameters; `None` is *nothing*.
    pub fn publish(&self, id: &str, wants: &[Want], randomness: RandomSource<'_>) -> Result<Option<Partition>> {
        Ok(self.answer(id, &EntryArgs::new(), wants, randomness)?.ok().map(|output| output.groups))
    }

    /// What the publisher `id` with parameters `args` answers.
    pub fn answer(
        &self,
        id: &str,
        args: &EntryArgs,
        wants: &[Want],
        randomness: RandomSource<'_>,
    ) -> Result<PublisherAnswer> {
        let publisher = find(PUBLISHERS, "publisher", id)?.make(args)?;
        self.with_plan(wants, |plan| publisher.publish(plan, randomness))
    }

    /// What `then` makes of the plan that asks for `wants`.
    pub fn with_plan<T>(&self, wants: &[Want], then: impl FnOnce(&PublisherInput<'_>) -> Result<T>) -> Result<T> {
        let principles = wants.iter().map(|want| make(want.principle, &want.args)).collect::<Result<Vec<_>>>()?;
        let joints = wants.iter().zip(&principles).map(|(want, principle)| principle.joint(&self.table(want.column)?));
        let joints = joints.collect::<Result<Vec<Option<JointColumn>>>>()?;
        let joints = joints.into_iter().map(|joint| joint.map(|JointColumn { column, test }| (column, test)).unzip());
        let (columns, tests): (Vec<_>, Vec<_>) = joints.unzip();
        let joints = columns.iter().zip(tests).map(|(column, test)| column.as_ref().zip(test));
        let goals = wants.iter().zip(&principles).zip(joints).map(|((want, principle), joint)| match joint {
            Some((column, test)) => {
                Ok(PrivacyGoal { column, principle: principle.as_ref(), test, share: None, protected: None })
            }
            None => self.goal(want, principle.as_ref()),
        });
        let plan = PublisherInput {
            rows: self.rows,
            quasi: self.quasi.iter().map(|column| (column, QuasiAxis::new(column, None))).collect(),
            identifiers: self.identifiers.iter().collect(),
            hierarchies: vec![None; self.quasi.len()],
            goals: goals.collect::<Result<_>>()?,
            suppression: Fraction::ZERO,
            explain: false,
            watch: ProgressWatch::default(),
        };
        then(&plan)
    }

    /// The sensitive columns, and column `wanted` once more under the name `value`.
    fn table(&self, wanted: usize) -> Result<Table> {
        let column = &self.sensitive[wanted];
        let codes = column.codes().iter().collect();
        let value = Column::new("value", Role::Sensitive, column.domain().clone(), false, codes)?;
        Table::new(self.sensitive.iter().cloned().chain([value]).collect())
    }

    fn goal<'a>(&'a self, want: &Want, principle: &'a dyn Principle) -> Result<PrivacyGoal<'a>> {
        let column = &self.sensitive[want.column];
        let flags = |set: &BTreeSet<u32>| (0..column.cardinality() as u32).map(|code| set.contains(&code)).collect();
        let protected: Option<Vec<bool>> = want.protect.as_ref().map(flags);
        let test = principle.bind(SensitiveColumn {
            name: column.name(),
            whole: &Histogram::of(column.codes()),
            cardinality: column.cardinality(),
            protected: protected.as_deref(),
            hierarchy: Some(&Hierarchy::flat(column)),
        })?;
        Ok(PrivacyGoal { column, principle, test, share: principle.share_bound(), protected })
    }
}

/// Groups of rows of a table of `instance` (rows in order of the person) as groups of people; all sorted.
///
/// # Panics
/// When the groups are no partition of the rows.
pub fn partition(instance: &Instance, groups: &Partition) -> Vec<Group> {
    let people = |rows: &[u32]| rows.iter().map(|&row| instance.rows()[row as usize]).collect();
    let partition = sorted(groups.iter().map(people).collect());
    let mut all = partition.concat();
    all.sort_unstable();
    assert_eq!(all, instance.rows(), "every row is in one group");
    partition
}

/// A fast publisher with what it is asked for.
#[derive(Debug, Clone)]
pub struct Fast {
    /// Id of the publisher.
    pub publisher: &'static str,
    /// Its parameters.
    pub args: EntryArgs,
    /// What must hold on the one sensitive column.
    pub wants: Vec<Want>,
    /// Number of sensitive values.
    pub domain: u32,
    /// Whether the people's numbers are declared as identifiers.
    pub identified: bool,
}

impl Fast {
    /// `publisher` asked for `want` on sensitive values `0..domain`, with identifiers.
    pub fn new(publisher: &'static str, want: Want, domain: u32) -> Self {
        Self { publisher, args: EntryArgs::new(), wants: vec![want], domain, identified: true }
    }

    /// The partition made of `instance`, with the values that are published; `None` is *nothing*.
    ///
    /// # Panics
    /// When the publisher refuses the principles.
    pub fn partition(
        &self,
        external: &[Person],
        instance: &Instance,
        randomness: RandomSource<'_>,
    ) -> Option<Vec<Group>> {
        let sheet = Sheet::of_instance(external, instance, self.domain, self.identified);
        let answer = sheet.answer(self.publisher, &self.args, &self.wants, randomness);
        let output = answer.expect("the publisher accepts the plan").ok()?;
        let mut partition = partition(instance, &output.groups);
        if let Some(AlteredValues { codes, .. }) = &output.altered {
            let code = |person: usize| codes[instance.rows().iter().position(|row| row.0 == person).expect("a row")];
            partition.iter_mut().flatten().for_each(|row| row.1 = code(row.0));
        }
        Some(partition)
    }

    /// The same with the parameter `name`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.args = self.args.with(name, value);
        self
    }

    /// The exact distribution of the answer, by playing through all random choices.
    pub fn chances(&self, external: &[Person], instance: &Instance) -> Outputs {
        let (mut script, mut outputs) = (ChoiceScript::new(), Outputs::new());
        loop {
            let output = self.output(external, instance, script.randomness());
            *outputs.entry(output).or_insert(Fraction::ZERO) += script.probability();
            if !script.advance() {
                return outputs;
            }
        }
    }

    /// What is published of `instance`; `None` is *nothing*.
    pub fn output(&self, external: &[Person], instance: &Instance, randomness: RandomSource<'_>) -> Option<Output> {
        self.partition(external, instance, randomness).map(|partition| publish(external, &partition))
    }

    /// How often each answer comes over the seeds `0..seeds`.
    pub fn sample(&self, external: &[Person], instance: &Instance, seeds: u64) -> BTreeMap<Option<Output>, u64> {
        let mut counts = BTreeMap::new();
        for seed in 0..seeds {
            *counts.entry(self.output(external, instance, RandomSource::InsecureSeed(seed))).or_insert(0) += 1;
        }
        counts
    }
}

impl Mechanism for Fast {
    fn outputs(&self, external: &[Person], instance: &Instance) -> Outputs {
        self.chances(external, instance)
    }
}
