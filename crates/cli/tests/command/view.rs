//! `pellucid view`: what views reveal together, refusals, and what restores privacy.

use std::fmt::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::common::{Desk, Numbers, Outcome};

const YOUNG: &str = "select condition from patients where age between 23 and 26";
const MIDDLE: &str = "select condition from patients where age between 26 and 28";

/// Conditions of the table; only what is shown may name them.
const CONDITIONS: [&str; 4] = ["heart disease", "SARS", "viral infection", "flu"];

fn names_a_condition(text: &str) -> bool {
    CONDITIONS.iter().any(|condition| text.contains(condition))
}

fn check(desk: &Desk, sql: &str) -> Outcome {
    desk.run(&["view", "check", "job.toml", sql, "--json"])
}

fn add(desk: &Desk, sql: &str) -> Outcome {
    desk.run(&["view", "add", "job.toml", sql, "--by", "ann", "--json"])
}

/// How what was found would be afterwards.
fn after(outcome: &Outcome) -> Value {
    outcome.json()["findings"][0]["after"].clone()
}

/// `restore` with so many views at most.
fn restore(desk: &Desk, job: &str, most: usize, more: &[&str]) -> Outcome {
    let most = most.to_string();
    desk.run(&[&["view", "restore", job, "--max-additional", &most, "--json"], more].concat())
}

#[test]
fn two_views_that_are_private_alone_break_the_bound_together() {
    let desk = Desk::of_views();
    for sql in [YOUNG, MIDDLE] {
        assert_eq!(after(&check(&desk, sql).ended(0))["highest"]["exactly"], "1/2");
    }
    assert_eq!(desk.names(), ["job.toml", "patients.csv"], "looking makes no ledger");
    let shown = add(&desk, YOUNG).ended(0).json();
    let values = &shown["decisions"][0]["values"][0];
    assert_eq!(values.as_array().unwrap().len(), 3);
    assert_eq!(values[0], serde_json::json!({ "value": "SARS", "count": 2 }));
    // Donald is in both: of 36 + 9 worlds he has SARS in 36.
    let found = check(&desk, MIDDLE).ended(4);
    let finding = found.json()["findings"][0].clone();
    assert_eq!(finding["after"]["highest"]["exactly"], "4/5");
    assert_eq!(finding["after"]["verdict"], "not-private");
    assert_eq!(finding["after"]["failing"]["low"], 1);
    assert_eq!(finding["before"]["failing"]["low"], 0);
    assert_eq!(finding["after"]["exact"], true);
    let text = desk.run(&["view", "check", "job.toml", MIDDLE]).ended(4).out;
    assert!(text.contains("4/5 (80.0 %)") && text.contains("not private (exact)"), "{text}");
    assert!(!names_a_condition(&text), "{text}");
}

#[test]
fn the_views_of_a_job_are_judged_together_and_added_in_order() {
    let desk = Desk::of_views();
    let found = desk.run(&["view", "check", "job.toml", "--json"]).ended(4);
    assert_eq!(after(&found)["highest"]["exactly"], "4/5");
    let added = desk.run(&["view", "add", "job.toml", "--json"]).ended(4).json();
    let outcomes: Vec<&Value> = added["decisions"].as_array().unwrap().iter().map(|one| &one["outcome"]).collect();
    assert_eq!(outcomes, ["released", "refused"]);
}

