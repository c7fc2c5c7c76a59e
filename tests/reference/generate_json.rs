//! Seeded documents and streams with JSON in them.
