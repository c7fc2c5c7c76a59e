#!/bin/sh
# Fuzzes a body for a number of seconds: fuzz/run.sh BODY SECONDS [afl|libfuzzer]
#
# BODY is one of those that `fuzz/run.sh` alone lists, or `all`, which divides the seconds among them. Installs the
# fuzzer if it is not there, starts from the corpus and, with libFuzzer, from what an earlier run kept, makes the first ten
# finds as small as they can be made in a minute each, and files them as corpus/regressions/BODY/BODY-HASH, where `cargo
# test` replays them. Prints executions, coverage and finds. The exit status is 1 if anything was found. Runs of different
# bodies, and of both engines, can go side by side; PROVSTREAM_FUZZ_DIR is where they work, fuzz/target unless set.
set -eu
cd "$(dirname "$0")"

bodies=$(sed -n 's/^ *body( *"\([a-z_]*\)".*/\1/p; s/^ *"\([a-z_]*\)",$/\1/p' src/body/mod.rs)
usage() {
    echo "usage: fuzz/run.sh BODY SECONDS [afl|libfuzzer]"
    echo "bodies: all" $bodies
    exit 2
}
[ $# -ge 2 ] && [ $# -le 3 ] || usage
body=$1 seconds=$2 engine=${3:-libfuzzer}
case $seconds in '' | *[!0-9]*) usage ;; esac
case $engine in afl | libfuzzer) ;; *) usage ;; esac

work=${PROVSTREAM_FUZZ_DIR:-$PWD/target}
mkdir -p "$work"
work=$(cd "$work" && pwd)
triple=$(rustc -vV | sed -n 's/^host: //p')

# Each engine instruments in its own way and has a target directory of its own.
case $engine in
libfuzzer)
    command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
    # Without a sanitizer: the code is safe Rust, and stable can build it.
    cargo fuzz build --fuzz-dir driver -s none --features libfuzzer --target-dir "$work/libfuzzer" body
    program=$work/libfuzzer/$triple/release/body
    ;;
afl)
    command -v cargo-afl >/dev/null || cargo install --locked cargo-afl
    # AFL++ is built once for each version of Rust.
    cargo afl build --manifest-path driver/Cargo.toml --release --features afl --bin provstream-afl --target-dir "$work/afl" || {
        cargo afl config --build
        cargo afl build --manifest-path driver/Cargo.toml --release --features afl --bin provstream-afl --target-dir "$work/afl"
    }
    program=$work/afl/release/provstream-afl
    export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1
    # A seed that breaks the body is a find.
    export AFL_CRASHING_SEEDS_AS_NEW_CRASH=1
    ;;
esac

