//! Releases that show statistics: what is found with and without the source, and what is left open.

use std::fs;

use pellucid_io::verify::{VerifyOptions, verify_release};
use pellucid_model::hierarchy::HierarchySpec;
use pellucid_model::manifest::{PublishedFunction, PublishedGrain, PublishedSequence};
use pellucid_model::statistic::ColumnStatistic;
use pellucid_model::table::{ColumnType, Role};
use pellucid_verify::CheckStatus;
use serde_json::json;

use crate::common::{Fixture, column, detail, failed, replace};

const SOURCE: &str = "\
age,born,town,disease
21,1990-01-01,york-QZX,flu-QZX
27,1990-01-04,leeds-QZX,cold-QZX
40,1970-05-02,york-QZX,flu-QZX
44,1970-05-01,york-QZX,gout-QZX
25,1990-01-02,bath-QZX,gout-QZX
40,1970-05-03,bath-QZX,cold-QZX
";

/// 73/3, 124/3; middle days; of three towns that occur once the first.
const DATA: &str = "\
age,born,town,disease
24.333333,1990-01-02,bath-QZX,cold-QZX
24.333333,1990-01-02,bath-QZX,flu-QZX
24.333333,1990-01-02,bath-QZX,gout-QZX
41.333333,1970-05-02,york-QZX,cold-QZX
41.333333,1970-05-02,york-QZX,flu-QZX
41.333333,1970-05-02,york-QZX,gout-QZX
";

fn fixture() -> Fixture {
    let mut columns = vec![
        column("age", Role::Quasi, ColumnType::Integer),
        column("born", Role::Quasi, ColumnType::Date),
        column("town", Role::Quasi, ColumnType::Category),
        column("disease", Role::Sensitive, ColumnType::Category),
    ];
    for (column, statistic) in columns.iter_mut().zip(ColumnStatistic::ALL) {
        column.aggregate = Some(statistic);
    }
    let mut fixture = Fixture::new("microaggregation", columns);
    fixture.write("data.csv", DATA);
    fs::write(fixture.source(), SOURCE).unwrap();
    fs::write(fixture.private().join("assignment.csv"), "row,line\n1,2\n2,1\n3,5\n4,6\n5,3\n6,4\n").unwrap();
    fixture.sign(&["data.csv"]);
    fixture
}

/// The same with another text of the data.
fn with(data: &str) -> Fixture {
    let mut fixture = fixture();
    fixture.write("data.csv", data);
    fixture.sign(&["data.csv"]);
    fixture
}

#[test]
fn statistics_are_computed_anew_when_the_assignment_is_known() {
    let fixture = fixture();
    assert!(fixture.verify().passed());
    let report = fixture.verify_with_source();
    assert!(report.passed(), "{report:#?}");
    assert!(detail(&report, "tightness", CheckStatus::Passed).contains("6 cells of 2 classes"), "{report:#?}");
}

#[test]
fn without_the_assignment_it_is_open_which_rows_a_statistic_is_of() {
    let fixture = fixture();
    fixture.forget_assignment();
    let report = fixture.verify_with_source();
    assert_eq!(failed(&report), [""; 0]);
    detail(&report, "matching", CheckStatus::Undecided);
    detail(&report, "tightness", CheckStatus::Skipped);
}

#[test]
fn a_wrong_statistic_is_found() {
    for (right, wrong) in [("24.333333", "24.333334"), ("1970-05-02", "1970-05-01"), (",york", ",bath")] {
        let fixture = with(&DATA.replace(right, wrong));
        // Alone, it is as good as any other.
        assert!(fixture.verify().passed(), "{wrong}");
        let report = fixture.verify_with_source();
        assert_eq!(failed(&report), ["tightness"], "{wrong}");
        assert!(detail(&report, "tightness", CheckStatus::Failed).contains("1 of 6 cells"), "{report:#?}");
    }
}

