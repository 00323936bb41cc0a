//! The bars that were met and missed.

/// Counts bars.
#[derive(Debug, Default)]
pub struct Board {
    met: usize,
    missed: usize,
}

impl Board {
    /// Prints a line.
    pub fn note(words: &str) {
        println!("{}", words.trim_end());
    }

    /// Whether `value` is at most `bar`, counted and in words.
    pub fn within(&mut self, value: f64, bar: f64) -> &'static str {
        self.holds(value <= bar)
    }

    /// Whether what must hold does, counted and in words.
    pub fn holds(&mut self, does: bool) -> &'static str {
        if does {
            self.met += 1;
            "met"
        } else {
            self.missed += 1;
            "MISSED"
        }
    }

    /// Prints how many bars were missed; whether all were met.
    pub fn close(&self) -> bool {
        println!("\nbars: {} met, {} missed", self.met, self.missed);
        self.missed == 0
    }
}

/// Bytes in MiB.
pub fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
