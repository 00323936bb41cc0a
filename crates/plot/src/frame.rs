//! What all charts share: ground, title, legend, grid and axes.

use crate::scale::{AxisScale, AxisTicks, decades};
use crate::style::{LARGE, SMALL, class_of, sheet};
use crate::svg::{SvgText, TextAnchor, number, opened, width_of};

/// Room around the chart.
const ROOM: f64 = 16.0;
/// From a tick to its label.
const GAP: f64 = 8.0;
/// Height of a line of small letters.
const ROW: f64 = 20.0;
/// Names under an axis are turned by this much where they would run into one another.
const TURN: i32 = -35;
/// The longest name that is written out, in pixels.
const LONGEST: f64 = 150.0;
/// Least distance between turned names.
const LEAST: f64 = 16.0;

/// Title, labels and size.
#[derive(Debug, Clone)]
pub(crate) struct ChartFrame {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub width: u32,
    pub height: u32,
    pub y_range: Option<(f64, f64)>,
    pub x_logarithmic: bool,
    pub y_logarithmic: bool,
    /// Whether a page has the style sheet and the title already.
    pub embedded: bool,
}

impl ChartFrame {
    pub(crate) fn new(title: String) -> Self {
        Self {
            title,
            x_label: String::new(),
            y_label: String::new(),
            width: 720,
            height: 420,
            y_range: None,
            x_logarithmic: false,
            y_logarithmic: false,
            embedded: false,
        }
    }
}

/// The ways to set a chart's frame, which all charts have.
macro_rules! frame_setters {
    () => {
        /// The same chart with a label under the horizontal axis.
        #[must_use]
        pub fn x_label(mut self, label: impl Into<String>) -> Self {
            self.frame.x_label = label.into();
            self
        }

        /// The same chart with a label at the vertical axis.
        #[must_use]
        pub fn y_label(mut self, label: impl Into<String>) -> Self {
            self.frame.y_label = label.into();
            self
        }

        /// The same chart, so many pixels wide and high; 720 and 420 by default, and at least 240 and 160.
        #[must_use]
        pub fn size(mut self, width: u32, height: u32) -> Self {
            (self.frame.width, self.frame.height) = (width.max(240), height.max(160));
            self
        }

        /// The same chart with a vertical axis from `low` to `high`, instead of one that fits the values.
        #[must_use]
        pub fn y_range(mut self, low: f64, high: f64) -> Self {
            let drawn = low < high && $crate::scale::can_be_drawn(low) && $crate::scale::can_be_drawn(high);
            self.frame.y_range = drawn.then_some((low, high));
            self
        }

        /// The same chart as an element of a page that has the [style sheet](crate::style_sheet) once for all its charts.
        /// The title is not drawn, for the page has a caption; it still is the chart's name for those who cannot see it.
        #[must_use]
        pub fn embedded(mut self) -> Self {
            self.frame.embedded = true;
            self
        }
    };
}
pub(crate) use frame_setters;

/// The ways to set logarithmic axes, which charts of points have.
macro_rules! logarithmic_setters {
    () => {
        /// The same chart with a logarithmic horizontal axis; points that are not to the right of zero are not drawn.
        #[must_use]
        pub fn x_logarithmic(mut self) -> Self {
            self.frame.x_logarithmic = true;
            self
        }

        /// The same chart with a logarithmic vertical axis; points that are not above zero are not drawn.
        #[must_use]
        pub fn y_logarithmic(mut self) -> Self {
            self.frame.y_logarithmic = true;
            self
        }
    };
}
pub(crate) use logarithmic_setters;

/// What stands under the horizontal axis.
pub(crate) enum HorizontalAxis<'a> {
    /// Numbers from the first to the second.
    Numbers(f64, f64),
    /// Numbers from the first to the second, of which only whole ones have ticks.
    Whole(f64, f64),
    /// Positive numbers from the first to the second, on a logarithmic axis.
    Decades(f64, f64),
    /// Names, each in the middle of its slot.
    Names(&'a [String]),
}

/// A frame that is drawn, with the places for what it shows.
pub(crate) struct ChartCanvas {
    pub svg: SvgText,
    pub x: AxisScale,
    pub y: AxisScale,
}

/// A series in the legend.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LegendKey<'a> {
    pub name: &'a str,
    /// Whether its marks are hollow.
    pub hollow: bool,
}

impl<'a> LegendKey<'a> {
    /// A series with full marks.
    pub(crate) fn full(name: &'a str) -> Self {
        Self { name, hollow: false }
    }

    /// The class of marks of series `at`.
    pub(crate) fn class(self, at: usize) -> String {
        format!("mark {}{}", class_of(at), if self.hollow { " hollow" } else { "" })
    }
}

