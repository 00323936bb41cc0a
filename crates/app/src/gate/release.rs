//! Releases as evidence: each class shows the multiset of its people's values.

use std::collections::BTreeMap;

use pellucid_model::error::{Error, Result};
use pellucid_model::manifest::{Manifest, PublishedMechanism};
use pellucid_model::promise::PromiseClass;
use pellucid_model::table::{Column, Role};
use pellucid_publish::release::Release;

use super::records::{DecisionOutcome, EvidenceKind};
use super::{DecisionAuthor, Gate, GateDecision, GateFinding, GateShowing, GateSource};

impl GateSource {
    /// The classes of `release`, which was made of this table, for each sensitive column; `checksum` is that of its manifest.
    ///
    /// An error when it has altered values, or other people.
    pub fn classes_of(&self, release: &Release, checksum: Option<&str>) -> Result<Vec<GateShowing>> {
        let classes = release.exhibit.classes.iter().map(<[u32]>::to_vec).collect();
        self.classes(&release.manifest, checksum, classes)
    }

    /// The same for classes that are rows of the table.
    ///
    /// # Errors
    /// Those of [`GateSource::classes_of`].
    pub fn classes(
        &self,
        manifest: &Manifest,
        checksum: Option<&str>,
        classes: Vec<Vec<u32>>,
    ) -> Result<Vec<GateShowing>> {
        let PublishedMechanism { publisher, function, altered, .. } = &manifest.mechanism;
        if let Some(column) = altered {
            return Err(Error::invalid(format!(
                "publisher `{publisher}` alters values of column `{column}`, so that its classes do not show what people have and \
                 cannot be recorded; publish without a ledger, or use another publisher"
            )));
        }
        if (manifest.rows + manifest.left_out) as usize != self.people() {
            return Err(Error::bad_input(format!(
                "the release has other people than table `{}`; give the job that it was made by",
                self.name
            )));
        }
        let checksum = checksum.map_or_else(String::new, |checksum| format!(", manifest {checksum}"));
        let statement = format!("release by publisher {publisher}, function {function}{checksum}");
        let splits = self.splits_alike(&classes);
        let groups: Vec<Vec<u32>> = classes.into_iter().map(|rows| self.numbered(rows)).collect();
        if self.table.with_role(Role::Sensitive).next().is_none() {
            return Err(Error::invalid(
                "the job has no sensitive column, so the ledger can count nothing of its release; give the columns that may do harm role \
                 `sensitive`, or publish with --without-ledger and never answer queries about the columns that it shows",
            ));
        }
        let shows = |roles: &[Role]| -> Vec<String> {
            let columns = manifest.columns.iter().filter(|column| roles.contains(&column.role));
            columns.map(|column| column.name.clone()).collect()
        };
        let (kept, others) = (shows(&[Role::Keep]), shows(&[Role::Keep, Role::Quasi]));
        let mut gaps = Vec::new();
        let promise = manifest.mechanism.promise;
        if promise != Some(PromiseClass::CoarseningAtRandom) {
            let class = promise.map_or("unknown", PromiseClass::as_str);
            gaps.push(format!(
                "tells more than its groups, for its promise is of class {class} and not coarsening-at-random; what its algorithm tells is \
                 not counted"
            ));
        }
        if !kept.is_empty() {
            gaps.push(format!(
                "publishes `{}` as it is, which can link its lines to other evidence",
                kept.join("`, `")
            ));
        }
        if splits {
            gaps.push(
                "has people with the same quasi-identifiers in different groups, and who of them is where is not known outside; \
                 declare an identifier"
                    .to_owned(),
            );
        }
        let showing = |column: &Column| GateShowing {
            kind: EvidenceKind::Release,
            column: column.name().to_owned(),
            statement: statement.clone(),
            titles: Vec::new(),
            groups: groups.clone(),
            promise,
            others: others.clone(),
            gaps: gaps.clone(),
        };
        Ok(self.table.with_role(Role::Sensitive).map(showing).collect())
    }
}

impl GateSource {
    /// Whether people whom neither an identifier nor a quasi-identifier tells apart are in different classes.
    fn splits_alike(&self, classes: &[Vec<u32>]) -> bool {
        if self.table.with_role(Role::Identifier).next().is_some() {
            return false;
        }
        let mut class_of: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        (0..).zip(classes).any(|(class, rows)| {
            rows.iter().any(|&row| {
                let vector = self.table.with_role(Role::Quasi).map(|column| column.code(row as usize)).collect();
                *class_of.entry(vector).or_insert(class) != class
            })
        })
    }
}

impl Gate {
    /// What `showings`, each of another column, would reveal on top of everything recorded; records nothing.
    pub fn check_columns(&mut self, showings: &[GateShowing]) -> Result<Vec<GateFinding>> {
        showings.iter().map(|showing| self.check(showing)).collect()
    }

    /// Decides on `showings`, each of another column and to be seen all or none, and records the decisions.
    ///
    /// They may be seen when no decision refuses. Belief is about one column at a time; when somebody else shows something of one
    /// column at the same moment, so that this one is refused there, what was to be shown of another column may stay recorded.
    pub fn add_columns<'b>(
        &mut self,
        showings: &[GateShowing],
        author: impl Into<DecisionAuthor<'b>>,
    ) -> Result<Vec<GateDecision>> {
        let author = author.into();
        let mut judged = Vec::new();
        for showing in showings {
            let finding = self.check(showing)?;
            judged.push((finding.passes() || author.overrides.reason(&finding).is_some(), showing));
        }
        // What is refused comes first, so that nothing else is recorded then.
        judged.sort_by_key(|(shown, _)| *shown);
        let mut decided = Vec::new();
        for (_, showing) in judged {
            decided.push(self.add(showing, author)?);
            if decided.last().is_some_and(|last| last.outcome == DecisionOutcome::Refused) {
                break;
            }
        }
        Ok(decided)
    }
}
