//! One chart of a comparison with its data.

use maud::{Markup, html};
use pellucid_plot::{BarChart, LineChart, PointSeries, SeriesPoint};

use crate::page::{ColumnAlignment, figure, table};

/// From this ratio of the largest to the smallest value on, an axis is logarithmic.
const WIDE_RANGE: f64 = 50.0;

/// A method's values along an axis.
pub(super) struct MethodLine {
    pub name: String,
    pub hollow: bool,
    pub points: Vec<(f64, f64)>,
}

/// Lines over a common axis.
pub(super) struct LineFigure {
    pub caption: String,
    pub words: String,
    pub x_label: String,
    pub y_label: String,
    /// Names under the axis, where places are not numbers.
    pub names: Vec<String>,
    pub all: Vec<MethodLine>,
}

fn is_wide(values: impl Iterator<Item = f64>) -> bool {
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    low > 0.0 && low.is_finite() && high >= low * WIDE_RANGE
}

impl LineFigure {
    /// The figure; `shown` writes a value in its table, as a part of the unit of the axis.
    pub(super) fn figure(&self, scale: f64, shown: fn(f64) -> String) -> Markup {
        let places = || self.all.iter().flat_map(|line| line.points.iter().map(|point| point.0));
        let values = || self.all.iter().flat_map(|line| line.points.iter().map(|point| point.1));
        let draw = |width, height| {
            let mut chart = LineChart::new(self.caption.trim_end_matches('.'))
                .x_label(&self.x_label)
                .y_label(&self.y_label)
                .categories(self.names.clone())
                .size(width, height)
                .embedded();
            if self.names.is_empty() && is_wide(places()) {
                chart = chart.x_logarithmic();
            }
            if is_wide(values()) {
                chart = chart.y_logarithmic();
            }
            for line in &self.all {
                let points = line.points.iter().map(|&(x, y)| SeriesPoint::new(x, y * scale));
                let series = PointSeries::new(&line.name).with_all(points);
                chart = chart.series(if line.hollow { series.hollow() } else { series });
            }
            chart.to_svg()
        };
        let mut across: Vec<f64> = places().collect();
        across.sort_by(f64::total_cmp);
        across.dedup();
        let name = |place: f64| self.names.get(place as usize).cloned().unwrap_or_else(|| crate::words::decimal(place));
        let rows: Vec<Vec<Markup>> = across
            .iter()
            .map(|&place| {
                let cell = |line: &MethodLine| {
                    let found = line.points.iter().find(|point| point.0.total_cmp(&place).is_eq());
                    html! { @if let Some((_, value)) = found { (shown(*value)) } }
                };
                [html! { (name(place)) }].into_iter().chain(self.all.iter().map(cell)).collect()
            })
            .collect();
        let mut heads = vec![(self.x_label.as_str(), ColumnAlignment::Text)];
        heads.extend(self.all.iter().map(|line| (line.name.as_str(), ColumnAlignment::Number)));
        figure(&self.caption, &html! { (self.words) }, draw, &table(&self.caption, &heads, &rows))
    }
}

/// Bars by name, one series for each method.
pub(super) struct BarFigure {
    pub caption: String,
    pub words: String,
    pub x_label: String,
    pub y_label: String,
    pub names: Vec<String>,
    pub series: Vec<(String, Vec<f64>)>,
}

impl BarFigure {
    /// The figure; `shown` writes a value in its table.
    pub(super) fn figure(&self, scale: f64, shown: fn(f64) -> String) -> Markup {
        let draw = |width, height| {
            let mut chart = BarChart::new(self.caption.trim_end_matches('.'), self.names.clone())
                .x_label(&self.x_label)
                .y_label(&self.y_label)
                .size(width, height)
                .embedded();
            for (name, values) in &self.series {
                chart = chart.series(name, values.iter().map(|value| value * scale));
            }
            chart.to_svg()
        };
        let rows: Vec<Vec<Markup>> = self
            .names
            .iter()
            .enumerate()
            .map(|(at, name)| {
                let cell = |(_, values): &(String, Vec<f64>)| html! { @if let Some(value) = values.get(at) { (shown(*value)) } };
                [html! { (name) }].into_iter().chain(self.series.iter().map(cell)).collect()
            })
            .collect();
        let mut heads = vec![(self.x_label.as_str(), ColumnAlignment::Text)];
        heads.extend(self.series.iter().map(|(name, _)| (name.as_str(), ColumnAlignment::Number)));
        figure(&self.caption, &html! { (self.words) }, draw, &table(&self.caption, &heads, &rows))
    }
}
