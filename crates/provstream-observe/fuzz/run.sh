#!/bin/sh
# Fuzzes what the crate reads for a number of seconds: fuzz/run.sh queries|ids|imports SECONDS. Needs cargo-fuzz; starts from
# tests/observe/samples/ and from what an earlier run kept. The exit status is that of libFuzzer: not 0 at the first find.
set -eu
cd "$(dirname "$0")"
[ $# -eq 2 ] || {
    echo "usage: fuzz/run.sh queries|ids|imports SECONDS" >&2
    exit 2
}
samples=queries
[ "$1" != imports ] || samples=logs
work=${PROVSTREAM_FUZZ_DIR:-$PWD/target}
kept=$work/kept/$1
mkdir -p "$kept"
split -l 1 "../tests/observe/samples/$samples.ndjson" "$kept/sample-"
cargo fuzz run --fuzz-dir . -s none --features libfuzzer --target-dir "$work" "$1" "$kept" -- -max_total_time="$2" \
    -artifact_prefix="$work/" -max_len=4096 -timeout=20 -rss_limit_mb=2048 -dict=../../../fuzz/dictionary.txt -print_final_stats=1
