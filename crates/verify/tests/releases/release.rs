//! A release as it should be, and one defect at a time.

use std::fs;

use pellucid_io::verify::{VerifyOptions, verify_release};
use pellucid_model::table::{ColumnType, Role};
use pellucid_verify::CheckStatus;

use crate::common::{Fixture, column, detail, failed, replace};

const SOURCE: &str = "\
name,age,town,disease,ward
ann-QZX,21,north-QZX,flu-QZX,3
bob-QZX,27,south-QZX,cold-QZX,1
cid-QZX,40,north-QZX,flu-QZX,2
dan-QZX,44,north-QZX,gout-QZX,2
eve-QZX,25,south-QZX,gout-QZX,3
fay-QZX,40,north-QZX,cold-QZX,1
";

const DATA: &str = "\
age,town,disease,ward
\"[21, 27]\",\"{north-QZX, south-QZX}\",cold-QZX,1
\"[21, 27]\",\"{north-QZX, south-QZX}\",flu-QZX,3
\"[21, 27]\",\"{north-QZX, south-QZX}\",gout-QZX,3
\"[40, 44]\",north-QZX,cold-QZX,1
\"[40, 44]\",north-QZX,flu-QZX,2
\"[40, 44]\",north-QZX,gout-QZX,2
";

const ASSIGNMENT: &str = "row,line\n1,2\n2,1\n3,5\n4,6\n5,3\n6,4\n";

const FILES: [&str; 2] = ["data.csv", "summary.txt"];

/// A correct release by `mbr`, with its source and assignment.
fn correct() -> Fixture {
    let columns = vec![
        column("age", Role::Quasi, ColumnType::Integer),
        column("town", Role::Quasi, ColumnType::Category),
        column("disease", Role::Sensitive, ColumnType::Category),
        column("ward", Role::Keep, ColumnType::Integer),
    ];
    let mut fixture = Fixture::new("mbr", columns);
    fixture.write("data.csv", DATA);
    fixture.write("summary.txt", "six people\n");
    fs::write(fixture.source(), SOURCE).unwrap();
    fs::write(fixture.private().join("assignment.csv"), ASSIGNMENT).unwrap();
    fixture.sign(&FILES);
    fixture
}

/// A correct release but for `old`, which reads `new`; checksums fit.
fn with(old: &str, new: &str) -> Fixture {
    let mut fixture = correct();
    fixture.replace("data.csv", old, new);
    fixture.sign(&FILES);
    fixture
}

#[test]
fn a_correct_release_passes() {
    let report = correct().verify_with_source();
    assert!(report.passed(), "{report:#?}");
    assert_eq!((report.rows, report.classes), (6, 2));
    assert!(
        report.checks.iter().all(|check| check.status == CheckStatus::Passed || check.name == "publisher"),
        "{report:#?}"
    );
    let values: Vec<&str> = report.measured.iter().map(|measured| measured.value.as_str()).collect();
    assert_eq!(values, ["3", "3"]);
}

#[test]
fn without_the_source_what_needs_it_is_skipped() {
    let report = correct().verify();
    assert!(report.passed());
    detail(&report, "source rows", CheckStatus::Skipped);
}

#[test]
fn without_the_assignment_rows_are_matched() {
    let fixture = correct();
    fixture.forget_assignment();
    let report = fixture.verify_with_source();
    assert!(report.passed(), "{report:#?}");
    assert!(detail(&report, "matching", CheckStatus::Passed).contains("one class"));
    // Every row has one class that covers it, so that tightness can be checked as well.
    detail(&report, "tightness", CheckStatus::Passed);
}

#[test]
fn matching_beyond_the_limit_is_undecided() {
    let fixture = correct();
    fixture.forget_assignment();
    let options = VerifyOptions { source: Some(fixture.source()), max_cover_tests: 3, ..VerifyOptions::default() };
    let report = verify_release(&fixture.dir(), &options).unwrap();
    assert!(detail(&report, "matching", CheckStatus::Undecided).contains("limit 3; pass the assignment"));
    assert!(!report.passed());
    assert_eq!(failed(&report), [""; 0]);
}

#[test]
fn a_flipped_byte_changes_the_checksum() {
    let fixture = correct();
    fixture.replace("summary.txt", "six", "sex");
    let report = fixture.verify_with_source();
    assert_eq!(failed(&report), ["files"]);
    assert!(detail(&report, "files", CheckStatus::Failed).contains("`summary.txt` has another BLAKE3"));
}

