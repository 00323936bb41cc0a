//! What a coder promises, cell by cell.

use super::*;

fn spec(kind: ColumnType) -> ColumnSpec {
    ColumnSpec::new("x", Role::Quasi).with_kind(kind)
}

fn coder(kind: ColumnType) -> ColumnCoder {
    ColumnCoder::new(&TableSchema::default(), &spec(kind), kind)
}

fn with_missing(kind: ColumnType, spellings: &[&str], choice: Option<OnMissing>) -> ColumnCoder {
    let mut schema = TableSchema::default().with_missing(spellings.iter().copied());
    schema.on_missing = choice;
    ColumnCoder::new(&schema, &spec(kind), kind)
}

fn code(mut coder: ColumnCoder, cells: &[&str]) -> Result<Column> {
    for cell in cells {
        coder.push_text(cell).unwrap();
    }
    coder.finish()
}

fn codes(column: &Column) -> Vec<u32> {
    column.codes().iter().collect()
}

fn texts(column: &Column) -> Vec<String> {
    column.codes().iter().map(|code| column.text(code)).collect()
}

#[test]
fn domains_are_sorted_by_kind() {
    let numbers = code(coder(ColumnType::Integer), &["10", "9", "-1", "009"]).unwrap();
    assert_eq!(numbers.domain(), &ColumnDomain::Integer(vec![-1, 9, 10]));
    assert_eq!(codes(&numbers), [2, 1, 0, 1]);
    let words = code(coder(ColumnType::Category), &["10", "9", "-1", "009"]).unwrap();
    assert_eq!(texts(&words), ["10", "9", "-1", "009"]);
    assert_eq!(codes(&words), [2, 3, 0, 1]);
    let days = code(coder(ColumnType::Date), &["1970-01-02", "1969-12-31"]).unwrap();
    assert_eq!(days.domain(), &ColumnDomain::Date(vec![-1, 1]));
}

#[test]
fn decimals_share_the_largest_scale() {
    let column = code(coder(ColumnType::Decimal), &["12.50", "3", "-.5", "12.5", "0.125"]).unwrap();
    assert_eq!(column.domain(), &ColumnDomain::Decimal { scale: 3, unscaled: vec![-500, 125, 3000, 12500] });
    assert_eq!(codes(&column), [3, 2, 0, 3, 1]);
    let wide = ["1".repeat(30), format!("0.{}", "1".repeat(30))];
    let message = code(coder(ColumnType::Decimal), &[&wide[0], &wide[1]]).unwrap_err().to_string();
    assert!(message.starts_with("column `x` needs more than 38 digits"), "{message}");
    assert!(!message.contains("111"), "{message}");
}

#[test]
fn the_order_of_rows_does_not_reach_the_domain() {
    let cells: Vec<String> = (0..700).map(|row| format!("{}", row * 37 % 331)).collect();
    for kind in [ColumnType::Integer, ColumnType::Decimal, ColumnType::Category] {
        let make = |cells: &mut dyn Iterator<Item = &String>| {
            let mut coder = with_missing(kind, &["17"], Some(OnMissing::Category));
            cells.for_each(|cell| coder.push_text(cell).unwrap());
            coder.finish().unwrap()
        };
        let forward = make(&mut cells.iter());
        let backward = make(&mut cells.iter().rev());
        assert_eq!(forward.domain(), backward.domain());
        assert_eq!(forward.missing(), Some(330));
        let mut reversed = codes(&backward);
        reversed.reverse();
        assert_eq!(codes(&forward), reversed);
        assert!(
            texts(&forward).iter().zip(&cells).all(|(text, cell)| text == if cell == "17" { MISSING } else { cell })
        );
    }
}

#[test]
fn codes_are_exactly_as_narrow_as_the_domain_allows() {
    for (values, missing) in [(256u32, false), (255, true), (257, false), (256, true), (65_536, false), (65_536, true)]
    {
        let mut coder = with_missing(ColumnType::Integer, &["NA"], Some(OnMissing::Category));
        for value in (0..values).rev() {
            coder.push_text(&value.to_string()).unwrap();
            if missing && value == values / 2 {
                coder.push_text("NA").unwrap();
            }
        }
        let column = coder.finish().unwrap();
        let again = Column::new("x", Role::Quasi, column.domain().clone(), missing, codes(&column)).unwrap();
        assert_eq!(column, again, "{values} {missing}");
        assert_eq!(column.cardinality(), values as usize + usize::from(missing));
        assert_eq!(column.code(0), values - 1);
    }
}

