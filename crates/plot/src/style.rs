//! Colours and fonts, for light and dark.

use std::fmt::Write;

/// Colours of series on light and on dark ground; told apart by people who see fewer colours, too.
const COLOURS: [(&str, &str); 8] = [
    ("#1864ab", "#5aa9f8"),
    ("#d9480f", "#ff9457"),
    ("#2b8a3e", "#63c97a"),
    ("#862e9c", "#cf86e0"),
    ("#a87900", "#e0bb3c"),
    ("#c2255c", "#f27aa6"),
    ("#0b7285", "#4cc4d6"),
    ("#495057", "#adb5bd"),
];

/// Letters of axes and legend.
pub(crate) const SMALL: f64 = 12.0;
/// Letters of the title.
pub(crate) const LARGE: f64 = 16.0;

/// The class of the colour of series `at`.
pub(crate) fn class_of(at: usize) -> String {
    format!("c{}", at % COLOURS.len())
}

/// The style sheet for pages with charts that are [embedded](crate::LineChart::embedded). Every rule begins with the charts'
/// own class, so that it changes nothing else on a page.
pub fn style_sheet() -> String {
    sheet(COLOURS.len())
}

/// The style sheet for so many series; every rule begins with the chart's own class, so that it changes nothing else on a page.
pub(crate) fn sheet(series: usize) -> String {
    let mut text = format!(
        ".pellucid text{{font:{SMALL}px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}}\n\
         .pellucid .title{{font-size:{LARGE}px;font-weight:600}}\n\
         .pellucid .tick{{font-variant-numeric:tabular-nums}}\n\
         .pellucid .line{{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}}\n\
         .pellucid .line.hollow{{stroke-dasharray:6 4}}\n\
         .pellucid .reference{{fill:none;stroke-width:1.5;stroke-dasharray:2 4;stroke-linecap:round}}\n\
         .pellucid .interval{{fill:none;stroke-width:1.5}}\n\
         .pellucid .grid,.pellucid .axis{{fill:none;stroke-width:1;shape-rendering:crispEdges}}\n"
    );
    text.push_str(&colours(series, false));
    // Writing to a string cannot fail.
    let _ = write!(text, "@media screen and (prefers-color-scheme:dark){{\n{}}}\n", colours(series, true));
    text
}

fn colours(series: usize, dark: bool) -> String {
    let (ground, ink, faint, grid, axis) = if dark {
        ("#16181d", "#e9ecef", "#adb5bd", "#2f343c", "#868e96")
    } else {
        ("#ffffff", "#212529", "#495057", "#e3e7eb", "#868e96")
    };
    let mut text = format!(
        ".pellucid .ground{{fill:{ground}}}\n\
         .pellucid text{{fill:{ink}}}\n\
         .pellucid .tick{{fill:{faint}}}\n\
         .pellucid .name{{stroke:{ground};stroke-width:4px;stroke-linejoin:round}}\n\
         .pellucid .grid{{stroke:{grid}}}\n\
         .pellucid .axis{{stroke:{axis}}}\n\
         .pellucid .mark{{stroke:{ground};stroke-width:1}}\n\
         .pellucid rect.mark{{stroke:none}}\n\
         .pellucid .over{{stroke:{ink}}}\n\
         .pellucid .reference{{stroke:{faint}}}\n"
    );
    for (at, (light_colour, dark_colour)) in COLOURS.iter().enumerate().take(series) {
        let colour = if dark { dark_colour } else { light_colour };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            ".pellucid .line.c{at},.pellucid .interval.c{at}{{stroke:{colour}}}\n.pellucid .mark.c{at}{{fill:{colour}}}\n\
             .pellucid .mark.hollow.c{at}{{fill:{ground};stroke:{colour};stroke-width:2}}\n"
        );
    }
    text
}
