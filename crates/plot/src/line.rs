//! Points with intervals, joined by lines.

use crate::frame::{ChartFrame, HorizontalAxis, LegendKey, frame_setters, logarithmic_setters, mark};
use crate::scale::{extent, positive_extent};
use crate::series::{PointSeries, SeriesPoint};
use crate::style::class_of;
use crate::svg::{escaped, number, readable};

/// Half the width of the cap of an interval.
pub(crate) const CAP: f64 = 4.0;

/// A chart of lines; see the [crate] for an example.
#[derive(Debug, Clone)]
pub struct LineChart {
    frame: ChartFrame,
    categories: Vec<String>,
    series: Vec<PointSeries>,
}

impl LineChart {
    /// A chart without lines.
    pub fn new(title: impl Into<String>) -> Self {
        Self { frame: ChartFrame::new(title.into()), categories: Vec::new(), series: Vec::new() }
    }

    frame_setters!();
    logarithmic_setters!();

    /// The same chart with these names under it instead of numbers; a point's place is the number of a name, from 0.
    #[must_use]
    pub fn categories<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.categories = names.into_iter().map(Into::into).collect();
        self
    }

    /// The same chart with one more line.
    #[must_use]
    pub fn series(mut self, series: PointSeries) -> Self {
        self.series.push(series);
        self
    }

    /// Whether the axes have places for a point.
    fn fits(&self, point: SeriesPoint) -> bool {
        let right = !self.frame.x_logarithmic || !self.categories.is_empty() || point.x > 0.0;
        point.y.is_finite() && right && (!self.frame.y_logarithmic || point.y > 0.0)
    }

    /// The chart as SVG.
    pub fn to_svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points).filter(|point| self.fits(**point));
        let values = points().flat_map(|point| point.values());
        let values = if self.frame.y_logarithmic {
            positive_extent(values)
        } else {
            let (low, high) = extent(values);
            // An axis that nearly reaches zero begins there.
            (if low > 0.0 && low < high / 2.0 { 0.0 } else { low }, high)
        };
        let places = points().map(|point| point.x);
        let across = if !self.categories.is_empty() {
            HorizontalAxis::Names(&self.categories)
        } else if self.frame.x_logarithmic {
            let (first, last) = positive_extent(places);
            HorizontalAxis::Decades(first, last)
        } else {
            let (first, last) = extent(places);
            let room = (last - first) * 0.02;
            if points().all(|point| point.x.fract().abs() < f64::EPSILON) {
                HorizontalAxis::Whole(first - room, last + room)
            } else {
                HorizontalAxis::Numbers(first - room, last + room)
            }
        };
        let keys: Vec<LegendKey<'_>> = self.series.iter().map(PointSeries::key).collect();
        let mut canvas = self.frame.draw(&keys, &across, values);
        let (x, y) = (canvas.x, canvas.y);
        let drawn = |point: &SeriesPoint| self.fits(*point) && x.holds(point.x);
        for (at, series) in self.series.iter().enumerate() {
            let class = class_of(at);
            let mut path = String::new();
            for run in series.points.split(|point| !drawn(point)) {
                for (place, point) in run.iter().enumerate() {
                    path.push(if place == 0 { 'M' } else { 'L' });
                    path.push_str(&[number(x.place(point.x)), number(y.place(point.y))].join(" "));
                }
            }
            if !path.is_empty() {
                let dashed = if series.hollow { " hollow" } else { "" };
                canvas.svg.raw(&format!(r#"<path class="line {class}{dashed}" d="{path}"/>"#));
            }
            for (which, point) in series.points.iter().enumerate().filter(|(_, point)| drawn(point)) {
                let place = x.place(point.x);
                if let Some((low, high)) = point.interval {
                    canvas.svg.interval(&format!("interval {class}"), place, y.place(low), y.place(high), CAP);
                }
                // A value beyond the axis has no mark; its line leads to the edge.
                if y.holds(point.y) {
                    let outline = mark(at, place, y.place(point.y), 1.0);
                    let under = self.categories.get(point.x as usize).cloned().unwrap_or_else(|| readable(point.x));
                    canvas.svg.raw(&format!(
                        "<path class=\"{}\" d=\"{outline}\"><title>{}</title></path>",
                        keys[at].class(at),
                        escaped(&series.label(which, &under))
                    ));
                }
            }
        }
        canvas.svg.finish()
    }
}
