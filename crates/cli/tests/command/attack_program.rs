//! `pellucid attack --mechanism`: programs as mechanisms.
#![cfg(unix)]

use serde_json::Value;

use crate::common::{Desk, SECRET};

/// Replaces ages by decades where in each of them nobody's disease is more than half, and by `*` otherwise. Lines keep their
/// order.
const DECADES: &str = r#"
FNR == 1 { print "age,disease"; next }
{ decade = int($2 / 10); age[FNR] = decade; ill[FNR] = $3; people[decade]++; rows = FNR
  if (2 * (count[decade, $3] += 1) > most[decade]) most[decade] = 2 * count[decade, $3] }
END {
  fine = 1
  for (decade in people) if (most[decade] > people[decade]) fine = 0
  for (row = 2; row <= rows; row++) print (fine ? age[row] "0s" : "*") "," ill[row]
}
"#;

fn desk() -> Desk {
    let desk = Desk::of_small_job(&[(31, 1), (32, 2), (33, 3), (34, 4), (61, 0), (62, 0)]);
    desk.write("decades.awk", DECADES);
    desk
}

const AWK: &str = "awk -F, -f decades.awk {in} > {out}";

fn attack(desk: &Desk, command: &str, more: &[&str]) -> Value {
    let arguments = [&["attack", "job.toml", "--json", "--mechanism", command][..], more].concat();
    desk.run(&arguments).ended(0).json()
}

fn risks(told: &Value) -> Vec<String> {
    let people = told["tried"]["people"].as_array().unwrap();
    people.iter().map(|person| person["risk"]["exactly"].as_str().unwrap_or("about").to_owned()).collect()
}

#[test]
fn a_program_that_tries_the_finer_release_first_gives_two_people_away() {
    let desk = desk();
    let told = attack(&desk, AWK, &[]);
    // Lines keep their order and all show `*`: 6! / 2! originals, of which those are left in which the two elder share.
    assert_eq!((&told["tried"]["originals"], &told["tried"]["left"]), (&360.into(), &24.into()));
    assert_eq!(risks(&told), ["1/4", "1/4", "1/4", "1/4", "1", "1"]);
    assert_eq!(told["account"]["blind"]["certain"]["high"], 0);
    let text = desk.run(&["attack", "job.toml", "--mechanism", AWK]).ended(0).out;
    assert!(!text.contains(SECRET), "{text}");
    // Nothing is left behind.
    assert_eq!(desk.names(), ["decades.awk", "job.toml", "people.csv"]);
}

#[test]
fn a_publisher_as_a_program_is_believed_what_the_publisher_is() {
    let desk = desk();
    let own = env!("CARGO_BIN_EXE_pellucid");
    let program = format!("{own} publish job.toml --quiet --json --set input.path={{in}} --out {{out}}");
    let (told, known) = (attack(&desk, &program, &[]), desk.run(&["attack", "job.toml", "--json"]).ended(0).json());
    assert_eq!(told["tried"]["left"], known["tried"]["left"]);
    assert_eq!(risks(&told), risks(&known));
}

#[test]
fn originals_are_drawn_when_there_are_too_many() {
    let desk = desk();
    let told = attack(&desk, AWK, &["--budget", "100000"]);
    assert_eq!((&told["tried"]["sampled"], &told["tried"]["originals"]), (&true.into(), &200.into()));
    let kept = told["tried"]["left"].as_u64().unwrap();
    assert!((3..40).contains(&kept), "{kept}");
    assert_eq!((&told["account"]["estimated"], &told["account"]["confidence"]), (&6.into(), &0.95.into()));
    for (person, truth) in [0.25, 0.25, 0.25, 0.25, 1.0, 1.0].iter().enumerate() {
        let risk = &told["tried"]["people"][person]["risk"];
        assert!(risk["low"].as_f64().unwrap() <= *truth && *truth <= risk["high"].as_f64().unwrap(), "{risk}");
    }
}

