//! Fingerprints: whether two files hold the same people, however they are written down.
//!
//! A fingerprint is of the contents: names of columns and cells as text. Path, order of rows, order of columns, and how a CSV
//! file separates and quotes leave no trace in it.

use std::io::Write;
use std::path::Path;

use pellucid_model::error::{Error, ErrorKind, Result};

use crate::{RawColumn, ReadOptions, in_file, read_strings};

/// What comes first in the hash; another way of hashing needs another one.
const FORM: &[u8] = b"pellucid fingerprint 1\n";

/// Bytes that are hashed at once.
const BLOCK: usize = 1 << 16;

/// The contents of a file, told apart from all others, and its people in an order of their own.
///
/// For the data owner alone: a digest of a private table lets anybody who has it check guesses of the whole table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// BLAKE3 of the contents, in hexadecimal digits.
    pub digest: String,
    /// For each row of the file the number of its person: the place among the rows in the order of their cells, columns taken in
    /// the order of their names. Rows with equal cells are interchangeable and numbered as they stand.
    pub numbers: Vec<u32>,
}

/// The fingerprint of the file at `path`.
///
/// # Guarantee
/// Digests are equal if and only if names of columns and the multiset of rows are, short of a collision of BLAKE3: every name and
/// cell is hashed after its length, and the numbers of columns and rows before them.
///
/// # Cost
/// Linear: rows are ordered by counting, column by column.
pub fn fingerprint(path: &Path, options: &ReadOptions) -> Result<Fingerprint> {
    let table = read_strings(path, options)?;
    if u32::try_from(table.rows()).is_err() {
        let error = Error::new(ErrorKind::LimitExceeded, "has more rows than can be numbered; split the table");
        return Err(in_file(path, error));
    }
    let mut columns: Vec<&RawColumn> = table.columns().iter().collect();
    columns.sort_unstable_by_key(|column| column.name());
    let order = sorted(&columns, table.rows());
    let mut numbers = vec![0; order.len()];
    for (number, &row) in order.iter().enumerate() {
        numbers[row as usize] = number as u32;
    }
    let digest = digest(&columns, &order).map_err(|error| Error::io(path.display(), error))?;
    Ok(Fingerprint { digest, numbers })
}

/// The rows in the order of their cells, the first column first; equal rows stay as they are.
fn sorted(columns: &[&RawColumn], rows: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    let mut next = vec![0; rows];
    // A stable pass for each column, the last one first. Codes ascend with the bytes of cells.
    for column in columns.iter().rev() {
        let mut places = vec![0usize; column.distinct().len() + 1];
        (0..rows).for_each(|row| places[column.code(row) as usize + 1] += 1);
        for code in 1..places.len() {
            places[code] += places[code - 1];
        }
        for &row in &order {
            let place = &mut places[column.code(row as usize) as usize];
            next[*place] = row;
            *place += 1;
        }
        std::mem::swap(&mut order, &mut next);
    }
    order
}

