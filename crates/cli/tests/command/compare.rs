//! `pellucid compare`: publishers side by side, in text, JSON, CSV and on a page, with refusals and answers of nothing.

use std::collections::BTreeMap;
use std::fmt::Write;

use pellucid_model::claim::EntryClaim;
use pellucid_publish::publisher::PUBLISHERS;
use serde_json::{Value, json};

use crate::common::{Desk, Numbers, SECRET, root};

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
const SIX: [&str; 6] = ["hybrid", "tailor", "ace", "mondrian", "mask", "search"];

/// Sixteen people of eight ages with four diseases.
fn desk(method: &str) -> Desk {
    let desk = Desk::new();
    let row = |at: u32| format!("p{at:02},{},{SECRET}{}\n", 20 + at / 2, [0, 1, 2, 0, 3, 1, 2][at as usize % 7]);
    desk.write("people.csv", String::from("name,age,disease\n") + &(0..16).map(row).collect::<String>());
    desk.write("job.toml", format!("{JOB}\n{method}"));
    desk
}

/// The same job on people of these ages, two diseases in turn.
fn aged(ages: &[u32], sets: &[(&str, &str)]) -> Desk {
    let desk = Desk::new();
    let mut table = String::from("name,age,disease\n");
    for (at, age) in ages.iter().enumerate() {
        let _ = writeln!(table, "p{at:02},{age},{SECRET}{}", at % 2);
    }
    desk.write("people.csv", table);
    desk.write("job.toml", sets.iter().fold(JOB.to_owned(), |job, (from, to)| job.replace(from, to)));
    desk
}

fn compared(printed: &Value) -> Vec<&Value> {
    printed["compared"].as_array().unwrap().iter().collect()
}

/// The lines of a CSV file without quotes, by the names of its columns.
fn read_csv(text: &str) -> Vec<BTreeMap<&str, &str>> {
    let mut lines = text.lines();
    let heads: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines.map(|line| heads.iter().copied().zip(line.split(',')).collect()).collect()
}

#[test]
fn every_publisher_is_compared_and_nothing_is_written() {
    let desk = desk("");
    let before = desk.names();
    let printed = desk.run(&["compare", "job.toml", "--json", "--all"]).ended(0).json();
    let all = compared(&printed);
    let of = |id: &str| *all.iter().find(|one| one["publisher"] == id).unwrap();
    assert!(all.len() == PUBLISHERS.len() && desk.names() == before, "{printed:#}");
    for (id, transparent) in [("hybrid", true), ("tailor", true), ("search", false), ("mask", false)] {
        let one = of(id);
        assert_eq!((&one["status"], &one["transparent"]), (&"released".into(), &transparent.into()), "{id}");
        assert_eq!(one["not_transparent"].is_null(), transparent, "{id}");
        assert!(one["classes"].as_u64().unwrap() >= 1 && one["seconds"].as_f64().unwrap() >= 0.0);
        assert!(one["errors"]["usual"]["mean"].is_number(), "{one:#}");
        assert!(one["utility"]["perimeter"]["exact"].is_string() && one["highest_share"].is_string(), "{one:#}");
    }
    assert_eq!(of("sequence")["status"], "refused");
    assert!(of("sequence")["why"].as_str().unwrap().contains("`sequence` needs `sequence`"));
    assert!(printed["note"].as_str().unwrap().starts_with("Do not pick a publisher because it wins here"));
    assert!(!printed.to_string().contains(SECRET));
}

#[test]
fn demonstrations_are_compared_on_demand_only() {
    let publishers = |method: &str| -> Vec<String> {
        let printed = desk(method).run(&["compare", "job.toml", "--json", "--queries", "0", "--without-attack"]);
        compared(&printed.ended(0).json()).iter().map(|one| one["publisher"].as_str().unwrap().to_owned()).collect()
    };
    let offered = PUBLISHERS.iter().filter(|entry| !entry.claims(EntryClaim::Demonstration)).map(|entry| entry.id);
    assert!(publishers("").iter().eq(offered.collect::<Vec<_>>().iter()));
    let own = publishers("[method]\npublisher = \"mask\"\n");
    assert_eq!(own.iter().filter(|id| *id == "mask").count(), 1, "the job names it: {own:?}");
}

