//! Releases that keep confidential sentences.

use std::collections::BTreeMap;
use std::fs;

use pellucid_model::manifest::{MeasuredPrinciple, PublishedPrinciple};
use pellucid_model::principle::make;
use pellucid_model::registry::EntryArgs;
use pellucid_model::table::{ColumnType, Role};
use pellucid_verify::{CheckStatus, VerificationReport};

use crate::common::{Fixture, column, detail, failed};

const SOURCE: &str = "\
name,age,disease,ward,wish
ann-QZX,21,flu-QZX,3,careful
bob-QZX,27,cold-QZX,1,open
cid-QZX,40,flu-QZX,2,open
dan-QZX,44,gout-QZX,2,open
eve-QZX,25,gout-QZX,3,open
fay-QZX,40,cold-QZX,1,open
";

const DATA: &str = "\
age,disease,ward
\"[21, 27]\",cold-QZX,1
\"[21, 27]\",flu-QZX,3
\"[21, 27]\",gout-QZX,3
\"[40, 44]\",cold-QZX,1
\"[40, 44]\",flu-QZX,2
\"[40, 44]\",gout-QZX,2
";

/// A release that claims logical security with `parameters`, measured at `value`.
fn release(parameters: &[(&str, &str)], value: &str) -> Fixture {
    let columns = vec![
        column("age", Role::Quasi, ColumnType::Integer),
        column("disease", Role::Sensitive, ColumnType::Category),
        column("ward", Role::Sensitive, ColumnType::Integer),
    ];
    let mut fixture = Fixture::new("mbr", columns);
    let args = parameters.iter().fold(EntryArgs::new(), |args, (name, value)| args.with(name, value));
    let principle = "logical-security".to_owned();
    fixture.manifest.privacy = vec![PublishedPrinciple {
        principle: principle.clone(),
        parameters: parameters
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect::<BTreeMap<_, _>>(),
        means: make(&principle, &args).unwrap().describe(),
    }];
    fixture.manifest.measured =
        vec![MeasuredPrinciple { principle, column: "sentences".to_owned(), value: value.to_owned() }];
    fixture.write("data.csv", DATA);
    fs::write(fixture.source(), SOURCE).unwrap();
    fs::write(fixture.private().join("assignment.csv"), "row,line\n1,2\n2,1\n3,5\n4,6\n5,3\n6,4\n").unwrap();
    fixture.sign(&["data.csv"]);
    fixture
}

fn principle(report: &VerificationReport, status: CheckStatus) -> String {
    detail(report, "principle", status).to_owned()
}

#[test]
fn sentences_are_evaluated_on_the_released_rows() {
    let report = release(&[("sentences", "[\"ward = 3\", \"ward = 2 and not ward = 1\"]")], "2/3").verify_with_source();
    assert!(report.passed(), "{report:#?}");
    assert!(principle(&report, CheckStatus::Passed).contains("holds in 2 classes, measured 2/3"));
    // Of the second class all are in ward 1 or 2.
    let report = release(&[("sentences", "ward <= 2")], "never").verify();
    assert_eq!(failed(&report), ["principle"]);
    assert!(principle(&report, CheckStatus::Failed).contains("fails in 1 of 2 classes, first in class 2"));
    let report = release(&[("sentences", "ward = 3")], "1/3").verify();
    assert_eq!(failed(&report), ["measured"]);
}

#[test]
fn sentences_that_do_not_fit_the_release_fail() {
    let report = release(&[("sentences", "wards = 3")], "2/3").verify();
    assert!(failed(&report).contains(&"principle"));
    assert!(principle(&report, CheckStatus::Failed).contains("did you mean `ward`?"));
}

const SETS: &str = r#"{"careful": ["ward = 3"], "open": []}"#;

#[test]
fn whose_sentences_are_whose_is_known_from_the_source_alone() {
    let fixture = release(&[("sentences", SETS), ("by", "wish")], "2/3");
    let report = fixture.verify();
    assert_eq!(failed(&report), [""; 0]);
    assert!(principle(&report, CheckStatus::Undecided).contains("give the source, with its column `wish`"));
    let report = fixture.verify_with_source();
    assert!(report.passed(), "{report:#?}");
    assert!(principle(&report, CheckStatus::Passed).contains("measured 2/3"));
    let file = release(&[("sentences", SETS), ("by", "wish"), ("file", "(private)")], "2/3");
    let report = file.verify();
    assert!(principle(&report, CheckStatus::Undecided).contains("stands in a private file"));
}

#[test]
fn a_person_whose_own_sentence_is_deduced_is_found() {
    // Ann is in ward 3 or 1, and keeps that she is in neither ward 2 nor 0; so are all of her class.
    let sets = r#"{"careful": ["ward != 2"], "open": []}"#;
    let report = release(&[("sentences", sets), ("by", "wish")], "never").verify_with_source();
    assert_eq!(failed(&report), ["principle"]);
    assert!(principle(&report, CheckStatus::Failed).contains("fails in 1 of 2 classes, first in class 1"));
}
