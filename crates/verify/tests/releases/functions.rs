//! Releases by the other functions: labels of hierarchies, and anatomy.

use std::fs;

use pellucid_model::hierarchy::HierarchySpec;
use pellucid_model::table::{ColumnType, Role};
use pellucid_verify::CheckStatus;
use serde_json::json;

use crate::common::{Fixture, column, detail, failed, replace};

const SOURCE: &str = "\
age,town,disease
21,york-QZX,flu-QZX
27,leeds-QZX,cold-QZX
40,york-QZX,flu-QZX
44,york-QZX,gout-QZX
25,bath-QZX,gout-QZX
40,york-QZX,cold-QZX
";

fn labelled() -> Fixture {
    let mut age = column("age", Role::Quasi, ColumnType::Integer);
    age.hierarchy = Some(HierarchySpec::from_value(json!({ "widths": [10, 20] })).unwrap());
    let mut town = column("town", Role::Quasi, ColumnType::Category);
    town.hierarchy = Some(HierarchySpec::from_value(json!("hierarchies/town.csv")).unwrap());
    let mut fixture =
        Fixture::new("hierarchy", vec![age, town, column("disease", Role::Sensitive, ColumnType::Category)]);
    fixture.write("hierarchies/town.csv", "york-QZX;north-QZX\nleeds-QZX;north-QZX\nbath-QZX;south-QZX\n");
    fixture.write("data.csv", LABELS);
    fs::write(fixture.source(), SOURCE).unwrap();
    fs::write(fixture.private().join("assignment.csv"), "row,line\n1,2\n2,1\n3,5\n4,6\n5,3\n6,4\n").unwrap();
    fixture.sign(&["data.csv", "hierarchies/town.csv"]);
    fixture
}

const LABELS: &str = "\
age,town,disease
\"[20, 29]\",*,cold-QZX
\"[20, 29]\",*,flu-QZX
\"[20, 29]\",*,gout-QZX
\"[40, 49]\",york-QZX,cold-QZX
\"[40, 49]\",york-QZX,flu-QZX
\"[40, 49]\",york-QZX,gout-QZX
";

#[test]
fn labels_are_checked_by_their_hierarchies() {
    let fixture = labelled();
    let report = fixture.verify_with_source();
    assert!(report.passed(), "{report:#?}");
    detail(&report, "tightness", CheckStatus::Passed);
    assert!(fixture.verify().passed());
    fixture.forget_assignment();
    let report = fixture.verify_with_source();
    assert!(report.passed(), "{report:#?}");
}

#[test]
fn a_higher_label_than_needed_is_not_tight() {
    let mut fixture = labelled();
    fixture.write("data.csv", &LABELS.replace("york-QZX", "north-QZX"));
    fixture.sign(&["data.csv", "hierarchies/town.csv"]);
    assert_eq!(failed(&fixture.verify_with_source()), ["tightness"]);
}

#[test]
fn a_label_beside_the_value_does_not_cover_it() {
    let mut fixture = labelled();
    fixture.write("data.csv", &LABELS.replace('*', "north-QZX"));
    fixture.sign(&["data.csv", "hierarchies/town.csv"]);
    let report = fixture.verify_with_source();
    assert_eq!(failed(&report), ["assignment"]);
    let reason = detail(&report, "assignment", CheckStatus::Failed);
    assert!(reason.contains("1 of 6 rows") && reason.contains("column `town` does not cover source row 5"), "{reason}");
}

#[test]
fn unknown_labels_are_found() {
    let mut fixture = labelled();
    fixture.write("data.csv", &LABELS.replace('*', "east-QZX"));
    fixture.sign(&["data.csv", "hierarchies/town.csv"]);
    assert!(detail(&fixture.verify(), "notation", CheckStatus::Failed).contains("line 1, column `town`: not a label"));
}

const QUASI: &str =
    "group,age,town\n1,21,york-QZX\n1,25,bath-QZX\n1,27,leeds-QZX\n2,40,york-QZX\n2,40,york-QZX\n2,44,york-QZX\n";
const SENSITIVE: &str = "group,disease\n1,cold-QZX\n1,flu-QZX\n1,gout-QZX\n2,cold-QZX\n2,flu-QZX\n2,gout-QZX\n";

