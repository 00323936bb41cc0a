//! What is read, what is refused, and that what is written is read as the same.

use pellucid_inference::views::selection::ComparisonOperator;
use pellucid_model::table::ColumnDomain;
use proptest::prelude::*;
use sqlparser::keywords::ALL_KEYWORDS;

use super::*;

fn words(words: &[&str]) -> ColumnDomain {
    ColumnDomain::Category(words.iter().map(|&word| word.to_owned()).collect())
}

fn quasi(name: &str, domain: ColumnDomain) -> Column {
    let codes = (0..20).map(|row| row * 7 % 5).collect();
    Column::new(name, Role::Quasi, domain, true, codes).unwrap()
}

/// Twenty people; every quasi column has four values and missing cells.
fn table() -> Table {
    let ill =
        Column::new("condition", Role::Sensitive, words(&["HIV", "flu"]), false, (0..20).map(|row| row % 2).collect());
    let mixed = |rows: u32| (0..20).map(|row| (row / rows) % 5).collect();
    Table::new(vec![
        quasi("age", ColumnDomain::Integer(vec![-5, 20, 29, 33])),
        Column::new(
            "Pay",
            Role::Quasi,
            ColumnDomain::Decimal { scale: 1, unscaled: vec![-5, 0, 15, 100] },
            true,
            mixed(1),
        )
        .unwrap(),
        Column::new("born", Role::Quasi, ColumnDomain::Date(vec![0, 1, 31, 59]), true, mixed(3)).unwrap(),
        Column::new("the \"sex\"", Role::Quasi, words(&["F", "M", "d'E", "true"]), true, mixed(4)).unwrap(),
        ill.unwrap(),
    ])
    .unwrap()
}

fn canonical(sql: &str) -> String {
    read_view(sql, &table()).unwrap_or_else(|error| panic!("{sql}: {error}")).to_string()
}

#[test]
fn views_are_read_and_written_canonically() {
    for (sql, written) in [
        ("SELECT condition FROM patients", "select condition from patients"),
        ("select all Condition from Patients p;", "select condition from Patients"),
        (
            "select p.condition from patients as p where (P.AGE >= 29) AND NOT patients.pay BETWEEN -1.5 AND 2;",
            "select condition from patients where age >= 29 and Pay not between -1.5 and 2",
        ),
        (
            "select condition from t where born = date '1970-02-01' or born in ('1970-01-01') and age not in (1, -2)",
            "select condition from t where born = '1970-02-01' or (born in ('1970-01-01') and age not in (1, -2))",
        ),
        (
            "select condition from t where 29 < age and 'F' <> \"the \"\"sex\"\"\" -- a remark",
            "select condition from t where age > 29 and \"the \"\"sex\"\"\" <> 'F'",
        ),
        (
            "select condition from \"my table\" where not age is null",
            "select condition from \"my table\" where age is not null",
        ),
        (
            "select condition from t where not (age = 1 or age != 2)",
            "select condition from t where not (age = 1 or age <> 2)",
        ),
        (
            "select condition from t where `the \"sex\"` = true and false",
            "select condition from t where \"the \"\"sex\"\"\" = 'true' and false",
        ),
        ("select condition from t where (true)", "select condition from t"),
        (
            "select condition from t where age = +20 and pay = (0.5)",
            "select condition from t where age = 20 and Pay = 0.5",
        ),
    ] {
        assert_eq!(canonical(sql), written, "{sql}");
        assert_eq!(canonical(written), written);
    }
}

#[test]
fn selections_of_nobody_are_views() {
    let asked = read_view("select condition from t where \"the \"\"sex\"\"\" = 'nobody'", &table()).unwrap();
    assert!(asked.selection.members(&table()).unwrap().is_empty());
}

fn refusal(sql: &str) -> String {
    let error = read_view(sql, &table()).expect_err(sql);
    assert!(error.message().contains("; "), "{error}");
    error.to_string()
}

