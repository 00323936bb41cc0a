//! What a publisher saw on its way, in words; it depends on sensitive values, so it is for the data owner's eyes only.
//!
//! - `walk.rs`: along a sequence of functions; `search.rs`: in a lattice of granulations.

pub mod search;
pub mod walk;

use pellucid_publish::release::Release;

/// What the publisher of `release` saw on its way, in paragraphs.
pub fn owners_account(release: &Release) -> Vec<String> {
    let walked = release.account.as_ref().map(|account| walk::short(account));
    let searched = release.search.as_ref().map(|found| search::leak(found) + "\n" + &search::effort(found));
    let texts = walked.into_iter().chain(searched);
    texts.flat_map(|text| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>()).collect()
}
