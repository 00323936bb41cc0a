//! Points with intervals, joined by lines.

use crate::frame::{Across, Frame, frame_setters, mark};
use crate::scale::extent;
use crate::style::class_of;
use crate::svg::{escaped, number, readable};

/// Half the width of the cap of an interval.
const CAP: f64 = 4.0;

/// A value at a place, with or without an interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The place; the number of the category, from 0, where the chart has categories.
    pub x: f64,
    /// The value; nothing is drawn for what is not a finite number, and lines have a gap there.
    pub y: f64,
    /// From where to where the value may be.
    pub interval: Option<(f64, f64)>,
}

impl Point {
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
}

/// Points that belong together, in the order in which they are joined.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    name: String,
    points: Vec<Point>,
}

impl Series {
    /// A series without points.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), points: Vec::new() }
    }

    /// The same series with one more point.
    #[must_use]
    pub fn with(mut self, point: Point) -> Self {
        self.points.push(point);
        self
    }

    /// The same series with these points after its own.
    #[must_use]
    pub fn with_all(mut self, points: impl IntoIterator<Item = Point>) -> Self {
        self.points.extend(points);
        self
    }
}

/// A chart of lines; see the [crate] for an example.
#[derive(Debug, Clone)]
pub struct LineChart {
    frame: Frame,
    categories: Vec<String>,
    series: Vec<Series>,
}

impl LineChart {
    /// A chart without lines.
    pub fn new(title: impl Into<String>) -> Self {
        Self { frame: Frame::new(title.into()), categories: Vec::new(), series: Vec::new() }
    }

    frame_setters!();

    /// The same chart with these names under it instead of numbers; a point's place is the number of a name, from 0.
    #[must_use]
    pub fn categories<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.categories = names.into_iter().map(Into::into).collect();
        self
    }

    /// The same chart with one more line.
    #[must_use]
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// The chart as SVG.
    pub fn to_svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points).filter(|point| point.y.is_finite());
        let values = points().flat_map(|point| {
            let (low, high) = point.interval.unwrap_or((point.y, point.y));
            [low, point.y, high]
        });
        let (low, high) = extent(values);
        // An axis that nearly reaches zero begins there.
        let low = if low > 0.0 && low < high / 2.0 { 0.0 } else { low };
        let (first, last) = extent(points().map(|point| point.x));
        let room = (last - first) * 0.02;
        let across = if self.categories.is_empty() {
            Across::Numbers(first - room, last + room)
        } else {
            Across::Names(&self.categories)
        };
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        let mut canvas = self.frame.draw(&names, &across, (low, high));
        let drawn = |point: &&Point| point.y.is_finite() && canvas.x.holds(point.x);
        let (x, y) = (canvas.x, canvas.y);
        for (at, series) in self.series.iter().enumerate() {
            let class = class_of(at);
            let mut path = String::new();
            for run in series.points.split(|point| !drawn(&point)) {
                for (place, point) in run.iter().enumerate() {
                    path.push(if place == 0 { 'M' } else { 'L' });
                    path.push_str(&[number(x.place(point.x)), number(y.place(point.y))].join(" "));
                }
            }
            if !path.is_empty() {
                canvas.svg.raw(&format!(r#"<path class="line {class}" d="{path}"/>"#));
            }
            for point in series.points.iter().filter(drawn) {
                let place = x.place(point.x);
                if let Some((low, high)) = point.interval {
                    canvas.svg.interval(&format!("interval {class}"), place, y.place(low), y.place(high), CAP);
                }
                // A value beyond the axis has no mark; its line leads to the edge.
                if y.holds(point.y) {
                    let outline = mark(at, place, y.place(point.y), 1.0);
                    let words = self.words(&series.name, point);
                    canvas.svg.raw(&format!(
                        "<path class=\"mark {class}\" d=\"{outline}\"><title>{}</title></path>",
                        escaped(&words)
                    ));
                }
            }
        }
        canvas.svg.finish()
    }

    /// What is shown of a point where the pointer rests on it.
    fn words(&self, series: &str, point: &Point) -> String {
        let place = self.categories.get(point.x as usize).cloned().unwrap_or_else(|| readable(point.x));
        let name = if series.is_empty() { String::new() } else { format!("{series}, ") };
        let between = point.interval.map(|(low, high)| format!(" ({} to {})", readable(low), readable(high)));
        format!("{name}{place}: {}{}", readable(point.y), between.unwrap_or_default())
    }
}
