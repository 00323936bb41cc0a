//! The running example of the paper, laws, and what is refused.

use super::*;
use crate::histogram::Histogram;
use crate::principle::{AchievedLevel, laws};
use crate::table::ColumnType;
use crate::table::coder::ColumnCoder;
use crate::table::schema::{ColumnSpec, OnMissing, TableSchema};

fn column(name: &str, role: Role, kind: ColumnType, cells: &[&str]) -> Column {
    let spec = ColumnSpec::new(name, role).with_kind(kind);
    let with_missing = TableSchema::default().with_missing([""]).with_on_missing(OnMissing::Category);
    let mut coder = ColumnCoder::new(&with_missing, &spec, kind);
    cells.iter().for_each(|cell| coder.push_text(cell).unwrap());
    coder.finish().unwrap()
}

/// Incomes and health of the eleven people of the paper's running example, figure 1.
const INCOME: [&str; 11] = ["400K", "300K", "300K", "300K", "100K", "100K", "400K", "300K", "100K", "400K", "400K"];
const HEALTH: [&str; 11] = ["1", "1", "1", "0", "2", "2", "2", "1", "0", "0", "0"];
/// The groups of figure 2.
const GROUPS: [std::ops::Range<usize>; 3] = [0..3, 3..6, 6..11];

