//! A release of levels that were searched for: what the manifest says of them, and which rows of the source had to be left
//! out, so that nothing is left out at will. Whether better levels pass is not checked.

use std::fmt::Write;

use pellucid_model::histogram::Histogram;
use pellucid_model::manifest::Manifest;
use pellucid_model::principle::{JointColumn, SensitiveColumn, make};
use pellucid_model::registry::find;
use pellucid_model::table::{Column, Role, Table};
use pellucid_publish::search::MEASURES;

use crate::assignment::RowAssignment;
use crate::claim::ReleaseClaim;
use crate::levels::{ClaimedLevels, groups, highest};
use crate::number::NumberBuckets;
use crate::privacy::bind_source;
use crate::report::{CheckStatus, VerificationReport, are, counted};
use crate::source::ORDER;

/// Checks what can be told of the search from the manifest alone; `None` when there is none.
pub(crate) fn check_stated(manifest: &Manifest, claim: &ReleaseClaim) -> Option<Result<String, String>> {
    let publisher = manifest.mechanism.publisher == "search";
    match &manifest.mechanism.search {
        None => publisher.then(|| Err("the publisher is `search`, and the manifest states no levels".to_owned())),
        Some(_) if !publisher => Some(Err("the manifest states levels of a search, and another publisher".to_owned())),
        Some(_) => Some(stated(manifest, claim)),
    }
}

fn stated(manifest: &Manifest, claim: &ReleaseClaim) -> Result<String, String> {
    let Some(search) = &manifest.mechanism.search else { return Err("no search is stated".to_owned()) };
    let measure = find(MEASURES, "measure", &search.measure).map_err(|error| error.to_string())?;
    for column in claim.quasi() {
        let level = search.levels.get(&column.name).copied().unwrap_or(0);
        if highest(column)?.is_some_and(|highest| level > highest) {
            return Err(format!("column `{}` has no level {level}", column.name));
        }
    }
    let (left_out, may) = (manifest.left_out, search.may_leave_out);
    let rows = manifest.rows.saturating_add(left_out);
    if left_out > may {
        return Err(format!("{} left out, and at most {may} may be", counted(left_out, "row is", "rows are")));
    }
    if may > rows {
        return Err(format!("{} may be left out, more than there are", counted(may, "row", "rows")));
    }
    let needed = |(id, args): &(String, _)| make(id, args).is_ok_and(|principle| principle.needs_sensitive());
    if manifest.not_transparent.is_none() && claim.principles.iter().any(needed) {
        return Err(
            "the levels were searched for by a principle that looks at sensitive values, so that the choice tells \
                    something about them, and the manifest does not say that it is not transparent"
                .to_owned(),
        );
    }
    let level = |name: &String| search.levels.get(name).map(|level| format!("{name} {level}"));
    let levels: Vec<String> = claim.quasi().filter_map(|column| level(&column.name)).collect();
    let mut words = format!("levels {}, said to be the best in `{}`", levels.join(", "), measure.id);
    if may > 0 {
        let (all, are) = (counted(rows, "row", "rows"), are(left_out));
        let _ = write!(words, "; {left_out} of {all} {are} left out, at most {may} may be");
    }
    words += if manifest.not_transparent.is_some() {
        "; NOT TRANSPARENT, as the release says itself: whoever knows of the search may learn more than the principles say"
    } else {
        "; they follow from quasi-identifiers alone"
    };
    Ok(words)
}

/// The groups of the source by the stated levels, judged by the stated principles.
struct Judged {
    group_of_row: Vec<u32>,
    /// By group, whether a principle fails.
    fails: Vec<bool>,
    /// A principle that could not be evaluated.
    open: Option<String>,
}

impl Judged {
    fn fails(&self, row: usize) -> bool {
        self.fails[self.group_of_row[row] as usize]
    }
}

fn judge(claim: &ReleaseClaim, levels: &ClaimedLevels, table: &Table) -> Result<Judged, String> {
    let find = |name: &str| table.column(name).map_err(|error| error.to_string());
    let columns = claim.quasi().map(|column| find(&column.name)).collect::<Result<Vec<&Column>, String>>()?;
    let (group_of_row, count) = groups(claim, levels, &columns, table.rows())?;
    let members = NumberBuckets::new(&group_of_row, count);
    let mut fails = vec![false; count];
    let mut open = None;
    let mut mark = |code: &dyn Fn(u32) -> u32, holds: &dyn Fn(&Histogram) -> bool| {
        for (group, fails) in fails.iter_mut().enumerate() {
            *fails |= !holds(&Histogram::of(members.get(group).iter().map(|&row| code(row))));
        }
    };
    for (id, args) in &claim.principles {
        let principle = make(id, args).map_err(|error| error.to_string())?;
        let wrong = |error: pellucid_model::error::Error| format!("{id}: {error}");
        if !principle.sentences().is_empty() {
            if principle.roster().is_some_and(|roster| table.column(&roster.column).is_err()) {
                open = Some(id.clone());
            } else if let Some(JointColumn { column, test }) = principle.joint(table).map_err(wrong)? {
                mark(&|row| column.code(row as usize), &|group| test.holds(group));
            }
        } else if principle.needs_sensitive() {
            for column in claim.with_role(Role::Sensitive) {
                let source = find(&column.name)?;
                let test = bind_source(principle.as_ref(), column, source)?;
                mark(&|row| source.code(row as usize), &|group| test.holds(group));
            }
        } else {
            let whole = Histogram::from_counts([table.rows() as u64]);
            let sizes = SensitiveColumn { name: id, whole: &whole, cardinality: 1, protected: None, hierarchy: None };
            let test = principle.bind(sizes).map_err(wrong)?;
            mark(&|_| 0, &|group| test.holds(group));
        }
    }
    Ok(Judged { group_of_row, fails, open })
}

