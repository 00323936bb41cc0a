//! The report of a release: one edition for everybody, which tells nothing that the release does not, and one for its owner.

use std::fmt::Write;
use std::fs;

use pellucid_publish::function::FUNCTIONS;
use serde_json::Value;

use crate::common::{Desk, Numbers, SECRET, groups};

/// A job on [`table`]; what is called by it differs from what its release calls anything.
fn job(function: &str) -> String {
    format!(
        r#"[input]
path = "clinic-north.csv"
[columns]
passport = {{ role = "identifier" }}
ward = {{ role = "drop" }}
age = {{ role = "quasi", type = "integer", hierarchy = {{ widths = [5, 10, 20] }} }}
zip = {{ role = "quasi", type = "category", hierarchy = {{ mask = "suffix" }} }}
illness = {{ role = "sensitive" }}
[privacy]
principle = "frequency-l-diversity"
l = 2
[method]
publisher = "tailor"
function = "{function}"
[output]
dir = "handed-out"
"#
    )
}

/// A hundred and twenty people: passport, ward, age and zip, and illness.
fn people() -> Vec<[String; 3]> {
    let mut numbers = Numbers::new(3);
    let person = |at: u32| {
        let (age, zip, ill) = (20 + numbers.below(40), 1000 + numbers.below(20), numbers.below(9));
        [format!("PASS{at:03},WARD{}", at % 7), format!("{age},{zip}"), format!("{SECRET}{ill}")]
    };
    (0..120).map(person).collect()
}

fn table(people: &[[String; 3]]) -> String {
    let lines = people.iter().map(|person| person.join(",") + "\n");
    "passport,ward,age,zip,illness\n".to_owned() + &lines.collect::<String>()
}

/// A desk with the job and its table.
fn desk(function: &str) -> Desk {
    let desk = Desk::new();
    desk.write("clinic-north.csv", table(&people()));
    desk.write("job.toml", job(function));
    desk
}