#[test]
fn a_refusal_is_recorded_without_values_and_a_forced_view_with_its_reason() {
    let desk = Desk::of_views();
    add(&desk, YOUNG).ended(0);
    let refused = add(&desk, MIDDLE).ended(4);
    assert!(!names_a_condition(&refused.out) && !names_a_condition(&refused.err), "{refused:?}");
    let list = desk.run(&["view", "list", "job.toml", "--json"]).ended(0).json();
    assert_eq!(list["table"]["version"], 1);
    assert_eq!(list["decisions"][1]["outcome"], "refused");
    assert_eq!(list["decisions"][1]["people"], 4);
    assert!(!names_a_condition(&list["decisions"][1].to_string()));
    let call = ["view", "add", "job.toml", MIDDLE, "--force"];
    assert!(desk.run(&call).ended(2).err.contains("--reason"));
    let forced = desk.run(&[&call[..], &["--reason", "the board agreed"]].concat()).ended(0);
    assert!(forced.out.contains("Shown by force: evidence 2, decision 3"), "{forced:?}");
    let text = desk.run(&["view", "list", "--ledger", "ledger.sqlite", "--table", "patients"]).ended(0).out;
    assert!(text.contains("forced as evidence 2") && text.contains("Reason: the board agreed"), "{text}");
    // From now on everything is refused, but what tells nothing new.
    add(&desk, "select condition from patients where age between 29 and 33").ended(4);
    let again = desk.run(&["view", "add", "job.toml", MIDDLE]).ended(0).out;
    assert!(again.contains("evidence 2): it tells nothing new"), "{again}");
}

#[test]
fn ranges_ask_for_the_same_as_sql_and_values_go_to_a_file() {
    let desk = Desk::of_views();
    let call = ["view", "add", "job.toml", "--show", "condition", "--where", "age=23..26", "--where", "sex=M"];
    let added = desk.run(&[&call[..], &["--out", "values.csv", "--json"]].concat()).ended(0);
    assert_eq!(desk.read("values.csv"), "value,count\nSARS,2\nheart disease,1\nviral infection,1\n");
    assert!(!names_a_condition(&added.out), "{added:?}");
    let statement = added.json()["decisions"][0]["finding"]["statement"].clone();
    assert_eq!(statement, "select condition from patients where age between 23 and 26 and sex = 'M'");
    let same = check(&desk, YOUNG).ended(0);
    assert_eq!(same.json()["findings"][0]["repeats"], 1);
}

#[test]
fn the_two_views_of_the_paper_restore_privacy_and_no_single_one_does() {
    let desk = Desk::of_views();
    add(&desk, YOUNG).ended(0);
    let one = restore(&desk, "job.toml", 1, &[MIDDLE]).ended(4).json();
    assert_eq!(one["columns"][0]["answer"], "none");
    let two = restore(&desk, "job.toml", 2, &[MIDDLE]).ended(0).json();
    let found = &two["columns"][0];
    assert_eq!(found["answer"], "restored");
    assert_eq!(found["views"].as_array().unwrap().len(), 2);
    assert_eq!(found["people_shown"], 4);
    assert_eq!(found["after"]["highest"]["exactly"], "1/2");
    assert_eq!(desk.run(&["view", "list", "job.toml", "--json"]).ended(0).json()["table"]["version"], 1);
    // Those of the paper: with both the bound holds, as 4 of 8 worlds remain either way.
    let forced = ["view", "add", "job.toml", MIDDLE, "--force", "--reason", "to be restored"];
    desk.run(&forced).ended(0);
    let job = desk.read("job.toml").replace("between 23 and 26", "between 25 and 26").replace("[26, 28]", "[26, 27]");
    desk.write("more.toml", job);
    let both = desk.run(&["view", "check", "more.toml", "--json"]).ended(0);
    assert_eq!(after(&both)["highest"]["exactly"], "1/2");
}

#[test]
fn a_view_and_what_restores_privacy_are_recorded_as_one() {
    let desk = Desk::of_views();
    add(&desk, YOUNG).ended(0);
    let added = restore(
        &desk,
        "job.toml",
        2,
        &[MIDDLE, "--add", "--by", "ann", "--record-undecided", "--reason", "the board agreed"],
    );
    let added = added.ended(0).json();
    let decision = &added["decisions"][0];
    assert_eq!((&decision["outcome"], &decision["evidence"]), (&"forced".into(), &2.into()));
    assert_eq!(decision["values"].as_array().unwrap().len(), 3);
    let list = desk.run(&["view", "list", "job.toml", "--json"]).ended(0).json();
    assert_eq!(list["table"]["version"], 2);
    assert_eq!(list["decisions"][1]["statement"].as_str().unwrap().matches("; ").count(), 2);
    for more in [&[][..], &["--add"]] {
        // The choice of views tells something that is not counted.
        let open = restore(&desk, "job.toml", 2, more).ended(4).json();
        assert_eq!(open["columns"][0]["answer"], "undecided");
    }
}

