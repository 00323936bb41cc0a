//! Tests of what is found in hierarchy files.

use proptest::prelude::*;

use super::*;
use crate::table::{ColumnDomain, Role};

fn words(values: &[&str], codes: Vec<u32>, missing: bool) -> Column {
    let domain = ColumnDomain::Category(values.iter().map(|&value| value.to_owned()).collect());
    Column::new("zip", Role::Quasi, domain, missing, codes).unwrap()
}

fn check(content: &str, kind: ColumnType, column: Option<&Column>) -> FileReport {
    LabelFile::new("zip.csv").check_bytes(content.as_bytes(), kind, column).unwrap()
}

/// Severity, rule and lines of all findings.
fn found(content: &str) -> Vec<(FindingSeverity, &'static str, Vec<usize>)> {
    let report = check(content, ColumnType::Category, None);
    report.findings.into_iter().map(|finding| (finding.severity, finding.rule, finding.lines)).collect()
}

use FindingSeverity::{Error, Note, Warning};

#[test]
fn a_good_file_has_no_findings() {
    let report = check("a;x;*\nb;x;*\nc;y;*\n", ColumnType::Category, None);
    assert_eq!((report.values, report.groups.as_slice(), report.findings.as_slice()), (3, &[3, 2, 1][..], &[][..]));
    assert!(report.passed() && report.coverage.is_none());
}

#[test]
fn every_error_is_reported_with_its_line() {
    let content = "a;x;*\nb;x\n\nc;;*\na;y;*\r\nd;y;*\nf;y;+\ne;z;*;*\n";
    assert_eq!(
        found(content),
        [
            (Error, "columns", vec![2, 1]),
            (Error, "empty-label", vec![4]),
            (Error, "twice", vec![5, 1]),
            (Error, "not-nested", vec![6, 7]),
            (Error, "columns", vec![8, 1]),
        ]
    );
    let report = check(content, ColumnType::Category, None);
    let message = &report.findings[3].message;
    assert!(message.starts_with("lines 6 and 7 share the label `y` of level 1 but not that of level 2; "), "{message}");
    assert!(!report.passed() && report.count(Error) == 5);
}

#[test]
fn a_label_that_parts_in_three_is_reported_twice() {
    let content = "a;x;p\nb;x;q\nc;x;q\nd;x;r\ne;x;p\n";
    let errors: Vec<_> = found(content).into_iter().filter(|finding| finding.0 == Error).collect();
    assert_eq!(errors, [(Error, "not-nested", vec![1, 2]), (Error, "not-nested", vec![1, 4])]);
}

#[test]
fn values_are_the_same_by_the_type_of_the_column() {
    assert!(check("7;*\n7.0;*\n", ColumnType::Category, None).passed());
    assert_eq!(check("7;*\n7.0;*\n", ColumnType::Decimal, None).findings[0].rule, "twice");
}

#[test]
fn an_empty_file_is_an_error_and_other_encodings_cannot_be_checked() {
    assert_eq!(found("\n\n"), [(Error, "empty", vec![])]);
    assert!(LabelFile::new("zip.csv").check_bytes(b"a;\xe4\n", ColumnType::Category, None).is_err());
}

#[test]
fn a_missing_top_is_noted_and_counted() {
    assert_eq!(check("a;x\nb;y\nc;y\n", ColumnType::Category, None).groups, [3, 2, 1]);
    assert_eq!(found("a;x\nb;y\nc;y\n"), [(Note, "no-top", vec![])]);
}

#[test]
fn a_wrong_separator_is_suspected() {
    assert_eq!(found("a,x\nb,x\n"), [(Warning, "separator", vec![]), (Note, "no-top", vec![])]);
    assert_eq!(found("a|x;*\nb|x;*\n"), [(Warning, "separator", vec![])]);
    assert_eq!(found("a,x\nb\n"), [(Warning, "single-column", vec![]), (Note, "no-top", vec![])]);
}

#[test]
fn levels_that_join_nothing_are_warned_of() {
    assert_eq!(found("a;a1;x;*\nb;b1;x;*\n"), [(Warning, "joins-nothing", vec![])]);
    assert_eq!(found("a;x;All\nb;x;All\n"), [(Warning, "joins-nothing", vec![])]);
    // Above everything, `*` joins missing cells.
    assert_eq!(found("a;x;*\nb;x;*\n"), []);
}

