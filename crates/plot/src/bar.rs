//! Bars by category, and histograms.

use crate::frame::{ChartFrame, HorizontalAxis, LegendKey, frame_setters};
use crate::scale::{can_be_drawn, extent};
use crate::style::class_of;
use crate::svg::{escaped, number, readable};

/// The part of a category's slot that its bars fill.
const FILLED: f64 = 0.72;
/// Pixels between the bars of a histogram.
const APART: f64 = 1.0;

/// The height of a bar, with or without an interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarValue {
    /// The height; what is not a finite number has no bar.
    pub value: f64,
    /// From where to where the height may be.
    pub interval: Option<(f64, f64)>,
}

impl BarValue {
    /// A bar with an interval.
    pub fn with_interval(value: f64, low: f64, high: f64) -> Self {
        Self { value, interval: Some((low.min(high), low.max(high))) }
    }
}

impl From<f64> for BarValue {
    fn from(value: f64) -> Self {
        Self { value, interval: None }
    }
}

/// What bars stand over.
#[derive(Debug, Clone)]
enum Ground {
    Names(Vec<String>),
    /// Ends of adjacent ranges, ascending.
    Edges(Vec<f64>),
}

/// A chart of bars, which stand on zero.
///
/// ```
/// use pellucid_plot::BarChart;
///
/// let chart = BarChart::histogram("Ages", [20.0, 30.0, 40.0]).series("people", [12.0, 7.0]);
/// assert_eq!(chart.to_svg().matches("<rect class=\"mark").count(), 2);
/// ```
#[derive(Debug, Clone)]
pub struct BarChart {
    frame: ChartFrame,
    ground: Ground,
    series: Vec<(String, Vec<BarValue>)>,
}

impl BarChart {
    /// A chart with a slot for each of `names` and no bars.
    pub fn new<S: Into<String>>(title: impl Into<String>, names: impl IntoIterator<Item = S>) -> Self {
        let ground = Ground::Names(names.into_iter().map(Into::into).collect());
        Self { frame: ChartFrame::new(title.into()), ground, series: Vec::new() }
    }

    /// A histogram with a bar from each of `edges` to the next; edges are put in order.
    pub fn histogram(title: impl Into<String>, edges: impl IntoIterator<Item = f64>) -> Self {
        let mut edges: Vec<f64> = edges.into_iter().filter(|edge| edge.is_finite()).collect();
        edges.sort_by(f64::total_cmp);
        edges.dedup();
        Self { frame: ChartFrame::new(title.into()), ground: Ground::Edges(edges), series: Vec::new() }
    }

    frame_setters!();

    /// The same chart with one more series: a bar for each name or range, in order; those in excess are not drawn.
    #[must_use]
    pub fn series<B: Into<BarValue>>(mut self, name: impl Into<String>, bars: impl IntoIterator<Item = B>) -> Self {
        self.series.push((name.into(), bars.into_iter().map(Into::into).collect()));
        self
    }

    /// The chart as SVG.
    pub fn to_svg(&self) -> String {
        let slots = match &self.ground {
            Ground::Names(names) => names.len(),
            Ground::Edges(edges) => edges.len().saturating_sub(1),
        };
        let shown = |bars: &[BarValue]| -> Vec<(usize, BarValue)> {
            bars.iter().copied().take(slots).enumerate().filter(|(_, bar)| bar.value.is_finite()).collect()
        };
        let bars: Vec<Vec<(usize, BarValue)>> = self.series.iter().map(|(_, bars)| shown(bars)).collect();
        let ends = bars.iter().flatten().flat_map(|(_, bar)| {
            let (low, high) = bar.interval.unwrap_or((0.0, 0.0));
            [low, bar.value, high]
        });
        let (low, high) = ends
            .filter(|&end| can_be_drawn(end))
            .fold((0.0, 0.0), |(low, high): (f64, f64), end| (low.min(end), high.max(end)));
        let range = if low < high { (low, high) } else { (0.0, 1.0) };
        let across = match &self.ground {
            Ground::Names(names) => HorizontalAxis::Names(names),
            Ground::Edges(edges) => {
                let (low, high) = extent(edges.iter().copied());
                HorizontalAxis::Numbers(low, high)
            }
        };
        let names: Vec<&str> = self.series.iter().map(|(name, _)| name.as_str()).collect();
        let keys: Vec<LegendKey<'_>> = names.iter().copied().map(LegendKey::full).collect();
        let mut canvas = self.frame.draw(&keys, &across, range);
        let (x, y) = (canvas.x, canvas.y);
        let mut intervals = Vec::new();
        for (at, series) in bars.iter().enumerate() {
            for &(slot, bar) in series {
                let (left, right) = self.slot(slot, |value| x.place(value));
                let each = (right - left) / bars.len() as f64;
                let (left, wide) = (left + each * at as f64, (each - APART).max(each / 2.0));
                let (zero, end) = (y.place(0.0), y.place(bar.value));
                let [from, top, across, tall] = [left, zero.min(end), wide, (zero - end).abs()].map(number);
                let (class, words) = (class_of(at), escaped(&self.label(names[at], slot, &bar)));
                canvas.svg.raw(&format!(
                    r#"<rect class="mark {class}" x="{from}" y="{top}" width="{across}" height="{tall}"><title>{words}</title></rect>"#
                ));
                let middle = left + wide / 2.0;
                intervals.extend(
                    bar.interval.map(|(low, high)| (middle, y.place(low), y.place(high), (wide / 4.0).min(5.0))),
                );
            }
        }
        for (place, low, high, cap) in intervals {
            canvas.svg.interval("interval over", place, low, high, cap);
        }
        canvas.svg.finish()
    }

    /// From where to where bars of `slot` stand.
    fn slot(&self, slot: usize, place: impl Fn(f64) -> f64) -> (f64, f64) {
        match &self.ground {
            Ground::Names(_) => {
                let middle = slot as f64;
                (place(middle - FILLED / 2.0), place(middle + FILLED / 2.0))
            }
            Ground::Edges(edges) => (place(edges[slot]) + APART / 2.0, place(edges[slot + 1]) + APART / 2.0),
        }
    }

    /// What is shown of a bar where the pointer rests on it.
    fn label(&self, series: &str, slot: usize, bar: &BarValue) -> String {
        let place = match &self.ground {
            Ground::Names(names) => names[slot].clone(),
            Ground::Edges(edges) => format!("{} to {}", readable(edges[slot]), readable(edges[slot + 1])),
        };
        let name = if series.is_empty() { String::new() } else { format!("{series}, ") };
        let between = bar.interval.map(|(low, high)| format!(" ({} to {})", readable(low), readable(high)));
        format!("{name}{place}: {}{}", readable(bar.value), between.unwrap_or_default())
    }
}