#[test]
fn what_is_no_view_is_refused_by_name() {
    for (sql, part) in [
        ("", "is empty"),
        ("select condition from t; select condition from t", "several statements"),
        ("delete from t", "no select"),
        ("insert into t values (1)", "no select"),
        ("values (1)", "no select"),
        ("select * from t", "a view shows one sensitive column, not `*`; select `condition`"),
        ("select t.* from t", "not `*`"),
        ("select condition, age from t", "not several"),
        ("select age from t", "not `age`, which has role `quasi`; select `condition`"),
        ("select count(*) from t", "not a function"),
        ("select condition as c from t", "not one under another name"),
        ("select conditoin from t", "no column `conditoin`, did you mean `condition`?; select `condition`"),
        ("select distinct condition from t", "`distinct`"),
        ("select condition from t group by condition", "`group by`"),
        ("select condition from t having true", "`having`"),
        ("select condition from t order by age", "`order by`"),
        ("select condition from t limit 3", "`limit` or `offset`"),
        ("select condition from t fetch first 3 rows only", "`fetch`"),
        ("select condition from t for update", "`for`"),
        ("with x as (select 1) select condition from t", "`with`"),
        ("select condition from t union select condition from t", "`union`"),
        ("select condition into x from t", "`into`"),
        ("(select condition from t)", "parentheses around it"),
        ("select condition", "no table"),
        ("select condition from t, u", "several tables"),
        ("select condition from t join u on true", "a join"),
        ("select condition from (select 1) t", "a subquery"),
        ("select condition from a.t", "a table name of several parts"),
        ("select condition from t x (a)", "other names for columns"),
        ("select condition from f(1)", "a function in the place of the table"),
        ("select u.condition from t", "a column of another table at line 1, column 8"),
        ("select a.t.condition from t", "a column name of several parts"),
        ("select condition from t where age like '2%'", "a pattern such as `like`"),
        ("select condition from t where abs(age) = 2", "a function"),
        ("select condition from t where age + 1 = 2", "the operator `+` where a column or a value stands"),
        ("select condition from t where age = 1 + 1", "the operator `+`"),
        ("select condition from t where age in (select 1)", "a subquery"),
        ("select condition from t where exists (select 1)", "a subquery"),
        ("select condition from t where age = (select 1)", "a subquery"),
        ("select condition from t where age = any (select 1)", "a subquery"),
        ("select condition from t where case when true then true end", "`case`"),
        ("select condition from t where cast(age as text) = '1'", "a cast"),
        ("select condition from t where age = ?", "a parameter"),
        ("select condition from t where age = null", "a comparison with `null` at line 1, column 37; write `is null`"),
        ("select condition from t where age in (1, null)", "a comparison with `null`"),
        ("select condition from t where age = pay", "a comparison of two names"),
        ("select condition from t where age between born and 3", "a name in the place of a value"),
        ("select condition from t where 1 = 1", "a comparison without a column"),
        ("select condition from t where age", "a column that is compared with nothing"),
        ("select condition from t where 1", "a value alone"),
        ("select condition from t where 3 between 1 and 4", "a value in the place of a column"),
        ("select condition from t where (age = 1) is true", "`is true` or `is false`"),
        ("select condition from t where age is distinct from 3", "`is distinct from`"),
        ("select condition from t where born = timestamp '1970-01-01'", "a literal of a type other than `date`"),
        ("select condition from t where age = x'1f'", "a literal of a kind that it does not know"),
        ("select condition from t where agee = 3", "no column `agee`, did you mean `age`?"),
        ("select condition from t where \"AGE\" = 3", "no column `AGE`"),
        ("select condition from t where condition = 'flu'", "selecting on `condition` would tell it"),
    ] {
        let refusal = refusal(sql);
        assert!(refusal.contains(part), "{sql}: {refusal}");
    }
}

#[test]
fn syntax_errors_have_a_place_and_repeat_no_value() {
    for (sql, part) in [
        ("select condition from t where age = = xyzzy7", "at line 1, column 37: expected an expression; write `select"),
        ("select condition from t\nwhere age = 'xyzzy7' 'xyzzy7'", "at line 2, column 22: expected end of statement"),
        ("select condition from t where age = 'xyzzy7", "at line 1, column 37: a quote or comment is not closed"),
        ("select condition from t where age =", "at its end: expected an expression"),
        ("selec condition from t", "at line 1, column 1: expected an SQL statement"),
        ("select condition from t where age = 'xyzzy7'", "column `age` is of type integer"),
        ("select condition from t where abs('xyzzy7') = xyzzy7('a')", "a function"),
    ] {
        let refusal = refusal(sql);
        assert!(refusal.contains(part) && !refusal.contains("xyzzy7"), "{sql}: {refusal}");
    }
}

#[test]
fn names_that_may_be_two_columns_are_refused() {
    let column = |name: &str| quasi(name, ColumnDomain::Integer(vec![1, 2, 3, 4]));
    let ill = Column::new("ill", Role::Sensitive, words(&["flu"]), false, vec![0; 20]).unwrap();
    let table = Table::new(vec![column("Age"), column("age"), ill]).unwrap();
    let refused = read_view("select ill from t where AGE = 1", &table).unwrap_err().to_string();
    assert!(refused.contains("a name that may be `Age` or `age` at line 1, column 25; write it as"), "{refused}");
    assert_eq!(read_view("select ill from t where Age = 1", &table).unwrap().selection.columns().first(), Some(&"Age"));
}

