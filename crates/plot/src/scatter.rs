//! Points that are not joined, with their names beside them.

use crate::frame::{ChartFrame, HorizontalAxis, LegendKey, frame_setters, logarithmic_setters, mark};
use crate::line::CAP;
use crate::scale::{extent, positive_extent};
use crate::series::{PointSeries, SeriesPoint};
use crate::style::{SMALL, class_of};
use crate::svg::{TextAnchor, escaped, readable, width_of};

/// How much larger marks are than those on lines.
const LARGER: f64 = 1.3;
/// From the middle of a mark to its name.
const BESIDE: f64 = 9.0;
/// Half of what a mark takes up.
const AROUND: f64 = 7.0;

/// A chart of points, told apart by series, mark and name, with lines that they are to be held against.
///
/// ```
/// use pellucid_plot::{SeriesPoint, ScatterChart, PointSeries};
///
/// let tailor = PointSeries::new("tailor").with_named(SeriesPoint::new(0.2, 0.33), "l = 3");
/// let mondrian = PointSeries::new("mondrian, not transparent").with_named(SeriesPoint::new(0.1, 0.9), "l = 3").hollow();
/// let svg = ScatterChart::new("Risk and cost").series(tailor).series(mondrian).reference(0.33, "bound 1/3").to_svg();
/// assert!(svg.contains(">bound 1/3</text>") && svg.contains(">l = 3</text>"));
/// ```
#[derive(Debug, Clone)]
pub struct ScatterChart {
    frame: ChartFrame,
    series: Vec<PointSeries>,
    references: Vec<(f64, String)>,
}

/// From left, top to right, bottom.
type Area = (f64, f64, f64, f64);

fn overlap(one: &Area, other: &Area) -> bool {
    one.0 < other.2 && other.0 < one.2 && one.1 < other.3 && other.1 < one.3
}

impl ScatterChart {
    /// A chart without points.
    pub fn new(title: impl Into<String>) -> Self {
        Self { frame: ChartFrame::new(title.into()), series: Vec::new(), references: Vec::new() }
    }

    frame_setters!();
    logarithmic_setters!();

    /// The same chart with one more series of points.
    #[must_use]
    pub fn series(mut self, series: PointSeries) -> Self {
        self.series.push(series);
        self
    }

    /// The same chart with a line across it at `value`, with a name; the axis reaches to it.
    #[must_use]
    pub fn reference(mut self, value: f64, name: impl Into<String>) -> Self {
        self.references.push((value, name.into()));
        self
    }

    /// Whether the axes have places for a point.
    fn fits(&self, point: SeriesPoint) -> bool {
        point.y.is_finite()
            && point.x.is_finite()
            && (!self.frame.x_logarithmic || point.x > 0.0)
            && (!self.frame.y_logarithmic || point.y > 0.0)
    }

    /// The chart as SVG. A name for which there is no room is left out; it is shown where the pointer rests on the point.
    pub fn to_svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points).filter(|point| self.fits(**point));
        let values = points().flat_map(|point| point.values()).chain(self.references.iter().map(|line| line.0));
        let values = if self.frame.y_logarithmic {
            positive_extent(values)
        } else {
            let (low, high) = extent(values);
            (low.min(0.0), high)
        };
        let places = points().map(|point| point.x);
        let across = if self.frame.x_logarithmic {
            let (first, last) = positive_extent(places);
            HorizontalAxis::Decades(first, last)
        } else {
            let (first, last) = extent(places);
            let first = if first > 0.0 && first < last / 2.0 { 0.0 } else { first };
            let room = (last - first) * 0.04;
            HorizontalAxis::Numbers(if first.abs() > 0.0 { first - room } else { first }, last + room)
        };
        let keys: Vec<LegendKey<'_>> = self.series.iter().map(PointSeries::key).collect();
        let mut canvas = self.frame.draw(&keys, &across, values);
        let (x, y) = (canvas.x, canvas.y);
        let references = || self.references.iter().filter(|line| y.holds(line.0));
        for (value, _) in references() {
            let place = y.place(*value).round();
            canvas.svg.line("reference", (x.start, place), (x.end, place));
        }
        let mut taken: Vec<Area> = Vec::new();
        let mut marks = Vec::new();
        for (at, series) in self.series.iter().enumerate() {
            for (which, point) in series.points.iter().enumerate() {
                if self.fits(*point) && x.holds(point.x) && y.holds(point.y) {
                    let (across, up) = (x.place(point.x), y.place(point.y));
                    taken.push((across - AROUND, up - AROUND, across + AROUND, up + AROUND));
                    marks.push((at, which, across, up));
                }
            }
        }
        for &(at, which, across, up) in &marks {
            let series = &self.series[at];
            if let Some((low, high)) = series.points[which].interval {
                let class = format!("interval {}", class_of(at));
                canvas.svg.interval(&class, across, y.place(low), y.place(high), CAP);
            }
            let words = escaped(&series.label(which, &readable(series.points[which].x)));
            let (class, outline) = (keys[at].class(at), mark(at, across, up, LARGER));
            canvas.svg.raw(&format!("<path class=\"{class}\" d=\"{outline}\"><title>{words}</title></path>"));
        }
        for (value, name) in references() {
            let (place, wide) = (y.place(*value).round(), width_of(name, SMALL));
            // Above the line at its end, or further to the left where something is in the way.
            let free = (0..40).map(|step| x.end - f64::from(step) * BESIDE).find_map(|end| {
                let area = (end - wide, place - SMALL - 4.0, end, place);
                (area.0 >= x.start && !taken.iter().any(|other| overlap(&area, other))).then_some((end, area))
            });
            if let Some((end, area)) = free {
                canvas.svg.name((end, place - 4.0), TextAnchor::End, name);
                taken.push(area);
            }
        }
        let ground = (x.start, y.end - AROUND, x.end, y.start);
        for &(at, which, across, up) in &marks {
            let name = &self.series[at].names[which];
            if !name.is_empty()
                && let Some((area, place, anchor)) = room(name, (across, up), &ground, &taken)
            {
                canvas.svg.name(place, anchor, name);
                taken.push(area);
            }
        }
        canvas.svg.finish()
    }
}

/// Where the name of a mark can stand: to its right, to its left, above or below it, inside `ground` and off what is `taken`.
fn room(name: &str, (x, y): (f64, f64), ground: &Area, taken: &[Area]) -> Option<(Area, (f64, f64), TextAnchor)> {
    let (wide, half) = (width_of(name, SMALL), SMALL / 2.0);
    let places = [
        ((x + BESIDE, y - half, x + BESIDE + wide, y + half), (x + BESIDE, y + 4.0), TextAnchor::Start),
        ((x - BESIDE - wide, y - half, x - BESIDE, y + half), (x - BESIDE, y + 4.0), TextAnchor::End),
        ((x - wide / 2.0, y - BESIDE - SMALL, x + wide / 2.0, y - BESIDE), (x, y - BESIDE - 1.0), TextAnchor::Middle),
        (
            (x - wide / 2.0, y + BESIDE, x + wide / 2.0, y + BESIDE + SMALL),
            (x, y + BESIDE + SMALL - 2.0),
            TextAnchor::Middle,
        ),
    ];
    places.into_iter().find(|(area, ..)| {
        let inside = area.0 >= ground.0 && area.1 >= ground.1 && area.2 <= ground.2 && area.3 <= ground.3;
        inside && !taken.iter().any(|other| overlap(area, other))
    })
}
