#!/usr/bin/env bash
# Builds the fuzz targets of tests/fuzz with clang and runs them in parallel, one per core.
#
#   scripts/fuzz.sh [SECONDS] [TARGET...]
#
# The targets are coefficients, frames, kernelfile, options, presets and regions. By default all run, for 60 seconds each. A line
# for each target has the number of executions, the coverage, and "ok" or the input that failed. Exits with 1 if a target
# failed.
#
# The environment variable BUILD names the build folder, by default build-fuzz. New inputs go to BUILD/corpus, where the next
# run continues. tests/fuzz/corpus is only read. Failing inputs go to BUILD/findings, and the output of the targets to
# BUILD/logs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=$(realpath -m "${BUILD:-build-fuzz}")
targets=(coefficients frames kernelfile options presets regions)
seconds=${1:-60}
for target in "${@:2}"; do
  if [[ " ${targets[*]} " != *" $target "* ]]; then
    echo "There is no fuzz target $target; the targets are: ${targets[*]}" >&2
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

# LeakSanitizer sees every block if GLib uses no slices. Objects that GLib and GStreamer create once stay reachable and are
# no leaks. A small quarantine of freed memory leaves the memory limit to the target.
export TMPDIR=$scratch G_SLICE=always-malloc
export ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=1
export UBSAN_OPTIONS=print_stacktrace=1

stat_of() { # stat_of NAME LOG
  sed -n "s/^stat::$1: *//p" "$2" | tail -n 1
}

# Prints the message, the stack and the input.
show_finding() { # show_finding LOG
  grep -a -E -m 1 'ERROR: |runtime error: |/fuzz/[a-z]+\.c:[0-9]+: ' "$1" | cut -c -300 || tail -n 20 "$1"
  grep -a -E '^ *#[0-9]+ .*\.[ch]:[0-9]+' "$1" | head -n 12 || true
  grep -a -E '^Base64: ' "$1" | cut -c -1000 || true
}

run_target() { # run_target NAME
  local name=$1 log=$build/logs/$1.log length=4096 options=() verdict=ok status=0 reached
  [ -f "tests/fuzz/$name.dict" ] && options+=("-dict=tests/fuzz/$name.dict")
  [ "$name" = frames ] && length=512 # four frames
  # GstPreset leaks values that it cannot parse, and each leak check takes a pause
  [ "$name" = presets ] && options+=(-detect_leaks=0)
  mkdir -p "$build/corpus/$name"
  "$build/tests/fuzz/fuzz-$name" "${options[@]}" -max_total_time="$seconds" -max_len=$length \
    -timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=64 -entropic_scale_per_exec_time=1 \
    -artifact_prefix="$build/findings/$name-" -print_final_stats=1 \
    "$build/corpus/$name" "tests/fuzz/corpus/$name" </dev/null >"$log" 2>&1 || status=1
  [ -n "$(stat_of number_of_executed_units "$log")" ] || status=1 # the target exited
  if [ "$status" != 0 ]; then
    show_finding "$log"
    verdict="failed, $(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)"
  fi
  reached=$(sed -n 's/.*cov: \([0-9]*\) ft: \([0-9]*\).*/\1 edges, \2 features/p' "$log" | tail -n 1)
  echo "fuzz $name: $(stat_of number_of_executed_units "$log") executions," \
    "$(stat_of average_exec_per_sec "$log") per second, ${reached:-no edges}," \
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
