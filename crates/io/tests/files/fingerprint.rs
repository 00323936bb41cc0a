//! Fingerprints of files: a function of names of columns and the multiset of rows alone.

use pellucid_app::host::{TableFingerprint, fingerprint};
use pellucid_io::{ReadOptions, read_strings};

fn of(name: &str, text: &str) -> TableFingerprint {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    fingerprint(&read_strings(&path, &ReadOptions::default()).unwrap()).unwrap()
}

const PEOPLE: &str = "name,age,sex\nEve,31,F\nBob,29,M\n\"Lee, Al\",29,M\n";

#[test]
fn how_a_file_is_written_leaves_no_trace() {
    let digest = of("a.csv", PEOPLE).digest;
    assert_eq!(digest.len(), 64);
    for (name, text) in [
        ("other.csv", PEOPLE),
        ("a.csv", "name,age,sex\nBob,29,M\nEve,31,F\n\"Lee, Al\",29,M\n"),
        ("a.csv", "sex,name,age\nF,Eve,31\nM,Bob,29\nM,\"Lee, Al\",29\n"),
        ("a.csv", "name;age;sex\nEve;31;F\nBob;29;M\nLee, Al;29;M\n"),
        ("a.tsv", "name\tage\tsex\r\nEve\t31\tF\r\nBob\t29\tM\r\nLee, Al\t29\tM\r\n"),
        (
            "a.csv",
            "\u{feff}\"name\",\"age\",\"sex\"\n\"Eve\",\"31\",\"F\"\n\"Bob\",\"29\",\"M\"\n\"Lee, Al\",\"29\",\"M\"",
        ),
    ] {
        assert_eq!(of(name, text).digest, digest, "{text:?}");
    }
}

#[test]
fn any_other_content_has_another_digest() {
    let digest = of("a.csv", PEOPLE).digest;
    for text in [
        "name,age,sex\nEve,31,F\nBob,29,M\n\"Lee, Al\",29,F\n",
        "name,age,sex\nEve,31,F\nBob,29,M\nBob,29,M\n\"Lee, Al\",29,M\n",
        "name,age,sex\nEve,31,F\nBob,29,M\n",
        "name,age,Sex\nEve,31,F\nBob,29,M\n\"Lee, Al\",29,M\n",
        "age,name,sex\nEve,31,F\nBob,29,M\n\"Lee, Al\",29,M\n",
        "name,age,sex\nEve,29,F\nBob,31,M\n\"Lee, Al\",29,M\n",
    ] {
        assert_ne!(of("a.csv", text).digest, digest, "{text:?}");
    }
}

#[test]
fn cells_do_not_run_into_one_another() {
    let one = of("a.csv", "a,b\n\"x,y\",z\n").digest;
    assert_ne!(of("a.csv", "a,b\nx,\"y,z\"\n").digest, one);
    assert_ne!(of("a.csv", "a,b\nxy,z\n").digest, of("a.csv", "a,b\nx,yz\n").digest);
    assert_ne!(of("a.csv", "a,b\nx,\n").digest, of("a.csv", "a,b\n,x\n").digest);
    assert_ne!(of("a.csv", "a,b\n1,2\n1,2\n1,3\n").digest, of("a.csv", "a,b\n1,2\n1,3\n1,3\n").digest);
}

#[test]
fn people_keep_their_numbers_wherever_they_stand() {
    // Ordered by age, then name, then sex.
    assert_eq!(of("a.csv", PEOPLE).numbers, [2, 0, 1]);
    assert_eq!(of("a.csv", "sex,name,age\nM,\"Lee, Al\",29\nF,Eve,31\nM,Bob,29\n").numbers, [1, 2, 0]);
    assert_eq!(of("a.csv", "a,b\n2,x\n1,x\n2,x\n1,w\n").numbers, [2, 1, 3, 0]);
}

#[test]
fn the_order_is_that_of_sorting_whole_rows() {
    let mut state = 7u32;
    let mut draw = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % below
    };
    let rows: Vec<[String; 3]> = (0..500).map(|_| [12, 3, 7].map(|below| draw(below).to_string())).collect();
    let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
    let numbers = of("a.csv", &format!("b,c,a\n{}\n", lines.join("\n"))).numbers;
    let mut expected: Vec<usize> = (0..rows.len()).collect();
    expected.sort_by_key(|&row| [&rows[row][2], &rows[row][0], &rows[row][1]]);
    assert!(expected.iter().enumerate().all(|(number, &row)| numbers[row] == number as u32));
}
