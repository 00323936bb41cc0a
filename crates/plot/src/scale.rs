//! Round ticks on an axis, and numbers to places.

/// Ticks at multiples of a round step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ticks {
    /// The step is `mantissa * 10^exponent`.
    mantissa: f64,
    exponent: i32,
    /// The first and the last multiple.
    first: i64,
    last: i64,
}

/// `10^exponent`, by multiplication alone so that all machines agree.
fn power(exponent: i32) -> f64 {
    let size = (0..exponent.abs()).fold(1.0, |product, _| product * 10.0);
    if exponent < 0 { 1.0 / size } else { size }
}

impl Ticks {
    /// About `wanted` ticks from `low` to `high`, none outside.
    pub(crate) fn within(low: f64, high: f64, wanted: usize) -> Self {
        let mut ticks = Self::around(low, high, wanted);
        // A little slack, for ends that are multiples but for rounding.
        let slack = ticks.step() * 1e-9;
        ticks.first = ((low - slack) / ticks.step()).ceil() as i64;
        ticks.last = ((high + slack) / ticks.step()).floor() as i64;
        ticks
    }

    /// About `wanted` ticks of which the first is at most `low` and the last at least `high`.
    pub(crate) fn around(low: f64, high: f64, wanted: usize) -> Self {
        let rough = (high - low) / wanted.max(1) as f64;
        let mut exponent = 0;
        while power(exponent) > rough && exponent > -300 {
            exponent -= 1;
        }
        while power(exponent + 1) <= rough && exponent < 300 {
            exponent += 1;
        }
        let scaled = rough / power(exponent);
        let mantissa = [1.0, 2.0, 5.0].into_iter().find(|&round| scaled <= round * 1.000_001).unwrap_or(10.0);
        let (mantissa, exponent) = if mantissa >= 10.0 { (1.0, exponent + 1) } else { (mantissa, exponent) };
        let mut ticks = Self { mantissa, exponent, first: 0, last: 0 };
        let slack = ticks.step() * 1e-9;
        ticks.first = ((low + slack) / ticks.step()).floor() as i64;
        ticks.last = ((high - slack) / ticks.step()).ceil() as i64;
        ticks
    }

    /// The distance between ticks.
    fn step(&self) -> f64 {
        self.mantissa * power(self.exponent)
    }

    /// The first and the last tick.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.at(self.first), self.at(self.last))
    }

    /// A multiple of the step, as near to its decimal number as can be.
    fn at(&self, multiple: i64) -> f64 {
        let whole = multiple as f64 * self.mantissa;
        if self.exponent < 0 { whole / power(-self.exponent) } else { whole * power(self.exponent) }
    }

    /// Each tick with its label.
    pub(crate) fn labelled(&self) -> Vec<(f64, String)> {
        let decimals = self.exponent.min(0).unsigned_abs() as usize;
        let largest = self.first.unsigned_abs().max(self.last.unsigned_abs()) as f64 * self.step();
        let scientific = decimals > 6 || largest >= 1e10;
        let label =
            |value: f64| if scientific { format!("{value:e}") } else { grouped(&format!("{value:.decimals$}")) };
        (self.first..=self.last).map(|multiple| (self.at(multiple), label(self.at(multiple)))).collect()
    }
}

/// A written number with commas between thousands.
pub(crate) fn grouped(number: &str) -> String {
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, decimals) = rest.split_once('.').map_or((rest, None), |(whole, decimals)| (whole, Some(decimals)));
    let mut text = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(decimals) = decimals {
        text.push('.');
        text.push_str(decimals);
    }
    text
}

/// Numbers from `low` to `high` on a line from `start` to `end`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub low: f64,
    pub high: f64,
    pub start: f64,
    pub end: f64,
}

impl Scale {
    /// The place of `value`; values outside are at the nearest end.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)
    }

    /// Whether `value` lies on the line.
    pub(crate) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// Whether an axis can reach to `value`.
pub(crate) fn can_be_drawn(value: f64) -> bool {
    value.abs() < 1e300
}

/// The least and the greatest of the `values` that can be drawn, a little apart; from 0 to 1 when there are none.
pub(crate) fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|&value| can_be_drawn(value));
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        (0.0, 1.0)
    } else if low < high {
        (low, high)
    } else {
        let room = if low.abs() > 0.0 { low.abs() / 2.0 } else { 1.0 };
        (low - room, high + room)
    }
}
