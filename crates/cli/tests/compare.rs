//! `pellucid compare`: publishers side by side, in text and JSON, with refusals and answers of nothing; bad usage.

mod common;

use common::{Desk, SECRET, root};
use serde_json::Value;

const JOB: &str = r#"[input]
path = "people.csv"

[columns]
name = { role = "identifier" }
age = { role = "quasi", type = "integer", hierarchy = { widths = [2, 4, 8] } }
disease = { role = "sensitive" }

[privacy]
principle = "frequency-l-diversity"
l = 2
"#;

/// Sixteen people of eight ages with four diseases.
fn desk(method: &str) -> Desk {
    let desk = Desk::new();
    let row = |at: u32| format!("p{at:02},{},{SECRET}{}\n", 20 + at / 2, [0, 1, 2, 0, 3, 1, 2][at as usize % 7]);
    desk.write("people.csv", String::from("name,age,disease\n") + &(0..16).map(row).collect::<String>());
    desk.write("job.toml", format!("{JOB}\n{method}"));
    desk
}

fn compared(printed: &Value) -> Vec<&Value> {
    printed["compared"].as_array().unwrap().iter().collect()
}

#[test]
fn every_publisher_is_compared_and_nothing_is_written() {
    let desk = desk("");
    let before = desk.names();
    let printed = desk.run(&["compare", "job.toml", "--json"]).ended(0).json();
    let all = compared(&printed);
    let of = |id: &str| *all.iter().find(|one| one["publisher"] == id).unwrap();
    assert!(all.len() >= 10 && desk.names() == before, "{printed:#}");
    for (id, transparent) in [("hybrid", true), ("tailor", true), ("search", false), ("mondrian", false)] {
        let one = of(id);
        assert_eq!((&one["status"], &one["transparent"]), (&"released".into(), &transparent.into()), "{id}");
        assert_eq!(one["not_transparent"].is_null(), transparent, "{id}");
        assert!(one["classes"].as_u64().unwrap() >= 1 && one["seconds"].as_f64().unwrap() >= 0.0);
        assert!(one["utility"]["perimeter"]["exact"].is_string() && one["highest_share"].is_string(), "{one:#}");
    }
    assert_eq!(of("mask")["status"], "refused");
    assert!(of("mask")["why"].as_str().unwrap().contains("`mask` needs `k`"));
    assert!(printed["note"].as_str().unwrap().starts_with("Choosing by this table is itself a mechanism"));
    assert!(!printed.to_string().contains(SECRET));
}

#[test]
fn figures_are_those_of_the_manifest() {
    for publisher in ["tailor", "mondrian", "search"] {
        let desk = desk(&format!("[method]\npublisher = \"{publisher}\"\n"));
        let printed = desk.run(&["compare", "job.toml", "--json", "--with", &format!("publisher={publisher}")]);
        let printed = printed.ended(0).json();
        let published = desk.run(&["publish", "job.toml", "--json"]).ended(0).json();
        let (one, manifest) = (compared(&printed)[0], &published["manifest"]);
        for key in ["classes", "utility", "measured", "rows"] {
            assert_eq!(one[key], manifest[key], "{publisher} {key}");
        }
        assert_eq!(one["highest_share"], published["highest_share"]);
        assert_eq!(one["function"], manifest["mechanism"]["function"]);
    }
}

#[test]
fn publishers_are_chosen_with_their_parameters() {
    let method = "[method]\npublisher = \"sequence\"\nstrategy = \"k-jump\"\njumps = 1\nfunction = \"mbr\"\n\
                  sequence = [{ age = 1 }, { age = 2 }, { age = \"top\" }]\n";
    let desk = desk(method);
    let with = ["strategy=safe jumps=", "jumps=[1, 2, 1]", "publisher=mask k=3", "publisher=tailor function=anatomy"];
    let arguments: Vec<&str> = with.iter().flat_map(|with| ["--with", *with]).collect();
    let printed = desk.run(&[&["compare", "job.toml", "--json"], &arguments[..]].concat()).ended(0).json();
    let all = compared(&printed);
    let parameters = |at: usize| &all[at]["parameters"];
    assert_eq!((&parameters(0)["strategy"], &parameters(0)["jumps"]), (&"safe".into(), &Value::Null));
    assert_eq!((&parameters(1)["strategy"], &parameters(1)["jumps"]), (&"k-jump".into(), &"[1,2,1]".into()));
    assert!(parameters(0)["sequence"].is_string());
    assert_eq!(
        (&all[2]["publisher"], &parameters(2)["k"], &all[2]["function"]),
        (&"mask".into(), &"3".into(), &"mbr".into())
    );
    assert_eq!((&all[3]["publisher"], &all[3]["function"]), (&"tailor".into(), &"anatomy".into()));
    assert!(all.iter().all(|one| one["status"] == "released"), "{printed:#}");
    let text = desk.run(&[&["compare", "job.toml"], &arguments[..]].concat()).ended(0).out;
    for name in
        ["  sequence strategy=safe jumps= ", "  sequence jumps=[1, 2, 1] ", "  mask k=3 ", "  tailor function=anatomy "]
    {
        assert!(text.contains(name), "{text}");
    }
    assert!(text.starts_with("Shown by function `anatomy` or `mbr`.\n"), "{text}");
}

