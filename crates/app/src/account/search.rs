//! What a search of granulations saw, in words; for the data owner's eyes only.

use pellucid_model::claim::EntryClaim;
use pellucid_model::registry::find;
use pellucid_model::words::counted;
use pellucid_publish::publisher::{PUBLISHERS, SearchAccount};

/// What was looked at.
pub fn effort(account: &SearchAccount) -> String {
    let pruned = if account.monotone {
        "what lies above a passing one passes"
    } else {
        "no one tells about another, with these principles and what may be left out"
    };
    format!(
        "Search `{}`: {}, {} checked; {pruned}.\n  Stored class tables took at most {:.1} MB.\n",
        account.search,
        counted(&account.nodes, "granulation", "granulations"),
        account.checked,
        account.bytes as f64 / 1e6
    )
}

/// What somebody who knows the search learns.
pub fn leak(account: &SearchAccount) -> String {
    if account.transparent {
        return "The principles look at the sizes of classes alone, so the levels follow from quasi-identifiers: knowing the \
                search tells nothing about sensitive values. The principles bound none of them either."
            .to_owned();
    }
    let learns = match &account.best {
        Some(best) if account.most_specific && best.more_specific == "1" => {
            "Not transparent: whoever knows that this was searched for learns that the one more specific granulation fails \
             for this table"
                .to_owned()
        }
        Some(best) if account.most_specific && best.more_specific != "0" => format!(
            "Not transparent: whoever knows that this was searched for learns that each of the {} more specific granulations \
             fails for this table, and so does every other that is better in `{}`",
            best.more_specific, account.measure
        ),
        _ if !account.exact => "Not transparent: whoever knows the search learns that everything better that it looked at \
                                fails for this table"
            .to_owned(),
        _ => "Not transparent: whoever knows that this was searched for learns that everything better fails for this table"
            .to_owned(),
    };
    let instead = match account.transparent_publishers.as_slice() {
        [] => "No publisher takes these principles and promises more.".to_owned(),
        several => {
            let words = several.iter().map(|id| suggestion(id));
            format!("These publishers promise more: {}.", words.collect::<Vec<_>>().join("; "))
        }
    };
    let missing = account.best.as_ref().map_or(0, |best| best.suppressed);
    let missing = if missing > 0 {
        format!(
            " Rows are left out just when their class fails: whoever knows who is in the table sees that {} missing, and \
             learns that of them.",
            if missing == 1 { "1 person is".to_owned() } else { format!("{missing} people are") }
        )
    } else {
        String::new()
    };
    format!(
        "{learns}, can rule out the originals for which one passes, and may then believe more of a person than the principle \
         allows. {instead}{missing}"
    )
}

/// How to ask for the publisher `id`, as it is written in a job.
fn suggestion(id: &str) -> String {
    let claims = find(PUBLISHERS, "publisher", id).map_or(&[][..], |entry| entry.claims);
    let words = claims.iter().find_map(|claim| match claim {
        EntryClaim::Suggested { words, .. } => Some((*words).to_owned()),
        _ => None,
    });
    words.unwrap_or_else(|| format!("\"{id}\""))
}

/// Why nothing is found.
pub fn nothing(account: &SearchAccount) -> String {
    let may = if account.may_leave_out > 0 {
        format!(", leaving out at most {} of {}", account.may_leave_out, counted(account.rows, "row", "rows"))
    } else {
        String::new()
    };
    let remedy = if account.whole_fails {
        "Not even the whole table as one class passes: relax a parameter, or check that what is asked for can hold at all."
    } else {
        "Relax a parameter, allow `suppression`, or give the columns hierarchies with coarser levels."
    };
    let none = match (account.nodes.as_str(), account.exact) {
        ("1", _) => "not even the only granulation".to_owned(),
        (nodes, true) => format!("none of the {nodes} granulations"),
        (nodes, false) => format!("none that was looked at of the {nodes} granulations"),
    };
    format!(
        "Nothing can be disclosed: {none} passes{may}.\nWhat was asked: {}.\n{remedy}\n",
        account.principles.join("; ")
    )
}
