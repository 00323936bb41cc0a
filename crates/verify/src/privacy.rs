//! The principles, evaluated anew on every class.

use hashbrown::HashMap;
use pellucid_model::error::{Error, Result};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::histogram::Histogram;
use pellucid_model::manifest::{Manifest, MeasuredPrinciple, NO_COLUMN, PublishedColumn};
use pellucid_model::principle::{BoundPrinciple, JointColumn, Principle, SensitiveColumn, make, worst};
use pellucid_model::table::{Column, Role, Table};

use crate::claim::ReleaseClaim;
use crate::exact::ExactColumn;
use crate::levels::build;
use crate::number::NumberBuckets;
use crate::report::{CheckStatus, VerificationReport, counted};
use crate::shown::ClassedTables;
use crate::source::PlacedSource;

/// One sensitive column of the release.
struct Subject<'a> {
    name: &'a str,
    whole: Histogram,
    cardinality: usize,
    protected: Option<Vec<bool>>,
    hierarchy: Option<Hierarchy>,
    classes: Vec<Histogram>,
}

/// Checks every principle on every sensitive column, or on all of them together, and notes what was measured. Gives back
/// the principles that the release alone does not decide.
pub(crate) fn check(
    claim: &ReleaseClaim,
    shown: &ClassedTables,
    plain: &[ExactColumn],
    report: &mut VerificationReport,
) -> Vec<Box<dyn Principle>> {
    let mut open = Vec::new();
    if claim.principles.is_empty() {
        report.note("principle", CheckStatus::Failed, "no principle is stated");
        return open;
    }
    let mut principles = Vec::new();
    let mut together = Vec::new();
    for (id, args) in &claim.principles {
        match make(id, args) {
            Ok(principle) if claim.left_out > 0 && principle.compares_with_column() => open.push(principle),
            Ok(principle) if principle.sentences().is_empty() => principles.push(principle),
            Ok(principle) => together.push(principle),
            Err(error) => report.note("principle", CheckStatus::Failed, error.to_string()),
        }
    }
    let members = NumberBuckets::new(shown.plain_class(), shown.classes);
    let columns: Vec<_> = claim.with_role(Role::Sensitive).collect();
    for at in 0..columns.len().max(1) {
        let subject = match columns.get(at).zip(plain.get(at)) {
            Some((column, exact)) => {
                let hierarchy = column.hierarchy.as_ref().map(|spec| build(spec, &exact.values));
                let hierarchy = match hierarchy.transpose() {
                    Ok(hierarchy) => hierarchy,
                    Err(error) => {
                        report.note("principle", CheckStatus::Failed, format!("column `{}`: {error}", column.name));
                        continue;
                    }
                };
                let values = &exact.values;
                let protected = protected(column, values);
                let raw = shown.plain_columns()[at];
                let code = |line: u32| exact.code(raw.code(line as usize));
                let mut subject = Subject::new(&column.name, values.cardinality(), &members, code);
                (subject.protected, subject.hierarchy) = (protected, hierarchy);
                subject
            }
            None => Subject::new(NO_COLUMN, 1, &members, |_| 0),
        };
        for principle in &principles {
            let needed = principle.needs_sensitive();
            if needed && columns.is_empty() {
                let detail = format!("{}: no column has role `sensitive`", principle.id());
                report.note("principle", CheckStatus::Failed, detail);
            } else if needed || at == 0 {
                match subject.test(principle.as_ref()) {
                    Ok(test) => subject.check(principle.as_ref(), test.as_ref(), shown, &members, report),
                    Err(reason) => {
                        let (id, name) = (principle.id(), subject.name);
                        report.note("principle", CheckStatus::Failed, format!("{id}, column `{name}`: {reason}"));
                    }
                }
            }
        }
    }
    for principle in together {
        if principle.roster().is_some_and(|roster| !claim.plain().any(|column| column.name == roster.column)) {
            open.push(principle);
            continue;
        }
        let joint = released(claim, shown, plain).and_then(|table| principle.joint(&table));
        // The values that a sentence names may be those of rows that are left out.
        if claim.left_out > 0 && joint.is_err() {
            open.push(principle);
            continue;
        }
        check_joint(principle.as_ref(), joint, &members, shown, report);
    }
    open
}

/// The sensitive and kept columns, a row for every line.
fn released(claim: &ReleaseClaim, shown: &ClassedTables, plain: &[ExactColumn]) -> Result<Table> {
    let columns = claim.plain().zip(shown.plain_columns()).zip(plain).map(|((column, raw), exact)| {
        let values = &exact.values;
        let codes = (0..shown.rows()).map(|line| exact.code(raw.code(line))).collect();
        let missing = values.missing().is_some();
        Column::new(&column.name, column.role, values.domain().clone(), missing, codes)
    });
    Table::new(columns.collect::<Result<_>>()?)
}