fn running(order: impl Fn(usize) -> usize) -> Table {
    let permuted = |cells: [&'static str; 11]| (0..11).map(|row| cells[order(row)]).collect::<Vec<_>>();
    Table::new(vec![
        column("income", Role::Sensitive, ColumnType::Category, &permuted(INCOME)),
        column("health", Role::Sensitive, ColumnType::Integer, &permuted(HEALTH)),
    ])
    .unwrap()
}

fn joint(args: &EntryArgs, table: &Table) -> Result<JointColumn> {
    Ok(ENTRY.make(args)?.joint(table)?.unwrap())
}

fn for_everybody(sentences: &str) -> EntryArgs {
    EntryArgs::new().with("sentences", sentences)
}

/// The people, from 1, of the groups of figure 2 that fail: the lower approximation of what the sentence means.
fn deduced(sentences: &str) -> Vec<usize> {
    let JointColumn { column, test } = joint(&for_everybody(sentences), &running(|row| row)).unwrap();
    let group = |rows: &std::ops::Range<usize>| Histogram::of(rows.clone().map(|row| column.code(row)));
    let failing = GROUPS.iter().filter(|rows| !test.holds(&group(rows)));
    failing.flat_map(|rows| rows.clone().map(|row| row + 1)).collect()
}

#[test]
fn in_the_running_example_serious_illness_is_secure_and_slight_illness_is_not() {
    assert_eq!(deduced("health = 2"), [0; 0]);
    assert_eq!(deduced("health = 1"), [1, 2, 3]);
    assert_eq!(deduced(r#"["health = 1", "health = 2"]"#), [1, 2, 3]);
    assert_eq!(deduced("income = '400K' and not health = 0"), [0; 0]);
    assert_eq!(deduced("health >= 1 or income = '300K'"), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn the_measure_is_the_largest_share_of_a_confidential_sentence() {
    let JointColumn { column, test } = joint(&for_everybody("health = 2"), &running(|row| row)).unwrap();
    let shares: Vec<AchievedLevel> =
        GROUPS.iter().map(|rows| test.measure(&Histogram::of(rows.clone().map(|row| column.code(row))))).collect();
    // Seriously ill are nobody of three, two of three and one of five.
    let exact = |count: u8, rows: u8| AchievedLevel::Exact(fraction(count, rows));
    assert_eq!(shares, [exact(0, 3), exact(2, 3), exact(1, 5)]);
    let JointColumn { column, test } = joint(&for_everybody("health = 1"), &running(|row| row)).unwrap();
    assert_eq!(test.measure(&Histogram::of((0..3).map(|row| column.code(row)))), AchievedLevel::Never);
}

#[test]
fn codes_do_not_depend_on_the_order_of_rows() {
    let args = for_everybody(r#"["health = 2", "income = '300K'"]"#);
    let plain = joint(&args, &running(|row| row)).unwrap();
    let turned = joint(&args, &running(|row| 10 - row)).unwrap();
    assert_eq!(plain.column.domain(), turned.column.domain());
    assert!((0..11).all(|row| plain.column.code(row) == turned.column.code(10 - row)));
    assert_eq!(plain.column.domain(), &ColumnDomain::Category(["00", "01", "10"].map(str::to_owned).to_vec()));
    assert_eq!(plain.test.claims(), turned.test.claims());
}

#[test]
fn claims_say_what_codes_mean() {
    let sentences = r#"["health = 2", {"sentence": "income = '300K'", "damage": 3, "prior": "1/100"}]"#;
    let JointColumn { test, .. } = joint(&for_everybody(sentences), &running(|row| row)).unwrap();
    let claims = test.claims().unwrap();
    assert_eq!(claims.sentences, 2);
    assert_eq!(claims.satisfied, [[false, false], [false, true], [true, false]]);
    let own = vec![(0, fraction(1, 4u8)), (1, fraction(3, 4u8))];
    assert_eq!(claims.confidential, vec![own; 3]);
    // Three of eleven are seriously ill; the other prior is given.
    assert_eq!(claims.prior, [fraction(3, 11u8), fraction(1, 100u8)]);
    assert!(!claims.personal && claims.alike());
}

/// One sentence, and people who want it kept or not: four codes.
fn personal() -> (EntryArgs, Table) {
    let args =
        EntryArgs::new().with("sentences", r#"{"careful": ["x = a"], "open": [], "frank": []}"#).with("by", "wish");
    let table = Table::new(vec![
        column("x", Role::Sensitive, ColumnType::Category, &["a", "a", "b", "b", "b"]),
        column("wish", Role::Drop, ColumnType::Category, &["careful", "open", "careful", "open", "frank"]),
    ]);
    (args, table.unwrap())
}

#[test]
fn sets_of_the_same_sentences_are_one_set() {
    let (args, table) = personal();
    let JointColumn { column, test } = joint(&args, &table).unwrap();
    // Truth values first, then the set: `careful`, and `frank` and `open` alike.
    assert_eq!((0..5).map(|row| column.code(row)).collect::<Vec<_>>(), [2, 3, 0, 1, 1]);
    let claims = test.claims().unwrap();
    assert!(claims.personal && !claims.alike());
    assert_eq!(claims.confidential[1], []);
}

#[test]
fn sentences_of_ones_own_can_break_a_group_that_grows() {
    let (args, table) = personal();
    let test = joint(&args, &table).unwrap().test;
    // Somebody open who satisfies the sentence may stand alone, but not beside somebody careful who satisfies it too.
    let open = Histogram::from_counts([0, 0, 0, 1]);
    let both = Histogram::from_counts([0, 0, 1, 1]);
    assert!(test.holds(&open) && !test.holds(&both) && !test.is_closed_under_growth());
    laws::growth_is_literal_for(test.as_ref());
}

#[test]
fn robust_is_the_definition_and_mixtures_pass() {
    let (args, table) = personal();
    let several = [
        r#"["x in (a, b)", "x in (a, c)"]"#,
        r#"["x = a", "x = b", "x = c"]"#,
        r#"["x = a", "x != a", "x = b", "x = c"]"#,
    ];
    let tests = several.map(|sentences| laws::bind(ENTRY.make(&for_everybody(sentences)).unwrap().as_ref()));
    for test in tests.into_iter().chain([joint(&args, &table).unwrap().test]) {
        laws::robust_is_literal_for(test.as_ref(), 4);
        laws::mixtures_pass_for(test.as_ref());
        laws::claims_are_literal_for(test.as_ref());
        laws::growth_is_literal_for(test.as_ref());
        laws::for_all(|group| assert_eq!(test.holds(group), test.measure(group) != AchievedLevel::Never, "{group:?}"));
    }
}

#[test]
fn what_is_one_value_each_has_caps() {
    let bound = |sentences: &str| laws::bind(ENTRY.make(&for_everybody(sentences)).unwrap().as_ref());
    let single = bound(r#"["x = a", "x = b", "x = c"]"#);
    // The last code of four satisfies `x = a`, the first is `d` and satisfies nothing.
    assert_eq!((single.cap(3, 5), single.cap(0, 5)), (Some(4), Some(5)));
    assert_eq!(bound(r#"["x in (a, b)", "x in (a, c)"]"#).cap(0, 5), None);
}

#[test]
fn whose_set_is_which_must_be_said_for_everybody() {
    let message = |sets: &[&str], role| {
        let table = Table::new(vec![
            column("x", Role::Sensitive, ColumnType::Category, &["a", "b"]),
            column("wish", role, ColumnType::Category, sets),
        ]);
        joint(&personal().0, &table.unwrap()).unwrap_err().to_string()
    };
    assert_eq!(
        message(&["careful", ""], Role::Drop),
        "column `wish` names no set of sentences in row 2; name one, for somebody who keeps nothing to themselves a set \
         with an empty list"
    );
    assert!(
        message(&["open", "SECRET"], Role::Drop).starts_with("column `wish` names a set in row 2 that `sentences`")
    );
    assert!(!message(&["open", "SECRET"], Role::Drop).contains("SECRET"));
    assert!(message(&["open", "open"], Role::Quasi).contains("give it role `drop`"));
}

#[test]
fn parameters_must_fit_together() {
    let message =
        |args: EntryArgs| LogicalSecurity::new(&args.checked("logical-security", ENTRY.params).unwrap()).unwrap_err();
    let sets = r#"{"a": ["x = 1"]}"#;
    assert!(message(for_everybody(sets)).to_string().contains("add `by`"));
    assert!(message(for_everybody("x = 1").with("by", "wish")).to_string().contains("remove `by`"));
    assert!(message(for_everybody("x = 1").with("file", "f.csv")).to_string().contains("`file` needs `by`"));
    let everybody = ENTRY.make(&for_everybody("x = 1 or y = '2 3'")).unwrap();
    assert_eq!(everybody.describe(), "nobody can be deduced to satisfy `x = 1 or y = '2 3'`");
    let error = everybody.joint(&running(|row| row)).unwrap_err().to_string();
    assert!(error.starts_with("sentence `x = 1 or y = '2 3'`: no column `x`"), "{error}");
}
