//! Releases as evidence: each class shows the multiset of its people's values.

use pellucid_core::error::{Error, Result};
use pellucid_core::release::Release;
use pellucid_core::table::{Column, Role};

use super::{Author, Decided, Finding, Gate, Showing};
use crate::records::{EvidenceKind, Outcome};

impl Gate {
    /// The classes of `release`, which was made of this table, for each sensitive column; `checksum` is that of its manifest.
    fn classes(&self, release: &Release, checksum: Option<&str>) -> Result<Vec<Showing>> {
        let method = &self.source.job.method;
        if let Some(column) = &release.manifest.mechanism.altered {
            return Err(Error::invalid(format!(
                "publisher `{}` alters values of column `{column}`, so that its classes do not show what people have and cannot be \
                 recorded; publish without --ledger, or use another publisher",
                method.publisher
            )));
        }
        if (release.manifest.rows + release.manifest.left_out) as usize != self.source.people() {
            return Err(Error::bad_input(format!(
                "the release is not of table `{}` as it was read for the ledger; run again",
                self.source.name
            )));
        }
        let checksum = checksum.map_or_else(String::new, |checksum| format!(", manifest {checksum}"));
        let statement = format!("release by publisher {}, function {}{checksum}", method.publisher, method.function);
        let showing = |column: &Column| Showing {
            kind: EvidenceKind::Release,
            column: column.name().to_owned(),
            statement: statement.clone(),
            groups: release.exhibit.classes.iter().map(|rows| self.source.numbered(rows.to_vec())).collect(),
        };
        Ok(self.source.table.with_role(Role::Sensitive).map(showing).collect())
    }

    /// What the classes of `release` would reveal on top of everything recorded, column by column; records nothing.
    pub fn check_release(&mut self, release: &Release) -> Result<Vec<Finding>> {
        self.classes(release, None)?.iter().map(|showing| self.check(showing)).collect()
    }

    /// Decides on `release` and records the decisions, with its classes for every sensitive column when it may be shown.
    ///
    /// It may be shown when no decision refuses it. Belief is about one column at a time; when somebody else shows something of one
    /// column at the same moment, so that this one is refused there, classes of another column may stay recorded.
    pub fn add_release(
        &mut self,
        release: &Release,
        checksum: Option<&str>,
        author: Author<'_>,
    ) -> Result<Vec<Decided>> {
        let mut judged = Vec::new();
        for showing in self.classes(release, checksum)? {
            judged.push((self.check(&showing)?.passes(), showing));
        }
        // What fails comes first, so that nothing else is recorded when it is refused.
        judged.sort_by_key(|(passes, _)| *passes);
        let mut decided = Vec::new();
        for (_, showing) in judged {
            decided.push(self.add(&showing, author)?);
            if decided.last().is_some_and(|last| last.outcome == Outcome::Refused) {
                break;
            }
        }
        Ok(decided)
    }
}
