//! The formats, each a table of the paths that matter in its events.

mod anthropic;
mod bedrock_converse;
mod cohere;
mod detect;
mod gemini;
mod gemini_interactions;
mod llama_cpp;
mod mistral_conversations;
mod ollama;
mod openai_chat;
mod openai_responses;
mod tgi;
mod vercel_ui;

use std::sync::OnceLock;

use super::Format;
use super::walk::automaton::PathAutomaton;
use super::walk::table::FormatTable;

pub(super) use detect::{DETECT, evidence, shown};

impl Format {
    /// The paths of the format's events.
    pub(super) fn automaton(self) -> &'static PathAutomaton {
        static AUTOMATA: [OnceLock<PathAutomaton>; Format::ALL.len()] =
            [const { OnceLock::new() }; Format::ALL.len()];
        let (place, table) = self.table();
        AUTOMATA[place].get_or_init(|| PathAutomaton::new(table))
    }

    const fn table(self) -> (usize, &'static FormatTable) {
        match self {
            Self::OpenAiChat => (0, &openai_chat::TABLE),
            Self::OpenAiResponses => (1, &openai_responses::TABLE),
            Self::Anthropic => (2, &anthropic::TABLE),
            Self::Gemini => (3, &gemini::TABLE),
            Self::Ollama => (4, &ollama::TABLE),
            Self::Cohere => (5, &cohere::TABLE),
            Self::GeminiInteractions => (6, &gemini_interactions::TABLE),
            Self::MistralConversations => (7, &mistral_conversations::TABLE),
            Self::LlamaCpp => (8, &llama_cpp::TABLE),
            Self::Tgi => (9, &tgi::TABLE),
            Self::BedrockConverse => (10, &bedrock_converse::TABLE),
            Self::VercelUi => (11, &vercel_ui::TABLE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_an_automaton_of_its_own() {
        let mut places: Vec<_> = Format::ALL.iter().map(|format| format.table().0).collect();
        places.sort_unstable();
        assert!(places.into_iter().eq(0..Format::ALL.len()));
        for format in Format::ALL {
            assert!(!format.automaton().table.rows.is_empty(), "{format}");
        }
    }
}
