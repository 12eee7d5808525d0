#!/usr/bin/env bash
# Makes a Meson build folder, unless it is there, for this machine, and prints its name; the Makefile
# calls it. What Meson says goes to the standard error.
#
#   scripts/configure.sh [--demo | --install] BUILD [MESON OPTION...]
#
# With CUDA in it, device code is compiled for the GPUs of this machine only, if there are any. Without a GPU it
# is compiled for sm_80, with PTX, which is what tests need; with --install, for all generations. With --demo, CUDA is
# left out where no GPU is; that build folder is BUILD-demo, so that nothing else gets a build without CUDA. Any
# -Dcuda... among the options takes precedence over all this, and so does DESTDIR, which is for packages and all generations.
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
ALL="No GPU here: CUDA code is compiled for all GPUs, in 5 to 15 minutes of two cores. One GPU:\
 MESON_OPTIONS=-Dcuda-arch=sm_90; no CUDA: MESON_OPTIONS=-Dcuda=disabled"

if [ ! -f "$build/build.ninja" ]; then
  options=("$@") note=
  nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc || true)
  if [ -n "$nvcc" ] && [ -z "${DESTDIR:-}" ] && [[ " $* " != *" -D"@(cuda|device-code)* ]]; then
    if gpus=$(scripts/gpus-here.py); then
      # where one is too old, or too new for this nvcc, all is built
      if python3 cuda/arch_flags.py "$nvcc" "$gpus" >/dev/null 2>&1; then
        options+=("-Dcuda-arch=$gpus")
        note="CUDA code is compiled for the GPU of this machine, $gpus, in 2 to 5 minutes of two cores. All GPUs:\
 MESON_OPTIONS=-Dcuda-arch=; no CUDA: MESON_OPTIONS=-Dcuda=disabled"
      fi
    elif [ "$purpose" = --demo ]; then
      build+=-demo
      options+=(-Dcuda=disabled -Dtests=disabled -Dbench=disabled)
      note="No GPU here: the demo is built without CUDA, in $build. With CUDA: MESON_OPTIONS=-Dcuda=enabled"
    elif [ "$purpose" = --install ]; then
      note=$ALL
    else
      options+=("-Dcuda-arch=$FOR_TESTS")
      note="No GPU here: CUDA code is compiled for $FOR_TESTS, in 2 to 5 minutes of two cores. Other GPUs:\
 MESON_OPTIONS=-Dcuda-arch=sm_90; no CUDA: MESON_OPTIONS=-Dcuda=disabled"
    fi
  fi
  if [ ! -f "$build/build.ninja" ]; then
    scripts/missing-here.sh "${purpose#--}" >&2
    [ -z "$note" ] || say "$note"
    scripts/phase.sh "$build" configuring meson setup "$build" "${options[@]}" >&2
    echo "$*" >"$build/made-with-options"
    # so that --install can tell a choice from this default
    [[ " $* " == *" -Dcuda"* || " ${options[*]} " != *" -Dcuda-arch=$FOR_TESTS "* ]] || touch "$build/cuda-arch-for-tests"
  fi
else
  if [ $# != 0 ] && [ -e "$build/made-with-options" ] && [ "$*" != "$(<"$build/made-with-options")" ]; then
    say "$build was configured with MESON_OPTIONS=\"$(<"$build/made-with-options")\" and not with \"$*\"." \
      "make clean removes it; BUILD=FOLDER builds elsewhere."
    exit 2
  fi
  # what was installed since then, Meson has not seen
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
