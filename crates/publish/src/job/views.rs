//! `[views]` of a job: what the table is called in statements, where what was shown is recorded, and views to be decided on.

use std::sync::LazyLock;

use pellucid_inference::views::selection::WantedRanges;
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::principle::{DistinctLDiversity, Principle, SensitiveColumn};
use pellucid_model::registry::did_you_mean;
use pellucid_model::table::{Column, Role, Table};
use serde::{Deserialize, Serialize};

use super::{Job, ResolvedJob};
use crate::publisher::PrivacyGoal;

/// `[views]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewsJob {
    /// What the table is called in statements; the name of its file, without what follows the last point, when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Where what was shown is recorded: a file, relative to the job file, or the URL of a database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
    /// How it is decided whether a view may be shown.
    #[serde(default)]
    pub gate: GateKind,
    /// By how much an estimate may leave open whether a probability is above its bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// With which probability all intervals of an estimate hold together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theta: Option<f64>,
    /// Views to be decided on, `[[views.view]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub view: Vec<ViewJob>,
}

/// How it is decided whether a view may be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GateKind {
    /// By what all views together would reveal with the values that they show; that a view is refused may tell something.
    #[default]
    Open,
    /// By what is public already, whatever the view would show; that a view is refused tells nothing.
    Simulatable,
}

impl GateKind {
    /// The word used in job files and ledgers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Simulatable => "simulatable",
        }
    }
}

/// One entry of `[[views.view]]`: a statement, or a column and ranges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewJob {
    /// `select COLUMN from TABLE where CONDITION`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The sensitive column that is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show: Option<String>,
    /// Whom it is shown of; everybody when left out.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    pub ranges: Option<WantedRanges>,
}

impl Job {
    /// What the table is called in statements.
    pub fn table_name(&self) -> String {
        let file = self.input.path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        self.views.as_ref().and_then(|views| views.table.clone()).unwrap_or(file)
    }

    /// How it is decided whether a view may be shown.
    pub fn gate(&self) -> GateKind {
        self.views.as_ref().map(|views| views.gate).unwrap_or_default()
    }

    /// Checks `[views]`.
    pub(super) fn check_views(&self) -> Result<()> {
        let Some(views) = &self.views else { return Ok(()) };
        if views.table.as_ref().is_some_and(|name| name.trim().is_empty()) {
            return Err(Error::invalid("`table` in [views] is empty; name the table, or leave it out"));
        }
        if views.epsilon.is_some_and(|epsilon| !(0.0..1.0).contains(&epsilon)) {
            return Err(Error::invalid("`epsilon` in [views] must be a probability from 0 to below 1, e.g. 0.01"));
        }
        if views.theta.is_some_and(|theta| !(theta > 0.0 && theta < 1.0)) {
            return Err(Error::invalid("`theta` in [views] must be a probability above 0 and below 1, e.g. 0.95"));
        }
        for (number, view) in (1..).zip(&views.view) {
            let wrong = |what: &str| Err(Error::invalid(format!("view {number} of [[views.view]] {what}")));
            match view {
                ViewJob { sql: Some(_), show: None, ranges: None } | ViewJob { sql: None, show: Some(_), .. } => {}
                ViewJob { sql: Some(_), .. } => {
                    return wrong("has `sql` and also `show` or `where`; keep `sql` alone, or remove it");
                }
                _ => return wrong("says neither `sql` nor `show`; add one of them"),
            }
        }
        Ok(())
    }
}

/// What is demanded of belief where no principle of a job says anything of it.
static NOBODY_CERTAIN: LazyLock<DistinctLDiversity> =
    LazyLock::new(|| DistinctLDiversity::new(2).expect("two values are a number of values"));

