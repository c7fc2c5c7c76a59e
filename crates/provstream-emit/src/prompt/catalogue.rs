//! Texts of prompts, from one data file for each language.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use provstream::provenance::{Class, Vocabulary};
use toml::de::{DeTable, DeValue};

use crate::names::named;

named! {
    /// Language of a prompt.
    #[derive(Default)]
    pub enum Language: "language" {
        /// English.
        #[default]
        English => "en",
        /// German.
        German => "de",
        /// Spanish.
        Spanish => "es",
        /// French.
        French => "fr",
        /// Japanese.
        Japanese => "ja",
    }
}

/// Texts of a language by key, such as `short.bracketed`; lists have several texts.
#[derive(Debug)]
pub(super) struct Catalogue(BTreeMap<String, Vec<String>>);

impl Catalogue {
    pub(super) fn of(language: Language) -> &'static Self {
        static ALL: LazyLock<[Catalogue; 5]> = LazyLock::new(|| {
            [
                Catalogue::read(include_str!("../../data/prompt/en.toml")),
                Catalogue::read(include_str!("../../data/prompt/de.toml")),
                Catalogue::read(include_str!("../../data/prompt/es.toml")),
                Catalogue::read(include_str!("../../data/prompt/fr.toml")),
                Catalogue::read(include_str!("../../data/prompt/ja.toml")),
            ]
        });
        &ALL[match language {
            Language::English => 0,
            Language::German => 1,
            Language::Spanish => 2,
            Language::French => 3,
            Language::Japanese => 4,
        }]
    }

    /// Reads a data file of this crate. Tests check that the files are well-formed.
    fn read(file: &str) -> Self {
        let table = DeTable::parse(file).expect("the data files are TOML");
        let mut texts = BTreeMap::new();
        collect(table.get_ref(), "", &mut texts);
        Self(texts)
    }

    /// Returns the text of a key that every data file has.
    pub(super) fn text(&self, key: &str) -> &str {
        self.list(key).first().map_or("", String::as_str)
    }

    /// Returns the texts of a list that every data file has.
    pub(super) fn list(&self, key: &str) -> &[String] {
        self.0.get(key).map_or(&[], Vec::as_slice)
    }

    /// Returns the description of a class: the vocabulary's if there is one, otherwise the data
    /// file's.
    pub(super) fn class<'a>(&'a self, class: &Class, vocabulary: &'a Vocabulary) -> &'a str {
        if let Some(description) = vocabulary.description(class) {
            return description;
        }
        match self.text(&format!("class.{class}")) {
            "" => self.text("other_class"),
            description => description,
        }
    }

    #[cfg(test)]
    fn keys(&self) -> Vec<(&str, bool)> {
        let filled =
            |texts: &[String]| !texts.is_empty() && texts.iter().all(|text| !text.is_empty());
        self.0
            .iter()
            .map(|(key, texts)| (key.as_str(), filled(texts)))
            .collect()
    }
}

fn collect(table: &DeTable<'_>, before: &str, texts: &mut BTreeMap<String, Vec<String>>) {
    for (key, value) in table {
        let key = format!("{before}{}", key.get_ref());
        match value.get_ref() {
            DeValue::String(text) => {
                texts.insert(key, vec![text.to_string()]);
            }
            DeValue::Array(all) => {
                let list = all.iter().filter_map(|item| item.get_ref().as_str());
                texts.insert(key, list.map(str::to_owned).collect());
            }
            DeValue::Table(inner) => collect(inner, &format!("{key}."), texts),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_the_same_texts() {
        let english = Catalogue::of(Language::English).keys();
        assert!(english.len() > 30);
        for &language in Language::ALL {
            assert_eq!(Catalogue::of(language).keys(), english, "{language}");
        }
        assert!(english.iter().all(|(_, filled)| *filled));
    }

    #[test]
    fn every_class_of_the_memo_is_described() {
        let memo = Vocabulary::memo();
        for &language in Language::ALL {
            let catalogue = Catalogue::of(language);
            let classes = memo.classes().map(|(class, _)| class);
            for class in classes.chain(memo.terminals()) {
                let description = catalogue.class(&class, &memo);
                assert_ne!(
                    description,
                    catalogue.text("other_class"),
                    "{language} {class}"
                );
            }
        }
    }
}