/// What a page offers to be copied under `label`, as text.
fn copied(page: &str, label: &str) -> String {
    let part = page.split(&format!("aria-label=\"{label}\"")).nth(1).expect(label);
    let code = part.split("<code>").nth(1).and_then(|rest| rest.split("</code>").next()).unwrap();
    code.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[test]
fn isomorphic_tables_have_the_same_public_folder() {
    let (mut numbers, first) = (Numbers::new(5), people());
    let desk = desk("anatomy");
    desk.run(&["publish", "job.toml"]).ended(0);
    let groups = groups(&desk, "handed-out");
    assert!(groups.len() > 4, "{groups:?}");
    let mut second = first.clone();
    for group in &groups {
        for (at, &to) in group.iter().enumerate() {
            second[to][2].clone_from(&first[group[(at + 1) % group.len()]][2]);
        }
    }
    assert_ne!(first, second);
    numbers.shuffle(&mut second);
    for function in FUNCTIONS.iter().map(|entry| entry.id) {
        let folders = [&first, &second].map(|people| {
            desk.write("clinic-north.csv", table(people));
            desk.write("job.toml", job(function));
            desk.run(&["publish", "job.toml", "--overwrite"]).ended(0);
            desk.bytes("handed-out")
        });
        assert!(folders[0].contains_key("report.html") && folders[0] == folders[1], "{function}");
    }
}

#[test]
fn files_identifiers_and_dropped_columns_leave_no_trace_in_the_public_edition() {
    for function in FUNCTIONS.iter().map(|entry| entry.id) {
        let desk = desk(function);
        desk.run(&["publish", "job.toml"]).ended(0);
        let page = desk.read("handed-out/report.html");
        let source = desk.path("");
        let folder = source.to_str().unwrap().trim_end_matches('/');
        for never in [folder, "clinic-north", "handed-out", "job.toml --", "UTC", "passport", "PASS0", "ward", "WARD"] {
            assert!(!page.contains(never), "{function}: {never}");
        }
        let private: Value = serde_json::from_str(&desk.read("handed-out-private/private.json")).unwrap();
        assert!(!page.contains(private["source"]["blake3"].as_str().unwrap()));
        assert!(!page.contains(SECRET), "{function}");
        // Elsewhere, and under other names, it is the same page.
        let other = Desk::new();
        let renamed =
            |text: &str| text.replace("passport", "licence").replace("ward", "floor").replace("WARD", "STOREY");
        other.write("table.csv", renamed(&table(&people())).replace("PASS", "LICENCE"));
        other.write("other.toml", renamed(&job(function)).replace("clinic-north", "table").replace("handed-out", "x"));
        other.run(&["publish", "other.toml", "--out", "y"]).ended(0);
        assert_eq!(other.read("y/report.html"), page, "{function}");
    }
}

#[test]
fn the_owner_is_told_where_it_came_from_and_what_changed() {
    let desk = desk("mbr");
    desk.run(&["publish", "job.toml", "--set", "report.queries=50"]).ended(0);
    let page = desk.read("handed-out-private/report.html");
    let private: Value = serde_json::from_str(&desk.read("handed-out-private/private.json")).unwrap();
    for word in [
        "Internal edition: keep it to yourself",
        "clinic-north.csv",
        private["source"]["blake3"].as_str().unwrap(),
        "UTC",
        "Highest, before",
        "Highest, after",
        "50 counting queries on 3 columns each",
        "a mean error of",
        "quasi-identifiers that nobody else has",
        "How long it took",
    ] {
        assert!(page.contains(word), "{word}");
    }
    assert!(!page.contains(SECRET) && !page.contains("PASS0"));
    assert!(copied(&page, "Making it").ends_with("publish job.toml --set report.queries=50"));
    // The commands that it gives work, and so does the job.
    let check = copied(&page, "Checking it");
    let check: Vec<&str> = check.split(' ').skip(1).collect();
    desk.run(&check).ended(0);
    desk.write("again.toml", copied(&page, "The job"));
    desk.run(&["publish", "again.toml", "--out", "again"]).ended(0);
    assert_eq!(desk.bytes("again"), desk.bytes("handed-out"));
    // The public edition has none of it.
    let public = desk.read("handed-out/report.html");
    for never in ["Internal edition", ", before", "mean error", "counting queries", "nobody else has", "How long"] {
        assert!(!public.contains(never), "{never}");
    }
}

#[test]
fn a_register_is_for_the_owner_only() {
    let desk = desk("mbr");
    desk.run(&["publish", "job.toml", "--out", "without"]).ended(0);
    let mut register = String::from("passport,age,zip\n");
    for person in people() {
        let _ = writeln!(register, "{},{}", &person[0][..7], person[1]);
    }
    desk.write("census.csv", register + "PASS900,33,1010\n");
    desk.run(&["publish", "job.toml", "--set", "report.external=census.csv"]).ended(0);
    let page = desk.read("handed-out-private/report.html");
    assert!(page.contains("121 people in") && page.contains("census.csv"));
    assert!(!page.contains("PASS") && !page.contains(SECRET));
    assert_eq!(desk.bytes("handed-out"), desk.bytes("without"));
    desk.write("census.csv", "passport,age,zip\nPASS000,33,1010\n");
    let told = desk.run(&["publish", "job.toml", "--out", "few", "--set", "report.external=census.csv"]).ended(2);
    assert!(told.err.contains("census.csv: the register has 1 people and the table 120"), "{told:#?}");
    assert!(!desk.path("few").exists() && !told.err.contains("PASS"));
}

#[test]
fn names_of_several_lines_are_made_again() {
    let desk = Desk::new();
    let row = |at: u32| format!("{},\"v\n{}\"\n", 20 + at, at % 4);
    desk.write("people.csv", "\"a\nge\",\"ill\"\"\nness\"\n".to_owned() + &(0..16).map(row).collect::<String>());
    let job = r#"[input]
path = "people.csv"
[columns]
"a\nge" = { role = "quasi", type = "integer" }
"ill\"\nness" = { role = "sensitive", protect = ["v\n0", "v\n1"] }
[privacy]
principle = "frequency-l-diversity"
l = 2
[method]
publisher = "tailor"
"#;
    desk.write("job.toml", job);
    desk.run(&["publish", "job.toml"]).ended(0);
    made_again(&desk, "release", "people.csv", "");
}

#[test]
fn a_report_without_queries_has_no_error() {
    let desk = desk("mbr");
    desk.run(&["publish", "job.toml", "--set", "report.queries=0"]).ended(0);
    let page = desk.read("handed-out-private/report.html");
    assert!(page.contains("Highest, before") && !page.contains("counting quer") && !page.contains("mean error"));
}

#[test]
fn the_threshold_of_a_job_is_that_of_both_editions() {
    let desk = desk("mbr");
    desk.run(&["publish", "job.toml", "--set", "report.threshold=1/3"]).ended(0);
    for folder in ["handed-out", "handed-out-private"] {
        let page = desk.read(&format!("{folder}/report.html"));
        assert!(page.contains("a probability of <strong>33.3\u{a0}% (1/3)</strong>"), "{folder}");
    }
}

/// Publishes the job that the public edition of `release` shows, of the table at `table` and with `more` in the job, beside nothing
/// but the public folder; and compares what comes out.
fn made_again(desk: &Desk, release: &str, table: &str, more: &str) {
    let other = Desk::new();
    fs::create_dir(other.path("hierarchies")).unwrap();
    for (name, bytes) in desk.bytes(release) {
        if name.starts_with("hierarchies/") {
            other.write(&name, bytes);
        }
    }
    other.write("people.csv", desk.read(table));
    let job = copied(&desk.read(&format!("{release}/report.html")), "The job");
    other.write("job.toml", job.replace("TABLE.csv", "people.csv") + "\n" + more);
    other.run(&["publish", "job.toml"]).ended(0);
    let (again, before) = (other.bytes("release"), desk.bytes(release));
    assert!(again.keys().eq(before.keys()), "{:?}", again.keys());
    for (name, bytes) in &before {
        assert!(again[name] == *bytes, "{name} differs; the job was:\n{job}");
    }
}

#[test]
fn the_job_of_the_public_edition_makes_the_release_again() {
    let internal = "[columns.passport]\nrole = \"identifier\"\n[columns.ward]\nrole = \"drop\"\n";
    for function in FUNCTIONS.iter().map(|entry| entry.id) {
        for format in ["csv", "parquet"] {
            let desk = desk(function);
            desk.run(&["publish", "job.toml", "--set", &format!("output.format={format}")]).ended(0);
            made_again(&desk, "handed-out", "clinic-north.csv", internal);
        }
    }
}

/// Twenty-four people of different ages, without identifiers; some cells are missing.
fn of_ages(privacy: &str, method: &str) -> Desk {
    let desk = Desk::new();
    let row = |at: u32| {
        let city = if at % 11 == 3 { "?" } else { ["Bern", "Basel", "Genf"][(at / 8) as usize] };
        format!("{},{city},v{}\n", 20 + at, [0, 1, 2, 0, 3, 1, 2][at as usize % 7])
    };
    desk.write("people.csv", "age,city,illness\n".to_owned() + &(0..24).map(row).collect::<String>());
    desk.write("cities.csv", "Bern;west;*\nGenf;west;*\nBasel;east;*\n");
    let columns = r#"[input]
path = "people.csv"
missing = ["?"]
on_missing = "category"
[columns]
age = { role = "quasi", type = "integer", hierarchy = { widths = [4, 8, 24], origin = 20 } }
city = { role = "quasi", hierarchy = "cities.csv" }
illness = { role = "sensitive" }
"#;
    desk.write("job.toml", format!("{columns}{privacy}{method}"));
    desk
}

#[test]
fn jobs_of_every_deterministic_publisher_are_made_again() {
    let l = "[privacy]\nprinciple = \"frequency-l-diversity\"\nl = 2\n";
    let ratio = "[privacy]\nprinciple = \"highest-ratio\"\nratio = \"1/2\"\n";
    let both = "[[privacy]]\nprinciple = \"k-anonymity\"\nk = 3\n[[privacy]]\nprinciple = \"t-closeness\"\nt = 0.5\n";
    let search = "[method]\npublisher = \"search\"\nfunction = \"hierarchy\"\nsuppression = 0.2\n";
    let walk = "[method]\npublisher = \"sequence\"\nstrategy = \"k-jump\"\njumps = 1\nfunction = \"hierarchy\"\n\
                sequence = [{ age = 1 }, { age = [20, 33, 44], city = 1 }, { age = \"top\", city = \"top\" }]\n";
    let chain = "[method]\npublisher = \"sequence\"\nstrategy = \"safe\"\nsequence = \"chain\"\n";
    let tailor = "[method]\npublisher = \"tailor\"\n";
    let mondrian = "[method]\npublisher = \"mondrian\"\nfunction = \"mbr\"\n";
    for (privacy, method) in [
        (l, tailor),
        (ratio, tailor),
        (both, tailor),
        (both, search),
        (l, search),
        (ratio, walk),
        (l, chain),
        (l, mondrian),
    ] {
        let desk = of_ages(privacy, method);
        desk.run(&["publish", "job.toml"]).ended(0);
        made_again(&desk, "release", "people.csv", "");
    }
}

#[test]
fn hostile_names_and_labels_are_text() {
    let script = "<script>alert(1)</script>";
    let desk = Desk::new();
    let row = |at: u32| {
        let city = ["<img src=x onerror=alert(2)>", "\"\"&amp;'`", "</code></pre><script>"][at as usize % 3];
        format!("{},\"{city}\",<b>v{}\n", 20 + at / 2, at % 5)
    };
    let rows: String = (0..24).map(row).collect();
    desk.write("people.csv", format!("{script},\"q\"\"&<i>\",</title><script>\n{rows}"));
    desk.write(
        "cities.csv",
        "<img src=x onerror=alert(2)>;<script>1;*\n\"\"\"&amp;'`\";<script>1;*\n</code></pre><script>;&lt2;*\n",
    );
    let job = r#"[input]
path = "people.csv"
[columns]
"<script>alert(1)</script>" = { role = "quasi", type = "integer", hierarchy = { widths = [4, 8] } }
'q"&<i>' = { role = "quasi", hierarchy = "cities.csv" }
"</title><script>" = { role = "sensitive", protect = ["<b>v0", "<b>v1", "<b>v2", "<b>v3", "<b>v4"] }
[privacy]
principle = "frequency-l-diversity"
l = 2
[method]
publisher = "tailor"
"#;
    desk.write("job.toml", job);
    for function in FUNCTIONS.iter().map(|entry| entry.id) {
        let set = format!("method.function={function}");
        desk.run(&["publish", "job.toml", "--overwrite", "--set", &set]).ended(0);
        desk.run(&[
            "compare",
            "job.toml",
            "--overwrite",
            "--html",
            "all.html",
            "--publishers",
            "tailor",
            "--set",
            &set,
        ])
        .ended(0);
        for page in ["release/report.html", "release-private/report.html", "all.html"] {
            let page = desk.read(page);
            for never in ["<script", "<img", "<b>", "<i>"] {
                assert!(!page.contains(never), "{function}: {never}");
            }
            assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{function}");
            assert_eq!(page.matches("</title>").count(), page.matches("<title>").count());
            assert_eq!(page.matches("</pre>").count(), page.matches("<pre").count());
        }
        made_again(&desk, "release", "people.csv", "");
    }
}

#[test]
fn bad_keys_of_a_report_are_named() {
    for (set, words) in [
        ("report.threshold=2", "report.threshold"),
        ("report.threshold=-1/5", "report.threshold"),
        ("report.threshold=often", "report.threshold"),
        ("report.queries=-1", "report.queries"),
        ("report.queries=many", "report.queries"),
        ("report.treshold=0.1", "did you mean `threshold`?"),
    ] {
        let desk = desk("mbr");
        let before = desk.names();
        let told = desk.run(&["publish", "job.toml", "--set", set]).ended(2);
        assert!(told.err.contains(words) && told.err.contains("job.toml"), "{set}: {told:#?}");
        assert!(!told.err.contains(SECRET));
        assert_eq!(desk.names(), before);
    }
}

#[test]
fn a_changed_report_is_noticed() {
    let desk = desk("mbr");
    desk.run(&["publish", "job.toml"]).ended(0);
    let verify = ["verify", "handed-out", "--source", "clinic-north.csv"];
    desk.run(&verify).ended(0);
    let page = desk.read("handed-out/report.html");
    desk.write("handed-out/report.html", page.replacen("Public edition", "Best edition", 1));
    let told = desk.run(&verify).ended(4);
    assert!(told.out.contains("`report.html`"), "{told:#?}");
    fs::remove_file(desk.path("handed-out/report.html")).unwrap();
    desk.run(&verify).ended(4);
}
