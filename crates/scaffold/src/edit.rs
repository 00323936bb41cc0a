//! Adding a line to a list of modules and an entry to a registry, in a file as `rustfmt` writes it.

/// `text` with the line `declaration` among the declarations of modules, in the order of their names.
pub fn with_module(text: &str, declaration: &str) -> Result<String, String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let own = module_of(declaration).ok_or("the declaration names no module")?;
    let modules: Vec<(usize, &str)> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, module_of(line)?))).collect();
    if modules.iter().any(|(_, name)| *name == own) {
        return Err(format!("there is a module `{own}` already; choose another name"));
    }
    let (last, _) = modules.last().ok_or("the file declares no module; add the line by hand")?;
    let next = modules.iter().find(|(_, name)| *name > own);
    // What stands above a declaration belongs to it.
    let mut at = next.map_or(last + 1, |(at, _)| *at);
    while next.is_some() && at > 0 && lines[at - 1].starts_with("#[") {
        at -= 1;
    }
    lines.insert(at, declaration);
    Ok(lines.join("\n") + "\n")
}

/// The name of the module that `line` declares in a file of its own.
fn module_of(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ").unwrap_or(line);
    rest.strip_prefix("mod ")?.strip_suffix(';')
}

/// `text` with `entry` as the last of the static list `list`.
pub fn with_entry(text: &str, list: &str, entry: &str) -> Result<String, String> {
    let missing = || format!("there is no list `{list}`; add `{entry}` by hand");
    let start = text.find(&format!("pub static {list}: ")).ok_or_else(missing)?;
    let end = start + text[start..].find("];").ok_or_else(missing)?;
    let before = text[..end].trim_end();
    let comma = if before.ends_with(['[', ',']) { "" } else { "," };
    Ok(format!("{before}{comma}\n    {entry},\n{}", &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_declared_in_the_order_of_names() {
        let text = "//! Doc.\n\npub mod band;\n#[cfg(test)]\nmod laws;\nmod share;\n\nuse x;\n\nmod tests {\n}\n";
        let added = |declaration: &str| with_module(text, declaration).unwrap();
        assert!(added("mod early;").contains("pub mod band;\nmod early;\n#[cfg(test)]\nmod laws;\n"));
        assert!(added("mod alpha;").contains("\n\nmod alpha;\npub mod band;\n"));
        assert!(added("mod tail;").contains("mod share;\nmod tail;\n\nuse x;\n"));
        assert!(with_module(text, "pub mod share;").unwrap_err().contains("`share`"));
    }

    #[test]
    fn an_entry_is_the_last_of_its_list() {
        let many = "pub static LIST: &[Entry] = &[\n    a::ENTRY,\n];\n\npub fn f() {}\n";
        let expected = "pub static LIST: &[Entry] = &[\n    a::ENTRY,\n    b::ENTRY,\n];\n\npub fn f() {}\n";
        assert_eq!(with_entry(many, "LIST", "b::ENTRY").unwrap(), expected);
        let one = "pub static LIST: &[Entry] = &[a::ENTRY];\n";
        assert_eq!(
            with_entry(one, "LIST", "b::ENTRY").unwrap(),
            "pub static LIST: &[Entry] = &[a::ENTRY,\n    b::ENTRY,\n];\n"
        );
        assert!(with_entry(one, "OTHER", "b::ENTRY").is_err());
    }
}