#[test]
fn what_no_placing_of_rows_leads_to_is_found_without_the_assignment() {
    for (right, wrong, words) in [
        ("24.333333", "25", "`age`: its means"),
        ("1970-05-02", "1970-05-20", "line 4, column `born`: not a value of the source"),
        (",york", ",hull", "line 4, column `town`: not a value of the source"),
        ("41.333333", "(missing)", "`age`: 3 lines show a missing cell, the source has 0"),
    ] {
        let fixture = with(&DATA.replace(right, wrong));
        fixture.forget_assignment();
        let report = fixture.verify_with_source();
        assert_eq!(failed(&report), ["matching"], "{wrong}");
        assert!(detail(&report, "matching", CheckStatus::Failed).contains(words), "{report:#?}");
    }
}

#[test]
fn cells_have_one_spelling_and_lines_one_order() {
    let report = with(&DATA.replacen("24.333333", "24.3333330", 1)).verify();
    assert!(detail(&report, "notation", CheckStatus::Failed).contains("line 1, column `age`: not as"), "{report:#?}");
    let report = with(&DATA.replace("24.333333", "young")).verify();
    detail(&report, "notation", CheckStatus::Failed);
    // The second class first.
    let lines: Vec<&str> = DATA.lines().collect();
    let swapped = [&lines[..1], &lines[4..], &lines[1..4]].concat();
    let report = with(&(swapped.join("\n") + "\n")).verify();
    assert_eq!(failed(&report), ["canonical order"], "{report:#?}");
}

#[test]
fn a_manifest_names_the_statistics_of_its_columns() {
    for (column, statistic) in [(1, None), (2, Some(ColumnStatistic::Mean))] {
        let mut fixture = fixture();
        fixture.manifest.columns[column].aggregate = statistic;
        fixture.sign(&["data.csv"]);
        let told = verify_release(&fixture.dir(), &VerifyOptions::default()).unwrap_err().to_string();
        assert!(told.contains(["age", "`born`", "`town`"][column]), "{told}");
    }
}

/// A release of the levels age by tens, born by year, town as one.
fn of_levels() -> Fixture {
    let mut fixture = fixture();
    let specs = [json!({ "widths": [10, 20] }), json!({ "truncate": ["month", "year"] }), json!({ "mask": "suffix" })];
    for (column, spec) in fixture.manifest.columns.iter_mut().zip(specs) {
        column.hierarchy = Some(HierarchySpec::from_value(spec).unwrap());
    }
    let levels = [("age", 1), ("born", 2), ("town", 9)];
    let levels = levels.map(|(name, level)| (name.to_owned(), PublishedGrain::Level(level)));
    fixture.manifest.mechanism.sequence = Some(PublishedSequence {
        strategy: "exclusive".to_owned(),
        strategy_reference: String::new(),
        means: String::new(),
        family: None,
        silence: "unknown".to_owned(),
        functions: vec![PublishedFunction { columns: levels.into(), ruled_out: None }],
        released: 1,
    });
    // All towns are joined, and york is the commonest.
    fixture.write("data.csv", &DATA.replace("bath", "york"));
    fixture.sign(&["data.csv"]);
    fixture
}

#[test]
fn statistics_of_levels_need_no_assignment() {
    let fixture = of_levels();
    let report = fixture.verify_with_source();
    assert!(report.passed(), "{report:#?}");
    fixture.forget_assignment();
    let report = fixture.verify_with_source();
    assert!(report.passed(), "{report:#?}");
    for check in ["matching", "tightness", "sequence groups"] {
        detail(&report, check, CheckStatus::Passed);
    }
}

#[test]
fn a_wrong_statistic_of_levels_is_found() {
    let mut fixture = of_levels();
    fixture.write("data.csv", &DATA.replace("bath", "york").replace("24.333333", "24.333334"));
    fixture.sign(&["data.csv"]);
    for known in [true, false] {
        let report = fixture.verify_with_source();
        assert!(failed(&report).contains(&"source rows") && failed(&report).contains(&"tightness"), "{report:#?}");
        assert_eq!(failed(&report).contains(&"assignment"), known, "{report:#?}");
        if known {
            fixture.forget_assignment();
        }
    }
    // The values of two people of different groups are exchanged.
    let fixture = of_levels();
    fixture.forget_assignment();
    replace(&fixture.source(), "21,1990-01-01,york-QZX,flu", "21,1990-01-01,york-QZX,gout");
    replace(&fixture.source(), "44,1970-05-01,york-QZX,gout", "44,1970-05-01,york-QZX,flu");
    assert_eq!(failed(&fixture.verify_with_source()), ["matching"]);
}
