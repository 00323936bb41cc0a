//! What is compared: publishers with their parameters, at every value of a parameter.

use pellucid_app::parts::ComparisonCase;
use pellucid_model::error::{Error, Result};
use pellucid_model::registry::PUBLISHER;
use pellucid_publish::job::{Job, MethodJob};

/// A parameter of the principles that is varied.
pub struct VariedParameter {
    /// The option that says so.
    pub option: &'static str,
    /// The parameter.
    pub name: String,
    /// In the order of the comparison, as written.
    pub values: Vec<String>,
}

/// Which publishers are asked for.
pub struct AskedPublishers<'a> {
    /// By name.
    pub names: &'a [String],
    /// With keys of the section `method`.
    pub with: &'a [String],
    /// Where there are neither, whether demonstrations are compared too.
    pub all: bool,
}

/// The cases: every publisher that is asked for at every value of `varied`.
pub fn cases(job: &Job, asked: &AskedPublishers<'_>, varied: Option<&VariedParameter>) -> Result<Vec<ComparisonCase>> {
    let methods = methods(job, asked)?;
    let Some(VariedParameter { option, name: parameter, values }) = varied else {
        let case = |(name, method)| ComparisonCase { name, at: None, job: Job { method, ..job.clone() }, sweep: true };
        return Ok(methods.into_iter().map(case).collect());
    };
    // Figures by dimensionality and selectivity are for one value, which is that in the middle.
    let middle = &values[(values.len() - 1) / 2];
    let mut cases = Vec::new();
    for (name, method) in methods {
        for value in values {
            let varied = job.with_parameter(parameter, value).map_err(|error| error.context(option))?;
            let job = Job { method: method.clone(), ..varied };
            cases.push(ComparisonCase { name: name.clone(), at: Some(value.clone()), job, sweep: value == middle });
        }
    }
    Ok(cases)
}

/// A case in a word or two.
pub fn label(case: &ComparisonCase) -> String {
    case.at.as_ref().map_or_else(|| case.name.clone(), |at| format!("{} at {at}", case.name))
}

/// `6..10` with both ends, or values with commas between them.
pub fn values(text: &str) -> Result<Vec<String>> {
    let wrong = || Error::invalid("write values as 6..10 (whole numbers, both ends included) or 2,4,8");
    let mut values = Vec::new();
    for part in text.split(',').map(str::trim) {
        match part.split_once("..") {
            Some((from, to)) => {
                let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
                let (from, to) = (number(from)?, number(to.strip_prefix('=').unwrap_or(to))?);
                if from > to {
                    return Err(wrong());
                }
                values.extend((from..=to).map(|value| value.to_string()));
            }
            None if part.is_empty() => return Err(wrong()),
            None => values.push(part.to_owned()),
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    values.retain(|value| seen.insert(value.clone()));
    Ok(values)
}

/// The methods that are asked for, or one with every publisher, each with what it is called.
fn methods(job: &Job, asked: &AskedPublishers<'_>) -> Result<Vec<(String, MethodJob)>> {
    let AskedPublishers { names, with, all } = *asked;
    if names.is_empty() && with.is_empty() {
        let named = |method: MethodJob| (own(job, &method), method);
        return Ok(job.every_method(all)?.into_iter().map(named).collect());
    }
    let by_name = names.iter().map(|name| {
        let method = job.other_method(&[(PUBLISHER.to_owned(), format!("\"{}\"", name.trim()))]);
        let method = method.map_err(|error| error.context("--publishers"))?;
        Ok((own(job, &method), method))
    });
    let method = |text: &String| {
        let keys = split(text).into_iter().map(|pair| match pair.split_once('=') {
            Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
            _ => Err(Error::invalid(
                "write it as KEY=VALUE, several parted by blanks, e.g. 'publisher=search measure=height'",
            )),
        });
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let method = job.other_method(&keys)?;
        Ok((name(&method, &keys), method))
    };
    let by_keys =
        with.iter().map(|text| method(text).map_err(|error: Error| error.context(format!("--with '{text}'"))));
    by_name.chain(by_keys).collect()
}

/// The publisher, and that it has the parameters of the job where it does.
fn own(job: &Job, method: &MethodJob) -> String {
    let is_own = method.publisher == job.method.publisher && !job.method.parameters.is_empty();
    if is_own { format!("{} (as in the job)", method.publisher) } else { method.publisher.clone() }
}

/// A publisher and the keys that were written for it, cut where they are long.
fn name(method: &MethodJob, keys: &[(String, String)]) -> String {
    /// Characters of keys that are shown.
    const MOST: usize = 36;
    let others = keys.iter().filter(|(key, _)| key != PUBLISHER);
    let given = others.map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ");
    let shown: String = given.chars().take(MOST).collect();
    let more = if shown.len() < given.len() { ".." } else { "" };
    format!("{} {shown}{more}", method.publisher).trim_end().to_owned()
}

/// The parts of `text` between blanks that stand in no quotes and no brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_usize, None);
    for (at, mark) in text.char_indices() {
        match (quote, mark) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != mark),
            (None, '"' | '\'') => quote = Some(mark),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 && mark.is_whitespace() => {
                parts.push(&text[start..at]);
                start = at + mark.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_ranges_or_lists() {
        assert_eq!(values("6..8").unwrap(), ["6", "7", "8"]);
        assert_eq!(values("2..=3, 8,8").unwrap(), ["2", "3", "8"]);
        assert_eq!(values("0.1,0.2").unwrap(), ["0.1", "0.2"]);
        for wrong in ["", "8..6", "a..b", "1,"] {
            assert!(values(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn blanks_part_keys_but_not_inside_of_values() {
        assert_eq!(split("publisher=mask  k=3 "), ["publisher=mask", "k=3"]);
        let nested = "publisher=sequence sequence=[{ age = 1 }, {}] measure='a b' x=\"c d\"";
        let parts = ["publisher=sequence", "sequence=[{ age = 1 }, {}]", "measure='a b'", "x=\"c d\""];
        assert_eq!(split(nested), parts);
        assert!(split("  ").is_empty());
    }
}
