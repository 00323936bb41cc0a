//! Selections against a literal evaluator that reads every cell as text, row by row.

use pellucid_model::error::ErrorKind;
use pellucid_model::table::{Column, ColumnDomain, Role, Table};
use proptest::prelude::*;

use super::*;

/// Ages 20 and up, pay in halves, days of 1970, sexes; each may be missing.
fn table(codes: &[[u32; 4]]) -> Table {
    let column = |at: usize, name: &str, domain: ColumnDomain| {
        Column::new(name, Role::Quasi, domain, true, codes.iter().map(|row| row[at]).collect()).unwrap()
    };
    let condition = ColumnDomain::Category(vec!["flu".into()]);
    let words = |text: &[&str]| ColumnDomain::Category(text.iter().map(|&word| word.to_owned()).collect());
    Table::new(vec![
        column(0, "age", ColumnDomain::Integer(vec![-5, 20, 29, 33])),
        column(1, "pay", ColumnDomain::Decimal { scale: 1, unscaled: vec![-5, 0, 15, 100] }),
        column(2, "born", ColumnDomain::Date(vec![0, 1, 31, 59])),
        column(3, "the sex", words(&["F", "M", "d'E", "x"])),
        Column::new("condition", Role::Sensitive, condition.clone(), false, vec![0; codes.len()]).unwrap(),
        Column::new("name", Role::Identifier, condition.clone(), false, vec![0; codes.len()]).unwrap(),
        Column::new("ward", Role::Keep, condition, false, vec![0; codes.len()]).unwrap(),
    ])
    .unwrap()
}

fn small() -> Table {
    table(&[[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3], [4, 4, 4, 4]])
}

/// The truth of `selection` in `row`; numbers are compared as halves, days and words as text.
fn literal(selection: &RowSelection, table: &Table, row: usize) -> Option<bool> {
    let cell = |name: &str| {
        let column = table.column(name).unwrap();
        let code = column.code(row);
        (column.missing() != Some(code)).then(|| column.text(code))
    };
    let order = |column: &str, cell: &str, value: &str| match column {
        "age" | "pay" => {
            let halves = |text: &str| (text.parse::<f64>().unwrap() * 2.0) as i64;
            halves(cell).cmp(&halves(value))
        }
        _ => cell.cmp(value),
    };
    match selection {
        RowSelection::All => Some(true),
        RowSelection::Compare { column, comparison, value } => cell(column).map(|cell| {
            let order = order(column, &cell, value);
            match comparison {
                ComparisonOperator::Equal => order.is_eq(),
                ComparisonOperator::Unequal => order.is_ne(),
                ComparisonOperator::Less => order.is_lt(),
                ComparisonOperator::AtMost => order.is_le(),
                ComparisonOperator::Greater => order.is_gt(),
                ComparisonOperator::AtLeast => order.is_ge(),
            }
        }),
        RowSelection::Between { column, from, to } => {
            cell(column).map(|cell| order(column, &cell, from).is_ge() && order(column, &cell, to).is_le())
        }
        RowSelection::In { column, values } => {
            cell(column).map(|cell| values.iter().any(|value| order(column, &cell, value).is_eq()))
        }
        RowSelection::Missing { column } => Some(cell(column).is_none()),
        RowSelection::Not(inner) => literal(inner, table, row).map(|truth| !truth),
        RowSelection::And(parts) => {
            let truths: Vec<_> = parts.iter().map(|part| literal(part, table, row)).collect();
            if truths.contains(&Some(false)) { Some(false) } else { (!truths.contains(&None)).then_some(true) }
        }
        RowSelection::Or(parts) => {
            let truths: Vec<_> = parts.iter().map(|part| literal(part, table, row)).collect();
            if truths.contains(&Some(true)) { Some(true) } else { (!truths.contains(&None)).then_some(false) }
        }
    }
}

fn value(column: &str) -> BoxedStrategy<String> {
    let of = |values: &[&str]| {
        let values: Vec<String> = values.iter().map(|&text| text.to_owned()).collect();
        proptest::sample::select(values).boxed()
    };
    match column {
        "age" => of(&["-7", "-5", "0", "20", "029", "30", "33.0", "+33", "99"]),
        "pay" => of(&["-1", "-0.5", "0", "1.50", "2", ".5", "10", "11"]),
        "born" => of(&["1969-12-31", "1970-01-01", "1970-01-15", "1970-02-01", "1970-03-01", "1971-01-01"]),
        _ => of(&["F", "M", "d'E", "x", "f", "", "nobody"]),
    }
}