impl ResolvedJob<'_> {
    /// Whether a principle of the job looks at sensitive values.
    pub fn caps_belief(&self) -> bool {
        self.principles.iter().any(|(_, principle)| principle.needs_sensitive())
    }

    /// What must hold of the belief about the values of the sensitive column `name`: every principle of the job that says something
    /// of belief, bound to it.
    ///
    /// Where no principle of the job looks at values, nobody's value may become certain.
    ///
    /// Fails when the column is not there or not sensitive, and when a principle looks at several columns together.
    pub fn belief_goals<'a>(
        &'a self,
        table: &'a Table,
        hierarchies: &'a [Option<Hierarchy>],
        name: &str,
    ) -> Result<Vec<PrivacyGoal<'a>>> {
        if let Some((_, principle)) = self.principles.iter().find(|(_, principle)| !principle.sentences().is_empty()) {
            return Err(Error::invalid(format!(
                "principle `{}` looks at several columns together, and belief from views is about one column; give another \
                 principle for views, such as --gamma 1/2",
                principle.id()
            )));
        }
        let mut columns = super::by_role(table, hierarchies, Role::Sensitive);
        let Some((column, hierarchy)) = columns.find(|(column, _)| column.name() == name) else {
            let hint = did_you_mean(name, table.with_role(Role::Sensitive).map(Column::name));
            return Err(Error::new(
                ErrorKind::UnknownColumn,
                format!("no sensitive column `{name}`{hint}; give it the role `sensitive`, or show another"),
            ));
        };
        let principles = || self.principles.iter().map(|(_, principle)| principle.as_ref());
        if self.caps_belief() {
            return self.goals(column, hierarchy, principles().filter(|principle| principle.needs_sensitive()));
        }
        let whole = column.histogram();
        let (name, cardinality) = (column.name(), column.cardinality());
        // No value is protected more than another where none is capped.
        let context = SensitiveColumn { name, whole: &whole, cardinality, protected: None, hierarchy };
        let test = NOBODY_CERTAIN.bind(context)?;
        Ok(vec![PrivacyGoal { column, principle: &*NOBODY_CERTAIN, test, share: None, protected: None }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: &str = r#"
[input]
path = "data/patients.csv"

[columns]
age = { role = "quasi", type = "integer" }
disease = { role = "sensitive" }

[privacy]
principle = "highest-ratio"
ratio = "1/2"
"#;

    fn job(views: &str) -> Result<Job> {
        Job::read(&format!("{JOB}\n[views]\n{views}"), &[])
    }

    fn refused(views: &str) -> String {
        job(views).and_then(|job| job.check().map(|_| ())).unwrap_err().to_string()
    }

    #[test]
    fn the_table_is_called_as_its_file_unless_the_job_says_otherwise() {
        assert_eq!(Job::read(JOB, &[]).unwrap().table_name(), "patients");
        let job = job("table = \"people\"\ngate = \"simulatable\"\n").unwrap();
        assert_eq!((job.table_name().as_str(), job.gate()), ("people", GateKind::Simulatable));
    }

    #[test]
    fn views_are_written_as_they_are_read() {
        let job =
            job("[[views.view]]\nshow = \"disease\"\nwhere = { age = [29, 33], sex = \"F\", zip = { in = [1, 2] } }\n\
                       [[views.view]]\nsql = \"select disease from patients\"\n")
            .unwrap();
        job.check().unwrap();
        let text = toml::to_string(&job).unwrap();
        assert_eq!(Job::read(&text, &[]).unwrap(), job);
    }

    #[test]
    fn a_view_that_says_too_much_or_too_little_is_named() {
        for (views, words) in [
            ("[[views.view]]\nsql = \"x\"\nshow = \"disease\"\n", "view 1 of [[views.view]] has `sql` and also"),
            ("[[views.view]]\nwhere = { age = 3 }\n", "says neither `sql` nor `show`"),
            ("[[views.view]]\nshow = \"disease\"\nwhere = { age = [1] }\n", "column `age` of a selection"),
            ("gate = \"closed\"\n", "views.gate: cannot be `closed`"),
            ("gat = \"open\"\n", "did you mean `gate`?"),
            ("epsilon = 2\n", "`epsilon` in [views]"),
            ("theta = 1.0\n", "`theta` in [views]"),
            ("table = \" \"\n", "`table` in [views] is empty"),
        ] {
            let message = refused(views);
            assert!(message.contains(words), "{views}: {message}");
        }
    }
}
