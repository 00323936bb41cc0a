//! What pages hold, and what they must never hold.

#[path = "../examples/pages/made_up.rs"]
mod made_up;

use pellucid_report::{ComparisonPage, ReleaseReport};

/// Every kind of page.
fn pages() -> Vec<String> {
    let manifests = [
        made_up::transparent(),
        made_up::opaque(),
        made_up::walked(),
        made_up::searched(),
        made_up::unfit(),
        made_up::crowded(),
    ];
    let mut pages: Vec<String> = manifests.iter().map(|manifest| made_up::report(manifest).to_html()).collect();
    pages.push(internal_page());
    pages.push(made_up::comparison(&["3", "5"]).to_html_with_bounds(&made_up::bounds()));
    pages.push(made_up::comparison(&[]).to_html());
    pages.push(ComparisonPage::default().to_html());
    pages
}

fn internal_page() -> String {
    let manifest = made_up::transparent();
    let report = made_up::report(&manifest);
    ReleaseReport { internal: Some(made_up::internal()), metrics: made_up::metrics(true), ..report }.to_html()
}

/// The values of an attribute on a page.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    page.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn the_same_value_is_the_same_page() {
    assert_eq!(pages(), pages());
}

#[test]
fn pages_fetch_nothing_and_run_nothing() {
    for page in pages() {
        for never in ["http:", "https:", "<script", "src=", "url(", "@import", "onload", "<iframe", "<img"] {
            assert!(!page.contains(never), "{never}");
        }
        assert!(page.contains("default-src &#39;none&#39;") || page.contains("default-src 'none'"), "policy");
        for target in values(&page, "href") {
            assert!(target == "data:," || target.starts_with('#'), "{target}");
        }
    }
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "<script>alert('x')</script>\" onload=\"x\u{202e}\u{7}`</style>";
    let mut manifest = made_up::searched();
    for column in &mut manifest.columns {
        hostile.clone_into(&mut column.name);
    }
    manifest.caveat = Some(hostile.to_owned());
    manifest.for_publication = false;
    manifest.files[0].name = hostile.to_owned();
    manifest.group_column = Some(hostile.to_owned());
    manifest.mechanism.publisher_parameters.insert(hostile.to_owned(), hostile.to_owned());
    let mut report = made_up::report(&manifest);
    report.columns.iter_mut().for_each(|column| hostile.clone_into(&mut column.name));
    report.risks.lines.iter_mut().for_each(|line| hostile.clone_into(&mut line.model));
    report.job = hostile.to_owned();
    let mut comparison = made_up::comparison(&["3", hostile]);
    comparison.title = hostile.to_owned();
    comparison.methods.iter_mut().for_each(|method| hostile.clone_into(&mut method.name));
    for page in [report.to_html(), comparison.to_html()] {
        assert!(page.contains("&lt;script&gt;"));
        assert!(!page.contains("<script") && !page.contains("\" onload") && !page.contains(['\u{202e}', '\u{7}']));
        assert_eq!(page.matches("</style>").count(), 1, "the page's own");
    }
}

#[test]
fn what_is_internal_is_not_in_the_public_edition() {
    let manifest = made_up::transparent();
    let public = made_up::report(&manifest).to_html();
    let page = internal_page();
    let secret = made_up::internal();
    for word in
        [&secret.source, &secret.source_checksum, &secret.started, "11,873", "Internal edition", "1.42", ", before<"]
    {
        let word: &str = word;
        assert!(!public.contains(word), "{word}");
    }
    for word in [&secret.source, &secret.source_checksum, &secret.started, "11,873", "keep it to yourself", "41,200"] {
        let word: &str = word;
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn figures_of_the_table_are_not_in_the_public_edition() {
    let manifest = made_up::transparent();
    let report = |before| ReleaseReport { metrics: made_up::metrics(before), ..made_up::report(&manifest) }.to_html();
    assert_eq!(report(true), report(false));
}

#[test]
fn what_is_not_for_publication_promises_nothing() {
    let mut manifest = made_up::transparent();
    manifest.for_publication = false;
    let page = made_up::report(&manifest).to_html();
    assert!(page.contains("NOT FOR PUBLICATION") && page.contains("not bounded"));
    assert!(!page.contains("by proof") && !page.contains("The proof"));
}

#[test]
fn the_verdict_is_the_manifests() {
    let page = |manifest| made_up::report(&manifest).to_html();
    let (good, opaque, unfit) = (page(made_up::transparent()), page(made_up::opaque()), page(made_up::unfit()));
    assert!(good.contains("For publication</p>") && !good.contains("NOT "));
    assert!(
        opaque.contains("NOT TRANSPARENT</p>") && !opaque.contains("NOT FOR") && opaque.contains("pellucid attack")
    );
    assert!(unfit.contains("NOT FOR PUBLICATION</p>") && unfit.contains("NOT TRANSPARENT</p>"));
    assert!(opaque.contains("not bounded") && !opaque.contains("by proof"));
}

#[test]
fn a_release_without_a_bound_claims_none() {
    let manifest = made_up::transparent();
    let page = ReleaseReport { bound: None, ..made_up::report(&manifest) }.to_html();
    assert!(page.contains("They promise no single bound") && !page.contains("by proof") && !page.contains("The proof"));
}

#[test]
fn what_is_altered_kept_protected_or_left_out_is_said() {
    let page = made_up::report(&made_up::searched()).to_html();
    for words in
        ["a line need not be true of anybody", "2 protected values are", "214 of 30,162 people", "kept as it is"]
    {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn ids_and_names_of_regions_are_unique() {
    for page in pages() {
        let regions: Vec<&str> =
            page.split("role=\"region\" aria-label=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        for mut names in [values(&page, "id"), regions] {
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), all);
        }
    }
}

#[test]
fn of_a_long_sequence_the_released_function_is_listed() {
    let page = made_up::report(&made_up::crowded()).to_html();
    assert!(page.contains("<strong>released</strong>") && page.contains("The other functions stand in"));
    assert!(!page.contains(">96</th>") && page.contains(">97</th>"));
}

#[test]
fn methods_that_are_not_transparent_are_marked_without_colours() {
    let page = made_up::comparison(&["3", "5"]).to_html();
    assert!(page.contains("mondrian (not transparent)") && page.contains("hollow\"") && page.contains(">none<"));
    assert!(page.contains("Nothing can be disclosed by") && page.contains("Not taking this job"));
}
