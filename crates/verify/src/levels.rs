//! Releases of one level for every quasi column, by a sequence, a search or a choice among such: the levels, and the groups of people that
//! they make.

use std::collections::BTreeMap;
use std::path::Path;

use hashbrown::HashMap;
use pellucid_model::error::{Error, Result as ModelResult};
use pellucid_model::hierarchy::{BorderIntervals, Hierarchy, HierarchySpec};
use pellucid_model::manifest::{Manifest, PublishedColumn, PublishedGrain, PublishedSearch, PublishedSequence};
use pellucid_model::registry::ParamKind;
use pellucid_model::table::{Column, Role};
use pellucid_publish::publisher::PUBLISHERS;
use serde_json::Value;

use crate::claim::{ReleaseClaim, ReleaseForm};
use crate::report::{VerificationReport, counted};
use crate::source::{QuasiComparison, SourceComparison};
use crate::tightness::tightest;

/// The released levels, by quasi column in the order of the claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClaimedLevels {
    levels: Vec<usize>,
    stated: Stated,
}

/// What states levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stated {
    Sequence,
    Search,
    /// The best of several answers was kept.
    Choice,
}

impl Stated {
    /// The name of the check on groups, and what groups are of.
    fn labels(self) -> (&'static str, &'static str) {
        match self {
            Self::Sequence => ("sequence groups", "the released function"),
            Self::Search => ("search groups", "the stated levels"),
            Self::Choice => ("level groups", "the stated levels"),
        }
    }
}

impl ClaimedLevels {
    /// The level of quasi column `at`.
    pub fn of(&self, at: usize) -> usize {
        self.levels[at]
    }
}

/// Reads what the manifest says of its levels: that of every quasi column, and in `columns` the hierarchies that they are
/// levels of.
pub(crate) fn levels(manifest: &Manifest, columns: &mut [PublishedColumn]) -> Result<Option<ClaimedLevels>, String> {
    let mechanism = &manifest.mechanism;
    match (&mechanism.sequence, &mechanism.search, &mechanism.levels) {
        (Some(_), Some(_), _) => Err("the manifest names both a sequence and a search".to_owned()),
        (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
            Err("the manifest states levels besides those of its sequence or search".to_owned())
        }
        (None, Some(search), None) => of_search(search, columns).map(Some),
        (Some(_), ..) if manifest.left_out > 0 => {
            Err("the manifest leaves rows out, which no sequence does".to_owned())
        }
        _ if manifest.left_out > 0 => Err("the manifest leaves rows out, which only a search may do".to_owned()),
        (Some(sequence), ..) => of_sequence(sequence, columns).map(Some),
        (_, _, Some(_)) if !keeps_an_answer(&mechanism.publisher) => {
            Err(format!("the manifest states levels, and publisher `{}` keeps none", mechanism.publisher))
        }
        (_, _, Some(levels)) => of_grains(levels, Stated::Choice, columns).map(Some),
        (None, None, None) => Ok(None),
    }
}

/// Whether the publisher `id` keeps what another one answers.
fn keeps_an_answer(id: &str) -> bool {
    let entry = PUBLISHERS.iter().find(|entry| entry.id == id);
    entry.is_some_and(|entry| entry.params.iter().any(|param| param.kind == ParamKind::Publishers))
}

fn of_sequence(sequence: &PublishedSequence, columns: &mut [PublishedColumn]) -> Result<ClaimedLevels, String> {
    let function = sequence.released.checked_sub(1).and_then(|at| sequence.functions.get(at));
    let function = function.ok_or("the manifest releases a function that its sequence does not have")?;
    of_grains(&function.columns, Stated::Sequence, columns)
}

