//! Options that write markers of citations anew.

use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use provstream::render::{MarkerRenderer, Markup, Template, Unlisted};
use provstream_route::SourceList;

use crate::error::usage_error;

// Markers of citations, written anew.
#[derive(Debug, Args)]
pub(crate) struct RenderOptions {
    /// Write this in the place of each marker, for each source that it cites, instead of nothing
    ///
    /// {id}, {title} and {url} are those of --sources, escaped; n in braces is the number of the source, by its first use. Where {url}
    /// is no address with http, https or mailto, only the number is written, in brackets. {{ and }} are braces.
    // `clap` breaks the line at an n in braces.
    #[arg(
        long,
        value_name = "TEMPLATE",
        requires = "sources",
        help_heading = "Rendering"
    )]
    render: Option<String>,
    /// Language of the templates: markdown or html
    #[arg(long, value_name = "MARKUP", default_value = "markdown", value_parser = Markup::from_str, requires = "render", help_heading = "Rendering")]
    render_as: Markup,
    /// Treatment of identifiers that --sources does not have: strip, keep, or mark them as [?]
    #[arg(long, value_name = "WHAT", default_value = "strip", value_parser = Unlisted::from_str, requires = "render", help_heading = "Rendering")]
    unlisted: Unlisted,
    /// Write this after the text, a line for each source that it cites
    #[arg(
        long,
        value_name = "TEMPLATE",
        requires = "render",
        help_heading = "Rendering"
    )]
    notes: Option<String>,
}

impl RenderOptions {
    /// Returns `true` if notes are written after the text.
    pub(crate) const fn has_notes(&self) -> bool {
        self.notes.is_some()
    }

    /// Creates the renderer of a text.
    pub(crate) fn renderer(
        &self,
        sources: Option<Arc<SourceList>>,
    ) -> anyhow::Result<Option<MarkerRenderer>> {
        let (Some(template), Some(sources)) = (&self.render, sources) else {
            return Ok(None);
        };
        let template = self.template("--render", template)?;
        Ok(Some(
            MarkerRenderer::new(template, sources).with_unlisted(self.unlisted),
        ))
    }

    /// Reads the template of the notes.
    pub(crate) fn notes(&self) -> anyhow::Result<Option<Template>> {
        let notes = self.notes.as_ref();
        notes
            .map(|template| self.template("--notes", template))
            .transpose()
    }

    fn template(&self, option: &str, template: &str) -> anyhow::Result<Template> {
        Template::new(template, self.render_as)
            .map_err(|error| usage_error(format_args!("{option}: {error}")))
    }
}
