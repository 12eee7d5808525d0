#!/usr/bin/env bash
# Builds the fuzz targets in tests/fuzz with clang and runs them, as many at once as there are cores.
#
#   scripts/fuzz.sh [SECONDS] [TARGET...]
#
# Each of the targets (coefficients, frames, kernelfile, options, presets; all unless some are named) runs for
# SECONDS, 60 unless told. A line for each says how often it ran, what it reached, and "ok" or the
# input that it failed with. Exits 1 when one failed.
#
# The environment's BUILD names the build folder, build-fuzz. New inputs gather in BUILD/corpus, and
# the next run goes on from there; tests/fuzz/corpus is only read. Inputs that fail are put into
# BUILD/findings, and what the target printed into BUILD/logs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=$(realpath -m "${BUILD:-build-fuzz}")
targets=(coefficients frames kernelfile options presets)
seconds=${1:-60}
for target in "${@:2}"; do
  if [[ " ${targets[*]} " != *" $target "* ]]; then
    echo "There is no fuzz target $target; there are: ${targets[*]}" >&2
    exit 2
  fi
done
[ $# -gt 1 ] && targets=("${@:2}")
if ! [[ $seconds =~ ^[1-9][0-9]*$ ]]; then
  echo "Usage: scripts/fuzz.sh [SECONDS] [TARGET...], with SECONDS from 1" >&2
  exit 2
fi

if [ ! -f "$build/build.ninja" ]; then
  CC=clang meson setup "$build" -Dfuzz=true -Dcuda=disabled -Dtests=enabled -Dbench=disabled \
    -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false
fi
ninja -C "$build" "${targets[@]/#/tests/fuzz/fuzz-}"
mkdir -p "$build/logs" "$build/findings"

scratch=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$scratch"' EXIT

# What GLib and GStreamer make once stays reachable and is no leak; without slices LeakSanitizer sees
# every block. Memory that was freed is kept back less than usual, so that the limit is for the rest.
export TMPDIR=$scratch G_SLICE=always-malloc
export ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=1
export UBSAN_OPTIONS=print_stacktrace=1

stat_of() { # stat_of NAME LOG
  sed -n "s/^stat::$1: *//p" "$2" | tail -n 1
}

# The message, where it came from, and the input.
show_finding() { # show_finding LOG
  grep -a -E -m 1 'ERROR: |runtime error: |/fuzz/[a-z]+\.c:[0-9]+: ' "$1" | cut -c -300 || tail -n 20 "$1"
  grep -a -E '^ *#[0-9]+ .*\.[ch]:[0-9]+' "$1" | head -n 12 || true
  grep -a -E '^Base64: ' "$1" | cut -c -1000 || true
}

run_target() { # run_target NAME
  local name=$1 log=$build/logs/$1.log length=4096 options=() verdict=ok status=0 reached
  [ -f "tests/fuzz/$name.dict" ] && options+=("-dict=tests/fuzz/$name.dict")
  [ "$name" = frames ] && length=512 # four frames
  # GstPreset itself leaks values that it cannot parse, and each leak that is looked for takes a pause
  [ "$name" = presets ] && options+=(-detect_leaks=0)
  mkdir -p "$build/corpus/$name"
  "$build/tests/fuzz/fuzz-$name" "${options[@]}" -max_total_time="$seconds" -max_len=$length \
    -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=64 -entropic_scale_per_exec_time=1 \
    -artifact_prefix="$build/findings/$name-" -print_final_stats=1 \
    "$build/corpus/$name" "tests/fuzz/corpus/$name" </dev/null >"$log" 2>&1 || status=1
  [ -n "$(stat_of number_of_executed_units "$log")" ] || status=1 # it ended itself
  if [ "$status" != 0 ]; then
    show_finding "$log"
    verdict="failed, $(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)"
  fi
  reached=$(sed -n 's/.*cov: \([0-9]*\) ft: \([0-9]*\).*/\1 edges, \2 features/p' "$log" | tail -n 1)
  echo "fuzz $name: $(stat_of number_of_executed_units "$log") executions," \
    "$(stat_of average_exec_per_sec "$log") a second, ${reached:-no edges}," \
    "$(stat_of new_units_added "$log") new inputs: $verdict"
  return "$status"
}

failed=0 running=0
for target in "${targets[@]}"; do
  if [ "$running" = "$(nproc)" ]; then
    wait -n || failed=1
    running=$((running - 1))
  fi
  run_target "$target" &
  running=$((running + 1))
done
for ((; running > 0; running--)); do
  wait -n || failed=1
done
exit $failed