#[test]
fn what_is_certain_cannot_be_hidden_again() {
    let desk = Desk::of_views();
    let alone = "select condition from patients where age = 23";
    desk.run(&["view", "add", "job.toml", alone, "--force", "--reason", "a test"]).ended(0);
    let found = restore(&desk, "job.toml", 2, &[]).ended(4).json();
    assert_eq!((&found["columns"][0]["answer"], &found["columns"][0]["certain"]), (&"certain".into(), &1.into()));
}

/// A table that needs exactly `views` additional views, and its job.
///
/// View i shows people 3i+1 to 3i+3 and the last; they have s1, s2, s(i+2) and s1. Column `qi` has them in the order first, third,
/// second, last. The last has s1 in 6^K worlds and s2 in 3^K.
fn needs(desk: &Desk, views: usize) {
    let mut table = String::from("name");
    (1..=views).for_each(|view| write!(table, ",q{view}").unwrap());
    table += ",ill\n";
    for person in 1..=3 * views + 1 {
        let shared = person == 3 * views + 1;
        let (mine, place) = ((person - 1) / 3 + 1, (person - 1) % 3);
        write!(table, "p{person:02}").unwrap();
        for view in 1..=views {
            let rank = if shared {
                4
            } else if view == mine {
                [1, 3, 2][place]
            } else {
                9
            };
            write!(table, ",{rank}").unwrap();
        }
        let value = if shared { 1 } else { [1, 2, mine + 2][place] };
        writeln!(table, ",s{value}").unwrap();
    }
    let mut job = String::from("[input]\npath = \"people.csv\"\n[columns]\nname = { role = \"identifier\" }\n");
    (1..=views).for_each(|view| writeln!(job, "q{view} = {{ role = \"quasi\", type = \"integer\" }}").unwrap());
    job += "ill = { role = \"sensitive\" }\n[privacy]\nprinciple = \"highest-ratio\"\nratio = \"1/2\"\n";
    (1..=views).for_each(|view| {
        writeln!(job, "[[views.view]]\nshow = \"ill\"\nwhere = {{ q{view} = [1, 4] }}").unwrap();
    });
    desk.write("people.csv", table);
    desk.write("job.toml", job);
}

#[test]
fn a_table_may_need_any_number_of_additional_views() {
    for views in 2..=4 {
        let desk = Desk::new();
        needs(&desk, views);
        let highest = format!("{}/{}", 1 << views, (1 << views) + 1);
        assert_eq!(after(&desk.run(&["view", "check", "job.toml", "--json"]).ended(4))["highest"]["exactly"], highest);
        desk.run(&["view", "add", "job.toml", "--force", "--reason", "to be restored"]).ended(0);
        let fewer = restore(&desk, "job.toml", views - 1, &[]).ended(4).json();
        assert_eq!(fewer["columns"][0]["answer"], "none", "{views}");
        let found = restore(&desk, "job.toml", views, &[]).ended(0).json();
        assert_eq!(found["columns"][0]["views"].as_array().unwrap().len(), views);
        assert_eq!(found["columns"][0]["after"]["highest"]["exactly"], "1/2");
    }
}

#[test]
fn of_two_processes_that_add_at_once_one_is_refused() {
    for round in 0..4 {
        let desk = Desk::of_views();
        let start =
            |sql| desk.command(&["view", "add", "job.toml", sql, "--quiet"]).stdout(Stdio::null()).spawn().unwrap();
        let mut both = [start(YOUNG), start(MIDDLE)];
        let mut ends: Vec<Option<i32>> = both.iter_mut().map(|one| one.wait().unwrap().code()).collect();
        ends.sort_unstable();
        assert_eq!(ends, [Some(0), Some(4)], "round {round}");
        assert_eq!(desk.run(&["view", "list", "job.toml", "--json"]).ended(0).json()["table"]["version"], 1);
    }
}