fn leaf() -> BoxedStrategy<RowSelection> {
    let names = proptest::sample::select(vec!["age", "pay", "born", "the sex"]);
    let leaf = names.prop_flat_map(|name| {
        let values = proptest::collection::vec(value(name), 1..4);
        (values, 0..9usize).prop_map(move |(values, form)| {
            let comparisons = [
                ComparisonOperator::Equal,
                ComparisonOperator::Unequal,
                ComparisonOperator::Less,
                ComparisonOperator::AtMost,
                ComparisonOperator::Greater,
                ComparisonOperator::AtLeast,
            ];
            let ordered = name != "the sex";
            match form {
                6 => RowSelection::missing(name),
                7 if ordered => RowSelection::between(name, values[0].clone(), values[values.len() - 1].clone()),
                7 | 8 => RowSelection::one_of(name, values),
                form => {
                    RowSelection::compare(name, comparisons[if ordered { form } else { form % 2 }], values[0].clone())
                }
            }
        })
    });
    prop_oneof![1 => Just(RowSelection::All), 9 => leaf].boxed()
}

fn selections() -> impl Strategy<Value = RowSelection> {
    leaf().prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| !inner),
            proptest::collection::vec(inner.clone(), 0..4).prop_map(RowSelection::And),
            proptest::collection::vec(inner.clone(), 0..4).prop_map(RowSelection::Or),
            (inner.clone(), inner).prop_map(|(one, other)| one.and(other)),
        ]
    })
}

proptest! {
    #[test]
    fn random_selections_select_what_a_literal_reading_does(
        selection in selections(),
        rows in proptest::collection::vec([0..5u32, 0..5u32, 0..5u32, 0..5u32], 0..30),
    ) {
        let table = table(&rows);
        let expected: Vec<u32> =
            (0..rows.len()).filter(|&row| literal(&selection, &table, row) == Some(true)).map(|row| row as u32).collect();
        prop_assert_eq!(selection.members(&table).unwrap(), expected);
        prop_assert!(selection.check(&table).is_ok());
    }
}

fn compare(column: &str, comparison: ComparisonOperator, value: &str) -> RowSelection {
    RowSelection::compare(column, comparison, value)
}

#[test]
fn a_missing_cell_is_neither_selected_nor_selected_by_the_negation() {
    let (table, old) = (small(), compare("age", ComparisonOperator::AtLeast, "29"));
    assert_eq!(old.members(&table).unwrap(), [2, 3]);
    assert_eq!((!old.clone()).members(&table).unwrap(), [0, 1]);
    assert_eq!(old.or(RowSelection::missing("age")).members(&table).unwrap(), [2, 3, 4]);
}

#[test]
fn a_value_that_nobody_has_selects_nobody() {
    let nobody = compare("the sex", ComparisonOperator::Equal, "nobody");
    assert!(nobody.members(&small()).unwrap().is_empty());
    assert_eq!(RowSelection::between("age", "33", "29").members(&small()).unwrap(), [0u32; 0]);
}

#[test]
fn conditions_are_written_as_sql() {
    let age = RowSelection::between("age", "29", "33");
    let sex = compare("the sex", ComparisonOperator::Equal, "d'E");
    assert_eq!(age.clone().and(sex.clone()).to_string(), "age between 29 and 33 and \"the sex\" = 'd''E'");
    let either = sex.or(RowSelection::missing("pay"));
    assert_eq!(
        age.clone().and(either.clone()).to_string(),
        "age between 29 and 33 and (\"the sex\" = 'd''E' or pay is null)"
    );
    assert_eq!((!either).to_string(), "not (\"the sex\" = 'd''E' or pay is null)");
    assert_eq!((!age).to_string(), "age not between 29 and 33");
    assert_eq!((!RowSelection::one_of("pay", ["-1.5", ".5"])).to_string(), "pay not in (-1.5, '.5')");
    assert_eq!((!compare("a\"b", ComparisonOperator::Less, "-")).to_string(), "not (\"a\"\"b\" < '-')");
    assert_eq!(RowSelection::And(vec![RowSelection::All, RowSelection::Or(vec![])]).to_string(), "true and false");
    assert_eq!((sql_name("Order"), sql_name("größe")), ("\"Order\"".into(), "\"größe\"".into()));
}

