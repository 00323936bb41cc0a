//! Points with intervals and names, in series: what charts of lines and scattered points are made of.

use crate::frame::LegendKey;
use crate::svg::readable;

/// A value at a place, with or without an interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeriesPoint {
    /// The place; the number of the category, from 0, where the chart has categories.
    pub x: f64,
    /// The value; nothing is drawn for what is not a finite number, and lines have a gap there.
    pub y: f64,
    /// From where to where the value may be.
    pub interval: Option<(f64, f64)>,
}

impl SeriesPoint {
    /// A value without an interval.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, interval: None }
    }

    /// The same value with an interval.
    #[must_use]
    pub fn with_interval(mut self, low: f64, high: f64) -> Self {
        self.interval = Some((low.min(high), low.max(high)));
        self
    }

    /// The value and the ends of its interval.
    pub(crate) fn values(self) -> [f64; 3] {
        let (low, high) = self.interval.unwrap_or((self.y, self.y));
        [low, self.y, high]
    }
}

/// Points that belong together, in the order in which lines join them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PointSeries {
    pub(crate) name: String,
    pub(crate) points: Vec<SeriesPoint>,
    /// By point, its own name; empty where it has none.
    pub(crate) names: Vec<String>,
    pub(crate) hollow: bool,
}

impl PointSeries {
    /// A series without points.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The same series with one more point.
    #[must_use]
    pub fn with(self, point: SeriesPoint) -> Self {
        self.with_named(point, "")
    }

    /// The same series with one more point, which has a name of its own.
    #[must_use]
    pub fn with_named(mut self, point: SeriesPoint, name: impl Into<String>) -> Self {
        self.points.push(point);
        self.names.push(name.into());
        self
    }

    /// The same series with these points after its own.
    #[must_use]
    pub fn with_all(self, points: impl IntoIterator<Item = SeriesPoint>) -> Self {
        points.into_iter().fold(self, Self::with)
    }

    /// The same series with hollow marks and a dashed line: told apart from others without colours.
    #[must_use]
    pub fn hollow(mut self) -> Self {
        self.hollow = true;
        self
    }

    /// Its line in the legend.
    pub(crate) fn key(&self) -> LegendKey<'_> {
        LegendKey { name: &self.name, hollow: self.hollow }
    }

    /// What is shown of point `at`, at `place`, where the pointer rests on it.
    pub(crate) fn label(&self, at: usize, place: &str) -> String {
        let point = self.points[at];
        let names = [self.name.as_str(), self.names[at].as_str(), place];
        let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        let between = point.interval.map(|(low, high)| format!(" ({} to {})", readable(low), readable(high)));
        format!("{}: {}{}", names.join(", "), readable(point.y), between.unwrap_or_default())
    }
}
