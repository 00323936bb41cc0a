//! Cells in bulk: short cells that occurred before are found by their bytes as a number, and a column that was coded in
//! parts is put together.

use std::ops::Range;

use super::{CellFault, ColumnCoder, ColumnCodes, Tally, Values, push_code, widen};

/// Bytes of the longest cell that is remembered.
const SHORT: usize = 15;
/// Cells that are remembered at most.
const SLOTS: usize = 1 << 12;
/// Slots that are looked at for one cell.
const TRIES: usize = 4;

/// By the number of bytes, which bits of sixteen bytes are those of the cell.
const MASKS: [u128; SHORT + 1] = {
    let mut masks = [0; SHORT + 1];
    let mut len = 0;
    while len <= SHORT {
        masks[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    masks
};

/// Short cells and their codes. A cell that finds its slots taken is not remembered.
pub(super) struct RecentCells(Vec<(u128, u32)>);

impl RecentCells {
    fn new() -> Self {
        Self(vec![(0, 0); SLOTS])
    }

    #[inline]
    fn slots(key: u128) -> impl Iterator<Item = usize> {
        let (low, high) = (key as u64, (key >> 64) as u64);
        let mixed = low.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(high.wrapping_mul(0xc2b2_ae3d_27d4_eb4f));
        let first = (mixed >> 40) as usize;
        (first..first + TRIES).map(|slot| slot % SLOTS)
    }

    #[inline]
    fn find(&self, key: u128) -> Option<u32> {
        for slot in Self::slots(key) {
            let (known, code) = self.0[slot];
            if known == key {
                return Some(code);
            }
            if known == 0 {
                break;
            }
        }
        None
    }

    fn add(&mut self, key: u128, code: u32) {
        if let Some(free) = Self::slots(key).find(|&slot| self.0[slot].0 == 0) {
            self.0[free] = (key, code);
        }
    }
}

/// The bytes and the length of a short cell as one number, which is never 0; `None` for a longer one, and within the last
/// bytes of `text`.
#[inline]
fn key_of(text: &[u8], cell: &Range<usize>) -> Option<u128> {
    let mask = MASKS.get(cell.end - cell.start)?;
    let bytes: [u8; SHORT + 1] = text.get(cell.start..=cell.start + SHORT)?.try_into().ok()?;
    Some(u128::from_le_bytes(bytes) & mask | ((cell.end - cell.start + 1) as u128) << (8 * SHORT))
}

impl ColumnCoder {
    /// The parts of `text` that `cells` names, as [`ColumnCoder::push_bytes`] takes each; after a fault the coder is of no use.
    ///
    /// # Cost
    /// A short cell that occurred before is not parsed again, unless it is among the last bytes of `text`.
    pub fn push_cells(&mut self, text: &[u8], cells: impl Iterator<Item = Range<usize>>) -> Result<(), CellFault> {
        let mut recent = self.recent.take().unwrap_or_else(|| Box::new(RecentCells::new()));
        for cell in cells {
            let key = key_of(text, &cell);
            if let Some(code) = key.and_then(|key| recent.find(key)) {
                push_code(&mut self.codes, code);
                continue;
            }
            self.push_bytes(&text[cell])?;
            let code = self.codes.get(self.codes.len() - 1);
            // Missing cells are counted one by one.
            if let Some(key) = key.filter(|_| self.missing_code != Some(code)) {
                recent.add(key, code);
            }
        }
        self.recent = Some(recent);
        Ok(())
    }

    /// The cells of `other`, a coder of the same column, after those of this one; after a fault the coder is of no use.
    ///
    /// # Cost
    /// Each distinct value of `other` is looked up once; a cell is then copied.
    pub fn append(&mut self, other: Self) -> Result<(), CellFault> {
        let rows = self.codes.len();
        self.missing.append(&other.missing, rows);
        self.empty.append(&other.empty, rows);
        if other.missing_code.is_some() && self.missing_code.is_none() {
            self.missing_code = Some(self.known());
        }
        let indices: Option<Vec<u32>> = match (&mut self.values, &other.values) {
            (Values::Integer(known), Values::Integer(more)) => known.add_all(more),
            (Values::Decimal(known), Values::Decimal(more)) => known.add_all(more),
            (Values::Date(known), Values::Date(more)) => known.add_all(more),
            (Values::Category(known), Values::Category(more)) => known.add_all(more),
            _ => unreachable!("the parts of a column are of one kind"),
        };
        let mut places: Vec<u32> = indices.ok_or(CellFault::TooManyValues)?;
        if let Some(missing) = self.missing_code {
            places.iter_mut().for_each(|place| *place += u32::from(*place >= missing));
            if let Some(at) = other.missing_code {
                places.insert(at as usize, missing);
            }
        }
        match &other.codes {
            ColumnCodes::U8(codes) => extend(&mut self.codes, codes, &places),
            ColumnCodes::U16(codes) => extend(&mut self.codes, codes, &places),
            ColumnCodes::U32(codes) => extend(&mut self.codes, codes, &places),
        }
        Ok(())
    }
}

/// Appends the place of each of the codes `more`.
fn extend<T: Copy + Into<u32>>(codes: &mut ColumnCodes, more: &[T], places: &[u32]) {
    while let Some(wider) = widen(codes, places.iter().max().copied().unwrap_or(0)) {
        *codes = wider;
    }
    let more = more.iter().map(|&code| places[code.into() as usize]);
    match codes {
        ColumnCodes::U8(codes) => codes.extend(more.map(|code| code as u8)),
        ColumnCodes::U16(codes) => codes.extend(more.map(|code| code as u16)),
        ColumnCodes::U32(codes) => codes.extend(more),
    }
}

impl Tally {
    /// Adds what was met from row `rows` on.
    fn append(&mut self, other: &Self, rows: usize) {
        if self.cells == 0 {
            self.first_row = rows + other.first_row;
        }
        self.cells += other.cells;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::schema::{ColumnSpec, OnMissing, TableSchema};
    use crate::table::{ColumnType, Role};

    fn coder(kind: ColumnType) -> ColumnCoder {
        let schema = TableSchema { on_missing: Some(OnMissing::Category), ..TableSchema::default() };
        let column = ColumnSpec { missing: Some(vec!["?".into()]), ..ColumnSpec::new("x", Role::Quasi) };
        ColumnCoder::new(&schema, &column, kind)
    }

    /// Cells of up to four digits with spaces and signs around some, one in eleven missing.
    fn cells(many: u32) -> Vec<String> {
        let cell = |at: u32| match at.wrapping_mul(2_654_435_761) >> 20 {
            number if number % 11 == 0 => "?".to_owned(),
            number if number % 5 == 0 => format!(" +{}", number % 700),
            number if number % 7 == 0 => format!("{:>20}", number % 700),
            number => (number % 700).to_string(),
        };
        (0..many).map(cell).collect()
    }

    #[test]
    fn cells_in_bulk_and_in_parts_make_the_same_column() {
        for kind in [ColumnType::Integer, ColumnType::Decimal, ColumnType::Category] {
            let cells = cells(3000);
            let mut one = coder(kind);
            cells.iter().for_each(|cell| one.push_text(cell).unwrap());
            let one = one.finish().unwrap();
            for cut in [0, 1, 2, 100, 2999, 3000] {
                let part = |cells: &[String]| {
                    let mut coder = coder(kind);
                    let text: Vec<u8> = cells.concat().into_bytes();
                    let mut end = 0;
                    let ranges = cells.iter().map(|cell| {
                        let start = end;
                        end += cell.len();
                        start..end
                    });
                    coder.push_cells(&text, ranges).unwrap();
                    coder
                };
                let mut first = part(&cells[..cut]);
                first.append(part(&cells[cut..])).unwrap();
                assert_eq!(first.finish().unwrap(), one, "{kind}, {cut}");
            }
        }
    }

    #[test]
    fn missing_cells_are_counted_through_all_parts() {
        let part = |cells: &[&str]| {
            let mut coder =
                ColumnCoder::new(&TableSchema::default(), &ColumnSpec::new("x", Role::Keep), ColumnType::Integer);
            cells.iter().for_each(|cell| coder.push_text(cell).unwrap());
            coder
        };
        let mut whole = part(&["1", "2"]);
        whole.append(part(&["2", "", "3"])).unwrap();
        whole.append(part(&["", "4"])).unwrap();
        let told = whole.finish().unwrap_err().to_string();
        assert!(told.contains("column `x` has 2 empty cells (first at row 4)"), "{told}");
    }

    #[test]
    fn cells_that_differ_in_zero_bytes_alone_are_told_apart() {
        let text = [b"a\0a", [0; 20].as_slice()].concat();
        let cells = [0..1, 0..2, 0..1, 1..2, 3..3, 1..2, 0..2];
        let mut coder = ColumnCoder::verbatim("x");
        coder.push_cells(&text, cells.into_iter()).unwrap();
        let column = coder.finish().unwrap();
        assert_eq!(column.codes().iter().collect::<Vec<_>>(), [2, 3, 2, 1, 0, 1, 3]);
    }
}