#[test]
fn every_publisher_has_its_line_at_every_l_in_every_form() {
    let desk = desk("");
    let asked = ["compare", "job.toml", "--publishers", &SIX.join(","), "--l", "2..3"];
    let files = ["--csv", "all.csv", "--html", "all.html"];
    let text = desk.run(&[&asked[..], &files].concat()).ended(0);
    assert!(text.out.ends_with("Written: all.csv\nWritten: all.html\n"), "{}", text.out);
    let files = ["--csv", "again.csv", "--html", "again.html", "--json"];
    let json = desk.run(&[&asked[..], &files].concat()).ended(0);
    let (printed, csv, html) = (json.json(), desk.read("again.csv"), desk.read("again.html"));
    assert_eq!((&printed["varied"], &printed["written"]), (&"l".into(), &json!(["again.csv", "again.html"])));
    let (all, lines) = (compared(&printed), read_csv(&csv));
    assert_eq!((all.len(), lines.len()), (12, 12));
    let expected = SIX.iter().flat_map(|publisher| ["2", "3"].map(|l| (*publisher, l)));
    for ((one, line), (publisher, l)) in all.iter().zip(&lines).zip(expected) {
        assert_eq!((&one["publisher"], &one["at"]), (&publisher.into(), &l.into()));
        assert_eq!((line["publisher"], line["l"], line["status"]), (publisher, l, "released"));
        let figure = |column: &str| line[column].parse::<f64>().unwrap_or_else(|_| panic!("{publisher} {column}"));
        for (column, value) in [
            ("classes", &one["classes"]),
            ("error", &one["errors"]["usual"]["mean"]),
            ("perimeter", &one["utility"]["perimeter"]["decimal"]),
            ("normalized_certainty_penalty", &one["utility"]["normalized-certainty-penalty"]["decimal"]),
            ("seconds", &one["seconds"]),
        ] {
            // Parsers round the last digit differently.
            let (written, printed) = (figure(column), value.as_f64().unwrap());
            assert!((written - printed).abs() <= 1e-12 * printed.abs(), "{publisher} {column}");
        }
        let basis = one["knowing"]["basis"].as_str().unwrap_or_default();
        let known_as = [("", ""), ("exact", "exact"), ("bounds", "bound"), ("proof", "bound"), ("samples", "estimate")];
        let known_as = known_as.iter().find(|(word, _)| *word == basis).unwrap().1;
        assert_eq!((line["knowing_known_as"], line["transparent"]), (known_as, &*one["transparent"].to_string()));
        // Three tables of text, and one on the page beside that of risks.
        let start = format!("  {publisher:<9}  {l}  ");
        assert_eq!(text.out.lines().filter(|line| line.starts_with(&start)).count(), 3, "{start}\n{}", text.out);
        let name = format!("<th scope=\"row\">{publisher}, l\u{a0}=\u{a0}{l}</th>");
        assert!(html.matches(&name).count() >= 2, "{name}");
    }
    for form in [&text.out, &text.err, &json.out, &json.err, &csv, &html] {
        assert!(!form.contains(SECRET), "{form}");
    }
    assert!(html.contains("Do not choose by this page.") && html.contains("<svg") && !html.contains("<script"));
}

