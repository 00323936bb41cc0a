//! Logical security: nobody can be deduced to satisfy a sentence they want to keep to themselves.
//!
//! `written.rs` reads the sentences and sets of a job, `test.rs` is the predicate; here they are joined with a table.

mod test;
mod written;

use hashbrown::HashMap;

use self::test::BoundSecurity;
use self::written::WrittenSets;
use super::{BetterDirection, BoundPrinciple, JointColumn, Principle, SensitiveColumn, SentenceClaims, SetRoster};
use crate::claim::EntryClaim;
use crate::error::{Error, ErrorKind, Result};
use crate::exact::{Fraction, fraction};
use crate::registry::{EntryArgs, LEFT_OUT, ParamKind, ParamSpec, ProofStatus, RegistryEntry};
use crate::sentence::LogicSentence;
use crate::table::{Column, ColumnDomain, Role, Table};

/// The name of the column that rows are judged on.
const COLUMN: &str = "sentences";

/// In every group, each sentence that is confidential for one of its people is falsified by one of them.
///
/// It looks at all sensitive columns that the sentences name at once, through a column with a code for every combination
/// of truth values and set of confidential sentences.
///
/// # Guarantee
/// Nobody satisfies one of their confidential sentences with certainty; it may be almost certain. Closed under mixtures:
/// a sentence that is confidential for somebody in a mixture is so for somebody in one of its parts, where somebody
/// falsifies it. The empty group fails.
/// # Cost
/// The column: rows times statements. A group: its codes times the sentences.
/// # Reference
/// Wang, Liau, Hsu, Granulation as a privacy protection mechanism, Transactions on Rough Sets VII, 2007, section 3.1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogicalSecurity {
    written: WrittenSets,
    roster: Option<SetRoster>,
}

impl LogicalSecurity {
    /// Reads `sentences`, `by` and `file`.
    pub fn new(args: &EntryArgs) -> Result<Self> {
        let written = WrittenSets::parse(args)?;
        let named = written.sets.iter().any(|set| set.0.is_some());
        let roster = match (args.given("by"), args.given("file")) {
            (Some(_), _) if !named => Err(Error::invalid(
                "`by` says whose set is which, but `sentences` is one list for everybody; name sets, or remove `by`",
            )),
            (None, Some(_)) => Err(Error::invalid("`file` needs `by`, the column of the file that names sets; add it")),
            (None, None) if named => Err(Error::invalid(
                "`sentences` has named sets, but nothing says which is whose; add `by`, the column that names them",
            )),
            (None, None) => Ok(None),
            (Some(by), file) => {
                let names = written.sets.iter().filter_map(|set| set.0.clone()).collect();
                Ok(Some(SetRoster { column: by.to_owned(), file: file.map(Into::into), names }))
            }
        };
        Ok(Self { written, roster: roster? })
    }

    /// By row, the place of its set among the distinct ones; and these, as places among those that are written.
    fn sets(&self, table: &Table) -> Result<(Vec<u32>, Vec<usize>)> {
        let sets = &self.written.sets;
        let distinct: Vec<usize> =
            (0..sets.len()).filter(|&at| sets[..at].iter().all(|before| before.1 != sets[at].1)).collect();
        let Some(roster) = &self.roster else { return Ok((vec![0; table.rows()], distinct)) };
        let column = table.column(&roster.column).map_err(|error| error.context("`by`"))?;
        let name = column.name();
        if column.role() == Role::Quasi {
            return Err(Error::invalid(format!(
                "`by` names column `{name}`, which has role `quasi`: whose sentences are whose would be public; give it \
                 role `drop`"
            )));
        }
        let rank = |at: usize| distinct.iter().position(|&first| sets[first].1 == sets[at].1);
        let of_code: Vec<Option<u32>> = (0..column.cardinality() as u32)
            .map(|code| {
                let text = (column.missing() != Some(code)).then(|| column.text(code))?;
                let at = sets.iter().position(|set| set.0.as_deref() == Some(text.as_str()))?;
                rank(at).map(|rank| rank as u32)
            })
            .collect();
        let mut of_row = Vec::with_capacity(table.rows());
        for (row, code) in (1..).zip(column.codes()) {
            of_row.push(of_code[code as usize].ok_or_else(|| {
                let known = sets.iter().filter_map(|set| set.0.as_deref()).collect::<Vec<_>>().join("`, `");
                Error::bad_input(if column.missing() == Some(code) {
                    format!(
                        "column `{name}` names no set of sentences in row {row}; name one, for somebody who keeps nothing to \
                         themselves a set with an empty list"
                    )
                } else {
                    format!(
                        "column `{name}` names a set in row {row} that `sentences` does not have; it has `{known}`, \
                         correct the row or add the set"
                    )
                })
            })?);
        }
        Ok((of_row, distinct))
    }
}

/// Numbers for rows that agree in everything looked at so far.
struct Refined {
    of_row: Vec<u32>,
    /// By number: the place of the set, and the truth values so far.
    keys: Vec<(u32, Vec<bool>)>,
}

impl Refined {
    fn new(set_of_row: Vec<u32>) -> Self {
        let mut refined = Self { of_row: set_of_row, keys: Vec::new() };
        let mut numbers = HashMap::new();
        for set in &mut refined.of_row {
            let next = numbers.len() as u32;
            let number = *numbers.entry(*set).or_insert(next);
            if number == next {
                refined.keys.push((*set, Vec::new()));
            }
            *set = number;
        }
        refined
    }