#[test]
fn the_order_of_rows_changes_nothing() {
    let desk = Desk::of_views();
    add(&desk, YOUNG).ended(0);
    let before = after(&check(&desk, MIDDLE).ended(4));
    let table = desk.read("patients.csv");
    let mut lines: Vec<&str> = table.lines().skip(1).collect();
    Numbers::new(5).shuffle(&mut lines);
    desk.write("patients.csv", format!("name,sex,age,employer,condition\n{}\n", lines.join("\n")));
    assert_eq!(after(&check(&desk, MIDDLE).ended(4)), before);
    let worst = desk.run(&["view", "belief", "job.toml", "--json"]).ended(0).json();
    let rows = worst["columns"][0]["worst"].as_array().unwrap().iter().take(4).map(|one| one["row"].as_u64().unwrap());
    for row in rows {
        assert!((23..=26).any(|age| lines[row as usize - 1].contains(&format!(",{age},"))), "{worst}");
    }
}

#[test]
fn belief_is_told_without_names_and_values_and_written_with_values() {
    let desk = Desk::of_views();
    let nothing = desk.run(&["view", "belief", "job.toml"]).ended(0).out;
    assert!(nothing.contains("Nothing was shown of table patients"), "{nothing}");
    add(&desk, YOUNG).ended(0);
    let told = desk.run(&["view", "belief", "job.toml", "--plot", "b.svg", "--beliefs", "b.csv"]).ended(0).out;
    // 4! / 2! worlds of the four, and 4^7 of the others.
    assert!(told.contains(&format!("agree with all of it: {}.", 12 * 4u32.pow(7))), "{told}");
    assert!(told.contains("0.2 to below 0.3: 7") && told.contains("0.5 to below 0.6: 4"), "{told}");
    assert!(told.contains("row 1: 1/2 (50.0 %)"), "{told}");
    assert!(!names_a_condition(&told) && !told.contains("Alan"), "{told}");
    assert!(desk.read("b.svg").starts_with("<svg "));
    let beliefs = desk.read("b.csv");
    assert!(beliefs.starts_with("column,row,value,probability\ncondition,1,SARS,1/2\ncondition,1,heart disease,1/4\n"));
    assert_eq!(beliefs.lines().count(), 1 + 4 * 3 + 7 * 4);
}

#[test]
fn the_simulatable_gate_decides_without_values() {
    let desk = Desk::of_views();
    desk.write("job.toml", desk.read("job.toml").replace("gate = \"open\"", "gate = \"simulatable\""));
    let everybody = "select condition from patients";
    let run = |sql: &str, more: &[&str]| {
        desk.run(&[&["view", "add", "job.toml", sql, "--gamma", "4/5", "--json"], more].concat())
    };
    let refused = run(everybody, &[]).ended(4).json()["decisions"][0]["finding"].clone();
    assert_eq!((&refused["verdict"], &refused["after"]), (&"could-be-not-private".into(), &Value::Null));
    run(everybody, &["--force", "--reason", "the totals are public"]).ended(0);
    // Of five, and of the six others, at most four have the same.
    let safe = run("select condition from patients where age <= 27", &[]).ended(0).json();
    assert_eq!(safe["decisions"][0]["finding"]["simulated"]["safe"], true);
    let two = run("select condition from patients where age <= 24", &[]).ended(4).json();
    assert_eq!(two["decisions"][0]["finding"]["simulated"]["safe"], false);
    let text = desk.run(&["view", "restore", "job.toml", everybody, "--add"]).ended(2).err;
    assert!(text.contains("simulatable"), "{text}");
    desk.write("job.toml", desk.read("job.toml").replace("gate = \"simulatable\"", "gate = \"open\""));
    let other = desk.run(&["view", "check", "job.toml", everybody]).ended(2).err;
    assert!(other.contains("recorded with the gate `simulatable`"), "{other}");
}

