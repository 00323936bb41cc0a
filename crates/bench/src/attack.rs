//! Attacks on releases of Adult at full size: `pellucid-bench attack [PUBLISHER...]`, all publishers when none is named.
//!
//! For every form of l-diversity, alone and with 10-anonymity, and l = 3 and 5: how long it takes to make the release and to
//! attack it, for how many people some value is believed with more than 1/l and of how many everything is known, ignoring the
//! mechanism and knowing it, and for how many people that was counted.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use pellucid_app::{AttackAnswer, AttackRequest};
use pellucid_inference::budget::{Budget, SamplingPlan};
use pellucid_inference::verdict::CountRange;
use pellucid_io::attack::AttackFiles;
use pellucid_model::error::{Error, Result};
use pellucid_publish::job::Job;
use serde_json::json;

use crate::MEMORY;
use crate::part::{Part, chosen, data};
use crate::search::Board;
use crate::usage::{UserClock, note};

/// Seconds that an attack may take.
const BAR: f64 = 60.0;

/// All publishers that are attacked.
const PARTS: &[Part<Board>] = &[
    Part { id: "mondrian", words: "Mondrian's release of Adult, 30,162 rows", run: |board| attack(board, "mondrian") },
    Part { id: "search", words: "the searched release of Adult, 30,162 rows", run: |board| attack(board, "search") },
];

/// The quasi columns; occupation is sensitive.
const QUASI: [&str; 5] = ["sex", "age", "race", "marital-status", "education"];

/// Columns that are left out.
const DROPPED: [&str; 3] = ["native-country", "workclass", "salary-class"];

/// Forms of l-diversity, with what they need besides l.
const FORMS: [(&str, &str); 4] = [
    ("distinct-l-diversity", ""),
    ("entropy-l-diversity", ""),
    ("recursive-cl-diversity", "c = 4\n"),
    ("frequency-l-diversity", ""),
];

/// Attacks the publishers named in `wanted`; whether every bar was met.
pub fn run(wanted: &[String]) -> Result<bool> {
    let mut board = Board::default();
    for part in chosen(PARTS, wanted)? {
        Board::note(&format!("\n{}", part.words));
        (part.run)(&mut board)?;
    }
    Ok(board.close())
}

fn attack(board: &mut Board, publisher: &str) -> Result<()> {
    let Some(file) = data("adult/adult.csv") else {
        Board::note("skipped: no table adult/adult.csv; set PELLUCID_DATA to the folder that holds it");
        return Ok(());
    };
    let titles = ["above 1/l", "knowing", "all known", "knowing", "counted", "bounded", "estimated", "refused"];
    let titles: Vec<String> = titles.iter().map(|title| format!("{title:>14}")).collect();
    Board::note(&format!("{:<40}{}  seconds, bar {BAR}", "principle", titles.concat()));
    let sampling = Some(SamplingPlan { seed: Some(1), ..SamplingPlan::default() });
    let budget = Budget { sampling, ..Budget::attack() };
    for (form, more) in FORMS {
        for (l, anonymous) in [(3, false), (5, false), (3, true), (5, true)] {
            let job = Job::read(&text(&file, publisher, (form, more), l, anonymous), &[])?;
            MEMORY.start();
            let (clock, user) = (Instant::now(), UserClock::start());
            let request = AttackRequest { budget, ..AttackRequest::default() };
            let files = AttackFiles::default();
            let told = pellucid_io::attack::attack(&job, Path::new(""), &files, &request, &|_| Ok(()))?;
            let (seconds, user) = (clock.elapsed().as_secs_f64(), user.seconds());
            let AttackAnswer::Release(found) = told else {
                return Err(Error::invalid(format!("`{publisher}` releases nothing for {form}, l = {l}")));
            };
            let account = &found.account;
            let columns = [
                span(account.blind.above.unwrap_or_default()),
                span(account.knowing.above.unwrap_or_default()),
                span(account.blind.certain),
                span(account.knowing.certain),
                account.counted.to_string(),
                account.bounded.to_string(),
                account.estimated.to_string(),
                account.refused.to_string(),
            ];
            let columns: Vec<String> = columns.iter().map(|column| format!("{column:>14}")).collect();
            let name = format!("{form} {l}{}", if anonymous { ", k-anonymity 10" } else { "" });
            let ok = board.within(seconds, BAR);
            Board::note(&format!("{name:<40}{}  {seconds:.1} {ok}", columns.concat()));
            note(&format!("{publisher}, {name}"), user, MEMORY.peak() as u64)?;
        }
    }
    Ok(())
}

/// `12`, or `10..14` when it is not known exactly.
fn span(people: CountRange) -> String {
    if people.is_exact() { people.low.to_string() } else { format!("{}..{}", people.low, people.high) }
}

/// A job on Adult.
fn text(table: &Path, publisher: &str, form: (&str, &str), l: u64, anonymous: bool) -> String {
    let quoted = |path: &Path| json!(path.to_string_lossy()).to_string();
    let mut text = format!("[input]\npath = {}\n[columns]\noccupation = {{ role = \"sensitive\" }}\n", quoted(table));
    for name in QUASI {
        let kind = if name == "age" { "integer" } else { "category" };
        let hierarchy = quoted(&table.with_file_name(format!("adult_hierarchy_{name}.csv")));
        let _ = writeln!(text, "{name} = {{ role = \"quasi\", type = \"{kind}\", hierarchy = {hierarchy} }}");
    }
    for name in DROPPED {
        let _ = writeln!(text, "{name} = {{ role = \"drop\" }}");
    }
    let _ = write!(text, "[[privacy]]\nprinciple = \"{}\"\nl = {l}\n{}", form.0, form.1);
    if anonymous {
        text.push_str("[[privacy]]\nprinciple = \"k-anonymity\"\nk = 10\n");
    }
    let _ = write!(text, "[method]\npublisher = \"{publisher}\"\n");
    if publisher == "search" {
        text.push_str("measure = \"loss\"\nfunction = \"hierarchy\"\n");
    }
    text.push_str("[output]\ndir = \"release\"\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_that_is_attacked_is_one() {
        for publisher in ["mondrian", "search"] {
            for form in FORMS {
                for anonymous in [false, true] {
                    let job = text(Path::new("folder/adult.csv"), publisher, form, 3, anonymous);
                    Job::read(&job, &[]).unwrap().check().unwrap();
                }
            }
        }
    }
}