fn of_grains(
    grains: &BTreeMap<String, PublishedGrain>,
    stated: Stated,
    columns: &mut [PublishedColumn],
) -> Result<ClaimedLevels, String> {
    let quasi = |name: &String| columns.iter().any(|column| column.role == Role::Quasi && column.name == *name);
    if let Some(name) = grains.keys().find(|name| !quasi(name)) {
        let (_, owner) = stated.labels();
        return Err(format!("{owner} names `{name}`, which is no quasi column"));
    }
    let mut levels = Vec::new();
    for column in columns.iter_mut().filter(|column| column.role == Role::Quasi) {
        levels.push(match grains.get(&column.name) {
            None => 0,
            Some(PublishedGrain::Level(level)) => *level,
            Some(PublishedGrain::Borders(borders)) => {
                let borders =
                    BorderIntervals::new(borders).map_err(|error| format!("column `{}`: {error}", column.name))?;
                column.hierarchy = Some(HierarchySpec::Borders(borders));
                1
            }
        });
    }
    Ok(ClaimedLevels { levels, stated })
}

fn of_search(search: &PublishedSearch, columns: &[PublishedColumn]) -> Result<ClaimedLevels, String> {
    let quasi = || columns.iter().filter(|column| column.role == Role::Quasi);
    if let Some(name) = search.levels.keys().find(|name| !quasi().any(|column| column.name == **name)) {
        return Err(format!("the search states a level of `{name}`, which is no quasi column"));
    }
    let level = |column: &PublishedColumn| {
        let level = search.levels.get(&column.name).copied();
        level.ok_or_else(|| format!("the search states no level of the quasi column `{}`", column.name))
    };
    Ok(ClaimedLevels { levels: quasi().map(level).collect::<Result<_, _>>()?, stated: Stated::Search })
}

/// The highest level that `column` can have, as far as that is known without the table.
pub(crate) fn highest(column: &PublishedColumn) -> Result<Option<usize>, String> {
    // One more than is written out: the level on which everything is joined.
    Ok(Some(match &column.hierarchy {
        None => 1,
        Some(HierarchySpec::Widths(widths)) => widths.widths().len() + 1,
        Some(HierarchySpec::Borders(_)) => 2,
        Some(HierarchySpec::Truncate(truncate)) => truncate.parts().len() + 1,
        Some(spec @ HierarchySpec::Tree(_)) => depth(spec.to_value().get("tree").unwrap_or(&Value::Null)) + 1,
        Some(HierarchySpec::File(file)) => {
            let unreadable = || format!("hierarchy `{}` cannot be read", file.path().display());
            let content = file.content().ok_or_else(unreadable)?;
            let mut reader =
                csv::ReaderBuilder::new().has_headers(false).delimiter(file.separator() as u8).from_reader(content);
            reader.records().next().transpose().map_err(|_| unreadable())?.map_or(1, |record| record.len())
        }
        // How many characters can be masked depends on the values.
        Some(_) => return Ok(None),
    }))
}

/// How many names stand above the deepest value of a tree.
fn depth(tree: &Value) -> usize {
    tree.as_object().map_or(0, |branches| 1 + branches.values().map(depth).max().unwrap_or(0))
}

/// By row of `columns`, of which there are `rows`, the number of its group: rows whose labels agree in every column have the same. And the number of
/// groups.
pub(crate) fn groups(
    claim: &ReleaseClaim,
    levels: &ClaimedLevels,
    columns: &[&Column],
    rows: usize,
) -> Result<(Vec<u32>, usize), String> {
    let (mut numbers, mut count) = (vec![0u32; rows], usize::from(rows > 0));
    for (at, (column, source)) in claim.quasi().zip(columns).enumerate() {
        let (hierarchy, level) = (level_of(levels, at, column, source)?, levels.of(at));
        let mut known = HashMap::new();
        for (row, number) in numbers.iter_mut().enumerate() {
            let text = hierarchy.label(level, hierarchy.node(level, source.code(row)));
            let next = known.len() as u32;
            *number = *known.entry((*number, text)).or_insert(next);
        }
        count = known.len();
    }
    Ok((numbers, count))
}

