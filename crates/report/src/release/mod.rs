//! The page of a release.
//!
//! - `overview.rs`: title, verdict and the figures for a board;
//! - `mechanism.rs`: what was published and how;
//! - `adversary.rs`: what is assumed, what can be learned at most;
//! - `risk.rs`: the risk of being re-identified;
//! - `utility.rs`: what it costs;
//! - `origin.rs`: how to make and check it; for the owner, where it came from.

mod adversary;
mod mechanism;
mod origin;
mod overview;
mod risk;
mod utility;

use maud::html;
use pellucid_model::promise::PromiseClass;

use crate::page::{PagePart, PaperOrientation, page};
use crate::value::ReleaseReport;

/// Why a release is not for publication that does not say why.
const UNSAID: &str = "it says so itself";

impl ReleaseReport<'_> {
    /// The page, as HTML.
    ///
    /// # Guarantee
    /// The same value gives the same bytes. Without `internal` nothing private is in it that is not in the other fields.
    pub fn to_html(&self) -> String {
        let part = |id, title, body| PagePart { id, title, body };
        let mut parts = vec![
            part("short", "In short", overview::short(self)),
            part("published", "What was published, and how", mechanism::published(self)),
            part("assumed", "Against whom the promise holds", adversary::assumed(self)),
            part("learned", "What attackers can learn, and why", adversary::learned(self)),
            part("risk", "Re-identification risk", risk::risk(self)),
            part("cost", "What the data are still good for", utility::utility(self)),
            part("check", "Making and checking it", origin::reproduce(self)),
        ];
        if let Some(internal) = &self.internal {
            parts.push(part("owner", "For the data owner only", origin::owner(internal)));
        }
        let title =
            if self.internal.is_some() { "Report on a release: internal edition" } else { "Report on a release" };
        let foot = html! {
            p { "Made by " (self.manifest.made_by) ". Everything that is said here of the mechanism stands in "
                code { "manifest.json" } " too." }
        };
        page(title, PaperOrientation::Upright, overview::head(self), &parts, foot)
    }

    /// The class of the promise; releases of version 0.1.0 do not say it.
    fn promise(&self) -> PromiseClass {
        self.manifest.mechanism.promise.unwrap_or(PromiseClass::None)
    }

    /// Why nothing is promised against an attacker who knows the algorithm, where the manifest says that.
    fn unbounded(&self) -> Option<&str> {
        let manifest = self.manifest;
        let unfit = (!manifest.for_publication).then(|| manifest.caveat.as_deref().unwrap_or(UNSAID));
        manifest.not_transparent.as_deref().or(unfit)
    }
}
