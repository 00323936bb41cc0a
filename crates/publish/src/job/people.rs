//! What a job says of sentences and of whose they are, and the columns that are read for that.

use std::collections::BTreeSet;

use pellucid_model::error::{Error, Result};
use pellucid_model::principle::{PRINCIPLES, Principle, SetRoster};
use pellucid_model::registry::{EntryArgs, did_you_mean, find};
use pellucid_model::table::Role;
use pellucid_model::table::schema::{ColumnSpec, OnMissing, TableSchema};

use super::Job;

impl Job {
    /// The columns and files that say whose sentences are whose, each once.
    pub fn rosters(&self) -> Result<Vec<SetRoster>> {
        let mut rosters: Vec<SetRoster> = Vec::new();
        for privacy in &self.privacy {
            let principle = find(PRINCIPLES, "principle", &privacy.principle)?.make(&privacy.args()?)?;
            let known = |roster: &SetRoster| {
                rosters.iter().any(|other| other.column == roster.column && other.file == roster.file)
            };
            if let Some(roster) = principle.roster().filter(|roster| !known(roster)) {
                rosters.push(roster.clone());
            }
        }
        Ok(rosters)
    }

    /// The declared columns as the reader wants them.
    pub fn schema(&self) -> Result<TableSchema> {
        let of_table = self.rosters()?.into_iter().filter(|roster| roster.file.is_none());
        let by: BTreeSet<String> = of_table.map(|roster| roster.column).collect();
        let columns = self.columns.iter().map(|(name, column)| {
            let (mut missing, mut on_missing) = (column.missing.clone(), column.on_missing);
            if by.contains(name) {
                // An empty cell is refused where sets are looked up, with the remedy that fits.
                missing.get_or_insert_with(|| self.input.missing.clone()).push(String::new());
                on_missing = Some(OnMissing::Category);
            }
            ColumnSpec { name: name.clone(), role: column.role, kind: column.kind, missing, on_missing }
        });
        Ok(TableSchema {
            columns: columns.collect(),
            missing: self.input.missing.clone(),
            on_missing: self.input.on_missing,
            read_dropped: by,
        })
    }

    /// Checks what sentences and rosters name against the declared columns.
    pub(super) fn check_people(&self, principles: &[(EntryArgs, Box<dyn Principle>)]) -> Result<()> {
        let role = |name: &str| self.columns.get(name).map(|column| column.role);
        let names = self.columns.keys().map(String::as_str);
        for sentence in principles.iter().flat_map(|(_, principle)| principle.sentences()) {
            let checked = sentence.check_roles(role, names.clone());
            checked.map_err(|error| error.context(format!("sentence `{sentence}`")))?;
        }
        for roster in principles.iter().filter_map(|(_, principle)| principle.roster()) {
            let name = &roster.column;
            match (role(name), &roster.file) {
                (Some(_), Some(_)) => {
                    return Err(Error::invalid(format!(
                        "`by` names column `{name}` of `file`, and the table has a column of that name too; rename one, or \
                         leave `file` out to use the table's"
                    )));
                }
                (None, Some(_)) if !self.columns.values().any(|column| column.role == Role::Identifier) => {
                    return Err(Error::invalid(
                        "`file` is looked up by identifier, and no column has role `identifier`; declare the one that \
                         names people, or put the sets into the table",
                    ));
                }
                (Some(Role::Quasi), None) => {
                    return Err(Error::invalid(format!(
                        "`by` names column `{name}`, which has role `quasi`: whose sentences are whose would be public; \
                         give it role `drop`"
                    )));
                }
                (None, None) => {
                    let hint = did_you_mean(name, names);
                    return Err(Error::invalid(format!(
                        "`by` names column `{name}`, which is not declared{hint}; declare it with role `drop`, or name the \
                         `file` it is in"
                    )));
                }
                _ => {}
            }
        }
        let on_values = |principle: &dyn Principle| principle.needs_sensitive() && principle.sentences().is_empty();
        let protecting = self.columns.iter().find(|(_, column)| column.protect.is_some());
        if let Some((name, _)) = protecting
            && principles.iter().any(|(_, principle)| !principle.sentences().is_empty())
            && !principles.iter().any(|(_, principle)| on_values(principle.as_ref()))
        {
            return Err(Error::invalid(format!(
                "column `{name}` has `protect`, which no principle of the job looks at; write its values as sentences, or \
                 remove it"
            )));
        }
        Ok(())
    }
}