#[test]
fn labels_that_look_alike_are_warned_of() {
    assert_eq!(found("a;North;*\nb;north ;*\nc;South;*\nd;South;*\n"), [(Warning, "look-alike", vec![1, 2])]);
}

#[test]
fn a_label_for_different_values_on_two_levels_is_warned_of() {
    let content = "a;other;p;*\nb;other;p;*\nc;x;other;*\nd;y;other;*\n";
    assert_eq!(found(content), [(Warning, "same-label", vec![1, 3])]);
    // A value and a group, and the level that is added on top.
    assert_eq!(found("other;other;*\nb;other;*\nc;x;*\n"), [(Warning, "same-label", vec![1, 1])]);
    assert_eq!(found("a;*\nb;*\nc;x\n"), [(Warning, "same-label", vec![1, 1]), (Note, "no-top", vec![])]);
    // A shorter branch that repeats its label upwards stands for the same values.
    assert_eq!(found("a;x;x;*\nb;x;x;*\nc;y;z;*\nd;u;z;*\n"), []);
}

#[test]
fn an_open_quote_and_a_line_without_value_are_warned_of() {
    assert_eq!(
        found("a;x\n;x\nc;\"x\nd;x\n")[..2],
        [(Warning, "no-value", vec![2]), (Warning, "several-lines", vec![3])]
    );
}

#[test]
fn rows_with_values_that_the_file_lacks_are_named_and_values_never() {
    // Codes: secret 0 (lacking), ` A` 1 (nearly there), b 2.
    let column = words(&["Q7", " A", "b"], vec![2, 0, 1, 0, 0, 1, 0, 3], true);
    let report = check("a;*\nb;*\nc;*\n", ColumnType::Category, Some(&column));
    let coverage = report.coverage.as_ref().unwrap();
    assert_eq!((coverage.lacking, coverage.lacking_rows, coverage.nearly), (2, 6, 1));
    assert_eq!((coverage.first_rows.as_slice(), coverage.unused, coverage.missing), (&[2, 3, 4, 5, 6][..], 2, 1));
    assert_eq!(
        report.findings[0].message,
        "the file lacks 2 of the 3 values of column `zip`, 1 of them only by case or blanks, in rows 2, 3, 4, 5, 6 ..; add them \
         or mask the column instead"
    );
    assert!(!report.passed() && !format!("{report:?}").contains("Q7"));
}

proptest! {
    #[test]
    fn errors_are_found_exactly_where_a_job_refuses(
        lines in prop::collection::vec(prop::collection::vec("[ab\"7 ]{0,2}|7.0", 1..4), 0..7),
        ending in prop::sample::select(vec!["\n", "\r\n", "\r", "\n\n"]),
        ragged: bool,
        values in prop::collection::btree_set("[ab7]{1,2}", 0..3),
        numbers: bool,
    ) {
        let width = lines.first().map_or(0, Vec::len);
        let fit = |line: &Vec<String>| {
            let mut line = line.clone();
            if !ragged {
                line.resize(width, "x".to_owned());
            }
            line.join(";") + ending
        };
        let content: String = lines.iter().map(fit).collect();
        let domain = if numbers { ColumnDomain::Integer(vec![7]) } else { ColumnDomain::Category(values.into_iter().collect()) };
        let column = Column::new("c", Role::Quasi, domain, false, vec![]).unwrap();
        let file = LabelFile::new("x");
        let bound = file.bind(content.as_bytes(), &column);
        let report = file.check_bytes(content.as_bytes(), ColumnType::Category, Some(&column)).unwrap();
        prop_assert_eq!(report.passed(), bound.is_ok(), "{:?} {:#?} {:?}", content, report, bound);
        if let Ok(hierarchy) = bound {
            prop_assert_eq!(report.groups.len(), hierarchy.levels());
            prop_assert_eq!(report.values as u64, hierarchy.leaf_count());
            let own = file.check_bytes(content.as_bytes(), ColumnType::Category, None).unwrap();
            prop_assert!(!numbers || own.passed());
        }
    }
}
