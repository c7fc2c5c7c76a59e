//! Files of the built-in dialects.

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("built-in/", $name, ".toml")))),*]
    };
}

const FILES: [(&str, &str); 9] = files!(
    "openai-file" "openai-web" "file-token" "numeric" "doc" "citation" "cohere" "cite-tag" "nova"
);

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|&(name, _)| name)
}

pub(super) fn file(name: &str) -> Option<&'static str> {
    let found = FILES.iter().find(|(known, _)| *known == name);
    found.map(|&(_, file)| file)
}
