//! Findings and judgements in words.

use std::fmt::Write;

use pellucid_app::gate::{ATTACKER, Finding, KNOWN};
use pellucid_inference::attack::Span;
use pellucid_inference::views::{Judgement, Most, Simulated, Verdict};
use pellucid_model::exact::decimal;
use pellucid_model::exact::format_fraction;
use pellucid_model::words::{counted, wrapped};

/// Characters of a fraction that is worth printing.
const LONG: usize = 24;

/// What was found about something that is to be shown.
pub fn finding_text(finding: &Finding) -> String {
    let mut text = format!("{}\n", finding.statement);
    let groups = match finding.groups {
        1 => String::new(),
        many => format!(" in {many} groups"),
    };
    let _ = writeln!(
        text,
        "  Shows {} of {}{groups}; {} shown before.",
        finding.column,
        counted(finding.people, "person", "people"),
        match finding.earlier {
            0 => "nothing of it was".to_owned(),
            1 => "1 group was".to_owned(),
            many => format!("{many} groups were"),
        }
    );
    let _ = writeln!(text, "  Demanded: {}.", finding.demanded.join("; "));
    if let Some(number) = finding.repeats {
        let _ = writeln!(text, "  The same people were shown before (evidence {number}): it tells nothing new.");
    }
    match &finding.simulated {
        None => {}
        Some(Simulated::Safe { possible }) => {
            let many = counted(possible, "multiset", "multisets");
            let _ = writeln!(
                text,
                "  Gate simulatable: safe whatever it shows ({many} possible), decided without its values."
            );
        }
        Some(Simulated::Unsafe) => {
            text += "  Gate simulatable: it could show what breaks the demand; decided without its values, so that the refusal\n  \
                     tells nothing.\n";
        }
        Some(Simulated::Unknown) if finding.groups > 1 => {
            text += "  Gate simulatable: several groups at once pass it only by force, for what one shows decides on the next.\n";
        }
        Some(Simulated::Unknown) => {
            text += "  Gate simulatable: not decided, for there are too many possibilities or too little time; decided without its\n  \
                     values.\n";
        }
    }
    for remark in &finding.remarks {
        let _ = writeln!(text, "  Note: {remark}.");
    }
    if let Some(after) = &finding.after {
        text += &judgement_text(after, finding.before.as_ref(), &finding.gaps);
        if let Some(confidence) = finding.confidence.filter(|_| !after.exact) {
            let _ = writeln!(text, "  All bounds of the estimate hold together with probability {confidence}.");
        }
    } else {
        let _ = writeln!(text, "  Verdict: {}.", finding.verdict());
        if matches!(finding.simulated, None | Some(Simulated::Safe { .. })) {
            text += "  Judging takes more time or memory than it may; allow more with --seconds.\n";
        }
        text += &gaps_text(&finding.gaps);
    }
    text
}

/// Why counting does not decide, a line each.
fn gaps_text(gaps: &[String]) -> String {
    gaps.iter().fold(String::new(), |text, gap| text + "    " + gap + ".\n")
}

/// A judgement in words, how many people were concerned before, and why it does not decide, if it does not.
pub fn judgement_text(judgement: &Judgement, before: Option<&Judgement>, gaps: &[String]) -> String {
    let mut text = String::new();
    let exact = match (judgement.exact, judgement.tolerated) {
        (true, _) => "exact",
        (false, true) => "estimate, with the tolerance epsilon",
        (false, false) => "estimate",
    };
    if gaps.is_empty() || judgement.verdict == Verdict::NotPrivate {
        let _ = writeln!(text, "  Verdict: {} ({exact}).", judgement.verdict);
        let holds = if judgement.verdict.is_private() { "It holds against" } else { "It is about" };
        let attacker = wrapped(&format!("{holds} {ATTACKER}."));
        let _ = writeln!(text, "{}\n  Known beforehand: {KNOWN}.", attacker.trim_end());
    } else {
        text += "  Verdict: undecided, because not all that was told is counted:\n";
        text += &gaps_text(gaps);
        let _ = writeln!(text, "  From the groups alone ({exact}):");
    }
    if judgement.impossible {
        text += "  What was shown contradicts itself: no table agrees with all of it.\n";
    }
    let _ = writeln!(text, "  Maximum inference risk: {}.", most(&judgement.highest));
    let earlier = |span: fn(&Judgement) -> Span| {
        before.map_or_else(String::new, |before| format!(" (before: {})", people(span(before))))
    };
    let _ = writeln!(
        text,
        "  People above the limit: {}{}; fully disclosed: {}{}.",
        people(judgement.failing),
        earlier(|judgement| judgement.failing),
        people(judgement.certain),
        earlier(|judgement| judgement.certain)
    );
    for drawn in &judgement.drawn {
        let _ = writeln!(
            text,
            "  Estimated from {} worlds drawn, worth {:.0} of equal weight, by {} of {} views.",
            drawn.draws, drawn.effective, drawn.remembered, drawn.views
        );
    }
    text
}

/// `4/5 (80.0 %)`, or where it lies.
pub fn most(most: &Most) -> String {
    match &most.exactly {
        Some(exactly) => {
            let (fraction, percent) = (format_fraction(exactly), decimal(exactly) * 100.0);
            if fraction.len() <= LONG { format!("{fraction} ({percent:.1} %)") } else { format!("{percent:.1} %") }
        }
        None => format!("between {:.4} and {:.4}", most.within.low, most.within.high),
    }
}

fn people(span: Span) -> String {
    if span.low == span.high { span.low.to_string() } else { format!("{} to {}", span.low, span.high) }
}
