//! A name in the forms that code writes it in.

/// The forms of a name.
#[derive(Debug, PartialEq, Eq)]
pub struct NameForms {
    /// As users type it: `beta-likeness`.
    pub id: String,
    /// As a module: `beta_likeness`.
    pub module: String,
    /// As a type: `BetaLikeness`.
    pub type_name: String,
    /// In a sentence: `Beta likeness`.
    pub words: String,
}

impl NameForms {
    /// The forms of `id`, which must be made of lower-case words with hyphens between them.
    pub fn of(id: &str) -> Result<Self, String> {
        let is_word = |word: &str| {
            word.starts_with(|mark: char| mark.is_ascii_lowercase())
                && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if !id.split('-').all(is_word) {
            return Err(format!(
                "`{id}` is no name; write lower-case words with hyphens between them, e.g. beta-likeness"
            ));
        }
        let type_name = id.split('-').map(capitalised).collect();
        let words = capitalised(&id.replace('-', " "));
        Ok(Self { id: id.to_owned(), module: id.replace('-', "_"), type_name, words })
    }

    /// A template with its placeholders filled in.
    pub fn fill(&self, template: &str) -> String {
        template
            .replace("{{id}}", &self.id)
            .replace("{{module}}", &self.module)
            .replace("{{Type}}", &self.type_name)
            .replace("{{Words}}", &self.words)
    }
}

fn capitalised(word: &str) -> String {
    let mut marks = word.chars();
    marks.next().map_or_else(String::new, |first| first.to_uppercase().chain(marks).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_form_for_users_modules_and_types() {
        let names = NameForms::of("beta-likeness").unwrap();
        assert_eq!(
            (&*names.module, &*names.type_name, &*names.words),
            ("beta_likeness", "BetaLikeness", "Beta likeness")
        );
        assert_eq!(
            names.fill("{{Words}}: `{{id}}` is {{module}}::{{Type}}"),
            "Beta likeness: `beta-likeness` is beta_likeness::BetaLikeness"
        );
        for wrong in ["", "Beta", "beta_likeness", "-beta", "beta--likeness", "2beta", "beta/likeness"] {
            assert!(NameForms::of(wrong).is_err(), "{wrong}");
        }
    }
}
