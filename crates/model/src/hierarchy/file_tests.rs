//! Tests of hierarchies in files.

use std::path::{Path, PathBuf};

use super::*;
use crate::error::ErrorKind;
use crate::hierarchy::tests::labels;
use crate::table::{ColumnDomain, Role};

fn categories(values: &[&str], missing: bool) -> Column {
    let domain = ColumnDomain::Category(values.iter().map(|&value| value.to_owned()).collect());
    Column::new("zip", Role::Quasi, domain, missing, vec![0]).unwrap()
}

fn bind(content: &str, column: &Column) -> Result<Hierarchy> {
    LabelFile::new("zip.csv").bind(content.as_bytes(), column)
}

fn message(content: &str, column: &Column) -> String {
    let error = bind(content, column).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadHierarchy);
    error.to_string()
}

const LETTERS: &str = "z;last;*\na;vowel;*\nb;other;*\ne;vowel;*\nc;other;*\n";

#[test]
fn children_come_in_the_order_of_their_first_line() {
    let hierarchy = bind(LETTERS, &categories(&["a", "c", "e", "z"], false)).unwrap();
    assert_eq!(hierarchy.levels(), 3);
    assert_eq!(hierarchy.order(), [3, 0, 2, 1]);
    assert_eq!(labels(&hierarchy, 1), ["last", "vowel", "other"]);
    assert_eq!(labels(&hierarchy, 2), ["*"]);
}

#[test]
fn leaves_that_the_table_lacks_count() {
    let hierarchy = bind(LETTERS, &categories(&["c"], false)).unwrap();
    assert_eq!(hierarchy.leaf_count(), 5);
    assert_eq!(hierarchy.leaves(1, 0), 2);
    assert_eq!(hierarchy.leaves(2, 0), 5);
    assert_eq!(hierarchy.leaves(0, 0), 1);
}

#[test]
fn a_missing_cell_joins_the_level_that_joins_everything() {
    let hierarchy = bind(LETTERS, &categories(&["a", "z"], true)).unwrap();
    assert_eq!(labels(&hierarchy, 1), ["last", "vowel", "(missing)"]);
    assert_eq!(labels(&hierarchy, 2), ["*"]);
    assert_eq!((hierarchy.leaves(1, 2), hierarchy.leaves(2, 0), hierarchy.leaf_count()), (1, 6, 6));
}

#[test]
fn a_top_is_added_when_the_last_level_does_not_join_the_leaves() {
    // The table has only one of the two blocks: the levels are those of the file all the same.
    let hierarchy = bind("a;x\nb;y\n", &categories(&["a"], false)).unwrap();
    assert_eq!(hierarchy.levels(), 3);
    assert_eq!(labels(&hierarchy, 2), ["*"]);
    assert_eq!(bind("a\nb\n", &categories(&["a", "b"], false)).unwrap().levels(), 2);
}

#[test]
fn quotes_marks_and_line_endings_are_tolerated() {
    let column = categories(&["a;1", "b"], false);
    let plain = bind("\"a;1\";\"x\"\nb;x\n", &column).unwrap();
    assert_eq!(bind("\u{feff}\"a;1\";\"x\"\r\n\r\nb;x", &column).unwrap(), plain);
    assert_eq!(bind("\"a;1\";x\rb;x\r", &column).unwrap(), plain);
}

#[test]
fn numbers_match_by_value() {
    let doses = ColumnDomain::Decimal { scale: 1, unscaled: vec![70, 75] };
    let doses = Column::new("dose", Role::Quasi, doses, false, vec![0]).unwrap();
    let hierarchy = bind("7.50;high\n7;low\n8.25;high\nnone;none\n", &doses).unwrap();
    assert_eq!(hierarchy.label(1, hierarchy.node(1, 0)), "low");
    assert_eq!(hierarchy.label(0, 1), "7.5");
    let ages = Column::new("age", Role::Quasi, ColumnDomain::Integer(vec![7]), false, vec![0]).unwrap();
    assert!(bind("07;low\n", &ages).is_ok());
    let days = Column::new("day", Role::Quasi, ColumnDomain::Date(vec![0]), false, vec![0]).unwrap();
    assert!(bind("1970-01-01;early\n", &days).is_ok());
}

#[test]
fn values_not_covered_are_counted() {
    let column = categories(&["a", "q", "r"], false);
    assert_eq!(
        message(LETTERS, &column),
        "hierarchy `zip.csv` lacks 2 of the 3 values of column `zip`; add them or mask the column instead"
    );
    let other = message("a,x\nq,x\nr,x\n", &column);
    assert!(other.ends_with("; its lines have a single column, is its separator `;`?"), "{other}");
}

