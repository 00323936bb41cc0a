//! Watches the bytes of a CSV file for what a lenient parser passes over in silence.
//!
//! A quote that is never closed swallows the rest of the file into one cell, and a blank line in a file of one column is
//! a lost row. The guard reads along and remembers both; it changes nothing.

use std::io::{self, Read};

/// Where in a record the last byte was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    LineStart,
    FieldStart,
    Plain,
    Quoted,
    /// After a quote within a quoted cell: its end, or the first of a pair.
    Closing,
}

/// A reader that remembers unclosed quotes and blank lines.
pub(crate) struct QuoteGuard<R> {
    inner: R,
    separator: u8,
    at: At,
    after_return: bool,
    line: u64,
    quote_line: u64,
    last_blank: Option<u64>,
    blank_inside: Option<u64>,
    ended: bool,
}

impl<R: Read> QuoteGuard<R> {
    pub(crate) fn new(inner: R, separator: u8) -> Self {
        Self {
            inner,
            separator,
            at: At::LineStart,
            after_return: false,
            line: 1,
            quote_line: 0,
            last_blank: None,
            blank_inside: None,
            ended: false,
        }
    }

    /// The line of the quote that is still open at the end of the file.
    pub(crate) fn unclosed_quote(&self) -> Option<u64> {
        (self.ended && self.at == At::Quoted).then_some(self.quote_line)
    }

    /// The first blank line that has text after it.
    pub(crate) fn blank_inside(&self) -> Option<u64> {
        self.blank_inside
    }

    /// Watches bytes without quotes, carriage returns and blank lines, several at a time; `false`, and nothing is done, when
    /// there is one of these or something before waits for its end.
    fn watch_plain(&mut self, bytes: &[u8]) -> bool {
        let Some(&last) = bytes.last() else { return true };
        let waits = self.at == At::Quoted || self.after_return || self.last_blank.is_some();
        let blank_first = self.at == At::LineStart && bytes[0] == b'\n';
        if waits || blank_first || bytes.contains(&b'"') || bytes.contains(&b'\r') {
            return false;
        }
        // Without a way out of the loop, so that the processor can take many bytes at once.
        let pairs = bytes.iter().zip(&bytes[1..]);
        let blank = pairs.fold(0, |found, (&a, &b)| found | (u8::from(a == b'\n') & u8::from(b == b'\n')));
        if blank != 0 {
            return false;
        }
        self.line += bytes.iter().map(|&byte| u64::from(byte == b'\n')).sum::<u64>();
        self.at = match last {
            b'\n' => At::LineStart,
            _ if last == self.separator => At::FieldStart,
            _ => At::Plain,
        };
        true
    }

    fn watch(&mut self, bytes: &[u8]) {
        if self.watch_plain(bytes) {
            return;
        }
        for &byte in bytes {
            let line_end = byte == b'\n' || byte == b'\r';
            if line_end {
                // The line feed of a pair ends no line of its own.
                let new_line = byte == b'\r' || !self.after_return;
                self.line += u64::from(new_line);
                if new_line && self.at == At::LineStart {
                    self.last_blank = Some(self.line - 1);
                }
            } else if self.at == At::LineStart && self.blank_inside.is_none() {
                self.blank_inside = self.last_blank;
            }
            self.after_return = byte == b'\r';
            self.at = match self.at {
                At::Quoted if byte != b'"' => At::Quoted,
                At::Quoted => At::Closing,
                _ if byte == self.separator => At::FieldStart,
                _ if line_end => At::LineStart,
                At::LineStart | At::FieldStart | At::Closing if byte == b'"' => {
                    if self.at != At::Closing {
                        self.quote_line = self.line;
                    }
                    At::Quoted
                }
                _ => At::Plain,
            };
        }
    }
}

impl<R: Read> Read for QuoteGuard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.ended = read == 0;
        self.watch(&buffer[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(text: &str) -> QuoteGuard<&[u8]> {
        let mut guard = QuoteGuard::new(text.as_bytes(), b',');
        io::copy(&mut guard, &mut io::sink()).unwrap();
        guard
    }

    #[test]
    fn it_does_not_matter_how_the_bytes_come() {
        let pieces = ["a,b\n", "1,2\n", "\n", "3,", "\"x\n\n", "y\"", "\r\n", "\n4", "5\n", "\"", "\n,\n"];
        // Every sequence of three pieces, whole and byte by byte.
        for at in 0..pieces.len().pow(3) {
            let text = [at, at / pieces.len(), at / pieces.len().pow(2)].map(|at| pieces[at % pieces.len()]).concat();
            let (whole, mut bytes) = (watched(&text), QuoteGuard::new(text.as_bytes(), b','));
            let mut one = [0];
            while bytes.read(&mut one).unwrap() > 0 {}
            let told = |guard: &QuoteGuard<&[u8]>| (guard.unclosed_quote(), guard.blank_inside(), guard.line);
            assert_eq!(told(&whole), told(&bytes), "{text:?}");
        }
    }

    #[test]
    fn open_quotes_are_found() {
        assert_eq!(watched("a,b\n1,2\n3,\"x\n4,5\n").unclosed_quote(), Some(3));
        assert_eq!(watched("a,b\r\n1,\"x\r\ny\"\r\n").unclosed_quote(), None);
        assert_eq!(watched("a,b\n1,5\" pipe\n2,\"say \"\"x\"\"\"\n").unclosed_quote(), None);
        assert_eq!(watched("a\r\"x\"\"").unclosed_quote(), Some(2));
    }

    #[test]
    fn blank_lines_count_only_inside() {
        assert_eq!(watched("a\r\n1\r\n\r\n2\r\n").blank_inside(), Some(3));
        assert_eq!(watched("a\r1\r\r2").blank_inside(), Some(3));
        assert_eq!(watched("a\n1\n\n\n").blank_inside(), None);
        assert_eq!(watched("a\n\"1\n\n2\"\n").blank_inside(), None);
    }
}