/// Checks a principle on the column made for it; `members` has the rows of that column by class.
fn check_joint(
    principle: &dyn Principle,
    joint: Result<Option<JointColumn>>,
    members: &NumberBuckets,
    shown: &ClassedTables,
    report: &mut VerificationReport,
) {
    match joint {
        Ok(Some(JointColumn { column, test })) => {
            let code = |row: u32| column.code(row as usize);
            let subject = Subject::new(column.name(), column.cardinality(), members, code);
            subject.check(principle, test.as_ref(), shown, members, report);
        }
        Ok(None) => {}
        Err(error) => report.note("principle", CheckStatus::Failed, format!("{}: {error}", principle.id())),
    }
}

/// Settles what the release alone does not decide: with the rows of the source by class where they are known and say whose
/// sentences are whose, and with all rows of the source where classes are compared with them.
pub(crate) fn settle(
    open: &[Box<dyn Principle>],
    claim: &ReleaseClaim,
    found: Option<&PlacedSource>,
    (shown, plain): (&ClassedTables, &[ExactColumn]),
    report: &mut VerificationReport,
) {
    for principle in open {
        let id = principle.id();
        if principle.sentences().is_empty() {
            if let Some(found) = found {
                compare_with_source(claim, principle.as_ref(), &found.source, (shown, plain), report);
            } else {
                let detail =
                    format!("{id}: classes are compared with all rows, and some are left out; give the source");
                report.note("principle", CheckStatus::Undecided, detail);
            }
            continue;
        }
        let roster = principle.roster();
        let known = |table: &Table| roster.is_none_or(|roster| table.column(&roster.column).is_ok());
        match found.and_then(PlacedSource::placed).filter(|(table, _)| known(table)) {
            Some((table, class_of_row)) => {
                let members = NumberBuckets::new(class_of_row, shown.classes);
                check_joint(principle.as_ref(), principle.joint(table), &members, shown, report);
            }
            None if roster.is_some_and(|roster| roster.file.is_some()) => {
                let detail = format!(
                    "{id}: whose sentences are whose stands in a private file, not in the release; join its column to the source and give that with --source"
                );
                report.note("principle", CheckStatus::Undecided, detail);
            }
            None => {
                let detail = match roster {
                    Some(roster) => format!(
                        "{id}: whose sentences are whose is private; give the source, with its column `{}`, and the assignment",
                        roster.column
                    ),
                    None => format!(
                        "{id}: some sentence names values that no released row has, and some rows are left out; give the \
                         source and the assignment"
                    ),
                };
                report.note("principle", CheckStatus::Undecided, detail);
            }
        }
    }
}

/// Checks a principle that compares classes with the whole column, of which the release has a part.
fn compare_with_source(
    claim: &ReleaseClaim,
    principle: &dyn Principle,
    source: &Table,
    (shown, plain): (&ClassedTables, &[ExactColumn]),
    report: &mut VerificationReport,
) {
    let members = NumberBuckets::new(shown.plain_class(), shown.classes);
    for (at, column) in claim.with_role(Role::Sensitive).enumerate() {
        let outcome = source.column(&column.name).map_err(|error| error.to_string()).and_then(|source| {
            let test = bind_source(principle, column, source)?;
            let known: HashMap<String, u32> =
                (0..source.cardinality() as u32).map(|code| (source.text(code), code)).collect();
            let (values, raw) = (&plain[at].values, shown.plain_columns()[at]);
            let codes: Option<Vec<u32>> =
                (0..values.cardinality() as u32).map(|code| known.get(&values.text(code)).copied()).collect();
            let codes = codes.ok_or("the source lacks a released value")?;
            let code = |line: u32| codes[plain[at].code(raw.code(line as usize)) as usize];
            Ok((test, Subject::new(&column.name, source.cardinality(), &members, code)))
        });
        match outcome {
            Ok((test, subject)) => subject.check(principle, test.as_ref(), shown, &members, report),
            Err(reason) => {
                let detail = format!("{}, column `{}`: {reason}", principle.id(), column.name);
                report.note("principle", CheckStatus::Failed, detail);
            }
        }
    }
}

/// A principle bound to a sensitive column of the source.
pub(crate) fn bind_source(
    principle: &dyn Principle,
    column: &PublishedColumn,
    source: &Column,
) -> Result<Box<dyn BoundPrinciple>, String> {
    let wrong = |error: Error| format!("{}, column `{}`: {error}", principle.id(), column.name);
    let hierarchy = column.hierarchy.as_ref().map(|spec| build(spec, source));
    let hierarchy = hierarchy.transpose().map_err(wrong)?;
    let protected = protected(column, source);
    let context = SensitiveColumn {
        name: &column.name,
        whole: &source.histogram(),
        cardinality: source.cardinality(),
        protected: protected.as_deref(),
        hierarchy: hierarchy.as_ref(),
    };
    principle.bind(context).map_err(wrong)
}

