//! A register of the population: everybody who could be in a table, with quasi-identifiers.

use std::path::{Path, PathBuf};

use pellucid_model::error::{Error, Result};
use pellucid_model::table::{Column, Role, Table};
use pellucid_publish::job::Job;
use pellucid_publish::manifest::Release;
use pellucid_publish::risk::could_be_in;

use crate::known::read_register;

/// A register that was read.
#[derive(Debug)]
pub struct Register {
    people: Table,
    path: PathBuf,
}

impl Register {
    /// Reads the register of the job's `table`; it must have all quasi columns, and at least as many people.
    pub fn read(job: &Job, base_dir: &Path, path: &Path, table: &Table) -> Result<Self> {
        let people = read_register(job, base_dir, path, table)?;
        if people.rows() < table.rows() {
            return Err(Error::bad_input(format!(
                "{}: the register has {} people and the table {}; it must hold everybody who could be in the table",
                path.display(),
                people.rows(),
                table.rows()
            )));
        }
        Ok(Self { people, path: path.to_owned() })
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

    /// What it is, in words.
    pub fn words(&self) -> String {
        format!("{} people in {}", self.people.rows(), self.path.display())
    }
}
