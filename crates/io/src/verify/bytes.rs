//! The bytes of CSV files: written just as their cells have it, so that they carry no message.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use pellucid_model::table::TextTable;

/// Checks that the CSV file called `name` has the bytes that its cells are written with: no byte-order mark, no needless quotes, line feeds
/// alone.
pub(crate) fn check_bytes(path: &Path, name: &str, table: &TextTable) -> Result<(), String> {
    let unreadable = |_| format!("`{name}` cannot be read");
    let mut writer = csv::Writer::from_writer(Held {
        file: BufReader::new(File::open(path).map_err(unreadable)?),
        line: 1,
        buffer: Vec::new(),
    });
    let columns = table.columns();
    let differs = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            format!("`{name}`, {error}: written otherwise than its cells are")
        }
        _ => format!("`{name}` cannot be read"),
    };
    writer.write_record(table.header()).map_err(differs)?;
    for line in 0..table.rows() {
        writer.write_record(columns.iter().map(|column| column.cell(line))).map_err(differs)?;
    }
    let held = writer.into_inner().map_err(|error| differs(error.into_error().into()))?;
    held.ends().then_some(()).ok_or_else(|| format!("`{name}` goes on after its last line"))
}

fn line_feeds(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| u64::from(byte == b'\n')).sum()
}

/// Takes what is written and holds it against a file.
struct Held {
    file: BufReader<File>,
    line: u64,
    buffer: Vec<u8>,
}

impl Held {
    fn ends(mut self) -> bool {
        matches!(self.file.read(&mut [0]), Ok(0))
    }
}

impl Write for Held {
    fn write(&mut self, expected: &[u8]) -> std::io::Result<usize> {
        self.buffer.resize(expected.len(), 0);
        let read = self.file.read_exact(&mut self.buffer);
        if read.is_err() || self.buffer != expected {
            let same = self.buffer.iter().zip(expected).take_while(|(a, b)| a == b).count();
            let line = self.line + line_feeds(&expected[..same]);
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, format!("line {line}")));
        }
        self.line += line_feeds(expected);
        Ok(expected.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