#[test]
fn files_are_complete_and_no_more() {
    let fixture = correct();
    fixture.write("notes/draft.txt", "extra");
    let report = fixture.verify_with_source();
    assert_eq!(failed(&report), ["files"]);
    assert!(detail(&report, "files", CheckStatus::Failed).contains("`notes/draft.txt`"));

    let fixture = correct();
    fs::remove_file(fixture.dir().join("summary.txt")).unwrap();
    assert_eq!(failed(&fixture.verify()), ["files"]);

    let mut fixture = correct();
    fixture.manifest.files[1].name = "../source.csv".to_owned();
    fixture.write("manifest.json", &serde_json::to_string(&fixture.manifest).unwrap());
    assert!(detail(&fixture.verify(), "files", CheckStatus::Failed).contains("does not lie in the release"));
}

#[test]
fn a_removed_row_is_missed() {
    let report = with("\"[40, 44]\",north-QZX,gout-QZX,2\n", "").verify_with_source();
    let found = failed(&report);
    assert!(found.contains(&"columns") && found.contains(&"source rows") && found.contains(&"principle"), "{found:?}");
    assert!(detail(&report, "columns", CheckStatus::Failed).contains("5 rows, the manifest states 6"));
}

#[test]
fn a_value_swapped_between_classes_is_found() {
    let mut fixture = with("}\",flu-QZX,3", "}\",cold-QZX,1");
    fixture.replace("data.csv", "north-QZX,cold-QZX,1\n\"[40", "north-QZX,flu-QZX,3\n\"[40");
    fixture.sign(&FILES);
    let report = fixture.verify_with_source();
    let found = failed(&report);
    assert!(found.contains(&"principle") && found.contains(&"measured"), "{found:?}");
    assert!(found.contains(&"assignment") && !found.contains(&"source rows"), "{found:?}");
    let principle = detail(&report, "principle", CheckStatus::Failed);
    assert!(principle.contains("fails in 2 of 2 classes, first in class 1") && principle.contains("line 1"));
    fixture.forget_assignment();
    detail(&fixture.verify_with_source(), "matching", CheckStatus::Failed);
}

#[test]
fn widened_and_narrowed_intervals_are_found() {
    let mut fixture = correct();
    let widened = DATA.replace("[21, 27]", "[21, 28]");
    fixture.write("data.csv", &widened);
    fixture.sign(&FILES);
    let report = fixture.verify_with_source();
    assert_eq!(failed(&report), ["tightness"]);
    assert!(detail(&report, "tightness", CheckStatus::Failed).contains("class 1 (`data.csv`, line 1, column `age`)"));

    fixture.write("data.csv", &DATA.replace("[21, 27]", "[22, 27]"));
    fixture.sign(&FILES);
    let report = fixture.verify_with_source();
    assert_eq!(failed(&report), ["assignment"]);
    let reason = detail(&report, "assignment", CheckStatus::Failed);
    assert!(reason.contains("line 2 (class 1): column `age` does not cover source row 1"), "{reason}");
    fixture.forget_assignment();
    let report = fixture.verify_with_source();
    assert_eq!(failed(&report), ["matching"]);
    assert!(
        detail(&report, "matching", CheckStatus::Failed).contains("1 row is covered by no class, first source row 1")
    );
}

#[test]
fn a_set_that_lists_too_much_is_not_tight() {
    let mut fixture = correct();
    fixture.write("data.csv", &DATA.replace("{north-QZX, south-QZX}", "{east-QZX, north-QZX, south-QZX}"));
    fixture.sign(&FILES);
    assert_eq!(failed(&fixture.verify_with_source()), ["tightness"]);
}

#[test]
fn a_wrong_number_of_classes_is_found() {
    let mut fixture = correct();
    fixture.manifest.classes = 3;
    fixture.sign(&FILES);
    let report = fixture.verify_with_source();
    assert_eq!(failed(&report), ["columns"]);
    assert!(detail(&report, "columns", CheckStatus::Failed).contains("2 classes, the manifest states 3"));
}

#[test]
fn a_wrong_measure_is_found() {
    let mut fixture = correct();
    fixture.manifest.measured[0].value = "4".to_owned();
    fixture.sign(&FILES);
    let report = fixture.verify();
    assert_eq!(failed(&report), ["measured"]);
    assert!(detail(&report, "measured", CheckStatus::Failed).contains("measured 3, the manifest states 4"));
}

#[test]
fn words_and_parameters_must_agree() {
    let mut fixture = correct();
    fixture.manifest.privacy[0].parameters.insert("l".to_owned(), "2".to_owned());
    fixture.sign(&FILES);
    assert_eq!(failed(&fixture.verify()), ["measured"]);
}

