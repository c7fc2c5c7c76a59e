//! The times and the CPU as a picture.
