//! Makes language models write provenance annotations: prompts that ask for them, schemas and grammars that enforce them.
//!
//! Prompts, schemas, grammars and the parser share one [`Vocabulary`](provstream::provenance::Vocabulary), so a class that is
//! added to the vocabulary file is known to all of them.
//!
//! - [`Prompt`] asks a model for annotations, in brackets or in JSON, in five languages.
//! - [`Schema`] describes answers in JSON to the structured output of a provider, in the part of JSON Schema that it documents.
//! - [`Grammar`] describes answers in free text to llguidance, llama.cpp, XGrammar, vLLM and SGLang.
//! - [`Observations`] list what was observed. With them a prompt says what can be cited, and schemas and grammars
//!   exclude everything else, as far as the engine allows.
//! - [`example_pair`] turns annotated conversations into examples for fine-tuning.
//!
//! Everything is a pure function of its arguments. `docs/emission.md` has a recipe for each engine and says what is enforced and
//! what is only asked for.
//!
//! ```
//! use provstream::provenance::Vocabulary;
//! use provstream_emit::{Grammar, GrammarTarget, Observations, Prompt, Requirement};
//!
//! let vocabulary = Vocabulary::memo();
//! let file = br#"[{"class": "substrate.grep", "id": "src/a.rs:7", "ts": "2026-05-28T11:40:00Z"}]"#;
//! let observations = Observations::from_json(file, &vocabulary)?;
//! let prompt = Prompt::new(&vocabulary).citing(&observations).build();
//! let grammar = Grammar::new(&vocabulary)
//!     .citing(&observations)
//!     .requiring(Requirement::EverySentence);
//! let gbnf = grammar.print(GrammarTarget::Gbnf)?;
//! assert!(prompt.text().contains("src/a.rs:7") && gbnf.contains("src/a.rs:7"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod examples;
mod grammar;
mod json;
mod names;
mod observation;
mod prompt;
mod schema;

pub use examples::{ExampleError, ExamplePair, example_pair};
pub use grammar::{Grammar, GrammarPrintError, GrammarTarget, Requirement};
pub use observation::{Observation, ObservationError, Observations};
pub use prompt::{Language, PROMPT_VERSION, Prompt, PromptForm, PromptLength, PromptText};
pub use schema::{Schema, SchemaError, SchemaTarget};
