//! Hierarchies as files in the format of ARX, written so that [`LabelFile`] reads them back.

use std::path::Path;

use super::{Hierarchy, LabelFile};
use crate::error::Result;
use crate::table::{Column, ColumnDomain, Role};

impl Hierarchy {
    /// The file's lines: for each value of `column`, to which the hierarchy is bound, its labels from level 0 upwards.
    ///
    /// Values come in the order of [`Hierarchy::order`]; a missing cell has no line.
    pub fn lines(&self, column: &Column) -> impl Iterator<Item = Vec<&str>> {
        let missing = column.missing();
        let codes = self.order.iter().copied().filter(move |&code| Some(code) != missing);
        codes.map(|code| (0..self.levels()).map(|level| self.label(level, self.node(level, code))).collect())
    }
}

impl LabelFile {
    /// The content of a file that holds `hierarchy`, which is bound to `column`.
    ///
    /// # Guarantee
    /// Read with the separator of `self` and bound to `column`, it gives `hierarchy` again, provided that a missing cell
    /// joins the others on the top level or the column has none. To make files for columns that may have missing cells,
    /// bind the hierarchy to a column that says it has.
    pub fn text(&self, hierarchy: &Hierarchy, column: &Column) -> String {
        let mut text = String::new();
        for line in hierarchy.lines(column) {
            for (level, label) in line.into_iter().enumerate() {
                if level > 0 {
                    text.push(self.separator());
                }
                push_field(&mut text, label, self.separator());
            }
            text.push('\n');
        }
        text
    }

    /// The hierarchy of the file bound to its own values, as words in a column without rows; a relative path is relative to
    /// `base_dir`.
    ///
    /// # Errors
    /// When the file cannot be read or is no hierarchy.
    pub fn own(&self, base_dir: &Path) -> Result<(Column, Hierarchy)> {
        let bytes = self.read(base_dir)?;
        let mut values = self.leaves(&bytes)?;
        values.sort_unstable();
        values.dedup();
        let column = Column::new("", Role::Quasi, ColumnDomain::Category(values), false, Vec::new())?;
        let hierarchy = self.bind(&bytes, &column)?;
        Ok((column, hierarchy))
    }

    /// The first field of every line that can be read.
    fn leaves(&self, bytes: &[u8]) -> Result<Vec<String>> {
        let mut reader = self.records(self.decoded(bytes)?);
        let records = reader.records().map_while(std::result::Result::ok);
        Ok(records.map(|record| record.get(0).unwrap_or_default().to_owned()).collect())
    }
}

/// Appends `field`, in quotes where it could be mistaken for more than one field or for the mark at a file's start.
fn push_field(text: &mut String, field: &str, separator: char) {
    if field.is_empty() || field.starts_with('\u{feff}') || field.contains([separator, '"', '\r', '\n']) {
        text.push('"');
        text.push_str(&field.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(field);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hierarchy::{BalancedGroups, CharacterMask, MaskSide, WidthIntervals};

    fn words(values: impl IntoIterator<Item = String>) -> Column {
        let values: std::collections::BTreeSet<String> = values.into_iter().collect();
        let codes = (0..values.len() as u32).collect();
        Column::new("word", Role::Quasi, ColumnDomain::Category(values.into_iter().collect()), true, codes).unwrap()
    }

    #[test]
    fn separators_and_quotes_inside_values_are_quoted() {
        let column = words(["a;1", "say \"b\"", "c,2"].map(str::to_owned));
        let hierarchy = Hierarchy::flat(&column);
        assert_eq!(LabelFile::new("x").text(&hierarchy, &column), "\"a;1\";*\nc,2;*\n\"say \"\"b\"\"\";*\n");
        let commas = LabelFile::new("x").with_separator(',').unwrap();
        assert_eq!(commas.text(&hierarchy, &column), "a;1,*\n\"c,2\",*\n\"say \"\"b\"\"\",*\n");
    }

    #[test]
    fn the_lines_of_numbers_ascend_and_end_at_the_top() {
        let column =
            Column::new("age", Role::Quasi, ColumnDomain::Integer(vec![9, 10, 11]), true, vec![2, 0, 1]).unwrap();
        let hierarchy = WidthIntervals::new(&["10"], "0").unwrap().build(&column).unwrap();
        let text = LabelFile::new("x").text(&hierarchy, &column);
        assert_eq!(text, "9;[0, 9];*\n10;[10, 19];*\n11;[10, 19];*\n");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_whatever_the_values(
            values in prop::collection::btree_set("[ab;,\"'\\[{} \n\r\u{feff}\\*ä|]{1,5}", 1..12),
            separator in prop::sample::select(vec![';', ',', '|', ' ', '*', 'a', '\t']),
            fanout in 2_usize..4,
            suffix: bool,
        ) {
            let column = words(values);
            let file = LabelFile::new("x").with_separator(separator).unwrap();
            let side = if suffix { MaskSide::Suffix } else { MaskSide::Prefix };
            let built = [BalancedGroups::new(fanout).unwrap().build(&column).unwrap(), CharacterMask::new(side).build(&column).unwrap()];
            for hierarchy in built {
                let text = file.text(&hierarchy, &column);
                prop_assert_eq!(file.bind(text.as_bytes(), &column).unwrap(), hierarchy, "{}", text);
            }
        }
    }
}
