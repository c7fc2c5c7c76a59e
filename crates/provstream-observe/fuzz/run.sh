#!/bin/sh
# Fuzzes what the crate reads for a number of seconds: fuzz/run.sh queries|ids|imports SECONDS [afl|libfuzzer]. Needs cargo-fuzz or
# cargo-afl; starts from tests/observe/samples/ and, with libFuzzer, from what an earlier run kept. The exit status is not 0 if
# anything was found; libFuzzer ends at the first find.
set -eu
cd "$(dirname "$0")"
[ $# -eq 2 ] || [ $# -eq 3 ] || {
    echo "usage: fuzz/run.sh queries|ids|imports SECONDS [afl|libfuzzer]" >&2
    exit 2
}
samples=queries
[ "$1" != imports ] || samples=logs
work=${PROVSTREAM_FUZZ_DIR:-$PWD/target}
kept=$work/kept/$1
mkdir -p "$kept"
split -l 1 "../tests/observe/samples/$samples.ndjson" "$kept/sample-"
export PROVSTREAM_BODY="$1"
case ${3:-libfuzzer} in
libfuzzer)
    cargo fuzz run --fuzz-dir . -s none --features libfuzzer --target-dir "$work" libfuzzer "$kept" -- -max_total_time="$2" \
        -artifact_prefix="$work/" -max_len=4096 -timeout=20 -rss_limit_mb=2048 -dict=../../../fuzz/dictionary.txt -print_final_stats=1
    ;;
afl)
    export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1
    cargo afl build --release --features afl --bin afl --target-dir "$work/afl"
    out=$work/found/$1
    rm -rf "$out"
    mkdir -p "$out"
    cargo afl fuzz -V "$2" -t 5000 -G 4096 -x ../../../fuzz/dictionary.txt -i "$kept" -o "$out" -- "$work/afl/release/afl" "$1"
    grep -e execs_done -e saved_ "$out/default/fuzzer_stats"
    [ -z "$(find "$out/default/crashes" "$out/default/hangs" -name 'id*')" ]
    ;;
*)
    echo "expected \"afl\" or \"libfuzzer\", found \"$3\"" >&2
    exit 2
    ;;
esac