#[test]
fn the_order_of_lines_must_tell_nothing() {
    let mut fixture = correct();
    let mut lines: Vec<&str> = DATA.lines().collect();
    lines.swap(2, 3);
    fixture.write("data.csv", &(lines.join("\n") + "\n"));
    fixture.sign(&FILES);
    let report = fixture.verify();
    assert_eq!(failed(&report), ["canonical order"]);
    assert!(detail(&report, "canonical order", CheckStatus::Failed).contains("line 3, column `disease`"));

    lines.swap(2, 3);
    lines.swap(3, 4);
    fixture.write("data.csv", &(lines.join("\n") + "\n"));
    fixture.sign(&FILES);
    let report = fixture.verify();
    assert!(detail(&report, "canonical order", CheckStatus::Failed).contains("class 1 goes on"));
}

#[test]
fn an_assignment_is_a_bijection() {
    let fixture = correct();
    let path = fixture.private().join("assignment.csv");
    replace(&path, "5,3\n", "4,3\n");
    let report = fixture.verify_with_source();
    assert_eq!(failed(&report), ["assignment"]);
    let reason = detail(&report, "assignment", CheckStatus::Failed);
    assert!(reason.contains("line 5, column `row`: 4 stands in line 4 already"), "{reason}");
    replace(&path, "4,3\n", "5,7\n");
    assert!(detail(&fixture.verify_with_source(), "assignment", CheckStatus::Failed).contains("from 1 to 6"));
}

#[test]
fn cells_must_be_of_their_type() {
    for (cell, why) in [
        ("[27, 21]", "first end is above"),
        ("[21, QZX]", "not a whole number"),
        ("{[21, 27], {30, 31}}", "set within a set"),
        ("twenty-QZX", "not a whole number"),
        ("", "an empty value"),
    ] {
        let mut fixture = correct();
        // Quoted only where it must be.
        let written =
            if cell.contains(',') { DATA.replace("[21, 27]", cell) } else { DATA.replace("\"[21, 27]\"", cell) };
        fixture.write("data.csv", &written);
        fixture.sign(&FILES);
        let report = fixture.verify_with_source();
        assert_eq!(failed(&report), ["notation"], "{cell}");
        let reason = detail(&report, "notation", CheckStatus::Failed);
        assert!(reason.contains(why) && reason.contains("`data.csv`, line 1, column `age`"), "{reason}");
    }
}

#[test]
fn two_spellings_of_one_set_are_refused() {
    let fixture = with("\"{north-QZX, south-QZX}\",cold", "\"{south-QZX, north-QZX}\",cold");
    assert!(detail(&fixture.verify(), "notation", CheckStatus::Failed).contains("second spelling"));
}

#[test]
fn missing_cells_are_covered_by_their_word() {
    let mut fixture = correct();
    fixture.manifest.columns[0].missing = vec!["?".to_owned()];
    replace(&fixture.source(), "eve-QZX,25,", "eve-QZX,?,");
    fixture.write("data.csv", &DATA.replace("[21, 27]", "{[21, 27], (missing)}"));
    fixture.sign(&FILES);
    let report = fixture.verify_with_source();
    assert!(report.passed(), "{report:#?}");
    fixture.write("data.csv", DATA);
    fixture.sign(&FILES);
    assert_eq!(failed(&fixture.verify_with_source()), ["assignment"]);
}

#[test]
fn a_source_of_other_values_is_noticed() {
    let fixture = correct();
    replace(&fixture.source(), "cold-QZX,1\ncid", "ague-QZX,1\ncid");
    let report = fixture.verify_with_source();
    assert_eq!(failed(&report), ["source rows", "assignment"]);
    replace(&fixture.source(), "age", "years");
    let report = fixture.verify_with_source();
    assert!(detail(&report, "source rows", CheckStatus::Failed).contains("lacks column `age`"));
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let fixture = correct();
    let options = VerifyOptions { source: Some(fixture.private().join("none.csv")), ..VerifyOptions::default() };
    assert!(verify_release(&fixture.dir(), &options).is_err());
    assert!(verify_release(&fixture.private(), &VerifyOptions::default()).is_err());
    fixture.write("manifest.json", "{ \"format\": \"QZX\" }");
    let error = verify_release(&fixture.dir(), &VerifyOptions::default()).unwrap_err();
    assert!(error.to_string().contains("is no manifest") && !error.to_string().contains("QZX"), "{error}");
}
