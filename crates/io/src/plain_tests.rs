use std::fmt::Write;
use std::fs::{self, File};
use std::io::Cursor;

use pellucid_model::table::reading::{ReadingPlan, finish};
use pellucid_model::table::schema::{ColumnSpec, OnMissing, TableSchema};
use pellucid_model::table::{Column, ColumnType, Role};

use super::*;
use crate::csv;

/// A schema with a column of each kind of text, one of them with missing cells.
fn schema() -> TableSchema {
    let columns = vec![
        ColumnSpec::new("a", Role::Quasi).with_kind(ColumnType::Integer),
        ColumnSpec::new("b", Role::Keep),
        ColumnSpec::new("c", Role::Drop),
    ];
    TableSchema { on_missing: Some(OnMissing::Category), ..TableSchema::new(columns).with_missing(["?"]) }
}

/// Numbers that follow each other without a pattern one would notice.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn of<'a>(&mut self, among: &[&'a str]) -> &'a str {
        among[self.below(among.len())]
    }

    /// A file of three columns; the higher `rough`, the more is wrong with it.
    fn text(&mut self, rough: usize) -> Vec<u8> {
        let bom = self.of(&["", "", "\u{feff}"]);
        let mut text = bom.as_bytes().to_vec();
        let header = self.of(&["a,b,c", "\"a\",b,c", "\r\na,b,c"]);
        text.extend_from_slice(header.as_bytes());
        text.extend_from_slice(self.of(&["\n", "\r\n", "\r", "\n\n"]).as_bytes());
        for _ in 0..self.below(9) {
            let number = self.of(&["1", "22", "-3", " 4 ", "?", "1234567890123456", "007"]);
            let word = self.of(&["x", "yes", "a longer word than most are", "é", "?", "\0", "x\0", "fifteen letters"]);
            text.extend_from_slice(format!("{number},{word},{}", self.of(&["", "0", "whatever"])).as_bytes());
            if self.below(100) < rough {
                let odd: &[u8] = match self.below(8) {
                    0 => b",1",
                    1 => b"\n1,2",
                    2 => b"\nfive,x,0",
                    3 => b"\n1,\xff,0",
                    4 => b"\n1,2,\xff",
                    5 => b"\n1,\"x\ny\",0",
                    6 => b"\n,x,0",
                    _ => b"\n1,5\" pipe,0",
                };
                text.extend_from_slice(odd);
            }
            text.extend_from_slice(self.of(&["\n", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\n\r"]).as_bytes());
        }
        if self.below(2) == 0 {
            while text.last().is_some_and(|&byte| is_line_end(byte)) {
                text.pop();
            }
        }
        text
    }
}

/// What came out, or the words of the error.
fn told(columns: pellucid_model::error::Result<Vec<Column>>) -> Result<Vec<Column>, String> {
    columns.map_err(|error| error.to_string())
}

/// The start of what follows the header, as the reader of records sees it.
fn body(text: &[u8]) -> usize {
    let bom = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let header = bom + text[bom..].iter().position(|&byte| !is_line_end(byte)).unwrap_or(0);
    header + text[header..].iter().position(|&byte| is_line_end(byte)).map_or(text.len() - header, |end| end + 1)
}

#[test]
fn parts_make_the_columns_that_records_make_wherever_the_text_is_cut() {
    let (schema, folder) = (schema(), tempfile::tempdir().unwrap());
    let path = folder.path().join("t.csv");
    let header = ["a", "b", "c"].map(str::to_owned);
    let (mut draw, mut plain, mut left) = (Draw(7), 0, 0);
    for round in 0..100 {
        let text = draw.text(if round % 2 == 0 { 0 } else { 12 });
        fs::write(&path, &text).unwrap();
        for plan in [ReadingPlan::Declared(&schema), ReadingPlan::Verbatim] {
            let by_records = csv::read_by_records(&path, File::open(&path).unwrap(), Some(b','), plan);
            let by_records = told(by_records);
            let whole = csv::read(&path, File::open(&path).unwrap(), Some(b','), plan);
            assert_eq!(told(whole), by_records, "{text:?}");
            let body = body(&text);
            for cut in body..=text.len() {
                let fresh = || csv::coders(plan, &header).ok();
                let bytes = body as u64..text.len() as u64;
                let cuts = vec![cut as u64, (cut + draw.below(9)) as u64];
                let shape = LineShape { separator: b',', width: 3 };
                let coded = read_parts(Cursor::new(&text), bytes, cuts, 1 + draw.below(40), shape, fresh);
                if let Some(coded) = coded {
                    let columns = finish(coded).map_err(|error| crate::in_file(&path, error));
                    assert_eq!(told(columns), by_records, "{text:?} cut at {cut}");
                    plain += 1;
                } else {
                    // Only where there is a quote, or something wrong with a record.
                    assert!(by_records.is_err() || text[body..].contains(&b'"'), "{text:?} cut at {cut}");
                    left += 1;
                }
            }
        }
    }
    assert!(plain > 1000 && left > 500, "{plain} plain, {left} left to records");
}

#[test]
fn a_table_of_many_blocks_is_read_in_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let mut text = "a,b,c\n".to_owned();
    for row in 0..120_000u32 {
        let _ = write!(text, "{},w{},{row}\r\n", row.wrapping_mul(77_773) % 70_000, row % 300);
    }
    fs::write(&path, &text).unwrap();
    let plan = ReadingPlan::Verbatim;
    let by_records = csv::read_by_records(&path, File::open(&path).unwrap(), None, plan).unwrap();
    assert_eq!(by_records[0].codes().len(), 120_000);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let columns = pool.install(|| csv::read(&path, File::open(&path).unwrap(), None, plan).unwrap());
    assert!(columns == by_records);
}

#[test]
fn a_line_longer_than_a_block_is_one_line() {
    let long = "x".repeat(3 * BLOCK);
    let text = format!("1,{long},0\n2,y,0");
    let shape = LineShape { separator: b',', width: 3 };
    let fresh = || csv::coders(ReadingPlan::Verbatim, &["a", "b", "c"].map(str::to_owned)).ok();
    let coded = read(Cursor::new(&text), 0..text.len() as u64, shape, fresh).unwrap();
    let columns = finish(coded).unwrap();
    assert_eq!(columns[1].text(columns[1].code(0)), long);
    assert_eq!(columns[2].codes().len(), 2);
}
