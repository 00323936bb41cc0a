//! `docs/methods.md` is what `pellucid list --markdown` prints, and what it tells to write can be run.

use std::fmt::Write;

use pellucid_model::principle::PRINCIPLES;
use pellucid_publish::publisher::PUBLISHERS;

use crate::common::{Desk, root};

/// A job with the columns of the examples, of which a snippet says the rest.
const JOB: &str = r#"[input]
path = "people.csv"

[columns]
name = { role = "identifier" }
age = { role = "quasi", type = "integer", hierarchy = { widths = [10, 20] } }
zip = { role = "quasi", hierarchy = { mask = "suffix" } }
health = { role = "sensitive" }
"#;

/// Nine people, the values 0, 1 and 2 equally common.
fn desk() -> Desk {
    let mut table = String::from("name,age,zip,health\n");
    for person in 0..9 {
        let _ = writeln!(table, "p{person},{},{},{}", 20 + 5 * person, 100 + person / 3, person % 3);
    }
    let desk = Desk::new();
    desk.write("people.csv", table);
    desk
}

fn printed() -> String {
    Desk::new().run(&["list", "--markdown"]).ended(0).out
}

#[test]
fn the_stored_reference_is_the_current_one() {
    let stored = std::fs::read_to_string(root().join("docs/methods.md")).unwrap();
    assert!(printed() == stored, "docs/methods.md is not what `pellucid list --markdown` prints; run `make methods`");
}

#[test]
fn every_listed_method_is_in_the_reference() {
    let (desk, text) = (Desk::new(), printed());
    let listed = desk.run(&["list", "--all", "--json"]).ended(0).json();
    // The first two keys name the document and its version.
    for (section, entries) in listed.as_object().unwrap().iter().skip(2) {
        let heading = format!("## {}{}\n\n", section[..1].to_uppercase(), &section[1..]);
        let (_, after) = text.split_once(&heading).unwrap_or_else(|| panic!("no section {section}"));
        let of_section = after.split("\n## ").next().unwrap();
        assert!(of_section.split("\n\n").next().unwrap().len() > 80, "{section} is introduced");
        for entry in entries.as_array().unwrap() {
            let (id, reference) = (entry["id"].as_str().unwrap(), entry["reference"].as_str().unwrap());
            let (_, told) = of_section.split_once(&format!("\n### `{id}`\n")).unwrap_or_else(|| panic!("no {id}"));
            let told = told.split("\n### ").next().unwrap();
            assert!(told.contains(reference.trim_end_matches('.')), "{id}");
            assert!(told.contains(&format!("Status: {}.", entry["status"].as_str().unwrap())), "{id}");
            for parameter in entry["parameters"].as_array().unwrap() {
                assert!(
                    told.contains(&format!("\n| `{}` | ", parameter["name"].as_str().unwrap())),
                    "{id}: {parameter}"
                );
            }
        }
    }
}

#[test]
fn every_principle_and_publisher_has_lines_for_a_job_that_run() {
    let (desk, text) = (desk(), printed());
    let snippets: Vec<&str> = text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let known = PRINCIPLES.iter().map(|entry| format!("principle = \"{}\"\n", entry.id));
    for line in known.chain(PUBLISHERS.iter().map(|entry| format!("publisher = \"{}\"\n", entry.id))) {
        assert!(snippets.iter().any(|snippet| snippet.contains(&line)), "no lines for {line}");
    }
    for snippet in snippets {
        let rest = if snippet.starts_with("[privacy]") {
            "[method]\npublisher = \"mondrian\"\n"
        } else {
            "[privacy]\nprinciple = \"frequency-l-diversity\"\nl = 2\n"
        };
        desk.write("job.toml", format!("{JOB}\n{snippet}\n{rest}"));
        let outcome = desk.run(&["publish", "job.toml", "--dry-run"]);
        assert!([0, 3].contains(&outcome.status), "{snippet}\n{outcome:#?}");
    }
}
