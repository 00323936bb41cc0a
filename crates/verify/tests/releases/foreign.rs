//! Tables that other tools made.

use std::fs;
use std::path::{Path, PathBuf};

use pellucid_io::ReadOptions;
use pellucid_io::verify::{VerifyOptions, verify_table};
use pellucid_model::error::Result;
use pellucid_model::hierarchy::HierarchySpec;
use pellucid_model::registry::EntryArgs;
use pellucid_model::table::{ColumnType, Role};
use pellucid_verify::{CheckStatus, DeclaredTable, VerificationReport};
use serde_json::json;
use tempfile::TempDir;

use crate::common::{detail, failed, spotless};

fn k(declared: DeclaredTable, k: u64) -> DeclaredTable {
    declared.with_principle("k-anonymity", EntryArgs::new().with("k", k))
}

/// An age and a disease, 1-anonymous at least.
fn ages() -> DeclaredTable {
    let declared = DeclaredTable::default().with_column("age", Role::Quasi, ColumnType::Integer);
    k(declared.with_column("disease", Role::Sensitive, ColumnType::Category), 2)
}

/// Verifies a table of these lines, against a source where there is one.
fn verify(table: &str, declared: &DeclaredTable, source: Option<&str>) -> VerificationReport {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let path = write("table.csv", table);
    let source = source.map(|text| write("source.csv", text));
    spotless(verify_file(&path, declared, source).unwrap())
}

fn verify_file(path: &Path, declared: &DeclaredTable, source: Option<PathBuf>) -> Result<VerificationReport> {
    let options = VerifyOptions { source, ..VerifyOptions::default() };
    verify_table(path, &ReadOptions::default(), declared.clone(), Path::new("."), &options)
}

#[test]
fn two_anonymous_need_not_be_two_diverse() {
    let table = "id,age,disease\na,\"[20, 29]\",flu-QZX\nb,\"[20, 29]\",flu-QZX\nc,30,flu-QZX\nd,30,cold-QZX\n";
    let report = verify(table, &ages(), None);
    assert!(report.passed(), "{report:#?}");
    assert_eq!((report.rows, report.classes, report.measured[0].value.as_str()), (4, 2, "2"));
    let diverse = ages().with_principle("distinct-l-diversity", EntryArgs::new().with("l", 2));
    let report = verify(table, &diverse, None);
    assert_eq!(failed(&report), ["principle"]);
    let reason = detail(&report, "principle", CheckStatus::Failed);
    assert!(reason.contains("distinct-l-diversity, column `disease`"), "{reason}");
    assert!(reason.contains("1 of 2 classes, first in class 1 with 2 rows (`table.csv`, line 1)"), "{reason}");
    assert_eq!(report.measured[1].value, "1");
}

#[test]
fn stars_cover_everything() {
    let table = "age,disease\n*,flu-QZX\n*,cold-QZX\n30,flu-QZX\n30,cold-QZX\n";
    let source = "age,disease\n30,cold-QZX\n17,flu-QZX\n30,cold-QZX\n30,flu-QZX\n";
    let report = verify(table, &ages(), Some(source));
    assert!(report.passed(), "{report:#?}");
    // Two people are not 30, so that one of them would have to be shown as 30.
    let report = verify(table, &ages(), Some(&source.replacen("30,cold", "31,cold", 2)));
    assert_eq!(failed(&report), ["matching"]);
}

#[test]
fn labels_of_a_mask_are_held_against_the_source() {
    let mut declared = DeclaredTable::default().with_column("zip", Role::Quasi, ColumnType::Category);
    declared.columns[0].hierarchy = Some(HierarchySpec::from_value(json!({ "mask": "suffix" })).unwrap());
    let declared = k(declared, 2);
    let table = "zip\n130**\n130**\n14850\n14850\n";
    let report = verify(table, &declared, Some("zip\n14850\n13053\n13068\n14850\n"));
    assert!(report.passed(), "{report:#?}");
    let report = verify(table, &declared, Some("zip\n14850\n13153\n13068\n14850\n"));
    assert_eq!(failed(&report), ["matching"]);
}

#[test]
fn overlapping_boxes_can_be_matched() {
    // The row 25 fits both boxes and must leave the first to the row 21.
    let table =
        "age,disease\n\"[20, 26]\",flu-QZX\n\"[20, 26]\",cold-QZX\n\"[24, 30]\",flu-QZX\n\"[24, 30]\",cold-QZX\n";
    let source = "age,disease\n25,flu-QZX\n21,flu-QZX\n24,cold-QZX\n26,cold-QZX\n";
    let report = verify(table, &ages(), Some(source));
    assert!(report.passed(), "{report:#?}");
    assert!(detail(&report, "matching", CheckStatus::Passed).contains("can be placed"));
    detail(&report, "tightness", CheckStatus::Skipped);
}