impl ChartFrame {
    /// Draws everything but the values, which lie between `low` and `high`.
    pub(crate) fn draw(
        &self,
        keys: &[LegendKey<'_>],
        across: &HorizontalAxis<'_>,
        (low, high): (f64, f64),
    ) -> ChartCanvas {
        let (width, height) = (f64::from(self.width), f64::from(self.height));
        let rows = ((height - 120.0) / 50.0).clamp(3.0, 8.0) as usize;
        let ((low, high), labels) = self.upright(low, high, rows);
        let widest = labels.iter().map(|(_, label)| width_of(label, SMALL)).fold(0.0, f64::max);
        let beside = ROOM + if self.y_label.is_empty() { 0.0 } else { ROW + GAP } + widest + GAP;
        let right = width - ROOM - GAP;
        let under = Under::new(across, right - beside);
        let left = beside.max(under.left);
        let style = (!self.embedded).then(|| sheet(keys.len().max(1)));
        let mut svg = opened(self.width, self.height, &self.title, style.as_deref());
        svg.raw(&format!(r#"<rect class="ground" width="{}" height="{}" rx="6"/>"#, self.width, self.height));
        let mut top = ROOM;
        if !self.title.is_empty() && !self.embedded {
            top += LARGE;
            svg.text("title", (ROOM, top), TextAnchor::Start, &self.title);
            top += GAP;
        }
        if keys.len() > 1 {
            top = legend(&mut svg, keys, top, width);
        }
        top += ROW / 2.0;
        let bottom = height - ROOM - if self.x_label.is_empty() { 0.0 } else { ROW } - under.height;
        let y = AxisScale { low, high, start: bottom, end: top, logarithmic: self.y_logarithmic };
        for (value, label) in &labels {
            let place = y.place(*value).round();
            svg.line("grid", (left, place), (right, place));
            svg.text("tick", (left - GAP, place + 4.0), TextAnchor::End, label);
        }
        let (low, high) = match across {
            HorizontalAxis::Numbers(low, high) | HorizontalAxis::Whole(low, high) => (*low, *high),
            HorizontalAxis::Decades(low, high) => under.ends().unwrap_or((*low, *high)),
            HorizontalAxis::Names(names) => (-0.5, names.len().max(1) as f64 - 0.5),
        };
        let logarithmic = matches!(across, HorizontalAxis::Decades(..));
        let x = AxisScale { low, high, start: left, end: right, logarithmic };
        under.draw(&mut svg, &x, bottom);
        let base = y.place(0.0).round();
        svg.line("axis", (left, base), (right, base));
        if !self.x_label.is_empty() {
            svg.text(
                "label",
                (f64::midpoint(left, right), height - ROOM),
                TextAnchor::Middle,
                &shortened(&self.x_label, right - ROOM),
            );
        }
        if !self.y_label.is_empty() {
            let place = (ROOM + GAP, f64::midpoint(top, bottom));
            svg.turned_text("label", place, -90, TextAnchor::Middle, &shortened(&self.y_label, bottom - top + ROW));
        }
        ChartCanvas { svg, x, y }
    }

    /// The ends of the vertical axis, and its ticks with their labels.
    fn upright(&self, low: f64, high: f64, rows: usize) -> ((f64, f64), Vec<(f64, String)>) {
        if self.y_logarithmic {
            let fixed = self.y_range.filter(|range| range.0 > 0.0);
            let (low, high) = fixed.unwrap_or((low, high));
            let mut labels = decades(low, high, rows);
            if fixed.is_some() {
                labels.retain(|(value, _)| (low..=high).contains(value));
                return ((low, high), labels);
            }
            return ((labels[0].0, labels[labels.len() - 1].0), labels);
        }
        let ticks = match self.y_range {
            Some((low, high)) => AxisTicks::within(low, high, rows),
            None => AxisTicks::around(low, high, rows),
        };
        let (first, last) = ticks.ends();
        (self.y_range.unwrap_or((first.min(low), last.max(high))), ticks.labelled())
    }
}

/// Names of series with their colours from `top` on, in as many lines as they need; gives where the last one ends.
fn legend(svg: &mut SvgText, keys: &[LegendKey<'_>], top: f64, width: f64) -> f64 {
    const SWATCH: f64 = 11.0;
    let (mut left, mut line) = (ROOM, top + ROW / 2.0);
    for (at, key) in keys.iter().enumerate() {
        let name = shortened(key.name, width - 3.0 * ROOM);
        let wide = SWATCH + GAP + width_of(&name, SMALL) + ROOM;
        if left > ROOM && left + wide > width {
            (left, line) = (ROOM, line + ROW);
        }
        let outline = mark(at, left + SWATCH / 2.0, line, 1.4);
        svg.raw(&format!("<path class=\"{}\" d=\"{outline}\"/>", key.class(at)));
        svg.text("legend", (left + SWATCH + GAP / 2.0, line + 4.0), TextAnchor::Start, &name);
        left += wide;
    }
    line + ROW / 2.0
}

/// The outline of the mark of series `at` around a place: disc, square, diamond or triangle.
pub(crate) fn mark(at: usize, x: f64, y: f64, size: f64) -> String {
    let place = |dx: f64, dy: f64| format!("{} {}", number(x + dx * size), number(y + dy * size));
    match at % 4 {
        0 => {
            let radius = number(4.0 * size);
            let (left, right) = (place(-4.0, 0.0), place(4.0, 0.0));
            format!("M{left}A{radius} {radius} 0 1 1 {right}A{radius} {radius} 0 1 1 {left}Z")
        }
        1 => format!("M{}L{}L{}L{}Z", place(-3.5, -3.5), place(3.5, -3.5), place(3.5, 3.5), place(-3.5, 3.5)),
        2 => format!("M{}L{}L{}L{}Z", place(0.0, -5.0), place(5.0, 0.0), place(0.0, 5.0), place(-5.0, 0.0)),
        _ => format!("M{}L{}L{}Z", place(0.0, -4.5), place(4.5, 3.5), place(-4.5, 3.5)),
    }
}

/// `name`, or its beginning and an ellipsis where it is wider than `room`.
fn shortened(name: &str, room: f64) -> String {
    if width_of(name, SMALL) <= room {
        return name.to_owned();
    }
    let mut short = String::new();
    for one in name.chars() {
        if width_of(&short, SMALL) + 2.0 * SMALL > room {
            break;
        }
        short.push(one);
    }
    format!("{}…", short.trim_end())
}

/// Labels under the horizontal axis.
struct Under {
    labels: Vec<(f64, String)>,
    turned: bool,
    height: f64,
    /// Where the axis may begin, so that the first label has room.
    left: f64,
    /// Whether each label has a line through the chart.
    lines: bool,
}

impl Under {
    fn new(across: &HorizontalAxis<'_>, wide: f64) -> Self {
        match across {
            HorizontalAxis::Numbers(low, high) | HorizontalAxis::Whole(low, high) => {
                let room = wide / 60.0;
                let wanted =
                    if matches!(across, HorizontalAxis::Whole(..)) { room.min((high - low).ceil()) } else { room };
                let labels = AxisTicks::within(*low, *high, wanted as usize).labelled();
                Self { labels, turned: false, height: ROW + GAP / 2.0, left: 0.0, lines: true }
            }
            HorizontalAxis::Decades(low, high) => {
                let labels = decades(*low, *high, (wide / 60.0) as usize);
                Self { labels, turned: false, height: ROW + GAP / 2.0, left: 0.0, lines: true }
            }
            HorizontalAxis::Names(names) => {
                let slot = wide / names.len().max(1) as f64;
                let short: Vec<String> = names.iter().map(|name| shortened(name, LONGEST)).collect();
                let widest = short.iter().map(|name| width_of(name, SMALL)).fold(0.0, f64::max);
                let turned = widest + GAP > slot;
                // Where there is no room for all names, some are left out.
                let each = if turned { (LEAST / slot).ceil().max(1.0) as usize } else { 1 };
                let labels = short.into_iter().enumerate().step_by(each).map(|(at, name)| (at as f64, name)).collect();
                // The sine and the cosine of the turn, and a little more.
                let (height, left) = if turned {
                    (widest * 0.6 + ROW, widest * 0.85 - slot / 2.0 + GAP)
                } else {
                    (ROW + GAP / 2.0, 0.0)
                };
                Self { labels, turned, height, left, lines: false }
            }
        }
    }

    /// The first and the last labelled number.
    fn ends(&self) -> Option<(f64, f64)> {
        Some((self.labels.first()?.0, self.labels.last()?.0))
    }

    fn draw(&self, svg: &mut SvgText, x: &AxisScale, bottom: f64) {
        for (value, label) in &self.labels {
            let place = x.place(*value);
            if self.lines {
                svg.line("axis", (place.round(), bottom), (place.round(), bottom + 4.0));
            }
            if self.turned {
                svg.turned_text("tick", (place + 4.0, bottom + SMALL + 2.0), TURN, TextAnchor::End, label);
            } else {
                svg.text("tick", (place, bottom + ROW - 2.0), TextAnchor::Middle, label);
            }
        }
    }
}
