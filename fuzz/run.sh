#!/bin/sh
# Fuzzes a body for a number of seconds: fuzz/run.sh BODY SECONDS [afl|libfuzzer]
#
# BODY is one of those that `fuzz/run.sh` alone lists, or `all`, which divides the seconds among them. Installs the
# fuzzer if it is missing, starts from the corpus and, with libFuzzer, from what an earlier run kept. Prints a line every ten
# seconds, and executions, coverage and finds at the end. A find does not end the search. Finds that panic at the same place
# count as one, up to three of them; the first ten are minimised, a minute each, and saved as
# corpus/regressions/BODY/BODY-HASH, where `cargo test` replays them. The exit status is 1 if anything was found. Runs of
# different bodies, and of both engines, can go side by side; PROVSTREAM_FUZZ_DIR is where they work, fuzz/target unless set.
set -eu
cd "$(dirname "$0")"

bodies=$(sed -n 's/^ *body( *"\([a-z_]*\)".*/\1/p; s/^ *"\([a-z_]*\)",$/\1/p' src/body/mod.rs)
usage() {
    echo "usage: fuzz/run.sh BODY SECONDS [afl|libfuzzer]"
    echo "bodies: all" $bodies
}
[ $# -gt 0 ] || {
    usage
    exit 0
}
wrong() {
    echo "$1" >&2
    usage >&2
    exit 2
}
[ $# -ge 2 ] && [ $# -le 3 ] || wrong "expected a body, a number of seconds and perhaps an engine, found $# arguments"
body=$1 seconds=$2 engine=${3:-libfuzzer}
[ "$body" = all ] || echo "$bodies" | grep -qx -e "$body" || wrong "unknown body \"$body\""
case $seconds in '' | *[!0-9]*) wrong "expected a number of seconds, found \"$seconds\"" ;; esac
case $engine in afl | libfuzzer) ;; *) wrong "expected \"afl\" or \"libfuzzer\", found \"$engine\"" ;; esac

work=${PROVSTREAM_FUZZ_DIR:-$PWD/target}
mkdir -p "$work"
work=$(cd "$work" && pwd)
triple=$(rustc -vV | sed -n 's/^host: //p')
job=

# An interrupted run leaves no process.
stop() {
    [ -z "$job" ] || kill "$job" 2>/dev/null || true
    exit 130
}
trap stop INT TERM

# Runs a command with its output in a file, printing what it does every ten seconds: watch WHAT FILE COMMAND...
# `state`, if it is a function, adds what the file says so far.
watch() {
    what=$1 log=$2
    shift 2
    echo "$what"
    began=$(date +%s) next=10
    "$@" >"$log" 2>&1 &
    job=$!
    while kill -0 "$job" 2>/dev/null; do
        sleep 1
        spent=$(($(date +%s) - began))
        if [ "$spent" -ge "$next" ]; then
            next=$((spent - spent % 10 + 10))
            echo "  $spent s: $(state "$log")"
        fi
    done
    status=0
    wait "$job" || status=$?
    job=
    return "$status"
}

# The last thing of interest in a log: counters of the search, the size of a find, the crate that is being compiled. AFL++ keeps its
# counters, once a minute, in a file of its own.
state() {
    if [ "$1" = "${afl_log:-}" ] && [ -s "$out/default/fuzzer_stats" ]; then
        echo "$(stat execs_done) executions, $(stat saved_crashes) crashes, $(stat saved_hangs) hangs"
        return
    fi
    line=$(grep -a -e '^#[0-9]' -e '^ *Compiling' -e '^CRASH_MIN' -e 'saved crashes' "$1" | tail -n 1 | cut -c 1-120)
    echo "${line:-starting}"
}

# Each engine instruments in its own way and has a target directory of its own.
build_libfuzzer() {
    command -v cargo-fuzz >/dev/null || watch "installing cargo-fuzz" "$work/install.log" cargo install --locked cargo-fuzz
    # Without a sanitizer: the code is safe Rust, and stable can build it. Without traces of comparisons, which cost up
    # to two thirds of the rate: the dictionary and the generator know the words.
    watch "building the bodies for libFuzzer in $work/libfuzzer" "$work/build-libfuzzer.log" \
        cargo fuzz build --fuzz-dir driver -s none --no-trace-compares --features libfuzzer --target-dir "$work/libfuzzer" body ||
        return 1
    program=$work/libfuzzer/$triple/release/body
}

build_afl() {
    command -v cargo-afl >/dev/null || watch "installing cargo-afl" "$work/install.log" cargo install --locked cargo-afl
    set -- cargo afl build --manifest-path driver/Cargo.toml --release --features afl --bin provstream-afl --target-dir "$work/afl"
    # AFL++ is built once for each version of Rust.
    watch "building the bodies for AFL++ in $work/afl" "$work/build-afl.log" "$@" || {
        watch "building AFL++ for this version of Rust" "$work/build-afl.log" cargo afl config --build || return 1
        watch "building the bodies for AFL++ in $work/afl" "$work/build-afl.log" "$@" || return 1
    }
    program=$work/afl/release/provstream-afl
    export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1
    # A seed that breaks the body is a find.
    export AFL_CRASHING_SEEDS_AS_NEW_CRASH=1
}

# The bodies write what a search starts from: the files of the corpus that they read, regressions, and choices of the generator.
seed() {
    seeds=$work/seeds/$engine/$1
    rm -rf "$seeds"
    mkdir -p "$seeds"
    PROVSTREAM_BODY=$1 PROVSTREAM_START=$seeds "$program" "$1" 2>"$work/seed.log" || {
        cat "$work/seed.log"
        exit 3
    }
    echo "$1: $(find "$seeds" -type f | wc -l) inputs to start from"
}