#[test]
fn every_word_of_sql_can_be_a_name() {
    let ill = |name: &str| Column::new(name, Role::Sensitive, words(&["flu"]), false, vec![0; 20]).unwrap();
    let survives =
        |asked: &SqlView, table: &Table| read_view(&asked.to_string(), table).is_ok_and(|read| read == *asked);
    let mut lost = Vec::new();
    for word in ALL_KEYWORDS.iter().map(|word| word.to_lowercase()) {
        let table =
            Table::new(vec![quasi(&word, ColumnDomain::Integer(vec![1, 2, 3, 4])), ill("the illness")]).unwrap();
        let compare = |comparison| RowSelection::compare(word.clone(), comparison, "2");
        let selections = [
            compare(ComparisonOperator::Equal).and(!compare(ComparisonOperator::Less)),
            !RowSelection::between(word.clone(), "1", "2"),
            RowSelection::missing(word.clone()).or(RowSelection::one_of(word.clone(), ["1", "2"])),
        ];
        let selected = selections.into_iter().all(|selection| {
            let asked = SqlView { table_name: word.clone(), column: "the illness".into(), selection };
            survives(&asked, &table)
        });
        let shown = SqlView { table_name: word.clone(), column: word.clone(), selection: RowSelection::All };
        if !(selected && survives(&shown, &Table::new(vec![ill(&word)]).unwrap())) {
            lost.push(word);
        }
    }
    assert!(lost.is_empty(), "{}", lost.join(" "));
}

#[test]
fn the_longest_statements_do_not_exhaust_the_stack() {
    let long = |start: &str, part: &str, times: usize| format!("{start}{}", part.repeat(times));
    let compared =
        read_view(&long("select condition from t where age=1", " or age=1", MOST / 3 - 3), &table()).unwrap();
    assert_eq!(compared.selection.members(&table()).unwrap(), [0u32; 0]);
    let listed = read_view(&(long("select condition from t where age in (1", ", 1", 20_000) + ")"), &table()).unwrap();
    assert_eq!(listed.selection.members(&table()).unwrap(), [0u32; 0]);
    for (part, refused) in [
        ("+a", "the operator `+`"),
        ("=a", "the operator `=`"),
        ("::int", "a cast"),
        (" is null", "`is null`"),
        (" between 1", "cannot be read"),
    ] {
        let refusal = refusal(&long("select condition from t where a", part, MOST / 2 - 4));
        assert!(refusal.contains(refused), "{part}: {refusal}");
    }
    for part in ["(", "not ", "- ", "case when ", "a in (", "(select (", "f("] {
        let refusal = refusal(&long("select condition from t where ", part, MOST / 3 - 4));
        assert!(
            refusal.contains("too many parentheses or negations") || refusal.contains("cannot be read"),
            "{refusal}"
        );
    }
    assert!(
        refusal(&long("select condition from t where a", "+a", MOST / 2)).contains("more than 4096 names and signs")
    );
    assert!(refusal(&" ".repeat(LONGEST + 1)).contains("more than 65536 bytes"));
}

fn leaf() -> impl Strategy<Value = RowSelection> {
    let names = proptest::sample::select(vec![
        ("age", ["-7", "20", "029", "33.0", "+33"]),
        ("Pay", ["-0.5", "0", "1.50", ".5", "10."]),
        ("born", ["1969-12-31", "1970-01-01", "1970-01-15", "1970-02-01", " 1970-03-01"]),
        ("the \"sex\"", ["F", "d'E", "", "true", "a\n'' -- \\' \"b\" /* %"]),
    ]);
    let leaf =
        (names, proptest::collection::vec(0..5usize, 1..4), 0..9usize).prop_map(|((name, values), picks, form)| {
            let comparisons = [
                ComparisonOperator::Equal,
                ComparisonOperator::Unequal,
                ComparisonOperator::Less,
                ComparisonOperator::AtMost,
                ComparisonOperator::Greater,
                ComparisonOperator::AtLeast,
            ];
            let (first, last) = (values[picks[0]], values[picks[picks.len() - 1]]);
            let ordered = name != "the \"sex\"";
            match form {
                6 => RowSelection::missing(name),
                7 if ordered => RowSelection::between(name, first, last),
                7 | 8 => RowSelection::one_of(name, picks.iter().map(|&pick| values[pick])),
                form => RowSelection::compare(name, comparisons[if ordered { form } else { form % 2 }], first),
            }
        });
    prop_oneof![1 => Just(RowSelection::All), 9 => leaf]
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_the_same(selection in leaf().prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| !inner),
            proptest::collection::vec(inner.clone(), 0..4).prop_map(RowSelection::And),
            proptest::collection::vec(inner, 0..4).prop_map(RowSelection::Or),
        ]
    })) {
        let (table, asked) = (table(), SqlView { table_name: "t".into(), column: "condition".into(), selection });
        let again = read_view(&asked.to_string(), &table).unwrap();
        prop_assert_eq!(again.to_string(), asked.to_string());
        prop_assert_eq!(again.selection.members(&table).unwrap(), asked.selection.members(&table).unwrap());
    }

    #[test]
    fn no_text_makes_the_reader_panic(sql in "(select |condition |from t |where |age|[a-z'\"()=<>,;.* 0-9-]|and |or |not |in ){0,20}") {
        let _ = read_view(&sql, &table());
    }
}
