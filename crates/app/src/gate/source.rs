//! The table behind a gate, and what is asked of it.

use std::fmt;

use pellucid_inference::views::View;
use pellucid_inference::views::selection::{RowSelection, WantedRanges};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::histogram::Histogram;
use pellucid_model::table::{Column, Table};
use pellucid_publish::job::{Job, ViewJob};

use super::GateShowing;
use super::records::{EvidenceKind, NewTable};
use super::sql::{SqlView, read_view, read_views};
use crate::dataset::JobData;
use crate::fingerprint::TableFingerprint;

/// A job and its table, whose people have numbers that do not depend on the order of rows.
pub struct GateSource {
    pub(super) job: Job,
    pub(super) table: Table,
    pub(super) hierarchies: Vec<Option<Hierarchy>>,
    pub(super) name: String,
    digest: String,
    /// By row the number of its person, and by number the row.
    numbers: Vec<u32>,
    rows: Vec<u32>,
}

impl fmt::Debug for GateSource {
    /// Without a cell of the table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).field("people", &self.rows.len()).finish_non_exhaustive()
    }
}

/// A view that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewRequest {
    pub(super) asked: SqlView,
    /// Whom it shows, by number, ascending.
    pub(super) people: Vec<u32>,
}

impl ViewRequest {
    /// The sensitive column that it shows.
    pub fn column(&self) -> &str {
        &self.asked.column
    }

    /// The statement in canonical form.
    pub fn statement(&self) -> String {
        self.asked.to_string()
    }

    /// How many people it shows.
    pub fn people(&self) -> usize {
        self.people.len()
    }

    /// What is shown when it is answered.
    pub fn showing(&self) -> GateShowing {
        GateShowing {
            kind: EvidenceKind::View,
            column: self.asked.column.clone(),
            statement: self.statement(),
            titles: vec![self.statement()],
            groups: vec![self.people.clone()],
            promise: None,
            others: Vec::new(),
            gaps: Vec::new(),
        }
    }
}

impl GateSource {
    /// The table `data` of `job`.
    ///
    /// # Errors
    /// When the job is not valid, or the contents of the table, dropped columns included, are not at hand.
    pub fn new(job: Job, data: &JobData) -> Result<Self> {
        job.check()?;
        let TableFingerprint { digest, numbers } = data.fingerprint()?;
        if numbers.len() != data.rows() {
            return Err(Error::bad_input("the table changed while it was read; run again"));
        }
        let mut rows = vec![0; numbers.len()];
        for (row, &number) in (0..).zip(&numbers) {
            rows[number as usize] = row;
        }
        let (table, hierarchies) = (data.table().clone(), data.hierarchies().to_vec());
        Ok(Self { name: job.table_name(), job, table, hierarchies, digest, numbers, rows })
    }

    /// What the table is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its `[views]` section says what must hold.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Rows stand as they were read; numbers of people do not depend on that.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// How many people the table has.
    pub fn people(&self) -> usize {
        self.rows.len()
    }

    /// The row of the person with this number.
    pub fn row_of(&self, number: u32) -> u32 {
        self.rows[number as usize]
    }

    /// What the ledger is to know of the table.
    pub(super) fn record(&self) -> NewTable {
        let gate = self.job.gate().as_str().to_owned();
        NewTable { name: self.name.clone(), fingerprint: self.digest.clone(), rows: self.rows.len() as u64, gate }
    }

    /// The view that `sql` asks for.
    ///
    /// An error when it is no view of this table, or shows nobody.
    pub fn ask(&self, sql: &str) -> Result<ViewRequest> {
        let asked = read_view(sql, &self.table)?;
        if asked.table_name.to_lowercase() != self.name.to_lowercase() {
            return Err(Error::invalid(format!(
                "the statement is about table `{}`, and the table of this job is called `{}`; write that after `from`, or set \
                 `table` in [views]",
                asked.table_name, self.name
            )));
        }
        self.request(asked.column, asked.selection)
    }

    /// The view of the sensitive column `show` of those whom `ranges` select.
    pub fn ask_ranges(&self, show: &str, ranges: WantedRanges) -> Result<ViewRequest> {
        let selection = RowSelection::from(ranges);
        // By way of the statement, so that both ways of asking are checked alike.
        let asked = SqlView { table_name: self.name.clone(), column: show.to_owned(), selection };
        let asked = read_view(&asked.to_string(), &self.table)?;
        self.request(asked.column, asked.selection)
    }

    /// The views that the job lists.
    pub fn listed(&self) -> Result<Vec<ViewRequest>> {
        let views = self.job.views.iter().flat_map(|views| &views.view);
        let ask = |view: &ViewJob| match (&view.sql, &view.show) {
            (Some(sql), _) => self.ask(sql),
            (None, show) => {
                self.ask_ranges(show.as_deref().unwrap_or_default(), view.ranges.clone().unwrap_or_default())
            }
        };
        let named =
            |(number, view)| ask(view).map_err(|error| error.context(format!("view {number} of [[views.view]]")));
        (1..).zip(views).map(named).collect()
    }

    pub(super) fn request(&self, column: String, selection: RowSelection) -> Result<ViewRequest> {
        let people = self.selected(&selection)?;
        if people.is_empty() {
            return Err(Error::invalid(format!(
                "the view of `{column}` selects nobody of the {} people in table `{}`; widen its condition",
                self.rows.len(),
                self.name
            )));
        }
        Ok(ViewRequest { asked: SqlView { table_name: self.name.clone(), column, selection }, people })
    }

    /// The numbers of those whom `selection` selects, ascending.
    pub(super) fn selected(&self, selection: &RowSelection) -> Result<Vec<u32>> {
        Ok(self.numbered(selection.members(&self.table)?))
    }

    /// The numbers of the people in `rows`, ascending.
    pub(super) fn numbered(&self, rows: Vec<u32>) -> Vec<u32> {
        let mut people: Vec<u32> = rows.into_iter().map(|row| self.numbers[row as usize]).collect();
        people.sort_unstable();
        people
    }

    /// The views of a statement that was recorded; none when it cannot be read by the columns of this job.
    pub(super) fn recorded(&self, statement: &str) -> Vec<SqlView> {
        read_views(statement, &self.table).unwrap_or_default()
    }

    /// The view of `people` in `column`, with its values.
    pub(super) fn view(&self, column: &Column, people: &[u32]) -> Result<View> {
        View::new(
            people.to_vec(),
            Histogram::of(people.iter().map(|&person| column.code(self.row_of(person) as usize))),
        )
    }

    /// The code of a value that was recorded.
    pub(super) fn codes<'c>(&self, column: &'c Column) -> impl Fn(&str) -> Result<u32> + use<'c> {
        let mut texts: Vec<(String, u32)> =
            (0..column.cardinality() as u32).map(|code| (column.text(code), code)).collect();
        texts.sort_unstable();
        let name = self.name.clone();
        move |text| {
            let found = texts.binary_search_by(|entry| entry.0.as_str().cmp(text));
            found.map(|at| texts[at].1).map_err(|_| {
                Error::new(
                    ErrorKind::BadInput,
                    format!(
                        "column `{}` of table `{name}` was recorded with values that it does not have as the job reads it; \
                         declare its type and missing cells as when they were shown",
                        column.name()
                    ),
                )
            })
        }
    }
}
