//! `pellucid verify`: an independent check of a release.
use crate::Ending;
use crate::terminal::Terminal;
use clap::Args;
use pellucid_core::error::Result;
/// temp
#[derive(Debug, Args)]
pub struct Arguments {}
pub fn run(_: &Arguments, _: &Terminal) -> Result<Ending> {
    Ok(Ending::VerificationFailed)
}
