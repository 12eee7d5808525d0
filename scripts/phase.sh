#!/usr/bin/env bash
# Runs a command as one phase of a build. Prints a line with its progress and time, and writes its output to a log.
#
#   scripts/phase.sh BUILD NAME COMMAND...
#   scripts/phase.sh build compiling ninja -C build
#
# Each phase appends to the log BUILD/make.log. On a terminal the line is updated twice a second. Otherwise a new line is
# printed every 30 seconds. The progress is the last "n/m" at the start of a line of the log, as ninja and meson test write
# it. If the command fails, the end of its output is printed. The exit status is that of the command.
#
# With V=1 in the environment the command runs as it is, and everything is printed.
set -uo pipefail

build=$1 name=$2
shift 2
[ "${V:-0}" = 0 ] || exec "$@"

log=$build/make.log
if ! { mkdir -p -- "$build" && echo "== $name: $*" >>"$log"; } 2>/dev/null; then
  echo "$log cannot be written by $(id -un). BUILD=FOLDER selects another folder." >&2
  exit 1
fi
begin=$(stat -c %s "$log")
output() { tail -c +$((begin + 1)) "$log"; }
steps() { output | grep -oE '^\[? *[0-9]+/[0-9]+' | tail -n 1 | tr -d '[ ' | tr / ' '; }
# In the format of `cudaconv apply`: "33 %, 100 of 300 steps, 8 a second, 0:25 left"
progress() {
  steps | awk -v seconds="$SECONDS" '{
    rate = seconds ? $1 / seconds : 0; left = rate ? ($2 - $1) / rate : -1
    printf "%d %%, %d of %d steps", 100 * $1 / $2, $1, $2
    if (rate > 0) printf ", %.*f a second", rate < 10, rate
    if (left >= 0) printf ", %d:%02d left", left / 60, left % 60 }'
}

width=$({ [ -t 1 ] && tput cols; } 2>/dev/null || echo 80)
monitor() {
  # sleep must not keep the output open after the phase
  while sleep "$1" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    line=$(progress)
    line="$name: ${line:-$SECONDS s}"
    if [ -t 1 ]; then printf '\r%-*.*s' $((width - 1)) $((width - 1)) "$line"; else echo "$line ..."; fi
  done
}
if [ -t 1 ]; then monitor 0.5 & else monitor 30 & fi
monitor=$!
clear_line() {
  kill "$monitor" 2>/dev/null
  wait "$monitor" 2>/dev/null
  [ ! -t 1 ] || printf '\r%*s\r' $((width - 1)) ''
}
trap 'clear_line; exit 130' INT
trap 'clear_line; exit 143' TERM

# in the foreground, so that the command gets Ctrl-C
"$@" >>"$log" 2>&1
status=$?
clear_line

if [ "$status" != 0 ]; then
  # print from the first failure of the compiler or the failed tests on, else the last lines
  output | awk '/^FAILED: |^Summary of Failures/ && !found { found = 1 } found' | sed -n 1,60p | grep . || output | tail -n 20
  echo "$name failed after $SECONDS s; the complete output is in $log" >&2
elif [ "$(output | tail -n 1)" != "ninja: no work to do." ]; then
  echo "$name: $(steps | sed 's/ / of /; s/$/ steps, /')$SECONDS s"
fi
exit "$status"
