//! Fingerprints: whether two files hold the same people, however they are written down.
//!
//! A fingerprint is of the contents: names of columns and cells as text. Path, order of rows, order of columns, and how a CSV
//! file separates and quotes leave no trace in it.

use std::io::Write;

use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::table::{TextColumn, TextTable};

/// What comes first in the hash; another way of hashing needs another one.
const FORM: &[u8] = b"pellucid fingerprint 1\n";

/// Bytes that are hashed at once.
const BLOCK: usize = 1 << 16;

/// The contents of a file, told apart from all others, and its people in an order of their own.
///
/// For the data owner alone: a digest of a private table lets anybody who has it check guesses of the whole table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFingerprint {
    /// BLAKE3 of the contents, in hexadecimal digits.
    pub digest: String,
    /// For each row of the file the number of its person: the place among the rows in the order of their cells, columns taken in
    /// the order of their names. Rows with equal cells are interchangeable and numbered as they stand.
    pub numbers: Vec<u32>,
}

/// The fingerprint of `table`, all of whose columns are there.
///
/// # Guarantee
/// Digests are equal if and only if names of columns and the multiset of rows are, short of a collision of BLAKE3: every name and
/// cell is hashed after its length, and the numbers of columns and rows before them.
///
/// # Cost
/// Linear: rows are ordered by counting, column by column.
pub fn fingerprint(table: &TextTable) -> Result<TableFingerprint> {
    if u32::try_from(table.rows()).is_err() {
        return Err(Error::new(ErrorKind::LimitExceeded, "has more rows than can be numbered; split the table"));
    }
    let mut columns: Vec<&TextColumn> = table.columns().iter().collect();
    columns.sort_unstable_by_key(|column| column.name());
    let order = sorted(&columns, table.rows());
    let mut numbers = vec![0; order.len()];
    for (number, &row) in order.iter().enumerate() {
        numbers[row as usize] = number as u32;
    }
    let digest =
        digest(&columns, &order).map_err(|_| Error::new(ErrorKind::Internal, "hashing failed; please report it"))?;
    Ok(TableFingerprint { digest, numbers })
}

/// The rows in the order of their cells, the first column first; equal rows stay as they are.
fn sorted(columns: &[&TextColumn], rows: usize) -> Vec<u32> {
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

fn digest(columns: &[&TextColumn], order: &[u32]) -> std::io::Result<String> {
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