fn digest(columns: &[&RawColumn], order: &[u32]) -> std::io::Result<String> {
    let mut hash = std::io::BufWriter::with_capacity(BLOCK, blake3::Hasher::new());
    hash.write_all(FORM)?;
    hash.write_all(&(columns.len() as u64).to_le_bytes())?;
    hash.write_all(&(order.len() as u64).to_le_bytes())?;
    for column in columns {
        write_framed(&mut hash, column.name())?;
    }
    for &row in order {
        for column in columns {
            write_framed(&mut hash, column.cell(row as usize))?;
        }
    }
    let hasher = hash.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// `text` after its length.
fn write_framed(hash: &mut impl Write, text: &str) -> std::io::Result<()> {
    hash.write_all(&(text.len() as u64).to_le_bytes())?;
    hash.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, text: &str) -> Fingerprint {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        fingerprint(&path, &ReadOptions::default()).unwrap()
    }

    const PEOPLE: &str = "name,age,sex\nEve,31,F\nBob,29,M\n\"Lee, Al\",29,M\n";

    #[test]
    fn how_a_file_is_written_leaves_no_trace() {
        let digest = of("a.csv", PEOPLE).digest;
        assert_eq!(digest.len(), 64);
        for (name, text) in [
            ("other.csv", PEOPLE),
            ("a.csv", "name,age,sex\nBob,29,M\nEve,31,F\n\"Lee, Al\",29,M\n"),
            ("a.csv", "sex,name,age\nF,Eve,31\nM,Bob,29\nM,\"Lee, Al\",29\n"),
            ("a.csv", "name;age;sex\nEve;31;F\nBob;29;M\nLee, Al;29;M\n"),
            ("a.tsv", "name\tage\tsex\r\nEve\t31\tF\r\nBob\t29\tM\r\nLee, Al\t29\tM\r\n"),
            (
                "a.csv",
                "\u{feff}\"name\",\"age\",\"sex\"\n\"Eve\",\"31\",\"F\"\n\"Bob\",\"29\",\"M\"\n\"Lee, Al\",\"29\",\"M\"",
            ),
        ] {
            assert_eq!(of(name, text).digest, digest, "{text:?}");
        }
    }

    #[test]
    fn any_other_content_has_another_digest() {
        let digest = of("a.csv", PEOPLE).digest;
        for text in [
            "name,age,sex\nEve,31,F\nBob,29,M\n\"Lee, Al\",29,F\n",
            "name,age,sex\nEve,31,F\nBob,29,M\nBob,29,M\n\"Lee, Al\",29,M\n",
            "name,age,sex\nEve,31,F\nBob,29,M\n",
            "name,age,Sex\nEve,31,F\nBob,29,M\n\"Lee, Al\",29,M\n",
            "age,name,sex\nEve,31,F\nBob,29,M\n\"Lee, Al\",29,M\n",
            "name,age,sex\nEve,29,F\nBob,31,M\n\"Lee, Al\",29,M\n",
        ] {
            assert_ne!(of("a.csv", text).digest, digest, "{text:?}");
        }
    }

    #[test]
    fn cells_do_not_run_into_one_another() {
        let one = of("a.csv", "a,b\n\"x,y\",z\n").digest;
        assert_ne!(of("a.csv", "a,b\nx,\"y,z\"\n").digest, one);
        assert_ne!(of("a.csv", "a,b\nxy,z\n").digest, of("a.csv", "a,b\nx,yz\n").digest);
        assert_ne!(of("a.csv", "a,b\nx,\n").digest, of("a.csv", "a,b\n,x\n").digest);
        assert_ne!(of("a.csv", "a,b\n1,2\n1,2\n1,3\n").digest, of("a.csv", "a,b\n1,2\n1,3\n1,3\n").digest);
    }

    #[test]
    fn people_keep_their_numbers_wherever_they_stand() {
        // Ordered by age, then name, then sex.
        assert_eq!(of("a.csv", PEOPLE).numbers, [2, 0, 1]);
        assert_eq!(of("a.csv", "sex,name,age\nM,\"Lee, Al\",29\nF,Eve,31\nM,Bob,29\n").numbers, [1, 2, 0]);
        assert_eq!(of("a.csv", "a,b\n2,x\n1,x\n2,x\n1,w\n").numbers, [2, 1, 3, 0]);
    }

    #[test]
    fn the_order_is_that_of_sorting_whole_rows() {
        let mut state = 7u32;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let rows: Vec<[String; 3]> = (0..500).map(|_| [12, 3, 7].map(|below| draw(below).to_string())).collect();
        let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
        let numbers = of("a.csv", &format!("b,c,a\n{}\n", lines.join("\n"))).numbers;
        let mut expected: Vec<usize> = (0..rows.len()).collect();
        expected.sort_by_key(|&row| [&rows[row][2], &rows[row][0], &rows[row][1]]);
        assert!(expected.iter().enumerate().all(|(number, &row)| numbers[row] == number as u32));
    }
}