#[test]
fn a_value_listed_twice_is_refused() {
    assert_eq!(
        message("a;x\nb;x\n\na;x\n", &categories(&["a"], false)),
        "hierarchy `zip.csv` lists a value twice, at lines 1 and 4; remove one"
    );
    let ages = Column::new("age", Role::Quasi, ColumnDomain::Integer(vec![7]), false, vec![0]).unwrap();
    assert!(message("7;x\r\n7.0;x\r\n", &ages).contains("at lines 1 and 2"));
}

#[test]
fn a_line_of_another_length_is_refused() {
    let text = message("a;x;*\r\nb;x;*\r\nc;x\r\n", &categories(&["a"], false));
    assert_eq!(text, "hierarchy `zip.csv` has 2 columns at line 3 but 3 at line 1; give every line as many");
    let text = message("a;x;*\rb;x;*\rc;x\r", &categories(&["a"], false));
    assert!(text.contains("at line 3 but 3 at line 1"), "{text}");
}

#[test]
fn an_empty_label_or_file_is_refused() {
    let column = categories(&["a"], false);
    assert_eq!(message("a;x\nb;\n", &column), "hierarchy `zip.csv` has no label for level 1 at line 2; write one");
    assert!(message("\n\n", &column).starts_with("hierarchy `zip.csv` is empty; "));
}

#[test]
fn levels_that_are_not_nested_are_refused() {
    assert_eq!(
        message("a;x;p\nb;y;q\n\"c\nc\";x;q\nd;x;q\n", &categories(&["a"], false)),
        "hierarchy `zip.csv` is not nested: lines 1 and 3 share their label of level 1 but not of level 2; rename one \
         of the labels"
    );
}

#[test]
fn other_encodings_are_refused_with_the_line() {
    let error = LabelFile::new("zip.csv").bind(b"a;x\nb;\xe4\n", &categories(&["a"], false)).unwrap_err();
    assert_eq!(error.to_string(), "hierarchy `zip.csv` is not UTF-8 at line 2; save the file as UTF-8");
}

#[test]
fn an_unreadable_file_is_an_input_error() {
    let error =
        LabelFile::new("no-such-file.csv").build(&categories(&["a"], false), Path::new("/nowhere")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().starts_with("cannot use `/nowhere/no-such-file.csv`: "), "{error}");
}

/// The folder of real data sets, when there is one.
fn data() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("PELLUCID_DATA").map_or_else(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// Column `name` of a table, as integers when all values are, as categories otherwise.
fn read_column(table: &Path, separator: u8, name: &str) -> Column {
    let mut reader = csv::ReaderBuilder::new().delimiter(separator).from_path(table).unwrap();
    let at = reader.headers().unwrap().iter().position(|header| header == name).unwrap();
    let distinct: std::collections::BTreeSet<String> =
        reader.records().map(|record| record.unwrap()[at].to_owned()).collect();
    let integers: Option<std::collections::BTreeSet<i64>> = distinct.iter().map(|value| value.parse().ok()).collect();
    let domain = match integers {
        Some(values) => ColumnDomain::Integer(values.into_iter().collect()),
        None => ColumnDomain::Category(distinct.into_iter().collect()),
    };
    Column::new(name, Role::Quasi, domain, false, vec![0]).unwrap()
}

#[test]
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn hierarchies_of_real_tables_cover_them() {
    let Some(folder) = data() else {
        eprintln!("skipped: no folder of real data; name one with PELLUCID_DATA");
        return;
    };
    let sets = [("adult", "adult", b';'), ("census", "census", b','), ("census", "census_occ", b',')];
    for (set, table, separator) in sets {
        let set = folder.join(set);
        let prefix = format!("{table}_hierarchy_");
        let names = std::fs::read_dir(&set).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut seen = 0;
        for file in names.filter(|name| name.starts_with(&prefix)) {
            let name = file[prefix.len()..].strip_suffix(".csv").unwrap();
            let column = read_column(&set.join(format!("{table}.csv")), separator, name);
            let hierarchy = LabelFile::new(&file).build(&column, &set).unwrap();
            assert_eq!(labels(&hierarchy, hierarchy.top()), ["*"], "{file}");
            assert_eq!(hierarchy.order().len(), column.cardinality(), "{file}");
            assert!(hierarchy.leaf_count() >= column.cardinality() as u64, "{file}");
            seen += 1;
        }
        assert!(seen > 0, "no hierarchy of {table}");
    }
    let age = read_column(&folder.join("adult/adult.csv"), b';', "age");
    let hierarchy = LabelFile::new("adult_hierarchy_age.csv").build(&age, &folder.join("adult")).unwrap();
    assert_eq!(hierarchy.levels(), 5);
    let code = (0..age.cardinality() as u32).find(|&code| age.text(code) == "39").unwrap();
    assert_eq!(hierarchy.label(3, hierarchy.node(3, code)), "20-39");
}
