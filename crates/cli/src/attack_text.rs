//! What `pellucid attack` prints for people.

use std::fmt::Write;

use pellucid_inference::estimate::HighestProbability;
use pellucid_inference::verdict::{CountRange, TENTHS, Verdict};
use pellucid_model::exact::format_fraction;
use pellucid_model::words::counted;
use pellucid_publish::job::{AttackFindings, TrialFindings};

/// Rows whose risk is listed.
const MOST_ROWS: usize = 30;

/// What was found, in words and a table. The attack took `seconds`, the `first` of them for reading the table and making the release.
pub fn text(found: &AttackFindings, seconds: f64, first: f64) -> String {
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
    } else if found.proven {
        let _ = writeln!(
            text,
            "  Nothing is counted: the proof is for everyone in the table, and for that attacker alone."
        );
    } else {
        tell_counted(&mut text, found);
    }
    let bound = account.bound.as_deref().unwrap_or("the bound");
    let _ = writeln!(text, "{:<44} {:>16} {:>16}", "", "ignoring it", "knowing it");
    let mut line = |what: &str, pick: fn(&Verdict) -> CountRange| {
        let (blind, knowing) = (pick(&account.blind).to_string(), pick(&account.knowing).to_string());
        let _ = writeln!(text, "{what:<44} {blind:>16} {knowing:>16}");
    };
    if account.bound.is_some() {
        line(&format!("people with a belief above {bound}"), |verdict| verdict.above.unwrap_or_default());
    }
    line("people for whom the principles do not hold", |verdict| verdict.failing);
    line("people of whom everything is known", |verdict| verdict.certain);
    let (blind, knowing) = (highest(&account.blind), highest(&account.knowing));
    let _ = writeln!(text, "{:<44} {blind:>16} {knowing:>16}", "highest belief");
    for bar in 0..TENTHS {
        let of = format!("  highest belief from {:.1} to {:.1}", bar as f64 / 10.0, (bar + 1) as f64 / 10.0);
        let (blind, knowing) = (account.blind.people_by_tenth[bar], account.knowing.people_by_tenth[bar]);
        if (blind, knowing) == (0, 0) {
            continue;
        }
        let _ = writeln!(text, "{of:<44} {blind:>16} {knowing:>16}");
    }
    let untold = account.people - account.knowing.people_by_tenth.iter().sum::<u64>();
    if untold > 0 {
        let _ = writeln!(text, "{:<44} {:>16} {untold:>16}", "  highest belief not known", 0);
    }
    if let Some(gain) = account.largest_gain {
        let exact = account.counted + account.untold() == account.people;
        let at_least = if exact { "" } else { "at least " };
        let _ = writeln!(
            text,
            "Largest gain of belief in a value of somebody, not always the likeliest: {at_least}{gain:.4}."
        );
    }
    if let Some(confidence) = account.confidence {
        let _ = write!(text, "Estimates count in the bars by their means, which are too high rather than too low.");
        if account.estimated > account.led {
            let _ = write!(
                text,
                " The intervals of those from drawn worlds all hold together with probability {confidence}."
            );
        }
        if account.bound.is_some() && Some(account.knowing.failing) != account.knowing.above {
            let _ = write!(text, " Whether the principles hold on estimates is not judged.");
        }
        text.push('\n');
    }
    if let Some(tried) = &found.tried {
        tell_people(&mut text, tried);
        let _ = writeln!(text, "{seconds:.1} s, {first:.1} of them for making the release, with reading the table.");
        return text;
    }
    if !account.worst.is_empty() {
        let _ = writeln!(text, "Worst rows of the table by what is believed at least (ignoring -> knowing):");
    }
    for worst in &account.worst {
        let most = if worst.exact { String::new() } else { format!(" to {:.4}", worst.knowing_at_most) };
        let _ = writeln!(text, "  row {}: {:.4} -> {:.4}{most}", worst.row, worst.blind, worst.knowing_at_least);
    }
    let _ = writeln!(text, "{seconds:.1} s, {first:.1} of them for making the release, with reading the table.");
    text
}

/// For how many people it was found out what they are told, and how.
fn tell_counted(text: &mut String, found: &AttackFindings) {
    let account = &found.account;
    let _ = writeln!(
        text,
        "  {} rejected. Of the people in the release",
        counted(found.rejected, "partition was", "partitions were")
    );
    let ways = [
        (account.untold(), "are told nothing more"),
        (account.counted, "are counted exactly"),
        (account.bounded, "are counted within bounds that hold for sure"),
        (account.estimated - account.led, "are estimated from drawn worlds"),
        (account.led, "are estimated from populations of worlds, as too few drawn ones are possible"),
        (account.refused, "are not counted: anything may be believed of them"),
    ];
    for (people, how) in ways.iter().filter(|way| way.0 > 0) {
        let _ = writeln!(text, "  {people:>8} {how}");
    }
    if account.led > 0 {
        let above = if account.led_above > 0 {
            format!(" {} of those who are above the bound with all their interval are among them.", account.led_above)
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "  Intervals of populations show how much populations differ; that they hold with the confidence asked for is not proved.{above}"
        );
    }
    if account.refused > 0 {
        let _ = writeln!(text, "  More may be counted or estimated with more --budget or --seconds.");
    }
}

/// What was tried, and what is left.
fn tell_tried(text: &mut String, tried: &TrialFindings) {
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
fn tell_people(text: &mut String, tried: &TrialFindings) {
    let minimal = tried.people.iter().any(|person| person.credibility.is_some());
    let heading = if minimal { " (knowing only that it is minimal)" } else { "" };
    let _ = writeln!(text, "Highest belief by row, ignoring -> knowing{heading}:");
    for person in tried.people.iter().take(MOST_ROWS) {
        let credibility = person.credibility.as_ref().map_or_else(String::new, |share| format!(" ({share})"));
        let _ = writeln!(text, "  row {}: {} -> {}{credibility}", person.row, risk(&person.blind), risk(&person.risk));
    }
    if let Some(more) = tried.people.len().checked_sub(MOST_ROWS + 1) {
        let _ = writeln!(text, "  and {} more; all are in --json and --beliefs.", more + 1);
    }
}

/// The highest belief, from and to where it is not exact.
fn highest(verdict: &Verdict) -> String {
    let within = verdict.highest.within;
    if within.low < within.high {
        format!("{:.4} to {:.4}", within.low, within.high)
    } else {
        format!("{:.4}", within.high)
    }
}

/// `2/3`, or where it lies.
fn risk(risk: &HighestProbability) -> String {
    let within = risk.within;
    risk.exactly.as_ref().map_or_else(|| format!("{:.4} to {:.4}", within.low, within.high), format_fraction)
}
