//! The released tables as text, and which of their lines are published alike.

use pellucid_model::manifest::PublishedColumn;
use pellucid_model::table::Role;
use pellucid_model::table::{TextColumn, TextTable};

use crate::NamedTable;
use crate::claim::{ReleaseClaim, ReleaseForm};
use crate::number::{NumberBuckets, VectorNumbering};
use crate::report::counted;

/// One released table.
#[derive(Debug)]
pub(crate) struct LineTable {
    pub file: String,
    pub table: TextTable,
    /// The lines of the file that these are, when some are left out.
    numbers: Option<Vec<u32>>,
}

impl LineTable {
    /// The table as it is.
    pub fn new(NamedTable { file, table }: NamedTable) -> Self {
        Self { file, table, numbers: None }
    }

    /// The same without the lines that show `mark` in every one of `columns`, and how many these are.
    pub fn without<'c>(
        self,
        mark: &str,
        columns: impl Iterator<Item = &'c PublishedColumn>,
    ) -> Result<(Self, u64), String> {
        let columns: Vec<&TextColumn> = self.places(columns)?.into_iter().map(|at| &self.table.columns()[at]).collect();
        let is_marked = |line: &u32| columns.iter().all(|column| column.cell(*line as usize) == mark);
        let kept: Vec<u32> = (0..self.lines() as u32).filter(|line| !is_marked(line)).collect();
        if kept.is_empty() {
            return Err(format!(
                "every line of `{}` shows the mark of suppressed rows in all quasi columns, so that nothing is left to check; \
                 check the mark",
                self.file
            ));
        }
        let marked = (self.lines() - kept.len()) as u64;
        let table = self.table.part(&kept).map_err(|error| error.to_string())?;
        Ok((Self { file: self.file, table, numbers: Some(kept) }, marked))
    }

    /// The number in the file of a line counted from 0, from 1.
    pub fn number(&self, line: usize) -> usize {
        self.numbers.as_ref().map_or(line, |numbers| numbers[line] as usize) + 1
    }

    /// Number of lines.
    pub fn lines(&self) -> usize {
        self.table.rows()
    }

    /// Where the cell `code` of `column` is first met, as `file, line n, column x`.
    pub fn place(&self, column: &TextColumn, code: u32) -> String {
        let line = (0..self.lines()).find(|&line| column.code(line) == code).map_or(0, |line| self.number(line));
        format!("`{}`, line {line}, column `{}`", self.file, column.name())
    }

    /// The columns must be `expected`, in that order.
    pub fn check_header(&self, expected: &[&str]) -> Result<(), String> {
        let file = &self.file;
        let found: Vec<&str> = self.table.header().collect();
        if let Some(absent) = expected.iter().find(|name| !found.contains(name)) {
            return Err(format!("`{file}` lacks column `{absent}`"));
        }
        if let Some(beside) = found.iter().find(|name| !expected.contains(name)) {
            return Err(format!("`{file}` has column `{beside}`, which the manifest does not publish"));
        }
        if found == expected { Ok(()) } else { Err(format!("`{file}` has its columns in another order")) }
    }

    fn places<'c>(&self, columns: impl Iterator<Item = &'c PublishedColumn>) -> Result<Vec<usize>, String> {
        let place = |column: &PublishedColumn| {
            let found = self.table.header().position(|name| name == column.name);
            found.ok_or_else(|| format!("`{}` lacks column `{}`", self.file, column.name))
        };
        columns.map(place).collect()
    }
}

/// The released tables with their columns found and their lines classed.
#[derive(Debug)]
pub(crate) struct ClassedTables {
    /// One sheet, or for anatomy the quasi values and the sensitive values.
    sheets: Vec<LineTable>,
    quasi: Vec<usize>,
    plain: Vec<usize>,
    quasi_class: Vec<u32>,
    /// Where the plain columns have a sheet of their own.
    plain_class: Option<Vec<u32>>,
    /// Number of classes.
    pub classes: usize,
}

