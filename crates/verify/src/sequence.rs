//! A release of a sequence, held against the source: classes are the groups of the function that is said to be released.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use pellucid_core::hierarchy::{Borders, Hierarchy, HierarchySpec};
use pellucid_core::release::{Manifest, PublishedColumn, PublishedGrain, PublishedSequence};
use pellucid_core::table::{Column, Role};

use crate::claim::{Claim, Form};
use crate::report::{Report, counted};
use crate::source::{Case, Quasi};
use crate::tightness::tightest;

/// The levels of the released function, by quasi column in the order of the claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Levels(Vec<usize>);

impl Levels {
    /// The level of quasi column `at`.
    pub fn of(&self, at: usize) -> usize {
        self.0[at]
    }
}

/// Reads what the manifest says of its sequence: the level of every quasi column, and in `columns` the hierarchies that
/// they are levels of.
pub(crate) fn levels(manifest: &Manifest, columns: &mut [PublishedColumn]) -> Result<Option<Levels>, String> {
    let Some(sequence) = &manifest.mechanism.sequence else { return Ok(None) };
    let function = sequence.released.checked_sub(1).and_then(|at| sequence.functions.get(at));
    let function = function.ok_or("the manifest releases a function that its sequence does not have")?;
    let quasi = |name: &String| columns.iter().any(|column| column.role == Role::Quasi && column.name == *name);
    if let Some(name) = function.columns.keys().find(|name| !quasi(name)) {
        return Err(format!("the released function names `{name}`, which is no quasi column"));
    }
    let mut levels = Vec::new();
    for column in columns.iter_mut().filter(|column| column.role == Role::Quasi) {
        levels.push(match function.columns.get(&column.name) {
            None => 0,
            Some(PublishedGrain::Level(level)) => *level,
            Some(PublishedGrain::Borders(borders)) => {
                let borders = Borders::new(borders).map_err(|error| format!("column `{}`: {error}", column.name))?;
                column.hierarchy = Some(HierarchySpec::Borders(borders));
                1
            }
        });
    }
    Ok(Some(Levels(levels)))
}

/// Checks what can be told of the sequence from the manifest alone.
pub(crate) fn check_stated(sequence: &PublishedSequence) -> Result<String, String> {
    if sequence.strategy == "naive" {
        return Err("the naive strategy gives people away to whoever knows the sequence".to_owned());
    }
    let released = sequence.released;
    if sequence.functions.get(released.wrapping_sub(1)).is_some_and(|function| function.ruled_out.is_some()) {
        return Err(format!("function {released} is said to be ruled out by group sizes, and released"));
    }
    Ok(format!("function {released} of {}, by strategy `{}`", sequence.functions.len(), sequence.strategy))
}

/// Checks that the classes are the groups of the released function: people whose labels agree in every column.
pub(crate) fn check(case: &Case<'_>, class_of_row: Option<&[u32]>, report: &mut Report) {
    let Some(levels) = &case.claim.levels else { return };
    let Some(class_of_row) = class_of_row else {
        report.skip(&["sequence groups"], "it is not known which rows a class has; pass the assignment");
        return;
    };
    report.settle("sequence groups", groups(case, levels, class_of_row));
}

fn groups(case: &Case<'_>, levels: &Levels, class_of_row: &[u32]) -> Result<String, String> {
    let mut labels = vec![0u32; case.rows];
    for (at, (column, source)) in case.claim.quasi().zip(&case.columns).enumerate() {
        let hierarchy = hierarchy(case.claim, column, source)?;
        let level = levels.of(at);
        if level > hierarchy.top() {
            return Err(format!("column `{}` has no level {level}", column.name));
        }
        let mut known = HashMap::new();
        for (row, label) in labels.iter_mut().enumerate() {
            let text = hierarchy.label(level, hierarchy.node(level, source.code(row)));
            let next = known.len() as u32;
            *label = *known.entry((*label, text)).or_insert(next);
        }
    }
    let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (row, &label) in (0u32..).zip(&labels) {
        members.entry(label).or_default().push(row);
    }
    let mut owner: HashMap<u32, u32> = HashMap::new();
    for (&label, rows) in &members {
        let class = class_of_row[rows[0] as usize];
        if let Some(&row) = rows.iter().find(|&&row| class_of_row[row as usize] != class) {
            return Err(format!(
                "rows {} and {} are in one group of it, but in different classes",
                rows[0] + 1,
                row + 1
            ));
        }
        // Groups may share a class only when the same cells are shown of both.
        if let Some(&other) = owner.get(&class)
            && !alike(case, rows, &members[&other])
        {
            let (first, second) = (members[&other][0] + 1, rows[0] + 1);
            return Err(format!("rows {first} and {second} are in different groups of it, but in one class"));
        }
        owner.entry(class).or_insert(label);
    }
    Ok(format!("{} of the released function, as the source has them", counted(members.len() as u64, "group", "groups")))
}

/// Whether two groups are shown alike though they are different ones: only boxes and statistics can be.
fn alike(case: &Case<'_>, first: &[u32], second: &[u32]) -> bool {
    let cells = match &case.quasi {
        Quasi::Cells(cells, _) => cells,
        Quasi::Vectors(vectors) => {
            let shown = |rows: &[u32]| vectors.of_row[rows[0] as usize];
            return case.claim.form == Form::Statistics && shown(first) == shown(second);
        }
        Quasi::Statistics(_) => return false,
    };
    case.claim.form == Form::Boxes
        && cells
            .iter()
            .zip(&case.columns)
            .all(|(cells, column)| tightest(cells, column, first) == tightest(cells, column, second))
}

/// The hierarchy that levels of `column` refer to.
pub(crate) fn hierarchy(claim: &Claim, column: &PublishedColumn, source: &Column) -> Result<Hierarchy, String> {
    match &column.hierarchy {
        Some(spec) => spec.build(source, &claim.base_dir).map_err(|error| format!("column `{}`: {error}", column.name)),
        None => Ok(Hierarchy::flat(source)),
    }
}