/// By code of `values`, whether it is protected; `None` when all are.
fn protected(column: &PublishedColumn, values: &Column) -> Option<Vec<bool>> {
    let protect = column.protect.as_ref()?;
    Some((0..values.cardinality() as u32).map(|code| protect.contains(&values.text(code))).collect())
}

impl<'a> Subject<'a> {
    fn new(name: &'a str, cardinality: usize, members: &NumberBuckets, code: impl Fn(u32) -> u32) -> Self {
        let of_class = |class: usize| Histogram::of(members.get(class).iter().map(|&line| code(line)));
        let classes: Vec<Histogram> = (0..members.len()).map(of_class).collect();
        let mut counts = vec![0u64; cardinality];
        for &(value, count) in classes.iter().flat_map(Histogram::entries) {
            counts[value as usize] += count;
        }
        let whole = Histogram::from_counts(counts);
        Self { name, whole, cardinality, protected: None, hierarchy: None, classes }
    }

    fn test(&self, principle: &dyn Principle) -> Result<Box<dyn BoundPrinciple>> {
        let context = SensitiveColumn {
            name: self.name,
            whole: &self.whole,
            cardinality: self.cardinality,
            protected: self.protected.as_deref(),
            hierarchy: self.hierarchy.as_ref(),
        };
        principle.bind(context)
    }

    fn check(
        &self,
        principle: &dyn Principle,
        test: &dyn BoundPrinciple,
        shown: &ClassedTables,
        members: &NumberBuckets,
        report: &mut VerificationReport,
    ) {
        let (id, name) = (principle.id(), self.name);
        let (mut failing, mut first) = (0u64, None);
        let mut measured = None;
        for (class, histogram) in self.classes.iter().enumerate() {
            if !test.holds(histogram) {
                failing += 1;
                first.get_or_insert(class);
            }
            let here = test.measure(histogram);
            measured = Some(match measured {
                None => here,
                Some(so_far) => worst(principle.better(), so_far, here),
            });
        }
        let value = measured.map_or_else(String::new, |measured| measured.to_string());
        let measured = MeasuredPrinciple { principle: id.to_owned(), column: name.to_owned(), value };
        let (subject, value) = (measured.subject(), &measured.value);
        let words = principle.describe();
        let of = counted(self.classes.len() as u64, "class", "classes");
        let outcome = match first {
            None => Ok(format!("{subject}: {words}: holds in {of}, measured {value}")),
            Some(class) => {
                let file = &shown.plain_sheet().file;
                let line = members.get(class).first().map_or(0, |&line| shown.plain_sheet().number(line as usize));
                let rows = counted(self.classes[class].total(), "row", "rows");
                let class = class + 1;
                Err(format!(
                    "{subject}: {words}: fails in {failing} of {of}, first in class {class} with {rows} \
                     (`{file}`, line {line}), measured {value}"
                ))
            }
        };
        report.settle("principle", outcome);
        report.measured.push(measured);
    }
}

/// Checks that the manifest states what was measured, and describes its principles as they are; of `open` principles,
/// which could not be measured yet, whatever it states.
pub(crate) fn check_stated(
    manifest: &Manifest,
    claim: &ReleaseClaim,
    measured: &[MeasuredPrinciple],
    open: &[Box<dyn Principle>],
) -> Result<String, String> {
    for (privacy, (id, args)) in manifest.privacy.iter().zip(&claim.principles) {
        if make(id, args).is_ok_and(|principle| principle.describe() != privacy.means) {
            return Err(format!("the manifest describes `{id}` in words that its parameters do not mean"));
        }
    }
    let mut stated: Vec<&MeasuredPrinciple> = manifest.measured.iter().collect();
    for found in measured {
        let (id, name, subject) = (&found.principle, &found.column, found.subject());
        if let Some(at) = stated.iter().position(|stated| *stated == found) {
            stated.remove(at);
            continue;
        }
        let other = stated.iter().find(|stated| stated.principle == *id && stated.column == *name);
        return Err(match other {
            Some(other) => {
                let (found, stated) = (&found.value, &other.value);
                format!("{subject}: measured {found}, the manifest states {stated}")
            }
            None => format!("{subject}: measured {}, the manifest states nothing", found.value),
        });
    }
    for principle in open {
        stated.retain(|stated| stated.principle != principle.id());
    }
    match stated.first() {
        None => Ok(format!("{} as stated", counted(measured.len() as u64, "parameter", "parameters"))),
        Some(beside) => Err(format!("the manifest states {}, which does not apply", beside.subject())),
    }
}
