//! What charts are made of: well-formed XML, round ticks, intervals inside the axes.

use crate::scale::{AxisScale, AxisTicks, decades, grouped};
use crate::svg::{escaped, number};
use crate::{BarChart, BarValue, LineChart, PointSeries, ScatterChart, SeriesPoint, style_sheet};

/// Fails unless `text` is one element with balanced tags, quoted attributes and no stray `<` or `&`.
fn check_xml(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text.trim();
    let mut roots = 0;
    while let Some(at) = rest.find('<') {
        check_text(&rest[..at]);
        assert!(!open.is_empty() || rest[..at].trim().is_empty(), "text outside the root");
        let mut quoted = false;
        let end = rest[at..].find(|one| {
            quoted ^= one == '"';
            one == '>' && !quoted
        });
        let tag = &rest[at + 1..at + end.expect("a tag is closed")];
        rest = &rest[at + tag.len() + 2..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let (name, attributes) = tag.trim_end_matches('/').split_once(' ').unwrap_or((tag.trim_end_matches('/'), ""));
        check_attributes(attributes);
        roots += usize::from(open.is_empty());
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(rest.is_empty() && open.is_empty() && roots == 1, "{open:?} {rest}");
}

fn check_text(text: &str) {
    for part in text.split('&').skip(1) {
        let entity = part.split(';').next().unwrap_or_default();
        assert!(["amp", "lt", "gt", "quot", "#39"].contains(&entity), "{part}");
    }
    assert!(text.chars().all(|one| one >= ' ' || one == '\n'), "{text:?}");
}

fn check_attributes(attributes: &str) {
    let parts: Vec<&str> = attributes.split('"').collect();
    assert!(parts.len() % 2 == 1 && parts[parts.len() - 1].trim().is_empty(), "{attributes}");
    let mut names: Vec<&str> =
        parts.iter().step_by(2).map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
    assert!(names.iter().all(|name| name.ends_with('=')), "{attributes}");
    parts.iter().skip(1).step_by(2).for_each(|value| {
        check_text(value);
        assert!(!value.contains('<') && !value.contains("NaN") && !value.contains("inf"), "{attributes}");
    });
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "{attributes}");
}

fn labels(ticks: &AxisTicks) -> Vec<String> {
    ticks.labelled().into_iter().map(|(_, label)| label).collect()
}

fn chart() -> LineChart {
    let points = (0..6)
        .map(|at| SeriesPoint::new(f64::from(at), f64::from(at * at)).with_interval(f64::from(at * at - 2), 30.0));
    LineChart::new("Squares <&> \"more\"")
        .x_label("x & y")
        .y_label("it's")
        .series(PointSeries::new("a<b").with_all(points))
        .series(PointSeries::new("gap").with_all([0.0, f64::NAN, 4.0, 5.0].map(|y| SeriesPoint::new(y, y))))
}

fn scatter() -> ScatterChart {
    let points = [(0.1, 0.2), (0.3, 0.2), (0.3, f64::NAN), (f64::INFINITY, 1.0)];
    let named = points.into_iter().fold(PointSeries::new("a<b"), |series, (x, y)| {
        series.with_named(SeriesPoint::new(x, y).with_interval(0.1, 0.4), "<l> = 3")
    });
    ScatterChart::new("Risk & cost")
        .series(named)
        .series(PointSeries::new("other").with(SeriesPoint::new(0.2, 0.1)).hollow())
}

#[test]
fn ticks_are_round() {
    assert_eq!(labels(&AxisTicks::around(0.0, 1.0, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    assert_eq!(labels(&AxisTicks::around(-3.0, 17.0, 4)), ["-5", "0", "5", "10", "15", "20"]);
    assert_eq!(labels(&AxisTicks::around(0.0, 600_000.0, 3)), ["0", "200,000", "400,000", "600,000"]);
    assert_eq!(labels(&AxisTicks::within(0.13, 0.31, 4)), ["0.15", "0.20", "0.25", "0.30"]);
    assert_eq!(AxisTicks::around(0.0, 1e12, 4).labelled()[1].1, "5e11");
    assert_eq!(AxisTicks::around(0.0, 1e-9, 4).labelled()[1].1, "5e-10");
    assert!(AxisTicks::around(0.3, 0.7, 5).ends().0 <= 0.3 && AxisTicks::around(0.3, 0.7, 5).ends().1 >= 0.7);
    for wanted in 1..12 {
        let count = AxisTicks::around(17.0, 923.0, wanted).labelled().len();
        assert!(count <= 2 * wanted + 2, "{wanted} {count}");
    }
}

#[test]
fn numbers_are_short() {
    assert_eq!([number(1.0), number(-0.001), number(2.345), number(10.5)], ["1", "0", "2.35", "10.5"]);
    assert_eq!([grouped("-1234567.25"), grouped("999"), grouped("1000")], ["-1,234,567.25", "999", "1,000"]);
}

#[test]
fn text_is_made_safe() {
    assert_eq!(escaped("<a href='&\"\u{1}\n"), "&lt;a href=&#39;&amp;&quot;\u{fffd} ");
    let svg = chart().to_svg();
    assert!(svg.contains(">Squares &lt;&amp;&gt; &quot;more&quot;</text>") && svg.contains("a&lt;b"), "{svg}");
}

#[test]
fn charts_are_well_formed_and_always_the_same() {
    let names = ["short", "a rather long name of a category that needs room", "<three>"];
    let bars = BarChart::new("Bars", names)
        .series("one", [1.0, -2.0, f64::NAN])
        .series("two", [BarValue::with_interval(3.0, 4.0, 2.5), BarValue::from(0.0)]);
    let many = BarChart::new("Many", (0..400).map(|at| format!("category {at}"))).series("", (0..400).map(f64::from));
    let empty = LineChart::new("");
    let nobody = BarChart::histogram("Nobody", [f64::NAN]).series("none", [1.0]);
    let names =
        LineChart::new("Names").categories(["p", "q"]).series(PointSeries::new("s").with(SeriesPoint::new(1.0, 3.0)));
    for svg in [
        chart().to_svg(),
        bars.to_svg(),
        many.to_svg(),
        empty.to_svg(),
        nobody.to_svg(),
        names.to_svg(),
        chart().size(10, 10).to_svg(),
        BarChart::new("Far", ["p", "q"]).series("s", [f64::MAX, -1e299]).to_svg(),
        chart().y_range(2.0, 3.0).to_svg(),
        chart().x_logarithmic().y_logarithmic().to_svg(),
        chart().y_logarithmic().y_range(2.0, 3.0).to_svg(),
        scatter().to_svg(),
        scatter().size(10, 10).to_svg(),
        ScatterChart::new("Nobody").x_logarithmic().y_logarithmic().reference(-1.0, "below").to_svg(),
    ] {
        check_xml(&svg);
        assert!(svg.contains("prefers-color-scheme:dark"));
    }
    assert_eq!(chart().to_svg(), chart().to_svg());
    assert!(chart().to_svg().contains(r#"width="720" height="420" viewBox="0 0 720 420""#));
}

#[test]
fn intervals_end_at_the_axes() {
    let scale = AxisScale { low: 0.0, high: 10.0, start: 300.0, end: 100.0, logarithmic: false };
    assert_eq!([-5.0, 5.0, 99.0].map(|value| number(scale.place(value))), ["300", "200", "100"]);
    let beyond = |interval: (f64, f64)| {
        let point = SeriesPoint::new(1.0, 5.0).with_interval(interval.0, interval.1);
        LineChart::new("t").y_range(0.0, 10.0).series(PointSeries::new("s").with(point)).to_svg()
    };
    let path = |svg: &str| svg.lines().find(|line| line.contains("\"interval c0\"")).map(str::to_owned);
    assert!(path(&beyond((0.0, 10.0))).is_some());
    assert_eq!(path(&beyond((-7.0, 70.0))), path(&beyond((0.0, 10.0))));
    assert_eq!(path(&beyond((f64::NEG_INFINITY, f64::INFINITY))), path(&beyond((10.0, 0.0))));
}

#[test]
fn values_beyond_the_axis_have_no_mark() {
    let series = || PointSeries::new("s").with_all([1.0, 5.0, 20.0].map(|y| SeriesPoint::new(y, y)));
    let marks = |svg: String| svg.matches("<path class=\"mark c0\"").count();
    assert_eq!(marks(LineChart::new("t").series(series()).to_svg()), 3);
    assert_eq!(marks(LineChart::new("t").y_range(0.0, 10.0).series(series()).to_svg()), 2);
}

#[test]
fn lines_have_gaps_where_values_are_missing() {
    let svg = chart().to_svg();
    let line = svg.lines().find(|line| line.contains("\"line c1\"")).unwrap();
    assert_eq!((line.matches('M').count(), line.matches('L').count()), (2, 1), "{line}");
}

#[test]
fn one_series_needs_no_legend() {
    let one = LineChart::new("t").series(PointSeries::new("alone").with(SeriesPoint::new(0.0, 1.0)));
    assert!(!one.to_svg().contains("class=\"legend\""));
    let two = one.series(PointSeries::new("other").with(SeriesPoint::new(0.0, 2.0)));
    assert_eq!(two.to_svg().matches("class=\"legend\"").count(), 2);
}

#[test]
fn bars_stand_on_zero() {
    let svg = BarChart::new("t", ["p", "q"]).series("s", [4.0, -4.0]).to_svg();
    let value = |line: &str, key: &str| -> f64 {
        let rest = line.split_once(&format!(" {key}=\"")).unwrap().1;
        rest.split('"').next().unwrap().parse().unwrap()
    };
    let bars: Vec<&str> = svg.lines().filter(|line| line.contains("<rect class=\"mark")).collect();
    assert!((value(bars[0], "y") + value(bars[0], "height") - value(bars[1], "y")).abs() < 0.02, "{svg}");
}

#[test]
fn bars_of_a_histogram_lie_side_by_side() {
    let svg = BarChart::histogram("t", [0.0, 10.0, 30.0]).series("s", [3.0, 1.0, 9.0]).to_svg();
    assert_eq!(svg.matches("<rect class=\"mark c0\"").count(), 2);
    assert!(svg.contains("<title>s, 10 to 30: 1</title>"), "{svg}");
}

#[test]
fn ticks_of_a_logarithmic_axis_are_powers_of_ten() {
    let labels =
        |low, high, wanted| -> Vec<String> { decades(low, high, wanted).into_iter().map(|(_, label)| label).collect() };
    assert_eq!(labels(0.03, 4_000.0, 7), ["0.01", "0.1", "1", "10", "100", "1,000", "10,000"]);
    assert_eq!(labels(2.0, 10.0, 5), ["2", "5", "10"]);
    assert_eq!(labels(3.0, 3.5, 5), ["2", "5"]);
    assert_eq!(labels(1e-9, 1e9, 6), ["1e-9", "1e-6", "0.001", "1", "1,000", "1,000,000", "1e9"]);
}

#[test]
fn equal_ratios_are_equally_long_on_a_logarithmic_axis() {
    let scale = AxisScale { low: 1.0, high: 1000.0, start: 0.0, end: 300.0, logarithmic: true };
    assert_eq!(
        [0.0, 1.0, 10.0, 100.0, 5000.0].map(|value| number(scale.place(value))),
        ["0", "0", "100", "200", "300"]
    );
    let zero = PointSeries::new("s").with_all([0.0, 1.0, 10.0].map(|y| SeriesPoint::new(y, y)));
    let svg = LineChart::new("t").x_logarithmic().y_logarithmic().series(zero).to_svg();
    assert_eq!(svg.matches("<path class=\"mark c0\"").count(), 2);
}

#[test]
fn names_of_points_do_not_run_into_one_another() {
    let crowd = (0..9).fold(PointSeries::new("s"), |series, at| {
        series.with_named(SeriesPoint::new(1.0 + f64::from(at) / 1e6, 1.0), format!("name {at}"))
    });
    let far = PointSeries::new("t").with_named(SeriesPoint::new(5.0, 3.0), "alone");
    let svg = ScatterChart::new("t").series(crowd).series(far).to_svg();
    assert_eq!(svg.matches("<path class=\"mark c0\"").count(), 10, "nine points and the legend");
    assert!(svg.contains(">alone</text>") && svg.matches(">name ").count() < 9, "{svg}");
    assert!(svg.contains("<title>s, name 8, 1.000008: 1</title>"), "{svg}");
}

#[test]
fn the_axis_reaches_to_a_line_of_reference() {
    let svg = scatter().reference(3.0, "bound <1/l>").to_svg();
    assert!(svg.contains("<line class=\"reference\"") && svg.contains(">bound &lt;1/l&gt;</text>"), "{svg}");
}

#[test]
fn hollow_series_are_told_apart_without_colours() {
    let series = || PointSeries::new("s").with_all([1.0, 2.0].map(|y| SeriesPoint::new(y, y)));
    let svg = LineChart::new("t").series(series()).series(series().hollow()).to_svg();
    assert!(
        svg.contains("\"line c0\"") && svg.contains("\"line c1 hollow\"") && svg.contains("\"mark c1 hollow\""),
        "{svg}"
    );
}

#[test]
fn embedded_charts_leave_style_and_title_to_the_page() {
    let svg = scatter().embedded().to_svg();
    check_xml(&svg);
    assert!(!svg.contains("<style") && !svg.contains("http") && !svg.contains(" id="), "{svg}");
    assert!(svg.contains("aria-label=\"Risk &amp; cost\"") && !svg.contains(">Risk &amp; cost<"), "{svg}");
    let sheet = style_sheet();
    assert!(sheet.lines().all(|line| line.is_empty() || line.starts_with(".pellucid") || line.starts_with(['@', '}'])));
}

#[test]
fn whole_places_have_whole_ticks() {
    let svg = |last: f64| {
        let points = [SeriesPoint::new(1.0, 1.0), SeriesPoint::new(last, 2.0)];
        LineChart::new("t").series(PointSeries::new("s").with_all(points)).y_range(10.0, 20.0).to_svg()
    };
    assert!(svg(4.0).contains(">3</text>") && !svg(4.0).contains(">2.5</text>"));
    assert!(svg(4.5).contains(">2.5</text>"));
}

#[test]
fn labels_of_axes_stay_inside_the_chart() {
    let label = "a label that is a good deal longer than the axis at which it stands is high";
    let svg = LineChart::new("t").y_label(label).size(300, 200).to_svg();
    assert!(!svg.contains(label) && svg.contains("…</text>"), "{svg}");
}