    /// Tells rows apart by `holds` as well; gives the number of rows for which it holds.
    fn refine(&mut self, holds: impl Fn(usize) -> bool) -> u64 {
        let mut next: Vec<[Option<u32>; 2]> = vec![[None; 2]; self.keys.len()];
        let mut keys: Vec<(u32, Vec<bool>)> = Vec::new();
        let mut satisfying = 0;
        for (row, number) in self.of_row.iter_mut().enumerate() {
            let truth = holds(row);
            satisfying += u64::from(truth);
            let before = &self.keys[*number as usize];
            *number = *next[*number as usize][usize::from(truth)].get_or_insert_with(|| {
                let truths = before.1.iter().copied().chain([truth]).collect();
                keys.push((before.0, truths));
                keys.len() as u32 - 1
            });
        }
        self.keys = keys;
        satisfying
    }

    /// Codes by truth values, then by set; and by code both.
    fn finish(self) -> (Vec<u32>, Vec<(Vec<bool>, u32)>) {
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        order.sort_by_key(|&number| (&self.keys[number].1, self.keys[number].0));
        let mut code = vec![0; order.len()];
        (0..).zip(&order).for_each(|(rank, &number)| code[number] = rank);
        let codes = self.of_row.into_iter().map(|number| code[number as usize]).collect();
        (codes, order.into_iter().map(|number| (self.keys[number].1.clone(), self.keys[number].0)).collect())
    }
}

impl Principle for LogicalSecurity {
    fn id(&self) -> &'static str {
        ENTRY.id
    }

    fn describe(&self) -> String {
        let words = |set: &written::SentenceSet| self.written.labels(set);
        match &self.written.sets[..] {
            [(None, set)] => format!("nobody can be deduced to satisfy {}", words(set).join(" or ")),
            sets => {
                let sets = sets.iter().map(|(name, set)| {
                    let inside = if set.is_empty() { "nothing".to_owned() } else { words(set).join(", ") };
                    format!("{} ({inside})", name.as_deref().unwrap_or_default())
                });
                let sets = sets.collect::<Vec<_>>().join(", ");
                format!("nobody can be deduced to satisfy a sentence of their own set; the sets: {sets}")
            }
        }
    }

    fn better(&self) -> BetterDirection {
        BetterDirection::Smaller
    }

    fn bind(&self, _column: SensitiveColumn<'_>) -> Result<Box<dyn BoundPrinciple>> {
        let message = "`logical-security` is bound to a table, not to one column";
        Err(Error::new(ErrorKind::Internal, message))
    }

    fn sentences(&self) -> &[LogicSentence] {
        &self.written.sentences
    }

    fn roster(&self) -> Option<&SetRoster> {
        self.roster.as_ref()
    }

    fn joint(&self, table: &Table) -> Result<Option<JointColumn>> {
        let (set_of_row, sets) = self.sets(table)?;
        let mut refined = Refined::new(set_of_row);
        let mut prior = Vec::with_capacity(self.written.sentences.len());
        for (sentence, given) in self.written.sentences.iter().zip(&self.written.priors) {
            let bound = sentence.bind(table).map_err(|error| error.context(format!("sentence `{sentence}`")))?;
            let rows = refined.refine(|row| bound.holds(row));
            let share = || if table.rows() == 0 { Fraction::ZERO } else { fraction(rows, table.rows() as u64) };
            prior.push(given.clone().unwrap_or_else(share));
        }
        let (codes, keys) = refined.finish();
        // Texts in the order of the codes: truth values first, all of one length.
        let width = sets.len().to_string().len();
        let text = |(truths, set): &(Vec<bool>, u32)| {
            let truths: String = truths.iter().map(|&truth| if truth { '1' } else { '0' }).collect();
            if self.roster.is_some() { format!("{truths} {:0width$}", set + 1) } else { truths }
        };
        let domain = ColumnDomain::Category(keys.iter().map(text).collect());
        let claims = SentenceClaims {
            sentences: self.written.sentences.len(),
            confidential: keys.iter().map(|key| self.written.sets[sets[key.1 as usize]].1.clone()).collect(),
            satisfied: keys.into_iter().map(|key| key.0).collect(),
            prior,
            personal: self.roster.is_some(),
        };
        let column = Column::new(COLUMN, Role::Sensitive, domain, false, codes)?;
        Ok(Some(JointColumn { column, test: Box::new(BoundSecurity::new(claims)) }))
    }
}

/// Logical security on histograms over codes of which `claims` says what they mean.
pub fn on_claims(claims: SentenceClaims) -> Box<dyn BoundPrinciple> {
    Box::new(BoundSecurity::new(claims))
}

/// The registry entry of logical security.
pub const ENTRY: RegistryEntry<dyn Principle> = RegistryEntry {
    id: "logical-security",
    summary: "nobody can be deduced to satisfy one of their confidential sentences",
    reference: "Wang, Liau, Hsu: Granulation as a privacy protection mechanism, 2007, section 3.1",
    status: ProofStatus::Proven,
    claims: &[EntryClaim::Mixtures, EntryClaim::Growth, EntryClaim::LeastRobust],
    examples: &[
        &[("sentences", r#"["x in (a, b)", "x in (a, c)"]"#)],
        &[("sentences", r#"["x in (a, b)", "x in (b, c)"]"#)],
    ],
    params: &[
        ParamSpec {
            name: "sentences",
            kind: ParamKind::Text,
            default: None,
            help: "a list such as [\"health = 2\"], or named sets such as { cautious = [\"health = 1\"], open = [] }",
        },
        ParamSpec {
            name: "by",
            kind: ParamKind::Text,
            default: Some(LEFT_OUT),
            help: "for named sets: the column that says which set is whose",
        },
        ParamSpec {
            name: "file",
            kind: ParamKind::File,
            default: Some(LEFT_OUT),
            help: "the file that column `by` is in, keyed by the identifiers; the table itself when left out",
        },
    ],
    build: |args: &EntryArgs| Ok(Box::new(LogicalSecurity::new(args)?)),
};

#[cfg(test)]
mod tests;