fn anatomy() -> Fixture {
    let columns = vec![
        column("age", Role::Quasi, ColumnType::Integer),
        column("town", Role::Quasi, ColumnType::Category),
        column("disease", Role::Sensitive, ColumnType::Category),
    ];
    let mut fixture = Fixture::new("anatomy", columns);
    fixture.write("quasi.csv", QUASI);
    fixture.write("sensitive.csv", SENSITIVE);
    fs::write(fixture.source(), SOURCE).unwrap();
    let assignment = "row,quasi_line,sensitive_line\n1,1,2\n2,3,1\n3,4,5\n4,6,6\n5,2,3\n6,5,4\n";
    fs::write(fixture.private().join("assignment.csv"), assignment).unwrap();
    fixture.sign(&["quasi.csv", "sensitive.csv"]);
    fixture
}

fn anatomy_with(file: &str, text: &str) -> Fixture {
    let mut fixture = anatomy();
    fixture.write(file, text);
    fixture.sign(&["quasi.csv", "sensitive.csv"]);
    fixture
}

#[test]
fn a_correct_anatomy_passes() {
    let fixture = anatomy();
    let report = fixture.verify_with_source();
    assert!(report.passed(), "{report:#?}");
    assert_eq!(report.classes, 2);
    fixture.forget_assignment();
    let report = fixture.verify_with_source();
    assert!(report.passed(), "{report:#?}");
    detail(&report, "matching", CheckStatus::Passed);
}

#[test]
fn an_anatomy_that_moves_a_person_is_found() {
    // People of different groups change places; the tables as such stay as they were.
    let moved = QUASI.replace("1,27,leeds-QZX", "1,40,york-QZX").replacen("2,40,york-QZX", "2,27,leeds-QZX", 1);
    let fixture = anatomy_with("quasi.csv", &moved);
    let report = fixture.verify_with_source();
    assert_eq!(failed(&report), ["assignment"]);
    fixture.forget_assignment();
    let report = fixture.verify_with_source();
    // Both quasi and sensitive values now occur in both groups: nothing can be shown by counting.
    detail(&report, "matching", CheckStatus::Undecided);
}

#[test]
fn an_anatomy_that_moves_a_value_is_found() {
    let moved = SENSITIVE.replace("1,cold-QZX\n1,flu-QZX", "1,flu-QZX\n1,flu-QZX").replace("2,flu-QZX", "2,cold-QZX");
    let fixture = anatomy_with("sensitive.csv", &moved);
    fixture.forget_assignment();
    let report = fixture.verify_with_source();
    let found = failed(&report);
    assert!(found.contains(&"principle") && found.contains(&"matching"), "{found:?}");
    assert!(!found.contains(&"source rows"), "{found:?}");
}

#[test]
fn groups_must_agree_and_be_numbered() {
    let fixture = anatomy_with("quasi.csv", &QUASI.replace("1,27,leeds", "2,27,leeds"));
    assert!(
        detail(&fixture.verify(), "groups", CheckStatus::Failed).contains("group 1 has 2 lines in `quasi.csv` and 3")
    );
    let fixture = anatomy_with("sensitive.csv", &SENSITIVE.replace("2,gout", "3,gout"));
    assert!(
        detail(&fixture.verify(), "groups", CheckStatus::Failed).contains("`sensitive.csv`, line 6, column `group`")
    );
}

#[test]
fn lines_of_an_anatomy_are_sorted() {
    let swapped = QUASI.replace("1,21,york-QZX\n1,25,bath-QZX", "1,25,bath-QZX\n1,21,york-QZX");
    let report = anatomy_with("quasi.csv", &swapped).verify();
    assert_eq!(failed(&report), ["canonical order"]);
    assert!(detail(&report, "canonical order", CheckStatus::Failed).contains("`quasi.csv`, line 2, column `age`"));
}

#[test]
fn both_lines_of_a_person_are_in_one_group() {
    let fixture = anatomy();
    let path = fixture.private().join("assignment.csv");
    replace(&path, "1,1,2\n", "1,1,5\n");
    replace(&path, "3,4,5\n", "3,4,2\n");
    let report = fixture.verify_with_source();
    assert_eq!(failed(&report), ["assignment"]);
    assert!(detail(&report, "assignment", CheckStatus::Failed).contains("2 of 6 rows"));
    assert!(detail(&report, "assignment", CheckStatus::Failed).contains("not in group 1"));
}
