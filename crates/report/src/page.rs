//! The shell of a page, and the tables, figures and boxes in it.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use pellucid_plot::style_sheet;

/// Sizes of a chart on a wide and on a narrow screen.
const WIDE: (u32, u32) = (640, 380);
const NARROW: (u32, u32) = (350, 330);

/// What keeps browsers from running or fetching anything, whatever a page holds.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// Paper on which a page is printed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PaperOrientation {
    Upright,
    Across,
}

/// A part of a page, with the name under which it is found.
pub(crate) struct PagePart {
    pub id: &'static str,
    pub title: &'static str,
    pub body: Markup,
}

/// A whole page: `head` stands before the list of its parts.
pub(crate) fn page(title: &str, paper: PaperOrientation, head: Markup, parts: &[PagePart], foot: Markup) -> String {
    let (body, paper) = match paper {
        PaperOrientation::Upright => ("upright", "@page{size:A4;margin:18mm 16mm}"),
        PaperOrientation::Across => ("across", "@page{size:A4 landscape;margin:14mm 12mm}"),
    };
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(include_str!("page.css"))) (PreEscaped(style_sheet())) (PreEscaped(paper)) }
            }
            body class=(body) {
                a.skip href="#content" { "Skip to the content" }
                header.top { (head) }
                nav aria-label="Parts of this page" {
                    ol { @for part in parts { li { a href={ "#" (part.id) } { (part.title) } } } }
                }
                main #content tabindex="-1" {
                    @for part in parts {
                        section id=(part.id) aria-labelledby={ (part.id) "-title" } {
                            h2 id={ (part.id) "-title" } { (part.title) }
                            (part.body)
                        }
                    }
                }
                footer { (foot) }
            }
        }
    };
    made_safe(&markup.into_string())
}

/// Without characters that control a terminal, or that turn the direction of text around.
fn made_safe(text: &str) -> String {
    let safe = |one: char| match one {
        '\n' | '\t' => one,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fdd0}'..='\u{fdef}' => '\u{fffd}',
        one if one.is_control() || u32::from(one) & 0xfffe == 0xfffe => '\u{fffd}',
        one => one,
    };
    text.chars().map(safe).collect()
}

/// A box that scrolls by itself where it is wider than the screen, by keyboard too.
pub(crate) fn scrolling(label: &str, content: &Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(label) { (content) } }
}

/// How a column of a table is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnAlignment {
    Text,
    Number,
}

/// A table: the first cell of every row names it.
pub(crate) fn table(caption: &str, columns: &[(&str, ColumnAlignment)], rows: &[Vec<Markup>]) -> Markup {
    let class = |at: usize| columns.get(at).and_then(|(_, set)| (*set == ColumnAlignment::Number).then_some("number"));
    scrolling(
        caption,
        &html! {
            table {
                caption { span { (caption) } }
                thead { tr { @for (at, (name, _)) in columns.iter().enumerate() { th scope="col" class=[class(at)] { (name) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (at, cell) in row.iter().enumerate() {
                                @if at == 0 { th scope="row" class=[class(at)] { (cell) } }
                                @else { td class=[class(at)] { (cell) } }
                            }
                        }
                    }
                }
            }
        },
    )
}

/// Columns of a table under a common name.
pub(crate) struct ColumnGroup {
    pub name: String,
    pub columns: Vec<String>,
}

/// A wide table of numbers whose columns are in groups; the first cell of every row names it and stays where it is.
pub(crate) fn wide_table(caption: &str, first: &str, groups: &[ColumnGroup], rows: &[Vec<Markup>]) -> Markup {
    let begins: Vec<usize> = groups
        .iter()
        .scan(1, |next, group| {
            let first = *next;
            *next += group.columns.len();
            Some(first)
        })
        .collect();
    scrolling(
        caption,
        &html! {
            table.wide-table {
                caption { span { (caption) } }
                colgroup { col; }
                @for group in groups { colgroup span=(group.columns.len()) {} }
                thead {
                    tr.groups {
                        th scope="col" rowspan="2" { (first) }
                        @for group in groups { th.first scope="colgroup" colspan=(group.columns.len()) { (group.name) } }
                    }
                    tr {
                        @for group in groups {
                            @for (at, name) in group.columns.iter().enumerate() {
                                th.number.first[at == 0] scope="col" { (name) }
                            }
                        }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            @for (at, cell) in row.iter().enumerate() {
                                @if at == 0 { th scope="row" { (cell) } }
                                @else { td.number.first[begins.contains(&at)] { (cell) } }
                            }
                        }
                    }
                }
            }
        },
    )
}

/// Names with what belongs to them.
pub(crate) fn facts(list: &[(&str, Markup)]) -> Markup {
    html! { dl.facts { @for (name, what) in list { div { dt { (name) } dd { (what) } } } } }
}

/// Text as it is, to be copied.
pub(crate) fn copied(label: &str, text: &str) -> Markup {
    html! {
        div.copied {
            p.label { (label) }
            pre tabindex="0" role="region" aria-label=(label) { code { (text.trim_end().replace('\r', "")) } }
        }
    }
}

/// A chart with its caption and, to be opened, its data. `draw` makes the chart so wide and high.
pub(crate) fn figure(caption: &str, words: &Markup, draw: impl Fn(u32, u32) -> String, data: &Markup) -> Markup {
    html! {
        figure {
            figcaption { strong { (caption) } " " (words) }
            div.wide { (PreEscaped(draw(WIDE.0, WIDE.1))) }
            div.narrow { (PreEscaped(draw(NARROW.0, NARROW.1))) }
            details { summary { "The data: " (caption) } (data) }
        }
    }
}