#[test]
fn the_ledger_is_where_it_is_said_to_be() {
    let desk = Desk::of_views();
    let ledgers = || desk.names().into_iter().filter(|name| name.contains("sqlite")).collect::<Vec<_>>();
    desk.run(&["view", "add", "job.toml", YOUNG, "--ledger", "a.sqlite"]).ended(0);
    assert_eq!(ledgers(), ["a.sqlite"]);
    let status = desk.command(&["view", "add", "job.toml", YOUNG]).env("PELLUCID_LEDGER", "b.sqlite").output();
    assert_eq!(status.unwrap().status.code(), Some(0));
    assert_eq!(ledgers(), ["a.sqlite", "b.sqlite"]);
    desk.run(&["view", "add", "job.toml", YOUNG]).ended(0);
    assert_eq!(ledgers(), ["a.sqlite", "b.sqlite", "ledger.sqlite"]);
}

#[test]
fn what_takes_too_much_is_estimated_and_called_so() {
    let desk = Desk::of_views();
    let run = |more: &[&str]| desk.run(&[&["view", "check", "job.toml", "--budget", "1"], more].concat());
    let found = after(&run(&["--json"]).ended(4));
    assert_eq!((&found["verdict"], &found["exact"]), (&"not-private".into(), &false.into()));
    let (low, high) = (found["highest"]["low"].as_f64().unwrap(), found["highest"]["high"].as_f64().unwrap());
    assert!(low > 0.5 && low <= 0.8 && high >= 0.8, "{found}");
    assert!(found["drawn"][0]["draws"].as_u64().unwrap() <= 1 << 20);
    assert!(found["drawn"][0]["effective"].as_f64().unwrap() > 100.0, "{found}");
    let text = run(&[]).ended(4).out;
    assert!(text.contains("not private (estimate)") && text.contains("worlds drawn, worth"), "{text}");
    assert!(text.contains("hold together with probability 0.95"), "{text}");
    // At the bound itself no number of draws tells whether belief is above it, unless a tolerance is allowed.
    assert_eq!(after(&run(&["--gamma", "4/5", "--json"]).ended(4))["verdict"], "undecided");
    let tolerated = after(&run(&["--gamma", "4/5", "--epsilon", "0.1", "--json"]).ended(0));
    assert_eq!((&tolerated["verdict"], &tolerated["tolerated"]), (&"private".into(), &true.into()));
}

#[test]
fn conditions_on_two_columns_are_searched_when_asked_for() {
    let desk = Desk::new();
    let people = (0..9).map(|at| format!("{},{},{}\n", at / 3, at % 3, if at < 5 { "a" } else { "b" }));
    desk.write("grid.csv", format!("x,y,ill\n{}", people.collect::<String>()));
    let columns =
        "x = { role = \"quasi\", type = \"integer\" }\ny = { role = \"quasi\" }\nill = { role = \"sensitive\" }";
    let privacy = "principle = \"highest-ratio\"\nratio = \"1/2\"";
    desk.write("job.toml", format!("[input]\npath = \"grid.csv\"\n[columns]\n{columns}\n[privacy]\n{privacy}\n"));
    // Everybody: 5 of 9. Of 6 intervals on a column all but the whole one, and of 36 rectangles.
    for (attributes, refinements) in [("1", 10), ("2", 35)] {
        let found = restore(&desk, "job.toml", 1, &["select ill from grid", "--attributes", attributes]);
        assert_eq!(found.json()["columns"][0]["searched"]["refinements"], refinements, "{found:?}");
    }
}

/// What the documentation says of the open gate: the refusal of the first view tells what the second leaves at one half.
#[test]
fn a_refusal_of_the_open_gate_tells_what_is_not_shown() {
    let desk = Desk::of_views();
    let refused = add(&desk, "select condition from patients where age in (24, 26)").ended(4);
    assert!(!names_a_condition(&refused.out) && !names_a_condition(&refused.err));
    // Two of these four have the same condition. Whoever knows that it is the two of the refused view knows theirs.
    let shown = add(&desk, YOUNG).ended(0).json();
    assert_eq!(shown["decisions"][0]["values"][0][0]["count"], 2);
}