# The find's panic: its place, as the program prints it. A find that does not panic is a hang or takes too much memory.
place() {
    timeout 30 env PROVSTREAM_BODY="$body_now" "$program" $([ "$engine" = libfuzzer ] && echo "$1" || echo "$body_now") \
        <"$1" 2>&1 | sed -n 's/.*panicked at \([^ ]*[0-9]\).*/\1/p' | head -n 1
}

# Files the finds of a body: up to three for each place of a panic, the shortest first, ten in all.
file_finds() {
    body_now=$1
    shift
    # Without a file `ls` would list the folder.
    [ $# -gt 0 ] || return 0
    : >"$work/places"
    for find in $(ls -Sr "$@" 2>/dev/null | head -n 200); do
        at=$(place "$find")
        at=${at:-no panic}
        [ "$(grep -cxF "$at" "$work/places" || true)" -lt 3 ] || continue
        [ "$(wc -l <"$work/places")" -lt 10 ] || break
        echo "$at" >>"$work/places"
        file_find "$body_now" "$find" "$at"
    done
}

# Files a find, minimised by the engine, under a name that says the body and the bytes.
file_find() {
    # Choices of the generator would be another input as soon as the generator changes.
    PROVSTREAM_BODY=$1 PROVSTREAM_EXPAND=$2 "$program" "$1" >/dev/null 2>&1 || cp "$2" "$2.input"
    # What a generator makes of its choices may be longer than the choices.
    watch "minimising a find at $3" "$work/minimise.log" "small_$engine" "$1" "$2.input" "$2.small" || true
    [ -s "$2.small" ] || cp "$2.input" "$2.small"
    name=$1/$1-$(sha256sum "$2.small" | cut -c 1-12)
    case $filed in *" $name "*) return ;; esac
    filed="$filed $name "
    mkdir -p "../corpus/regressions/$1"
    cp "$2.small" "../corpus/regressions/$name"
    chmod 644 "../corpus/regressions/$name"
    echo "find: corpus/regressions/$name: $3"
    finds=$((finds + 1))
}

small_libfuzzer() {
    "$program" -minimize_crash=1 -max_total_time=60 -timeout=20 -exact_artifact_path="$3" "$2"
}

small_afl() {
    timeout 60 cargo afl tmin -t 5000 -i "$2" -o "$3" -- "$program" "$1"
}

# Runs libFuzzer on a body for some seconds. A find ends the search, which then goes on in children (-fork=1), so that a shallow
# find does not hide what lies deeper. Children find less in the same time: they start over again and again.
run_libfuzzer() {
    kept=$work/kept/$1 found=$work/found/libfuzzer/$1 first=$work/libfuzzer-$1.log
    rm -rf "$found"
    mkdir -p "$kept" "$found"
    export PROVSTREAM_BODY=$1
    deadline=$(($(date +%s) + $2)) executions=0 how=
    while left=$((deadline - $(date +%s))) && [ "$left" -gt 0 ]; do
        watch "libfuzzer $1 for $left s$how" "$first" "$program" "$kept" "$seeds" $how -max_total_time="$left" -max_len=4096 \
            -timeout=20 -rss_limit_mb=2048 -dict=dictionary.txt -artifact_prefix="$found/" -print_final_stats=1 -verbosity=1 || true
        counted=$(sed -n -e 's/^stat::number_of_executed_units: *//p' -e 's/^#\([0-9]*\): cov.*/\1/p' "$first" | tail -n 1)
        coverage=$(grep -ao 'cov: [0-9]* ft: [0-9]*' "$first" | tail -n 1)
        [ -n "$counted" ] || {
            tail -n 20 "$first"
            echo "libFuzzer did not run: $first"
            exit 3
        }
        executions=$((executions + counted)) how=" -fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1"
    done
    file_finds "$1" $(find "$found" -type f ! -name 'slow-unit-*')
    echo "libfuzzer $1: $executions executions in $2 s, ${coverage:-no coverage}"
}

# A counter of AFL++.
stat() { sed -n "s/^$1 *: //p" "$out/default/fuzzer_stats"; }

# Runs AFL++ on a body for some seconds.
run_afl() {
    out=$work/found/afl/$1 log=$work/afl-$1.log
    afl_log=$log
    rm -rf "$out"
    mkdir -p "$out"
    watch "afl $1 for $2 s" "$log" \
        cargo afl fuzz -V "$2" -t 5000 -G 4096 -x dictionary.txt -i "$seeds" -o "$out" -- "$program" "$1" || {
        tail -n 20 "$log"
        echo "AFL++ did not run: $log"
        exit 3
    }
    file_finds "$1" $(find "$out/default/crashes" "$out/default/hangs" -name 'id*')
    echo "afl $1: $(stat execs_done) executions in $2 s, $(stat edges_found) of $(stat total_edges) edges, map density $(stat bitmap_cvg)," \
        "$(stat corpus_count) inputs kept"
}

main() {
    finds=0 filed=
    if [ "$body" = all ]; then
        chosen=$bodies
        count=$(echo $bodies | wc -w)
        seconds=$(((seconds + count - 1) / count))
    else
        chosen=$body
    fi
    "build_$engine" || {
        tail -n 40 "$work/build-$engine.log"
        exit 3
    }
    for one in $chosen; do
        seed "$one"
        "run_$engine" "$one" "$seconds"
    done
    echo "finds: $finds"
    [ "$finds" -eq 0 ]
}

main
exit