impl ClassedTables {
    /// Finds the columns of `claim` and numbers the classes: by equal quasi cells in the order of their first lines, or
    /// by group number.
    pub fn new(claim: &ReleaseClaim, sheets: Vec<LineTable>) -> Result<Self, String> {
        let (Some(first), Some(last)) = (sheets.first(), sheets.last()) else {
            return Err("there is no released table".to_owned());
        };
        let quasi = first.places(claim.quasi())?;
        let plain = last.places(claim.plain())?;
        let (quasi_class, plain_class, classes) = if let Some(group) = &claim.group_column {
            let classes = first.table.column(group).map_err(|error| error.to_string())?.distinct().len();
            let of_quasi = group_numbers(first, group, classes)?;
            let of_plain = group_numbers(last, group, classes)?;
            check_sizes([first, last], &of_quasi, &of_plain, classes)?;
            (of_quasi, Some(of_plain), classes)
        } else {
            let columns: Vec<&TextColumn> = quasi.iter().map(|&at| &first.table.columns()[at]).collect();
            let mut numbering = VectorNumbering::new(columns.len());
            let number = |line: usize| numbering.number(columns.iter().map(|column| column.code(line)));
            let class_of = (0..first.lines()).map(number).collect();
            (class_of, None, numbering.count())
        };
        Ok(Self { sheets, quasi, plain, quasi_class, plain_class, classes })
    }

    /// The sheet that shows quasi values.
    pub fn quasi_sheet(&self) -> &LineTable {
        &self.sheets[0]
    }

    /// The sheet that shows sensitive and kept values.
    pub fn plain_sheet(&self) -> &LineTable {
        &self.sheets[self.sheets.len() - 1]
    }

    /// The quasi columns, in the order of the claim.
    pub fn quasi_columns(&self) -> Vec<&TextColumn> {
        self.quasi.iter().map(|&at| &self.quasi_sheet().table.columns()[at]).collect()
    }

    /// The plain columns, in the order of the claim.
    pub fn plain_columns(&self) -> Vec<&TextColumn> {
        self.plain.iter().map(|&at| &self.plain_sheet().table.columns()[at]).collect()
    }

    /// The class of each line of the quasi sheet.
    pub fn quasi_class(&self) -> &[u32] {
        &self.quasi_class
    }

    /// The class of each line of the plain sheet.
    pub fn plain_class(&self) -> &[u32] {
        self.plain_class.as_deref().unwrap_or(&self.quasi_class)
    }

    /// Number of released rows.
    pub fn rows(&self) -> usize {
        self.plain_sheet().lines()
    }
}

/// The group number of each line, less one; numbers must be 1 to `classes`.
fn group_numbers(sheet: &LineTable, group: &str, classes: usize) -> Result<Vec<u32>, String> {
    let column = sheet.table.column(group).map_err(|error| error.to_string())?;
    let mut numbers = Vec::with_capacity(column.distinct().len());
    for (code, text) in (0u32..).zip(column.distinct()) {
        // `007` would be a second name of group 7.
        let number = text.parse::<u32>().ok().filter(|number| number.to_string() == *text);
        match number {
            Some(number) if number >= 1 && number as usize <= classes => numbers.push(number - 1),
            _ => return Err(format!("{}: not a group number from 1 to {classes}", sheet.place(column, code))),
        }
    }
    Ok((0..sheet.lines()).map(|line| numbers[column.code(line) as usize]).collect())
}

fn check_sizes(sheets: [&LineTable; 2], of_quasi: &[u32], of_plain: &[u32], classes: usize) -> Result<(), String> {
    let (quasi, plain) = (NumberBuckets::new(of_quasi, classes), NumberBuckets::new(of_plain, classes));
    let differing = (0..classes).find(|&class| quasi.get(class).len() != plain.get(class).len());
    differing.map_or(Ok(()), |class| {
        let lines = |buckets: &NumberBuckets| counted(buckets.get(class).len() as u64, "line", "lines");
        let (in_quasi, in_plain) = (lines(&quasi), lines(&plain));
        let (first, second) = (&sheets[0].file, &sheets[1].file);
        Err(format!("group {} has {in_quasi} in `{first}` and {in_plain} in `{second}`", class + 1))
    })
}

/// Checks that sheets have exactly the columns that `claim` publishes.
pub(crate) fn check_columns(claim: &ReleaseClaim, sheets: &[LineTable]) -> Result<(), String> {
    let unpublished = claim.columns.iter().find(|column| matches!(column.role, Role::Identifier | Role::Drop));
    if let Some(column) = unpublished {
        return Err(format!("the manifest publishes column `{}` with role `{}`", column.name, column.role));
    }
    let of_role = |shown: &dyn Fn(Role) -> bool| -> Vec<&str> {
        let names = claim.columns.iter().filter(|column| shown(column.role)).map(|column| column.name.as_str());
        claim.group_column.as_deref().into_iter().chain(names).collect()
    };
    match sheets {
        [quasi, plain] if claim.form == ReleaseForm::Anatomy => {
            quasi.check_header(&of_role(&|role| role == Role::Quasi))?;
            plain.check_header(&of_role(&|role| role != Role::Quasi))
        }
        sheets => sheets.iter().try_for_each(|sheet| sheet.check_header(&of_role(&|_| true))),
    }
}
