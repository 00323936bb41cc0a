//! What can be seen of a release that is a file or several: their lines, whatever their order.

use crate::function::ReleasedTables;

/// The published tables as text. Columns are known by their names and lines have no order, so that two releases are equal
/// when they show the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReleasedLines(Vec<TableLines>);

/// One table: its name, its columns, its lines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableLines {
    /// Tables of two releases are compared by name.
    pub name: String,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// A text for every column.
    pub lines: Vec<Vec<String>>,
}

impl ReleasedLines {
    /// Sorts lines and columns, so that equal content is equal.
    pub fn new(tables: Vec<TableLines>) -> Self {
        let mut tables: Vec<TableLines> = tables.into_iter().map(TableLines::canonical).collect();
        tables.sort();
        Self(tables)
    }

    /// The lines that an exhibit will have in its files.
    pub fn of(exhibit: &ReleasedTables) -> Self {
        let table = |sheet: &crate::function::ReleasedTable| TableLines {
            name: sheet.name.to_owned(),
            columns: sheet.columns.iter().map(|(name, _)| name.clone()).collect(),
            lines: (0..sheet.row_of.len())
                .map(|line| sheet.columns.iter().map(|(_, shown)| shown.text(line)).collect())
                .collect(),
        };
        Self::new(exhibit.sheets.iter().map(table).collect())
    }

    /// The tables, sorted by name.
    pub fn tables(&self) -> &[TableLines] {
        &self.0
    }

    /// All texts of `column`, of the table that has it, in no order that means anything; `None` when no table has it.
    pub fn column(&self, column: &str) -> Option<Vec<&str>> {
        let find = |table: &TableLines| table.columns.iter().position(|name| name == column);
        let (table, at) = self.0.iter().find_map(|table| Some((table, find(table)?)))?;
        Some(table.lines.iter().map(|line| line[at].as_str()).collect())
    }
}

impl TableLines {
    /// The same with columns in the order of their names, and lines sorted.
    fn canonical(self) -> Self {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        order.sort_by(|&a, &b| self.columns[a].cmp(&self.columns[b]));
        let sorted = |cells: &[String]| order.iter().map(|&at| cells[at].clone()).collect::<Vec<String>>();
        let mut lines: Vec<Vec<String>> = self.lines.iter().map(|line| sorted(line)).collect();
        lines.sort_unstable();
        Self { columns: sorted(&self.columns), name: self.name, lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[&str], lines: &[&[&str]]) -> ReleasedLines {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let lines = lines.iter().map(|line| owned(line)).collect();
        ReleasedLines::new(vec![TableLines { name: "data".to_owned(), columns: owned(columns), lines }])
    }

    #[test]
    fn neither_the_order_of_lines_nor_of_columns_matters() {
        let one = table(&["age", "disease"], &[&["[1..2]", "flu"], &["[1..2]", "cough"]]);
        assert_eq!(one, table(&["disease", "age"], &[&["cough", "[1..2]"], &["flu", "[1..2]"]]));
        assert_ne!(one, table(&["disease", "age"], &[&["cough", "[1..2]"], &["cough", "[1..2]"]]));
        assert_eq!(one.column("disease"), Some(vec!["cough", "flu"]));
        assert_eq!(one.column("name"), None);
    }
}