# What the search starts from: the corpus that the tests replay, regressions, and choices of the generator.
seed() {
    seeds=$work/seeds/$engine/$1
    rm -rf "$seeds"
    mkdir -p "$seeds"
    case $1 in
    json) cp ../corpus/json/*.json ../corpus/json/*.lines ../corpus/json/*.txt ../corpus/marc/*.json "$seeds" ;;
    marc) cp ../corpus/marc/*.json ../corpus/json/marc*.json "$seeds" ;;
    sse | wire_*) cp ../corpus/wire/* "$seeds" && rm -f "$seeds"/*.text.json ;;
    vocabulary_file)
        printf 'version = "1.1"\n[[class]]\nid = "substrate.sql.query"\nsince = "1.1"\n' >"$seeds/sound.toml"
        printf 'version = "1.0"\n[[class]]\nid = "substrate.grep"\nsince = "2.0"\n' >"$seeds/above.toml"
        ;;
    deployment_file) cp ../corpus/marc/*.toml "$seeds" && rm -f "$seeds/mutations.toml" ;;
    writers)
        printf 'substrate.grep\nsha256:e3b0\n2026-05-28T11:40:00Z' >"$seeds/plain"
        printf '9.9.note\n "[a]; b\\' >"$seeds/quoted"
        ;;
    citations) cp ../corpus/text/*.txt ../corpus/wire/*.json "$seeds" ;;
    *)
        cp ../corpus/text/*.txt ../corpus/json/*.txt "$seeds"
        # What is read in another mode, and with records held, has settings in front: see src/case.rs.
        settings='\0\0\0\0\0\0\0\0\0\0\0'
        for file in ../corpus/json/*.txt ../corpus/json/*.json ../corpus/json/*.lines; do
            case $file in *.txt) mode=0 ;; *.json) mode=2 ;; *) mode=3 ;; esac
            { printf '\377\00'$mode"$settings"; cat "$file"; } >"$seeds/$(basename "$file").as-$mode"
            { printf '\377\00'$((mode + 4))"$settings"; cat "$file"; } >"$seeds/$(basename "$file").held"
        done
        ;;
    esac
    if [ -d "../corpus/regressions/$1" ]; then
        for file in ../corpus/regressions/"$1"/*; do
            cp "$file" "$seeds/regression-$(basename "$file")"
        done
    fi
    # The generator's choices stand behind the byte FD.
    for number in $(seq 1 60); do
        LC_ALL=C awk -v seed="$number" 'BEGIN {
            srand(seed)
            printf "\375"
            for (at = 0; at < seed * 4; at++) printf "%c", 1 + int(rand() * 255)
        }' >"$seeds/choices-$number"
    done
    # Longer files slow the search down.
    find "$seeds" -type f -size +8k -delete
}

# Files a find of a body, made small by the engine, under a name that says the body and the bytes.
file_find() {
    # Choices of the generator would be another input as soon as the generator changes.
    PROVSTREAM_EXPAND=$2 "$program" "$1" >>"$log" 2>&1 || cp "$2" "$2.input"
    "small_$engine" "$1" "$2.input" "$2.small" >>"$log" 2>&1 || true
    [ -s "$2.small" ] || cp "$2.input" "$2.small"
    name=$1/$1-$(sha256sum "$2.small" | cut -c 1-12)
    mkdir -p "../corpus/regressions/$1"
    case $filed in *" $name "*) return ;; esac
    filed="$filed $name "
    cp "$2.small" "../corpus/regressions/$name"
    chmod 644 "../corpus/regressions/$name"
    echo "find: corpus/regressions/$name"
    finds=$((finds + 1))
}

small_libfuzzer() {
    "$program" -minimize_crash=1 -max_total_time=60 -timeout=20 -exact_artifact_path="$3" "$2"
}

small_afl() {
    timeout 60 cargo afl tmin -t 5000 -i "$2" -o "$3" -- "$program" "$1"
}

# Runs libFuzzer on a body for some seconds.
run_libfuzzer() {
    kept=$work/kept/$1 found=$work/found/libfuzzer/$1 log=$work/libfuzzer-$1.log
    rm -rf "$found"
    mkdir -p "$kept" "$found"
    export PROVSTREAM_BODY=$1
    # A find ends the process, not the search: it goes on with the time that is left.
    deadline=$(($(date +%s) + $2)) executions=0 turns=0
    while left=$((deadline - $(date +%s))) && [ "$left" -gt 0 ] && [ "$turns" -lt 20 ]; do
        turns=$((turns + 1))
        "$program" "$kept" "$seeds" -max_total_time="$left" -max_len=4096 -timeout=20 -rss_limit_mb=2048 \
            -dict=dictionary.txt -artifact_prefix="$found/" -print_final_stats=1 -verbosity=1 >"$log" 2>&1 || true
        done_now=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
        [ -n "$done_now" ] || done_now=$(sed -n 's/^#\([0-9]*\).*/\1/p' "$log" | tail -n 1)
        executions=$((executions + ${done_now:-0}))
        coverage=$(grep -o 'cov: [0-9]* ft: [0-9]*' "$log" | tail -n 1)
    done
    for find in $(find "$found" -type f ! -name 'slow-unit-*' | sort | head); do
        file_find "$1" "$find"
    done
    echo "libfuzzer $1: $executions executions in $2 s, ${coverage:-no coverage}"
}

# Runs AFL++ on a body for some seconds.
run_afl() {
    out=$work/found/afl/$1 log=$work/afl-$1.log
    rm -rf "$out"
    mkdir -p "$out"
    cargo afl fuzz -V "$2" -t 5000 -G 4096 -x dictionary.txt -i "$seeds" -o "$out" -- "$program" "$1" >"$log" 2>&1 || {
        tail -n 20 "$log"
        echo "AFL++ did not run: $log"
        exit 3
    }
    for find in $(find "$out/default/crashes" "$out/default/hangs" -name 'id*' | sort | head); do
        file_find "$1" "$find"
    done
    stat() { sed -n "s/^$1 *: //p" "$out/default/fuzzer_stats"; }
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
        chosen=$(echo "$bodies" | grep -x "$body") || usage
    fi
    for one in $chosen; do
        seed "$one"
        "run_$engine" "$one" "$seconds"
    done
    echo "finds: $finds"
    [ "$finds" -eq 0 ]
}

main
exit
