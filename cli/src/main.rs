//! The provstream command line.
fn main() {}