#[test]
fn missing_cells_need_a_choice() {
    let cells = ["4", "NA", "5", "NA"];
    for choice in [None, Some(OnMissing::Refuse)] {
        assert_eq!(
            code(with_missing(ColumnType::Integer, &["NA"], choice), &cells).unwrap_err().to_string(),
            "column `x` has 2 missing cells (first at row 2); set `on_missing = \"category\"` or clean the file"
        );
    }
    let column = code(with_missing(ColumnType::Integer, &["NA"], Some(OnMissing::Category)), &cells).unwrap();
    assert_eq!((column.missing(), codes(&column)), (Some(2), vec![0, 2, 1, 2]));
    let none = code(with_missing(ColumnType::Integer, &["NA"], Some(OnMissing::Category)), &["4"]).unwrap();
    assert_eq!(none.missing(), None);
}

#[test]
fn a_column_may_choose_for_itself() {
    let mut spec = spec(ColumnType::Integer).with_on_missing(OnMissing::Category);
    spec.missing = Some(vec!["-9".into()]);
    let schema = TableSchema::default().with_missing(["NA"]).with_on_missing(OnMissing::Refuse);
    let mut coder = ColumnCoder::new(&schema, &spec, ColumnType::Integer);
    coder.push_text("-9").unwrap();
    assert_eq!(coder.push_text("NA"), Err(CellFault::NotInteger));
    assert_eq!(coder.finish().unwrap().missing(), Some(0));
}

#[test]
fn empty_cells_are_never_silent() {
    for kind in [ColumnType::Integer, ColumnType::Category] {
        assert_eq!(
            code(with_missing(kind, &["NA"], Some(OnMissing::Category)), &["7", ""]).unwrap_err().to_string(),
            "column `x` has 1 empty cell (first at row 2); declare `missing = [\"\"]` with `on_missing = \"category\"`, \
             or clean the file"
        );
    }
    let declared = code(with_missing(ColumnType::Category, &[""], Some(OnMissing::Category)), &["7", ""]).unwrap();
    assert_eq!(texts(&declared), ["7", MISSING]);
    let mut verbatim = ColumnCoder::verbatim("x");
    verbatim.push_text("").unwrap();
    assert_eq!(texts(&verbatim.finish().unwrap()), [""]);
}

#[test]
fn spellings_apply_to_typed_cells() {
    let mut integers = with_missing(ColumnType::Integer, &["-9"], Some(OnMissing::Category));
    integers.push_integer(-9).unwrap();
    integers.push_integer(4).unwrap();
    integers.push_decimal(40, 1).unwrap();
    assert_eq!(integers.push_decimal(45, 1), Err(CellFault::NotInteger));
    assert_eq!(texts(&integers.finish().unwrap()), [MISSING, "4", "4"]);
    let mut days = with_missing(ColumnType::Date, &["1970-01-01"], Some(OnMissing::Category));
    days.push_days(0).unwrap();
    days.push_days(1).unwrap();
    assert_eq!(texts(&days.finish().unwrap()), [MISSING, "1970-01-02"]);
    let mut words = coder(ColumnType::Category);
    words.push_integer(4).unwrap();
    words.push_decimal(450, 2).unwrap();
    words.push_days(0).unwrap();
    assert_eq!(texts(&words.finish().unwrap()), ["4", "4.5", "1970-01-01"]);
}

#[test]
fn the_word_for_missing_is_not_also_a_value() {
    let schema = with_missing(ColumnType::Category, &[""], Some(OnMissing::Category));
    let message = code(schema, &[MISSING, ""]).unwrap_err().to_string();
    assert!(message.ends_with("add \"(missing)\" to `missing`"), "{message}");
    assert_eq!(texts(&code(coder(ColumnType::Category), &[MISSING]).unwrap()), [MISSING]);
}

#[test]
fn faults_are_told_apart() {
    assert_eq!(coder(ColumnType::Integer).push_text("1.0"), Err(CellFault::NotInteger));
    assert_eq!(coder(ColumnType::Integer).push_text(&"9".repeat(30)), Err(CellFault::IntegerRange));
    assert_eq!(coder(ColumnType::Decimal).push_text("1e3"), Err(CellFault::NotDecimal));
    assert_eq!(coder(ColumnType::Decimal).push_text(&"9".repeat(40)), Err(CellFault::DecimalRange));
    assert_eq!(coder(ColumnType::Date).push_text("1.2.2000"), Err(CellFault::NotDate));
    assert_eq!(coder(ColumnType::Date).push_text("2001-02-29"), Err(CellFault::NoSuchDay));
    for kind in [ColumnType::Integer, ColumnType::Decimal, ColumnType::Date, ColumnType::Category] {
        assert_eq!(coder(kind).push_bytes(b"caf\xe9"), Err(CellFault::NotUtf8));
    }
}
