//! Free text through the parser, beside the floors. `cargo bench --bench text`

mod support;

use criterion::{BenchmarkId, Criterion, Throughput};
use provstream::{Mode, Parser};
use regex::bytes::Regex;
use support::{PATTERN, Prose, memchr3_and_copy, memchr3_pass, regex_pass, stream};

fn text(criterion: &mut Criterion) {
    let regex = Regex::new(PATTERN).expect("a sound pattern");
    for (prose, name) in [(Prose::Plain, "plain"), (Prose::Rich, "rich")] {
        for gap in [20_000, 2_000, 200] {
            let input = stream(prose, gap);
            let mut group = criterion.benchmark_group(format!("{name}/{gap}"));
            group.throughput(Throughput::Bytes(input.len() as u64));
            let mut parser = Parser::builder().mode(Mode::Text).build();
            for size in [4, 16, 64, 1 << 16] {
                group.bench_function(BenchmarkId::new("provstream", size), |bench| {
                    bench.iter(|| support::provstream(&mut parser, &input, size));
                });
            }
            group.bench_function("memchr3", |bench| bench.iter(|| memchr3_pass(&input)));
            group.bench_function("regex", |bench| bench.iter(|| regex_pass(&regex, &input)));
            let mut buffer = Vec::with_capacity(input.len());
            group.bench_function("memchr3 and copy/4", |bench| {
                bench.iter(|| memchr3_and_copy(&mut buffer, &input, 4));
            });
            group.finish();
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    text(&mut criterion);
    criterion.final_summary();
}
