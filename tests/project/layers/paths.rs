//! Paths that a Rust file refers to, and the names that it declares.

/// A path, by its segments; `*` at the end for all names of a module.
pub(super) type Path = Vec<String>;

/// Modules, items and paths of a Rust file.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Modules in files of their own.
    pub(super) modules: Vec<String>,
    /// Items, and modules in braces.
    pub(super) items: Vec<String>,
    /// Names that `use` brings into the module, each with its path; the name of a glob is `*`.
    pub(super) imports: Vec<(String, Path)>,
    /// Paths outside of `use`.
    pub(super) paths: Vec<Path>,
}

impl Source {
    /// Reads tokens.
    pub(super) fn read(tokens: &[String]) -> Self {
        let mut source = Self::default();
        let mut at = 0;
        while at < tokens.len() {
            let next = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token);
            match next(0) {
                "use" => {
                    at = source.read_use(tokens, at + 1, &[]);
                    continue;
                }
                "mod" if next(2) == ";" => source.modules.push(next(1).to_owned()),
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "mod"
                | "union" => {
                    source.items.push(next(1).to_owned());
                }
                "macro_rules" => source.items.push(next(2).to_owned()),
                _ => {}
            }
            let (path, end) = path_at(tokens, at);
            if path.len() > 1 {
                source.paths.push(path);
            }
            at = end.max(at + 1);
        }
        source
    }

    /// Reads a tree of `use`; returns the place after it.
    fn read_use(&mut self, tokens: &[String], mut at: usize, before: &[String]) -> usize {
        let mut path = before.to_vec();
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token.as_str() {
                ":" => {}
                "{" => loop {
                    match tokens.get(at).map(String::as_str) {
                        Some("}") | None => return at + 1,
                        Some(",") => at += 1,
                        Some(_) => at = self.read_use(tokens, at, &path),
                    }
                },
                "," | "}" | ";" => {
                    if let Some(name) = path.last() {
                        self.imports.push((name.clone(), path));
                    }
                    // The list's own end is for the caller.
                    return at - usize::from(token != ";");
                }
                "as" => {
                    self.imports.push((tokens[at].clone(), path));
                    return at + 1;
                }
                // `self` in a list is the path before the list.
                "self" if !before.is_empty() && path.len() == before.len() => {}
                _ => path.push(token.clone()),
            }
        }
        at
    }
}

/// The path that begins at this place, and the place after it.
fn path_at(tokens: &[String], mut at: usize) -> (Path, usize) {
    let mut path = Path::new();
    let is_word =
        |token: &String| token.starts_with(|first: char| first.is_alphabetic() || first == '_');
    while let Some(word) = tokens.get(at).filter(|token| is_word(token)) {
        path.push(word.clone());
        at += 1;
        if tokens.get(at).is_some_and(|token| token == ":")
            && tokens.get(at + 1).is_some_and(|token| token == ":")
        {
            at += 2;
        } else {
            break;
        }
    }
    (path, at)
}

#[cfg(test)]
fn read(source: &str) -> Source {
    Source::read(&super::tokens::tokens(source))
}

#[test]
fn trees_of_use_are_read_to_their_leaves() {
    let source = read(
        "use crate::a::{self, b::C, d::{E, F as G}, h::*}; pub(super) use super::i::J; use self::k;",
    );
    let imports: Vec<String> = source
        .imports
        .iter()
        .map(|(name, path)| format!("{name}={}", path.join("::")))
        .collect();
    assert_eq!(
        imports,
        [
            "a=crate::a",
            "C=crate::a::b::C",
            "E=crate::a::d::E",
            "G=crate::a::d::F",
            "*=crate::a::h::*",
            "J=super::i::J",
            "k=self::k",
        ]
    );
}

#[test]
fn declarations_and_paths_in_code_are_found() {
    let source =
        read("mod a; pub(crate) mod b { } struct C; fn d() { crate::e::f(super::g::H::i()) }");
    assert_eq!(source.modules, ["a"]);
    assert_eq!(source.items, ["b", "C", "d"]);
    let paths: Vec<String> = source.paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["crate::e::f", "super::g::H::i"]);
}