#[test]
fn nothing_is_an_answer_and_all_of_it_has_a_status_of_its_own() {
    let desk = desk("");
    let all = desk.run(&["compare", "job.toml", "--set", "privacy.l=9"]).ended(3);
    assert!(all.out.contains("Nothing can be disclosed by:\n  hybrid: not even"), "{all:#?}");
    assert!(!all.out.contains("classes  "), "{all:#?}");
    let printed = desk.run(&["compare", "job.toml", "--set", "privacy.l=9", "--json"]).ended(3).json();
    let hybrid = compared(&printed)[0];
    assert_eq!((&hybrid["status"], &hybrid["column"]), (&"nothing".into(), &"disease".into()), "{hybrid:#}");
    assert!(hybrid["eligible"].is_string());
}

#[test]
fn what_is_wrong_is_said_once_and_no_cell_is_shown() {
    for (arguments, words) in [
        (&["--with", "tailor"][..], "--with 'tailor': write it as KEY=VALUE"),
        (&["--with", "publisher=tailr"], "no publisher `tailr`, did you mean `tailor`?"),
        (&["--with", "publisher=mask"], "job.toml: `mask` needs `k`"),
        (&["--with", "publisher=mask", "--with", "publisher=tailor x=1"], "no publisher takes this job"),
        (&["--set", "privacy.principle=l-diversty"], "no principle `l-diversty`"),
        (&["--set", "input.path=absent.csv"], "absent.csv"),
        (&["--set", "privacy"], "--set privacy: write it as KEY=VALUE"),
    ] {
        let told = desk("").run(&[&["compare", "job.toml"], arguments].concat()).ended(2);
        assert!(told.err.contains(words), "{arguments:?}: {told:#?}");
        assert!(!format!("{}{}", told.out, told.err).contains(SECRET), "{told:#?}");
    }
}

/// Without the last column of the table, which is a time.
fn timeless(text: &str) -> String {
    let is_time = |word: &str| word == "seconds" || word.split_once('.').is_some_and(|(_, part)| part.len() == 2);
    let line = |line: &str| match line.rsplit_once("  ") {
        Some((rest, last)) if is_time(last) => rest.trim_end().to_owned() + "\n",
        _ => line.to_owned() + "\n",
    };
    text.lines().map(line).collect()
}

#[test]
fn the_documented_comparisons_print_what_the_documentation_says() {
    let docs = std::fs::read_to_string(root().join("docs/compare.md")).unwrap();
    let blocks = |mark: &str| -> Vec<String> {
        docs.split(mark).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
    };
    let (commands, shown) = (blocks("```sh\n"), blocks("```text\n"));
    assert_eq!((commands.len(), shown.len()), (2, 2));
    for (command, shown) in commands.iter().zip(&shown) {
        let words = command.trim().replace("\\\n", " ");
        // Arguments in single quotes hold blanks.
        let arguments: Vec<String> = words
            .split('\'')
            .enumerate()
            .flat_map(|(at, part)| {
                let split: Vec<String> = part.split_whitespace().map(str::to_owned).collect();
                if at % 2 == 1 { vec![part.to_owned()] } else { split }
            })
            .collect();
        assert_eq!(arguments[0], "pellucid");
        let arguments: Vec<&str> = arguments[1..].iter().map(String::as_str).collect();
        let output = Desk::new().command(&arguments).current_dir(root()).output().unwrap();
        assert_eq!(timeless(&String::from_utf8(output.stdout).unwrap()), timeless(shown), "{command}");
    }
}
