//! What `pellucid attack` prints for people.

use std::fmt::Write;

use pellucid_core::attack::{BARS, Beliefs, Span};
use pellucid_core::job::{Findings, Tried};
use pellucid_core::words::counted;

/// Rows whose risk is listed.
const MOST_ROWS: usize = 30;

/// What was found, in words and a table.
pub fn text(found: &Findings, seconds: f64) -> String {
    let account = &found.account;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "Attack on `{}`, about `{}`: {}.",
        found.publisher,
        account.column,
        counted(account.people, "person", "people")
    );
    let _ = writeln!(text, "Whoever knows the mechanism learns: {}.", found.evidence);
    if let Some(tried) = &found.tried {
        tell_tried(&mut text, tried);
    } else if !found.proven {
        let _ = writeln!(
            text,
            "  {} rejected; that tells nothing of {}; for the others it was counted exactly for {}, within bounds for {}, in part \
             for {}, estimated for {}, not counted for {}.",
            counted(found.rejected, "partition was", "partitions were"),
            counted(account.untold(), "person", "people"),
            account.counted,
            account.bounded,
            account.partly,
            account.estimated,
            account.refused
        );
        if let Some(partial) = &account.partial {
            let _ = writeln!(
                text,
                "  For {} only some of the evidence could be counted, so that anything may be believed of them. Somebody who looks at \
                 that much believes more than the bound of {}, and knows everything of {}.",
                counted(account.partly, "person", "people"),
                span(partial.above),
                span(partial.certain),
            );
        }
    }
    if account.led > 0 {
        let _ = writeln!(
            text,
            "  For {} of those estimated the evidence is too rare to be drawn: populations of worlds were led to it. Their intervals show how \
             much populations differ, and have no proof.",
            account.led
        );
    }
    let bound = account.bound.as_deref().unwrap_or("the bound");
    let _ = writeln!(text, "{:<44} {:>16} {:>16}", "", "ignoring it", "knowing it");
    let mut line = |what: &str, pick: fn(&Beliefs) -> Span| {
        let _ = writeln!(text, "{what:<44} {:>16} {:>16}", span(pick(&account.blind)), span(pick(&account.knowing)));
    };
    if account.bound.is_some() {
        line(&format!("people with a belief above {bound}"), |beliefs| beliefs.above);
        if account.estimated > 0 {
            line("  estimates by their means", |beliefs| Span::exactly(beliefs.above.about));
        }
    }
    line("people for whom the principles do not hold", |beliefs| beliefs.failing);
    line("people of whom everything is known", |beliefs| beliefs.certain);
    let _ =
        writeln!(text, "{:<44} {:>16.4} {:>16.4}", "highest belief", account.blind.highest, account.knowing.highest);
    for bar in 0..BARS {
        let of = format!("  highest belief from {:.1} to {:.1}", bar as f64 / 10.0, (bar + 1) as f64 / 10.0);
        let (blind, knowing) = (account.blind.histogram[bar], account.knowing.histogram[bar]);
        if (blind, knowing) == (0, 0) {
            continue;
        }
        let _ = writeln!(text, "{of:<44} {blind:>16} {knowing:>16}");
    }
    let _ = writeln!(
        text,
        "Largest gain of belief in a value of somebody, of what was counted: {:.4}.",
        account.largest_gain
    );
    if let Some(confidence) = account.confidence {
        let _ = writeln!(
            text,
            "Estimates count in the bars by their means; their intervals, of which the highest belief is an upper end, all hold \
             together with probability {confidence}. Principles are judged on estimates only where they are nothing but a bound on \
             belief."
        );
    }
    if let Some(tried) = &found.tried {
        tell_people(&mut text, tried);
        let _ = writeln!(text, "{seconds:.1} s with reading the table.");
        return text;
    }
    let _ = writeln!(text, "Worst rows of the table (ignoring -> knowing):");
    for worst in &account.worst {
        let most = if worst.exact { String::new() } else { format!(" to {:.4}", worst.knowing_at_most) };
        let _ = writeln!(text, "  row {}: {:.4} -> {:.4}{most}", worst.row, worst.blind, worst.knowing);
    }
    let _ = writeln!(text, "{seconds:.1} s with reading the table.");
    text
}

/// What was tried, and what is left.
fn tell_tried(text: &mut String, tried: &Tried) {
    if tried.silence {
        let _ = writeln!(text, "  What was seen is that nothing was released.");
    }
    let (originals, left) = (tried.originals, tried.left);
    let _ = if tried.sampled {
        writeln!(text, "  {originals} of the originals that fit were drawn at random; {left} of them give it.")
    } else {
        let all = counted(originals, "original is", "originals are");
        writeln!(text, "  {all} possible beforehand, every one was tried; {left} left.")
    };
}

/// The risk of everybody, exactly.
fn tell_people(text: &mut String, tried: &Tried) {
    let minimal = tried.people.iter().any(|person| person.credibility.is_some());
    let heading = if minimal { " (knowing only that it is minimal)" } else { "" };
    let _ = writeln!(text, "Highest belief by row, ignoring -> knowing{heading}:");
    for person in tried.people.iter().take(MOST_ROWS) {
        let credibility = person.credibility.as_ref().map_or_else(String::new, |share| format!(" ({share})"));
        let _ = writeln!(text, "  row {}: {} -> {}{credibility}", person.row, person.blind, person.risk);
    }
    if let Some(more) = tried.people.len().checked_sub(MOST_ROWS + 1) {
        let _ = writeln!(text, "  and {} more; all are in --json and --beliefs.", more + 1);
    }
}

fn span(span: Span) -> String {
    if span.is_exact() { span.low.to_string() } else { format!("{} to {}", span.low, span.high) }
}