#[test]
fn columns_are_named_once() {
    let selection =
        compare("b", ComparisonOperator::Less, "1").and(!RowSelection::missing("a")).and(RowSelection::missing("b"));
    assert_eq!(selection.columns().into_iter().collect::<Vec<_>>(), ["a", "b"]);
    assert!(RowSelection::All.columns().is_empty());
}

fn message(selection: &RowSelection) -> String {
    let error = selection.members(&small()).unwrap_err();
    assert_eq!(selection.check(&small()).unwrap_err().to_string(), error.to_string());
    error.to_string()
}

#[test]
fn only_quasi_columns_are_selected_on() {
    assert_eq!(
        message(&compare("condition", ComparisonOperator::Equal, "flu")),
        "a view selects on quasi columns only; selecting on `condition` would tell it; select on `age`, `pay`, `born`, \
         `the sex`"
    );
    assert!(message(&RowSelection::missing("name")).contains("`name`, an identifier, would single people out"));
    assert!(message(&RowSelection::missing("ward")).contains("column `ward` has role `keep`"));
    let unknown = RowSelection::missing("agee").members(&small()).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::UnknownColumn);
    assert!(unknown.to_string().starts_with("no column `agee`, did you mean `age`?; select on `age`, "), "{unknown}");
}

#[test]
fn values_of_another_type_are_refused_without_being_told() {
    for (column, value, kind) in [
        ("age", "29.5", "integer"),
        ("age", "flu7", "integer"),
        ("pay", "1e3", "decimal"),
        ("born", "1970-02-30", "date"),
    ] {
        let message = message(&compare(column, ComparisonOperator::Less, value));
        assert!(message.starts_with(&format!("column `{column}` is of type {kind}, and ")), "{message}");
        assert!(!message.contains(value), "{message}");
    }
    let message_of_order = message(&compare("the sex", ComparisonOperator::Less, "M"));
    assert!(message_of_order.contains("`the sex` is of type category") && message_of_order.contains("use `=`"));
    assert!(message(&RowSelection::between("the sex", "F", "M")).contains("not compared by order"));
    assert!(message(&RowSelection::one_of("age", [""; 0])).starts_with("`in` lists no value for column `age`; "));
}

#[test]
fn ranges_are_read_from_json_and_toml() {
    let json: WantedRanges = serde_json::from_str(
        r#"{"sex": "F", "age": [29, 33], "pay": [null, 12.5], "born": ["1970-01-01", null], "zip": {"in": [7, "8"]}, "ill": true}"#,
    )
    .unwrap();
    let written = "age between 29 and 33 and born >= '1970-01-01' and ill = 'true' and pay <= 12.5 and sex = 'F' and \
                   zip in (7, 8)";
    assert_eq!(RowSelection::from(json.clone()).to_string(), written);
    let toml: WantedRanges = toml::from_str(
        "sex = \"F\"\nage = [29, 33]\npay = [\"\", 12.5]\nborn = [1970-01-01, \"\"]\nzip = { in = [7, \"8\"] }\nill = true",
    )
    .unwrap();
    assert_eq!(toml, json);
    assert_eq!(RowSelection::from(WantedRanges::default()), RowSelection::All);
}

#[test]
fn ranges_that_say_nothing_are_refused() {
    for (text, part) in [
        (r#"{"age": [1]}"#, "column `age` of a selection has a list that is no pair of ends; write `[from, to]`"),
        (r#"{"age": [null, null]}"#, "is open at both ends"),
        (r#"{"age": {"in": []}}"#, "has an `in` without a list of values"),
        (r#"{"age": {"from": 1}}"#, "has what is no value"),
        (r#"{"age": null}"#, "has what is no value"),
        (r#"{"age": [[1], 2]}"#, "has what is no value"),
        (r#"{"age": 0.1234567890123456}"#, "more than 15 digits, which may have been rounded; put it in quotes"),
        (r#"{"age": 1, "age": 2}"#, "column `age` is selected on twice; remove one"),
        (r#"["age"]"#, "columns with `[from, to]`"),
    ] {
        let error = serde_json::from_str::<WantedRanges>(text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
