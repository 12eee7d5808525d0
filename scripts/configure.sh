#!/usr/bin/env bash
# Creates a Meson build folder for this machine, unless it exists, and prints its name. The Makefile calls this script.
# The output of Meson goes to standard error.
#
#   scripts/configure.sh [--demo | --install] BUILD [MESON OPTION...]
#
# A build with CUDA compiles device code for the GPUs of this machine. Without a GPU it compiles for sm_80 with PTX, which
# the tests need, or with --install for all generations. Without a GPU, --demo leaves CUDA out and uses the folder
# BUILD-demo, so that no other target gets a build without CUDA. An option -Dcuda... overrides all this. So does
# DESTDIR: a package is compiled for all generations.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

purpose=
case $1 in --demo | --install)
  purpose=$1
  shift
  ;;
esac
build=$1
shift

say() { echo "$*" >&2; }
FOR_TESTS=sm_80
ALL="No GPU here: CUDA code is compiled for all GPUs, which takes 5 to 15 minutes on two cores. One GPU:\
 MESON_OPTIONS=-Dcuda-arch=sm_90; no CUDA: BUILD=build-cpu MESON_OPTIONS=-Dcuda=disabled"

if [ ! -f "$build/build.ninja" ]; then
  options=("$@") note=
  nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc || true)
  if [ -n "$nvcc" ] && [ -z "${DESTDIR:-}" ] && [[ " $* " != *" -D"@(cuda|device-code)* ]]; then
    if gpus=$(scripts/gpus-here.py); then
      # if a GPU is too old, or too new for this nvcc, compile for all
      if python3 cuda/arch_flags.py "$nvcc" "$gpus" >/dev/null 2>&1; then
        options+=("-Dcuda-arch=$gpus")
        note="CUDA code is compiled for the GPU of this machine, $gpus, which takes 2 to 5 minutes on two cores. All GPUs:\
 MESON_OPTIONS=-Dcuda-arch=; no CUDA: BUILD=build-cpu MESON_OPTIONS=-Dcuda=disabled"
      fi
    elif [ "$purpose" = --demo ]; then
      build+=-demo
      options+=(-Dcuda=disabled -Dtests=disabled -Dbench=disabled)
      note="No GPU here: the demo is built without CUDA, in $build. With CUDA: MESON_OPTIONS=-Dcuda=enabled"
    elif [ "$purpose" = --install ]; then
      note=$ALL
    else
      options+=("-Dcuda-arch=$FOR_TESTS")
      note="No GPU here: CUDA code is compiled for $FOR_TESTS, which takes 2 to 5 minutes on two cores. Other GPUs:\
 MESON_OPTIONS=-Dcuda-arch=sm_90; no CUDA: BUILD=build-cpu MESON_OPTIONS=-Dcuda=disabled"
    fi
  fi
  if [ ! -f "$build/build.ninja" ]; then
    scripts/missing-here.sh "${purpose#--}" >&2
    [ -z "$note" ] || say "$note"
    scripts/phase.sh "$build" configuring meson setup "$build" "${options[@]}" >&2
    echo "$*" >"$build/made-with-options"
    # marks the default, so that --install can distinguish it from a choice of the user
    [[ " $* " == *" -Dcuda"* || " ${options[*]} " != *" -Dcuda-arch=$FOR_TESTS "* ]] || touch "$build/cuda-arch-for-tests"
  fi
else
  if [ $# != 0 ] && [ -e "$build/made-with-options" ] && [ "$*" != "$(<"$build/made-with-options")" ]; then
    say "$build was configured with MESON_OPTIONS=\"$(<"$build/made-with-options")\" and not with \"$*\"." \
      "make clean removes all build folders; BUILD=FOLDER selects another one."
    exit 2
  fi
  # Meson has not seen packages that were installed since then
  if [ /var/lib/dpkg/status -nt "$build/build.ninja" ]; then
    scripts/phase.sh "$build" configuring meson setup --reconfigure "$build" >&2
  fi
  if [ "$purpose" = --install ] && [ -e "$build/cuda-arch-for-tests" ]; then
    rm "$build/cuda-arch-for-tests"
    if meson introspect --buildoptions "$build" | grep '"cuda-arch", "value": "'$FOR_TESTS'"' >/dev/null; then
      say "$ALL"
      scripts/phase.sh "$build" configuring meson configure "$build" -Dcuda-arch= >&2
    fi
  fi
fi
echo "$build"