#[test]
fn a_program_that_draws_takes_a_seed() {
    // Of two seeds one shows decades and one `*`: whoever sees `*` learns less than when it is the last resort.
    let desk = desk();
    let seeded = "if [ {seed} = 0 ]; then awk -F, -f decades.awk {in}; \
                  else sed 's/^[^,]*,[0-9]*/*/; s/^\\*,/*,/; 1s/.*/age,disease/' {in}; fi > {out}";
    let told = attack(&desk, seeded, &["--seeds", "2"]);
    // Both seeds give `*` for 24 originals, one for the other 336: (24 + 336 / 2 * share) is what counts for the elder.
    assert_eq!(told["tried"]["left"], 360);
    // z for an elder: 2/6 of 360 originals, of which 24 weigh 1 and 96 weigh 1/2; all weigh 24 + 168.
    assert_eq!(risks(&told)[4], "3/8");
    let told = desk.run(&["attack", "job.toml", "--mechanism", seeded]).ended(2).err;
    assert!(told.contains("say with `--seeds`"), "{told}");
    let told = desk.run(&["attack", "job.toml", "--mechanism", AWK, "--seeds", "2"]).ended(2).err;
    assert!(told.contains("write {seed} where it goes"), "{told}");
}

#[test]
fn a_release_that_the_program_does_not_make_of_the_table_is_refused() {
    let desk = desk();
    desk.write("seen.csv", "age,disease\n30s,x\n30s,y\n");
    let told = desk.run(&["attack", "job.toml", "--mechanism", AWK, "--release", "seen.csv"]).ended(2).err;
    assert!(told.contains("does not belong to the table"), "{told}");
    let made = format!("age,disease\n*,{SECRET}0\n*,{SECRET}4\n*,{SECRET}1\n*,{SECRET}2\n*,{SECRET}3\n*,{SECRET}0\n");
    desk.write("seen.csv", made);
    let told = attack(&desk, AWK, &["--release", "seen.csv"]);
    assert_eq!(told["tried"]["left"], 24);
}

#[test]
fn silence_of_a_program_is_evidence() {
    let desk = desk();
    // Releases nothing when the two elder share a disease.
    let quiet = "awk -F, '$2 > 60 { if (ill == $3) exit 3; ill = $3 }' {in} && awk -F, -f decades.awk {in} > {out}";
    let told = desk.run(&["attack", "job.toml", "--mechanism", quiet]).ended(3).out;
    assert!(told.contains("--nothing"), "{told}");
    let wrong = desk.run(&["attack", "job.toml", "--mechanism", AWK, "--nothing"]).ended(2).err;
    assert!(wrong.contains("the program makes a release of this table"), "{wrong}");
    let told = attack(&desk, quiet, &["--nothing"]);
    assert_eq!((&told["tried"]["silence"], &told["tried"]["left"]), (&true.into(), &24.into()));
    assert_eq!(risks(&told)[5], "1");
}

#[test]
fn what_a_program_does_wrong_is_an_error_that_repeats_nothing_of_it() {
    let desk = desk();
    let within = |seconds: &str, command: &str, what: &str| {
        let told = desk.run(&["attack", "job.toml", "--seconds", seconds, "--mechanism", command]).ended(2).err;
        assert!(told.contains(what), "{command}: {told}");
        assert!(!told.contains(SECRET) && !told.contains("in.csv"), "{told}");
    };
    let fails = |command: &str, what: &str| within("60", command, what);
    fails("cat {in} >&2; exit 7 # {out}", "ended with status 7");
    fails("kill -9 $$ # {in} {out}", "was stopped by a signal");
    within("0.5", "sleep 60 # {in} {out}", "may take 0.5 seconds");
    within("0.5", "(sleep 60 & wait) # {in} {out}", "may take 0.5 seconds");
    fails("cp {in} {out}; echo one,two >> {out}", "not a table with a header");
    fails("printf '\\377\\376,\\n1,2\\n' > {out} # {in}", "not a table with a header");
    fails("cut -d, -f1,2 {in} > {out}", "has no column `disease`");
    fails("(cat {in}; echo p9,$(od -An -N4 -tu4 /dev/urandom | tr -d ' '),x) > {out}", "is not deterministic");
    fails("no-such-program {in} {out}", "cannot be found by the shell");
    fails("cat {in}", "lacks {out}");
}