#[test]
fn equal_counts_do_not_make_a_matching() {
    // Every row fits a box and all counts agree, but both rows with flu fit the first box only.
    let table =
        "age,disease\n\"[20, 26]\",flu-QZX\n\"[20, 26]\",cold-QZX\n\"[24, 30]\",flu-QZX\n\"[24, 30]\",cold-QZX\n";
    let source = "age,disease\n21,flu-QZX\n22,flu-QZX\n24,cold-QZX\n28,cold-QZX\n";
    let report = verify(table, &ages(), Some(source));
    assert_eq!(failed(&report), ["matching"]);
    detail(&report, "source rows", CheckStatus::Passed);
    let reason = detail(&report, "matching", CheckStatus::Failed);
    assert!(reason.contains("of 2 rows") && reason.contains("line 1") && reason.contains("at most 1"), "{reason}");
}

#[test]
fn only_protected_values_count() {
    let mut declared = ages().with_principle("frequency-l-diversity", EntryArgs::new().with("l", 2));
    let table = "age,disease\n1,flu-QZX\n1,flu-QZX\n1,hiv-QZX\n2,hiv-QZX\n2,flu-QZX\n";
    assert_eq!(failed(&verify(table, &declared, None)), ["principle"]);
    declared.columns[1].protect = Some(vec!["hiv-QZX".to_owned()]);
    assert!(verify(table, &declared, None).passed());
}

#[test]
fn closeness_is_to_the_whole_column() {
    let closeness = |t: &str| EntryArgs::new().with("t", t);
    let declared = |t| DeclaredTable { principles: vec![("t-closeness".to_owned(), closeness(t))], ..ages() };
    // The whole is half flu; the first class is all flu, half away from it.
    let table = "age,disease\n1,flu-QZX\n1,flu-QZX\n2,cold-QZX\n2,cold-QZX\n";
    assert!(verify(table, &declared("0.5"), None).passed());
    let report = verify(table, &declared("0.4"), None);
    assert_eq!(failed(&report), ["principle"]);
    assert_eq!(report.measured[0].value, "1/2");
}

#[test]
fn wrong_declarations_are_failures_with_a_reason() {
    let table = "age,disease\n1,flu-QZX\n1,cold-QZX\n";
    let report = verify(table, &ages().with_column("zip", Role::Quasi, ColumnType::Category), None);
    assert!(detail(&report, "columns", CheckStatus::Failed).contains("lacks column `zip`"));
    let report = verify(table, &ages().with_principle("k-anonimity", EntryArgs::new()), None);
    assert!(detail(&report, "principle", CheckStatus::Failed).contains("did you mean"));
    let report = verify(table, &DeclaredTable { principles: Vec::new(), ..ages() }, None);
    assert_eq!(failed(&report), ["principle"]);
    assert!(verify_file(Path::new("no-such-table.csv"), &ages(), None).is_err());
}

#[test]
fn suppressed_lines_are_no_class_and_need_no_row() {
    let declared = DeclaredTable { suppressed: Some("*".to_owned()), ..ages() };
    let table = "age,disease\n30,flu-QZX\n*,cold-QZX\n30,cold-QZX\n";
    assert_eq!(failed(&verify(table, &ages(), None)), ["principle"]);
    let report = verify(table, &declared, None);
    assert!(report.passed() && (report.rows, report.classes) == (2, 1), "{report:#?}");
    assert!(detail(&report, "suppressed", CheckStatus::Passed).starts_with("1 line with"));
    // Which of the two of 30 with flu was suppressed, if not the one of 40, makes no difference.
    let source = "age,disease\n30,flu-QZX\n30,flu-QZX\n30,cold-QZX\n";
    assert!(verify(table, &declared, Some(source)).passed());
    let report = verify(table, &declared, Some(&source.replacen("30", "40", 1)));
    assert!(report.passed(), "{report:#?}");
    // Both lines need a row of 30, and only one row is left out.
    let report = verify(table, &declared, Some(&source.replacen("30", "40", 2)));
    assert_eq!(failed(&report), ["matching"]);
    let report = verify(table, &declared, Some(&source.replace("cold", "gout")));
    assert_eq!(failed(&report), ["source rows"]);
    assert!(
        detail(&report, "source rows", CheckStatus::Failed).contains("more often in `table.csv` than in the source")
    );
    // Two rows must be accounted for by the one line.
    let report = verify(table, &declared, Some(&format!("{source}30,flu-QZX\n")));
    assert_eq!(failed(&report), ["source rows"]);
    let absent = DeclaredTable { may_be_absent: 1, ..declared.clone() };
    assert!(verify(table, &absent, Some(&format!("{source}30,flu-QZX\n"))).passed());
    assert!(verify(table, &absent, Some(source)).passed());
    let report = verify("age,disease\n*,flu-QZX\n", &declared, None);
    assert!(detail(&report, "columns", CheckStatus::Failed).contains("nothing is left to check"));
}
