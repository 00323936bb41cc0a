//! A register of the population: everybody who could be in a table, with quasi-identifiers.

use pellucid_model::error::{Error, Result};
use pellucid_model::table::{Column, Role, Table};
use pellucid_publish::release::Release;
use pellucid_publish::risk::could_be_in;

/// A register of the population of a table.
#[derive(Debug, Clone)]
pub struct PopulationRegister {
    people: Table,
    name: String,
}

impl PopulationRegister {
    /// The register `people` of `table`, called `name` in reports.
    ///
    /// # Errors
    /// When it has fewer people than the table.
    pub fn new(people: Table, table: &Table, name: impl Into<String>) -> Result<Self> {
        let (all, rows, name) = (people.rows(), table.rows(), name.into());
        if all < rows {
            return Err(Error::bad_input(format!(
                "{name}: the register has {all} people and the table {rows}; it must hold everybody who could be in the table"
            )));
        }
        Ok(Self { people, name })
    }

    /// By class of a release of `table`, how many people of the register could be in it; `None` where that is not bounded.
    pub fn could_be_in(&self, release: &Release, table: &Table) -> Option<Vec<u64>> {
        let spreads = release.spreads.as_ref()?;
        let columns: Option<Vec<(&Column, &Column)>> = table
            .with_role(Role::Quasi)
            .map(|column| Some((column, self.people.column(column.name()).ok()?)))
            .collect();
        could_be_in(&release.exhibit, spreads, &columns?)
    }

    /// How many people it has, and its name.
    pub fn describe(&self) -> String {
        format!("{} people in {}", self.people.rows(), self.name)
    }
}
