#!/usr/bin/env bash
# Wall time and peak memory of `provstream extract` with one job and with several, over one file of NDJSON.
#
#   benches/jobs.sh [JOBS] [MIB] [ROUNDS]    2 jobs, 2048 MiB and 5 rounds unless given
#
# In each round, one job, several jobs, and as many processes with one job each take turns. Prints their wall times and times of
# processors; how much faster several jobs are; and how much faster the machine is with so many processes, which share nothing: no
# number of jobs can do better than that. At the end, the medians, and the peak memory of runs that are not timed. The outputs are
# compared. The file is made in $TMPDIR and removed.
set -euo pipefail
jobs=${1:-2} mib=${2:-2048} rounds=${3:-5}
cd "$(dirname "$0")/../../.."
if [ -z "${PROVSTREAM:-}" ]; then
  cargo build --release --package provstream-cli
  PROVSTREAM=${CARGO_TARGET_DIR:-target}/release/provstream
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk 'BEGIN {
  for (i = 0; i < 20000; i++) {
    printf "{\"id\":%d,\"role\":\"assistant\",\"note\":\"%0*d\"", i, 40 + i % 400, i
    if (i % 4 == 0)
      printf ",\"claims\":[{\"assertion\":\"Line %d holds what it says.\",\"provenance\":[{\"substrate_class\":\"substrate.grep\",\"observation_id\":\"line:%d\",\"ts\":\"2026-05-28T11:40:00Z\"}]}]", i, i
    print "}"
  }
}' >"$folder/block"
size=$(stat -c %s "$folder/block")
for ((i = 0; i * size < mib * 1048576; i++)); do cat "$folder/block"; done >"$folder/input"
run() { "$PROVSTREAM" extract --mode ndjson --jobs "$1" "$folder/input"; }
# Prints wall time and time of processors, in seconds.
TIMEFORMAT='%R %U %S'
measure() { { time "$@"; } 2>&1 | awk '{ printf "%.2f %.2f\n", $1, $2 + $3 }'; }
one() { run 1 >/dev/null; }
several() { run "$jobs" >/dev/null; }
processes() {
  for ((process = 0; process < jobs; process++)); do one & done
  wait
}
peak() {
  local pid peak=0 now
  "$PROVSTREAM" extract --mode ndjson --jobs "$1" "$folder/input" >/dev/null &
  pid=$!
  while now=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
    peak=$now
    sleep 0.05
  done
  echo "$peak"
}
median() { sort -n "$1" | awk '{ value[NR] = $1 } END { printf "%.2f", (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2 }'; }
echo "$(stat -c %s "$folder/input") bytes, $(nproc) processors, load $(cut -d ' ' -f 1 /proc/loadavg)"
cmp <(run 1) <(run "$jobs")
echo "the outputs are equal"
for ((round = 1; round <= rounds; round++)); do
  read -r one one_cpu < <(measure one)
  read -r several several_cpu < <(measure several)
  read -r processes processes_cpu < <(measure processes)
  awk "BEGIN { printf \"%.2f\\n\", $one / $several }" >>"$folder/faster"
  awk "BEGIN { printf \"%.2f\\n\", $jobs * $one / $processes }" >>"$folder/machine"
  echo "1 job: $one s ($one_cpu s of processors); $jobs jobs: $several s ($several_cpu s), $(tail -n 1 "$folder/faster") x;" \
    "$jobs processes: $processes s ($processes_cpu s), $(tail -n 1 "$folder/machine") x"
done
echo "medians: $jobs jobs are $(median "$folder/faster") x as fast as one, $jobs processes $(median "$folder/machine") x"
echo "peak memory: 1 job $(peak 1) KiB, $jobs jobs $(peak "$jobs") KiB"
