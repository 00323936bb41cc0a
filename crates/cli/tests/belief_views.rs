//! `pellucid belief` on views: recorded cases with exact answers, and the example of the documentation.

mod common;

use common::{Desk, root};
use serde_json::Value;

#[test]
fn every_recorded_case_is_answered_as_recorded() {
    let path = root().join("crates/testkit/golden/views.json");
    let recorded: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let printed = Desk::new().run(&["belief", path.to_str().unwrap(), "--json"]).ended(0).json();
    let (cases, answers) = (recorded["cases"].as_array().unwrap(), printed["answers"].as_array().unwrap());
    assert_eq!((cases.len(), answers.len()), (127, 127));
    let mut private = 0;
    for (case, answer) in cases.iter().zip(answers) {
        assert_eq!(case["id"], answer["id"]);
        assert_eq!(answer["answer"], case["expected"], "{}", case["id"]);
        private += usize::from(case["expected"]["gamma_private"] == true);
    }
    assert!((10..117).contains(&private), "{private}");
}

#[test]
fn the_documentation_shows_what_is_printed() {
    let documentation = std::fs::read_to_string(root().join("docs/belief.md")).unwrap();
    let path = root().join("examples/belief/views.json");
    let printed = Desk::new().run(&["belief", path.to_str().unwrap(), "--id", "two-views"]).ended(0).out;
    assert!(documentation.contains(&printed), "docs/belief.md shows something else than\n{printed}");
    let restored = Desk::new().run(&["belief", path.to_str().unwrap(), "--id", "restored"]).ended(0).out;
    assert!(restored.contains("highest 1/2: private"), "{restored}");
}
