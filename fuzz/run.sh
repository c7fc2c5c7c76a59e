#!/bin/sh
# Fuzzes one target for a number of seconds: fuzz/run.sh TARGET SECONDS [afl|libfuzzer]
# Installs the fuzzer if it is not there. `fuzz/run.sh` alone lists the targets.
set -eu
cd "$(dirname "$0")"

targets=$(ls fuzz_targets | sed 's/\.rs$//')
if [ $# -lt 2 ]; then
    echo "usage: fuzz/run.sh TARGET SECONDS [afl|libfuzzer]"
    echo "targets:" $targets
    exit 2
fi
target=$1 seconds=$2 engine=${3:-libfuzzer}
[ -f "fuzz_targets/$target.rs" ] || { echo "no such target: $target; there are:" $targets; exit 2; }

# The corpus that the tests replay is what the search starts from.
seeds=target/seeds/$target
mkdir -p "$seeds"
case $target in
vocabulary_file)
    printf 'version = "1.1"\n[[class]]\nid = "substrate.sql.query"\nsince = "1.1"\n' >"$seeds/sound.toml"
    printf 'version = "1.0"\n[[class]]\nid = "substrate.grep"\nsince = "2.0"\n' >"$seeds/above.toml"
    ;;
writers)
    printf 'substrate.grep\nsha256:e3b0\n2026-05-28T11:40:00Z' >"$seeds/plain"
    printf '9.9.note\n "[a]; b\\' >"$seeds/quoted"
    ;;
*)
    cp ../corpus/text/*.txt ../corpus/json/*.txt "$seeds"
    # What is read in another mode, and with records held, has settings in front: see src/case.rs.
    settings='\0\0\0\0\0\0\0\0\0\0\0'
    for file in ../corpus/json/*.txt; do
        { printf '\377\004'"$settings"; cat "$file"; } >"$seeds/$(basename "$file").held"
    done
    for file in ../corpus/json/*.json; do
        { printf '\377\002'"$settings"; cat "$file"; } >"$seeds/$(basename "$file")"
        { printf '\377\006'"$settings"; cat "$file"; } >"$seeds/$(basename "$file").held"
    done
    for file in ../corpus/json/*.lines; do
        { printf '\377\003'"$settings"; cat "$file"; } >"$seeds/$(basename "$file")"
    done
    ;;
esac

case $engine in
libfuzzer)
    command -v cargo-fuzz >/dev/null || cargo install cargo-fuzz
    found=artifacts/$target
    mkdir -p "corpus/$target" "$found"
    # Without a sanitizer: the code is safe Rust, and stable can build it.
    status=0
    (cd .. && cargo fuzz run -s none --features libfuzzer "$target" \
        "fuzz/corpus/$target" "fuzz/$seeds" -- -max_total_time="$seconds" -max_len=4096 -print_final_stats=1) || status=$?
    echo "finds, if any: fuzz/$found"
    exit "$status"
    ;;
afl)
    command -v cargo-afl >/dev/null || cargo install cargo-afl
    found=target/afl/$target
    mkdir -p "$found"
    cargo afl build --release --features afl --bin provstream-afl
    export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1
    cargo afl fuzz -V "$seconds" -i "$seeds" -o "$found" "${CARGO_TARGET_DIR:-target}/release/provstream-afl" "$target"
    grep -E '^(execs_done|execs_per_sec|saved_crashes|saved_hangs|corpus_count)' "$found/default/fuzzer_stats"
    echo "finds, if any: fuzz/$found/default/crashes and hangs"
    ;;
*)
    echo "no such engine: $engine"
    exit 2
    ;;
esac
