//! The provenance memo's vocabulary, annotations, grammar and admissibility discipline.
//!
//! Nothing here knows the streaming engine; all of it can be used alone.