#[test]
fn figures_are_those_of_the_manifest() {
    for publisher in ["tailor", "mondrian", "search"] {
        let desk = desk(&format!("[method]\npublisher = \"{publisher}\"\n"));
        let printed = desk.run(&["compare", "job.toml", "--json", "--with", &format!("publisher={publisher}")]);
        let printed = printed.ended(0).json();
        let published = desk.run(&["publish", "job.toml", "--json"]).ended(0).json();
        let written: Value = serde_json::from_str(&desk.read("release/manifest.json")).unwrap();
        let (one, manifest) = (compared(&printed)[0], &published["manifest"]);
        for key in ["classes", "measured", "rows"] {
            assert_eq!(one[key], manifest[key], "{publisher} {key}");
            assert_eq!(one[key], written[key], "{publisher} {key}");
        }
        // The manifest says only what the released cells imply.
        for (metric, reading) in written["utility"].as_object().unwrap() {
            assert_eq!(one["utility"][metric], *reading, "{publisher} {metric}");
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
fn risks_are_those_of_the_sizes_of_classes() {
    // By decades, two people, five and three.
    let ages = [20, 25, 30, 31, 32, 33, 34, 41, 44, 48];
    let sets = [("widths = [2, 4, 8]", "widths = [10]"), ("frequency-l-diversity\"\nl = 2", "k-anonymity\"\nk = 2")];
    let desk = aged(&ages, &sets);
    let risks = |threshold: &str| {
        let asked = ["compare", "job.toml", "--publishers", "search", "--json", "--threshold", threshold];
        let printed = desk.run(&asked).ended(0).json();
        assert_eq!(compared(&printed)[0]["classes"], 3, "{printed:#}");
        compared(&printed)[0]["risks"].clone()
    };
    for (threshold, above) in [("1/5", "1/2"), ("0.2", "1/2"), ("1/3", "1/5"), ("0", "1"), ("1/2", "0")] {
        let found = risks(threshold);
        // (2 * 1/2 + 5 * 1/5 + 3 * 1/3) / 10.
        let expected = json!({ "highest": "1/2", "average": "3/10", "above": above });
        assert_eq!(found["prosecutor"], expected, "{threshold}");
        assert_eq!(found["journalist"], expected, "without a register the table stands for the population");
        assert_eq!(found["marketer"], json!({ "highest": null, "average": "3/10", "above": null }));
    }
    let text = desk.run(&["compare", "job.toml", "--publishers", "search"]).ended(0).out;
    let line = text.lines().find(|line| line.starts_with("  search ") && line.matches('%').count() > 1).unwrap();
    let shares: Vec<&str> = line.split_whitespace().filter(|word| word.parse::<f64>().is_ok()).collect();
    assert_eq!(shares, ["50.00", "30.00", "50.00", "50.00", "30.00", "50.00", "30.00"]);
    assert!(text.contains("the share of records above 20 %:"), "{text}");
}

#[test]
fn a_register_hides_records_among_more_people() {
    // Classes as above. Of the register four could be in the first, five in the second and six in the third.
    let ages = [20, 25, 30, 31, 32, 33, 34, 41, 44, 48];
    let sets = [("widths = [2, 4, 8]", "widths = [10]"), ("frequency-l-diversity\"\nl = 2", "k-anonymity\"\nk = 2")];
    let desk = aged(&ages, &sets);
    let mut register = String::from("street,age\n");
    for age in ages.iter().chain(&[22, 23, 41, 45, 46, 37, 99]) {
        let _ = writeln!(register, "x,{age}");
    }
    desk.write("register.csv", register);
    let asked = ["compare", "job.toml", "--publishers", "search", "--json", "--external", "register.csv"];
    let printed = desk.run(&[&asked[..], &["--html", "all.html"]].concat()).ended(0).json();
    let risks = &compared(&printed)[0]["risks"];
    assert_eq!(risks["prosecutor"], json!({ "highest": "1/2", "average": "3/10", "above": "1/2" }));
    // (2 * 1/4 + 5 * 1/5 + 3 * 1/6) / 10.
    assert_eq!(risks["journalist"], json!({ "highest": "1/4", "average": "1/5", "above": "1/5" }));
    assert_eq!(risks["marketer"], json!({ "highest": null, "average": "1/5", "above": null }));
    assert_eq!(printed["external"], "register.csv");
    assert!(!desk.read("all.html").contains(SECRET));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(desk.path("all.html")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "it is for the data owner");
    }
}

#[test]
fn a_table_that_is_shown_as_it_is_has_no_error() {
    let ages: Vec<u32> = (0..30).map(|at| 20 + at / 3).collect();
    let desk = aged(&ages, &[("frequency-l-diversity\"\nl = 2", "k-anonymity\"\nk = 3")]);
    let errors = |more: &[&str]| {
        let asked = ["compare", "job.toml", "--json", "--publishers", "search,tailor"];
        let printed = desk.run(&[&asked, more].concat()).ended(0).json();
        compared(&printed).iter().map(|one| one["errors"].clone()).collect::<Vec<_>>()
    };
    let usual = errors(&[]);
    assert_eq!(usual[0]["usual"], json!({ "mean": 0.0, "median": 0.0, "highest": 0.0 }), "{usual:#?}");
    let by_dimensions = usual[0]["by_dimensions"].as_array().unwrap();
    assert_eq!(by_dimensions.iter().map(|one| one["dimensions"].as_u64()).collect::<Vec<_>>(), [Some(2)]);
    assert_eq!(usual[0]["by_selectivity"].as_array().unwrap().len(), 5);
    assert!(errors(&["--queries", "0"]).iter().all(Value::is_null));
}

#[test]
fn the_same_seed_asks_the_same_queries() {
    let desk = desk("");
    let error = |more: &[&str]| {
        let asked = ["compare", "job.toml", "--json", "--with", "publisher=tailor", "--without-attack"];
        let printed = desk.run(&[&asked, more].concat()).ended(0).json();
        compared(&printed)[0]["errors"].clone()
    };
    assert_eq!(error(&["--query-seed", "7"]), error(&["--query-seed", "7"]));
    assert_eq!(error(&[]), error(&["--query-seed", "1", "--queries", "1000", "--selectivity", "0.06"]));
    assert_ne!(error(&[]), error(&["--query-seed", "2"]));
    assert_eq!(error(&[])["by_dimensions"][0]["errors"], error(&["--dimensions", "2"])["usual"]);
    assert_ne!(error(&[])["usual"], error(&["--dimensions", "1"])["usual"]);
}

#[test]
fn it_is_said_how_beliefs_are_known() {
    let beliefs = |desk: &Desk, publishers: &str, more: &[&str]| {
        let asked = ["compare", "job.toml", "--json", "--publishers", publishers];
        let printed = desk.run(&[&asked, more].concat()).ended(0).json();
        let words = |one: &&Value| {
            let of = |who: &str| one[who]["basis"].as_str().unwrap_or("-").to_owned();
            assert_eq!(one["knowing"].is_null(), one["knowing_unknown"].is_string() || more == ["--without-attack"]);
            (of("blind"), of("knowing"))
        };
        (compared(&printed).iter().map(words).collect::<Vec<_>>(), printed)
    };
    let pair = |blind: &str, knowing: &str| (blind.to_owned(), knowing.to_owned());
    // Of six people every original is tried.
    let (words, small) = beliefs(&aged(&[20, 21, 22, 30, 31, 32], &[]), "hybrid,tailor,mondrian", &[]);
    assert_eq!(words, vec![pair("exact", "exact"); 3], "{small:#}");
    assert_eq!(compared(&small)[0]["knowing"]["highest"], json!({ "exactly": "1/2", "low": 0.5, "high": 0.5 }));
    assert_eq!(compared(&small)[0]["knowing"]["above"], json!({ "low": 0, "high": 0 }));
    // Of sixteen there are too many: proofs bound, and cuts that failed are counted.
    let (words, large) = beliefs(&desk(""), "hybrid,mondrian,mask", &[]);
    assert_eq!(words, [pair("exact", "proof"), pair("exact", "exact"), pair("-", "-")], "{large:#}");
    assert_eq!(compared(&large)[0]["knowing"]["highest"], json!({ "exactly": null, "low": 0.0, "high": 0.5 }));
    assert!(compared(&large)[2]["knowing_unknown"].as_str().unwrap().contains("not counted at this scale"));
    // Neither are tried where that would take too long.
    let (words, late) = beliefs(&aged(&[20, 21, 22, 30, 31, 32], &[]), "tailor,opt-gen", &["--seconds", "0.000000001"]);
    assert_eq!(words, [pair("exact", "proof"), pair("-", "-")], "{late:#}");
    assert!(compared(&late)[1]["knowing_unknown"].as_str().unwrap().contains("seconds, the limit"), "{late:#}");
    let (words, _) = beliefs(&desk(""), "hybrid,mondrian", &["--without-attack"]);
    assert_eq!(words, vec![pair("-", "-"); 2]);
    let text = desk("").run(&["compare", "job.toml", "--publishers", "hybrid,mondrian,mask"]).ended(0).out;
    for (publisher, word) in [("hybrid", "bound"), ("mondrian", "exact"), ("mask", "-")] {
        let last = text.lines().rfind(|line| line.starts_with(&format!("  {publisher} "))).unwrap();
        assert_eq!(last.split_whitespace().rev().nth(1), Some(word), "{last}");
    }
}

#[test]
fn estimates_are_called_so_and_repeat() {
    let mut numbers = Numbers::new(2);
    let desk = Desk::new();
    let mut table = String::from("name,zip,age,disease\n");
    for at in 0..200 {
        let (zip, age) = (numbers.below(60), numbers.below(60));
        let _ = writeln!(table, "p{at:03},{zip},{age},{SECRET}{}", numbers.below(5));
    }
    desk.write("people.csv", table);
    let zip = "[columns]\nzip = { role = \"quasi\", type = \"integer\" }\n";
    desk.write("job.toml", JOB.replace("[columns]\n", zip).replace("l = 2", "l = 3"));
    let asked = ["compare", "job.toml", "--json", "--publishers", "mondrian", "--queries", "0"];
    let first = desk.run(&asked).ended(0).json();
    let knowing = &compared(&first)[0]["knowing"];
    assert_eq!(knowing["basis"], "samples", "{first:#}");
    assert!(knowing["highest"]["low"].as_f64() <= knowing["highest"]["high"].as_f64());
    assert_eq!(*knowing, compared(&desk.run(&asked).ended(0).json())[0]["knowing"]);
}

#[test]
fn nothing_is_an_answer_and_all_of_it_has_a_status_of_its_own() {
    let desk = desk("");
    let all = desk.run(&["compare", "job.toml", "--set", "privacy.l=9"]).ended(3);
    assert!(all.out.contains("Nothing can be disclosed by:\n  hybrid: not even"), "{all:#?}");
    assert!(!all.out.contains("classes  "), "{all:#?}");
    let asked = ["compare", "job.toml", "--l", "2,9", "--json", "--publishers", "hybrid", "--csv", "a.csv"];
    let printed = desk.run(&asked).ended(0).json();
    let hybrid = compared(&printed)[1];
    assert_eq!((&hybrid["status"], &hybrid["column"]), (&"nothing".into(), &"disease".into()), "{hybrid:#}");
    assert!(hybrid["eligible"].is_string());
    let csv = desk.read("a.csv");
    let line = &read_csv(&csv)[1];
    assert_eq!((line["l"], line["status"], line["classes"], line["error"]), ("9", "nothing", "", ""));
}

/// Without seconds, the last column of a table, which differ from run to run.
fn timeless(text: &str) -> String {
    let mut costs = false;
    let mut lines = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        costs =
            (costs || line.starts_with("Use and cost")) && (line.starts_with("Use and cost") || line.starts_with("  "));
        let varies = costs
            && words.len() > 4
            && words[..words.len() - 1].iter().any(|word| word.contains('.') || *word == "publisher");
        let kept = if varies { words[..words.len() - 1].join(" ") } else { words.join(" ") };
        let _ = writeln!(lines, "{kept}");
    }
    lines
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