/// What is known of the rows that are released.
enum Kept {
    /// These rows, and why.
    Known(Vec<u32>, String),
    /// Rows are left out, or not, that should not be.
    Wrong(String),
    /// It cannot be told whether the right rows are left out; the rows that are not, when they are known.
    Open(Option<Vec<u32>>, String),
}

/// The rows of the source that are released, ascending; checks that the others are exactly those of groups that fail.
/// `None` when that is not so or not known.
pub(crate) fn kept(
    claim: &ReleaseClaim,
    table: &Table,
    assignment: Option<&RowAssignment>,
    report: &mut VerificationReport,
) -> Option<Vec<u32>> {
    let levels = claim.levels.as_ref().filter(|_| claim.searched)?;
    let found = match judge(claim, levels, table) {
        Ok(judged) => match assignment {
            Some(assignment) => match by_assignment(claim, &judged, assignment) {
                // The right rows are left out in some order, though not in this one.
                Kept::Wrong(reason) if matches!(by_judgement(claim, &judged), Kept::Known(..)) => {
                    Kept::Wrong(format!("{reason}; {ORDER}"))
                }
                found => found,
            },
            None => by_judgement(claim, &judged),
        },
        Err(reason) => Kept::Wrong(reason),
    };
    match found {
        Kept::Known(kept, words) => {
            report.note("left out", CheckStatus::Passed, words);
            Some(kept)
        }
        Kept::Wrong(reason) => {
            report.note("left out", CheckStatus::Failed, reason);
            // Where no row is left out, all others can still be held against the release.
            (claim.left_out == 0).then(|| (0..table.rows() as u32).collect())
        }
        Kept::Open(kept, reason) => {
            report.note("left out", CheckStatus::Undecided, reason);
            kept
        }
    }
}

/// The rows that have a line, each held against its group.
fn by_assignment(claim: &ReleaseClaim, judged: &Judged, assignment: &RowAssignment) -> Kept {
    let rows = judged.group_of_row.len();
    let mut first_of: Vec<Option<usize>> = vec![None; judged.fails.len()];
    let mut open = None;
    for row in 0..rows {
        let shown = assignment.has_line(row);
        let first = *first_of[judged.group_of_row[row] as usize].get_or_insert(row);
        let number = row + 1;
        if assignment.has_line(first) != shown {
            let (out, shown) = if shown { (first + 1, number) } else { (number, first + 1) };
            return Kept::Wrong(format!(
                "source row {out} is left out, row {shown} of the same group is not; a group is left out whole or not at all"
            ));
        }
        if judged.fails(row) && shown {
            return Kept::Wrong(format!("source row {number} is in a group that fails, and is not left out"));
        }
        if !judged.fails(row) && !shown {
            if judged.open.is_none() {
                return Kept::Wrong(format!("source row {number} is left out, and its group passes"));
            }
            open.get_or_insert(number);
        }
    }
    let kept: Vec<u32> = (0..rows as u32).filter(|&row| assignment.has_line(row as usize)).collect();
    match (open, &judged.open) {
        (Some(row), Some(id)) => Kept::Open(Some(kept), format!("source row {row} is left out, and {}", unknown(id))),
        _ => Kept::Known(kept, label(claim)),
    }
}

/// The rows of groups that pass, as many as are released.
fn by_judgement(claim: &ReleaseClaim, judged: &Judged) -> Kept {
    let kept: Vec<u32> = (0..judged.group_of_row.len() as u32).filter(|&row| !judged.fails(row as usize)).collect();
    let (failing, left_out) = ((judged.group_of_row.len() - kept.len()) as u64, claim.left_out);
    match &judged.open {
        _ if failing == left_out => Kept::Known(kept, label(claim)),
        Some(id) if failing < left_out => {
            let left_out = counted(left_out, "row is", "rows are");
            let failing = counted(failing, "is", "are");
            Kept::Open(None, format!("{left_out} left out, {failing} known to fail, and {}", unknown(id)))
        }
        _ => Kept::Wrong(format!(
            "by the stated levels {} in groups that fail, and {} left out",
            counted(failing, "row is", "rows are"),
            counted(left_out, "is", "are")
        )),
    }
}

fn label(claim: &ReleaseClaim) -> String {
    if claim.left_out == 0 {
        return "no row is left out, and every group passes".to_owned();
    }
    format!("{}, exactly those of groups that fail", counted(claim.left_out, "row", "rows"))
}

fn unknown(id: &str) -> String {
    format!("whether its group fails {id} is not known: whose sentences are whose does not stand in the source")
}

/// The same table with the rows `kept` alone; its columns keep their domains, so that levels mean the same.
pub(crate) fn part(table: &Table, kept: &[u32]) -> Result<Table, String> {
    let columns = table.columns().iter().map(|column| {
        let codes = kept.iter().map(|&row| column.code(row as usize)).collect();
        Column::new(column.name(), column.role(), column.domain().clone(), column.missing().is_some(), codes)
    });
    columns.collect::<Result<Vec<_>, _>>().and_then(Table::new).map_err(|error| error.to_string())
}
