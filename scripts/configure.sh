#!/usr/bin/env bash
# Makes a Meson build folder, unless it is there, for this machine, and prints its name; the Makefile
# calls it. What Meson says goes to the standard error.
#
#   scripts/configure.sh [--demo] BUILD [MESON OPTION...]
#
# With CUDA in it, device code is compiled for the GPUs of this machine only, if there are any, and
# else for all. With --demo, CUDA is left out where no GPU is; that build folder is BUILD-demo, so that
# nothing else gets a build without CUDA. Any -Dcuda... among the options stands above all this, and
# DESTDIR, which is for packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

demo=
if [ "$1" = --demo ]; then
  demo=yes
  shift
fi
build=$1
shift

say() { echo "$*" >&2; }

if [ ! -f "$build/build.ninja" ]; then
  options=("$@")
  nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc || true)
  if [ -n "$nvcc" ] && [ -z "${DESTDIR:-}" ] && [[ " $* " != *" -Dcuda"* ]]; then
    if gpus=$(scripts/gpus-here.py); then
      # where one is too old, or too new for this nvcc, all is built
      if python3 cuda/arch_flags.py "$nvcc" "$gpus" >/dev/null 2>&1; then
        options+=("-Dcuda-arch=$gpus")
        say "CUDA code is built for the GPU of this machine, $gpus; for all of them: MESON_OPTIONS=-Dcuda-arch="
      fi
    elif [ -n "$demo" ]; then
      build+=-demo
      options+=(-Dcuda=disabled -Dtests=disabled -Dbench=disabled)
      say "No GPU here: the demo is built without CUDA, in $build; with it: MESON_OPTIONS=-Dcuda=enabled"
    else
      say "No GPU here: CUDA code is built for all of them, which takes minutes; without: MESON_OPTIONS=-Dcuda=disabled"
    fi
  fi
  if [ ! -f "$build/build.ninja" ]; then
    meson setup "$build" "${options[@]}" >&2
  fi
fi
echo "$build"
