//! Round ticks on an axis, and numbers to places.

use crate::svg::readable;

/// Ticks at multiples of a round step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AxisTicks {
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

impl AxisTicks {
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

/// Round numbers on a logarithmic axis with their labels, about `wanted`, of which the first is at most `low` and the last at
/// least `high`: powers of ten, and twice and five times those where there is room.
pub(crate) fn decades(low: f64, high: f64, wanted: usize) -> Vec<(f64, String)> {
    // Round numbers are counted from 1, three for each power of ten.
    let round = |at: i32| [1.0, 2.0, 5.0][at.rem_euclid(3) as usize] * power(at.div_euclid(3));
    let first = (-897..897).rev().find(|&at| round(at) <= low * 1.000_001).unwrap_or(-897);
    let last = (first..900).find(|&at| round(at) >= high * 0.999_999).unwrap_or(900).max(first + 1);
    let ends = |each: i32| (first.div_euclid(each) * each, (last + each - 1).div_euclid(each) * each);
    let fits = |each: &i32| (ends(*each).1 - ends(*each).0) / each <= wanted.max(2) as i32;
    let each = [1, 3, 6, 9, 15, 30, 60, 150].into_iter().find(fits).unwrap_or(300);
    let (first, last) = ends(each);
    let label = |value: f64| {
        if (1e-4..1e7).contains(&value) { grouped(&readable(value)) } else { format!("{value:e}") }
    };
    (first..=last).step_by(each as usize).map(|at| (round(at), label(round(at)))).collect()
}

/// The logarithm to base 2 of a positive number, by the four operations alone so that all machines agree.
fn log2(value: f64) -> f64 {
    let (mut rest, mut whole) = (value, 0.0);
    while rest >= 2.0 {
        (rest, whole) = (rest / 2.0, whole + 1.0);
    }
    while rest < 1.0 {
        (rest, whole) = (rest * 2.0, whole - 1.0);
    }
    let z = (rest - 1.0) / (rest + 1.0);
    let (sum, _) = (1..40).step_by(2).fold((0.0, z), |(sum, power), odd| (sum + power / f64::from(odd), power * z * z));
    whole + 2.0 * sum / std::f64::consts::LN_2
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
pub(crate) struct AxisScale {
    pub low: f64,
    pub high: f64,
    pub start: f64,
    pub end: f64,
    /// Whether equal ratios, not equal differences, are equally long; both ends are positive then.
    pub logarithmic: bool,
}

impl AxisScale {
    /// The place of `value`; values outside are at the nearest end.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = if self.logarithmic {
            log2(value / self.low) / log2(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.start + share * (self.end - self.start)
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

/// The least and the greatest of the positive `values`, a little apart.
pub(crate) fn positive_extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = extent(values.filter(|&value| value > 1e-290));
    if low > 0.0 { (low, high) } else { (high / 10.0, high) }
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
