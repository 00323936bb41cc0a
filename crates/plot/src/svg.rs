//! Elements of SVG, and text made safe for XML.

/// An SVG text in the making.
#[derive(Debug, Default)]
pub(crate) struct SvgText(String);

/// Where a text stands relative to its place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TextAnchor {
    Start,
    Middle,
    End,
}

impl SvgText {
    /// Adds markup as it is.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
        self.0.push('\n');
    }

    /// A straight line.
    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        self.raw(&format!(r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#));
    }

    /// A line of text.
    pub(crate) fn text(&mut self, class: &str, at: (f64, f64), anchor: TextAnchor, text: &str) {
        self.turned_text(class, at, 0, anchor, text);
    }

    /// A name beside a mark, with a rim in the colour of the ground so that lines do not run through its letters.
    pub(crate) fn name(&mut self, at: (f64, f64), anchor: TextAnchor, text: &str) {
        self.text(r#"name" paint-order="stroke"#, at, anchor, text);
    }

    /// A line of text, turned by `degrees` around its place.
    pub(crate) fn turned_text(&mut self, class: &str, at: (f64, f64), degrees: i32, anchor: TextAnchor, text: &str) {
        let (x, y) = (number(at.0), number(at.1));
        let anchor = match anchor {
            TextAnchor::Start => "start",
            TextAnchor::Middle => "middle",
            TextAnchor::End => "end",
        };
        let turn = if degrees == 0 { String::new() } else { format!(r#" transform="rotate({degrees} {x} {y})""#) };
        let text = escaped(text);
        self.raw(&format!(r#"<text class="{class}" x="{x}" y="{y}" text-anchor="{anchor}"{turn}>{text}</text>"#));
    }

    /// An interval: a line with caps from `low` to `high`, upright at `x`.
    pub(crate) fn interval(&mut self, class: &str, x: f64, low: f64, high: f64, cap: f64) {
        let (left, right, x) = (number(x - cap), number(x + cap), number(x));
        let (low, high) = (number(low), number(high));
        self.raw(&format!(
            r#"<path class="{class}" d="M{x} {low}V{high}M{left} {low}H{right}M{left} {high}H{right}"/>"#
        ));
    }

    /// The whole text.
    pub(crate) fn finish(mut self) -> String {
        self.raw("</svg>");
        self.0
    }
}

/// A coordinate with at most two decimals.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A value for people to read: at most six significant decimals.
pub(crate) fn readable(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `text` for XML, between tags or in a quoted attribute; characters that XML does not have are replaced.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

/// About how wide `text` is in letters of `size`.
pub(crate) fn width_of(text: &str, size: f64) -> f64 {
    let letters: f64 = text
        .chars()
        .map(|one| match one {
            'i' | 'j' | 'l' | 'I' | '.' | ',' | '\'' | '|' | ':' | ';' | '!' | '(' | ')' | ' ' | 't' | 'f' | 'r'
            | '-' => 0.38,
            'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.95,
            'A'..='Z' => 0.7,
            other if other.is_ascii() => 0.63,
            _ => 0.8,
        })
        .sum();
    letters * size
}

/// The opening tag, with `label` for those who cannot see the chart, and the style sheet unless a page has it.
pub(crate) fn opened(width: u32, height: u32, label: &str, style: Option<&str>) -> SvgText {
    let mut svg = SvgText::default();
    let label = escaped(label);
    // A page knows what an SVG element is; a file must say so.
    let space = if style.is_some() { r#"xmlns="http://www.w3.org/2000/svg" "# } else { "" };
    svg.raw(&format!(
        r#"<svg {space}class="pellucid" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">"#
    ));
    if let Some(style) = style {
        svg.raw(&format!("<style>\n{style}</style>"));
    }
    svg
}
