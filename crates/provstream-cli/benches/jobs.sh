#!/usr/bin/env bash
# Wall time and peak memory of `provstream extract` with one job and with several, over one file of NDJSON.
#
#   benches/jobs.sh [JOBS] [MIB] [ROUNDS]    2 jobs, 2048 MiB and 5 rounds unless given
#
# The runs with one job and with several take turns. Prints each pair, and the ratio of their wall times, which says something
# only on a machine with as many idle processors as there are jobs: on a busy one several threads get a larger share. The
# time of processors, sampled every 50 ms, says on any machine what the threads cost. The outputs are compared. The file is
# made in $TMPDIR and removed.
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
measure() {
  local start end pid peak=0 cpu=0 now
  start=$(date +%s.%N)
  "$PROVSTREAM" extract --mode ndjson --jobs "$1" "$folder/input" >/dev/null &
  pid=$!
  while now=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
    peak=$now
    # User and system time, in ticks of a hundredth of a second.
    cpu=$(awk '{ print ($14 + $15) / 100 }' "/proc/$pid/stat" 2>/dev/null || echo "$cpu")
    sleep 0.05
  done
  wait
  end=$(date +%s.%N)
  echo "$(awk "BEGIN { printf \"%.2f\", $end - $start }") $cpu $peak"
}
echo "$(stat -c %s "$folder/input") bytes, $(nproc) processors, load $(cut -d ' ' -f 1 /proc/loadavg)"
cmp <(run 1) <(run "$jobs")
echo "the outputs are equal"
for ((round = 1; round <= rounds; round++)); do
  read -r one one_cpu one_peak < <(measure 1)
  read -r several several_cpu several_peak < <(measure "$jobs")
  ratio=$(awk "BEGIN { printf \"%.2f\", $one / $several }")
  echo "1 job: $one s ($one_cpu s of processors), $one_peak KiB; $jobs jobs: $several s ($several_cpu s), $several_peak KiB; ratio $ratio"
done