/// The hierarchy of the quasi column `at`, which has the stated level.
pub(crate) fn level_of(
    levels: &ClaimedLevels,
    at: usize,
    column: &PublishedColumn,
    source: &Column,
) -> Result<Hierarchy, String> {
    let (hierarchy, level) = (hierarchy(column, source)?, levels.of(at));
    if level > hierarchy.top() {
        return Err(format!("column `{}` has no level {level}", column.name));
    }
    Ok(hierarchy)
}

/// Checks that the classes are the groups of the released levels.
pub(crate) fn check(case: &SourceComparison<'_>, class_of_row: Option<&[u32]>, report: &mut VerificationReport) {
    let Some(levels) = &case.claim.levels else { return };
    let (name, of) = levels.stated.labels();
    let Some(class_of_row) = class_of_row else {
        report.skip(&[name], "it is not known which rows a class has; pass the assignment");
        return;
    };
    report.settle(name, check_groups(case, levels, class_of_row, of));
}

fn check_groups(
    case: &SourceComparison<'_>,
    levels: &ClaimedLevels,
    class_of_row: &[u32],
    of: &str,
) -> Result<String, String> {
    let (group_of_row, _) = groups(case.claim, levels, &case.columns, case.rows)?;
    let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (row, &group) in (0u32..).zip(&group_of_row) {
        members.entry(group).or_default().push(row);
    }
    let mut owner: HashMap<u32, u32> = HashMap::new();
    for (&group, rows) in &members {
        let class = class_of_row[rows[0] as usize];
        if let Some(&row) = rows.iter().find(|&&row| class_of_row[row as usize] != class) {
            let (first, second) = (case.source_row(rows[0] as usize), case.source_row(row as usize));
            return Err(format!("rows {first} and {second} are in one group of {of}, but in different classes"));
        }
        // Groups may share a class only when the same cells are shown of both.
        if let Some(&other) = owner.get(&class)
            && !alike(case, rows, &members[&other])
        {
            let other = members[&other][0] as usize;
            let (first, second) = (case.source_row(other), case.source_row(rows[0] as usize));
            return Err(format!("rows {first} and {second} are in different groups of {of}, but in one class"));
        }
        owner.entry(class).or_insert(group);
    }
    Ok(format!("{} of {of}, as the source has them", counted(members.len() as u64, "group", "groups")))
}

/// Whether two groups are shown alike though they are different ones: only boxes and statistics can be.
fn alike(case: &SourceComparison<'_>, first: &[u32], second: &[u32]) -> bool {
    let cells = match &case.quasi {
        QuasiComparison::Cells(cells, _) => cells,
        QuasiComparison::Vectors(vectors) => {
            let shown = |rows: &[u32]| vectors.of_row[rows[0] as usize];
            return case.claim.form == ReleaseForm::Statistics && shown(first) == shown(second);
        }
        QuasiComparison::Statistics(_) => return false,
    };
    case.claim.form == ReleaseForm::Boxes
        && cells
            .iter()
            .zip(&case.columns)
            .all(|(cells, column)| tightest(cells, column, first) == tightest(cells, column, second))
}

/// The hierarchy of `spec` for `column`; one in a file must have been read.
pub(crate) fn build(spec: &HierarchySpec, column: &Column) -> ModelResult<Hierarchy> {
    match spec {
        HierarchySpec::File(file) if file.content().is_none() => {
            Err(Error::bad_hierarchy(format!("hierarchy `{}` cannot be read", file.path().display())))
        }
        _ => spec.build(column, Path::new("")),
    }
}

/// The hierarchy that levels of `column` refer to.
pub(crate) fn hierarchy(column: &PublishedColumn, source: &Column) -> Result<Hierarchy, String> {
    match &column.hierarchy {
        Some(spec) => build(spec, source).map_err(|error| format!("column `{}`: {error}", column.name)),
        None => Ok(Hierarchy::flat(source)),
    }
}
