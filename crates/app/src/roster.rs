//! Joins a table with a file that says whose sentences are whose.

use std::collections::HashMap;

use pellucid_model::error::{Error, Result};
use pellucid_model::principle::SetRoster;
use pellucid_model::table::{Column, ColumnDomain, Role, Table};

/// The table with the column of `roster` from `file`, keyed by the table's identifiers and of role `drop`.
///
/// # Errors
/// When the file has nobody's line or several for a person of the table, or names an unknown set; with the row, never a value.
pub(crate) fn join(table: Table, roster: &SetRoster, file: &Table) -> Result<Table> {
    let column = column(&table, roster, file)?;
    table.with_column(column)
}

fn column(table: &Table, roster: &SetRoster, file: &Table) -> Result<Column> {
    let identifiers: Vec<&Column> = table.with_role(Role::Identifier).collect();
    let sets = file.column(&roster.column)?;
    let known = check_sets(sets, roster)?;
    // Identifiers of the file as codes of the table; whoever is not in the table has none.
    let codes: Vec<(Vec<Option<u32>>, &Column)> = identifiers
        .iter()
        .map(|own| {
            let code_of: HashMap<String, u32> =
                (0..own.cardinality() as u32).map(|code| (own.text(code), code)).collect();
            let theirs = file.column(own.name())?;
            let map = (0..theirs.cardinality() as u32).map(|code| code_of.get(&theirs.text(code)).copied());
            Ok((map.collect(), theirs))
        })
        .collect::<Result<_>>()?;
    let mut set_of: HashMap<Vec<u32>, (usize, u32)> = HashMap::new();
    for (row, set) in sets.codes().iter().enumerate() {
        let key = codes.iter().map(|(map, theirs)| map[theirs.code(row) as usize]).collect::<Option<Vec<u32>>>();
        let Some(key) = key else { continue };
        if let Some((first, _)) = set_of.insert(key, (row, set)) {
            return Err(Error::bad_input(format!(
                "rows {} and {} are for the same person; keep one",
                first + 1,
                row + 1
            )));
        }
    }
    let mut of_row = Vec::with_capacity(table.rows());
    for row in 0..table.rows() {
        let key: Vec<u32> = identifiers.iter().map(|own| own.code(row)).collect();
        let (_, set) = set_of.get(&key).ok_or_else(|| {
            Error::bad_input(format!(
                "there is no row for the person in row {} of the table; add one, for somebody who keeps nothing to themselves \
                 with a set that has an empty list",
                row + 1
            ))
        })?;
        of_row.push(known[*set as usize]);
    }
    let domain = ColumnDomain::Category(roster.names.clone());
    Column::new(&roster.column, Role::Drop, domain, false, of_row)
}

/// By code of the column, the place of the set among the names of the roster; all must be known.
fn check_sets(sets: &Column, roster: &SetRoster) -> Result<Vec<u32>> {
    let place = |code: u32| {
        let text = (sets.missing() != Some(code)).then(|| sets.text(code))?;
        roster.names.iter().position(|name| *name == text).map(|at| at as u32)
    };
    let places: Vec<Option<u32>> = (0..sets.cardinality() as u32).map(place).collect();
    let unknown = (1..).zip(sets.codes()).find(|&(_, code): &(usize, u32)| places[code as usize].is_none());
    if let Some((row, code)) = unknown {
        let (name, known) = (&roster.column, roster.names.join("`, `"));
        return Err(Error::bad_input(if sets.missing() == Some(code) {
            format!(
                "row {row} names no set in column `{name}`; name one, for somebody who keeps nothing to themselves a set \
                 with an empty list"
            )
        } else {
            format!(
                "row {row} names a set in column `{name}` that `sentences` does not have; it has `{known}`, correct the row \
                 or add the set"
            )
        }));
    }
    Ok(places.into_iter().flatten().collect())
}
