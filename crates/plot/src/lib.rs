//! Small charts as self-contained SVG.
//!
//! [`LineChart`] joins points with intervals, [`ScatterChart`] shows points with their names, [`BarChart`] shows bars by category
//! or a histogram. A chart is one SVG text without scripts, fonts or links; it follows the reader's choice of light or dark. The
//! same chart is always the same bytes. On a page with several charts they are embedded: [`style_sheet`] stands there once.
//!
//! - `scale.rs`: round ticks, and numbers to places;
//! - `svg.rs`: elements, and text made safe for XML;
//! - `style.rs`: colours and fonts;
//! - `frame.rs`: what all charts share: title, legend, grid, axes;
//! - `series.rs`: points with intervals and names, in series;
//! - `line.rs`, `scatter.rs`, `bar.rs`: the charts.
//!
//! # Example
//! ```
//! use pellucid_plot::{LineChart, SeriesPoint, PointSeries};
//!
//! let belief = PointSeries::new("belief")
//!     .with(SeriesPoint::new(1.0, 0.2))
//!     .with(SeriesPoint::new(2.0, 0.5).with_interval(0.4, 0.6));
//! let svg = LineChart::new("Belief by number of views").x_label("views").y_label("belief").series(belief).to_svg();
//! assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
//! ```

mod bar;
mod frame;
mod line;
mod scale;
mod scatter;
mod series;
mod style;
mod svg;
#[cfg(test)]
mod tests;

pub use bar::{BarChart, BarValue};
pub use line::LineChart;
pub use scatter::ScatterChart;
pub use series::{PointSeries, SeriesPoint};
pub use style::style_sheet;
