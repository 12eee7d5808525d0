#!/usr/bin/env bash
# Filters a video, an image or a camera with the command of a build folder; the Makefile calls it.
#
#   scripts/demo.sh check OUTPUT INPUT KERNEL PRESET
#   scripts/demo.sh BUILD OUTPUT INPUT NAME [OPTION OF cudaconv apply...]
#
# The first says what is wrong with the words, before anything is built. The second makes OUTPUT/INPUT-NAME.mp4 and .png, an
# image of it before (left) and after (right); of an image only the latter. The . of INPUT's ending becomes a -, so that
# pic.bmp and pic.webp have two results. Without INPUT, "", it is NAME.mp4 of a video that cudaconv-scene renders. A window
# follows where there is a display.
set -euo pipefail

fail() {
  echo "$*" >&2
  exit 1
}
make_output() {
  mkdir -p -- "$output" 2>/dev/null ||
    fail "OUTPUT=$output: this folder cannot be made; name one that $(id -un) may write to."
}
names_in() { sed -n 's/^\[\([a-z].*\)\]$/\1/p' "$1"; } # of the sections

if [ "$1" = check ]; then
  output=$2 input=$3 kernel=$4 preset=$5 # upper and lower case are the same
  mapfile -t kernels < <(names_in presets/kernels.ini)
  mapfile -t presets < <(names_in presets/GstCudaConv.prs)
  if [ -n "$preset" ]; then
    [[ " ${presets[*]} " == *" ${preset,,} "* ]] || fail "PRESET=$preset: there is no such preset; there are: ${presets[*]}"
  elif [[ " ${kernels[*]} " != *" ${kernel,,} "* ]]; then
    fail "KERNEL=$kernel: there is no such kernel; there are: ${kernels[*]}"
  fi
  if [ -n "$input" ] && [[ $input != *://* ]]; then
    [ -e "$input" ] || fail "INPUT=$input: there is no such file, nor is it a URI such as rtsp://camera/stream."
    [ ! -d "$input" ] || fail "INPUT=$input: this is a folder, and one file is needed."
    [ -r "$input" ] || fail "INPUT=$input: $(id -un) may not read it."
  fi
  make_output
  exit
fi

build=$1 output=$2 input=$3 name=$4
shift 4
cudaconv=$build/app/cudaconv
film=$output/$name.mp4 picture=$output/$name.png made=OUT.mp4

make_output
if [ -n "$input" ]; then
  base=${input##*/}
  [[ $base != ?*.* ]] || base=${base%.*}-${base##*.}
  film=$output/$base-$name.mp4 picture=$output/$base-$name.png
else
  input=$output/scene.mp4
  if [ ! -e "$input" ]; then
    echo "Rendering a video to filter: $input"
    "$build/examples/cudaconv-scene" "$input"
  fi
fi

case ${input,,} in
  *.png | *.jpg | *.jpeg | *.webp | *.tif | *.tiff | *.bmp | *.gif)
    "$cudaconv" apply "$@" --split 0.5 -- "$input" "$picture"
    made=OUT.png
    ;;
  /dev/video*)
    "$cudaconv" apply "$@" --seconds 10 -- "$input" "$film"
    ;;
  *)
    "$cudaconv" apply "$@" -- "$input" "$film"
    # a film shorter than a second has its first frame taken
    "$cudaconv" apply "$@" --split 0.5 --at 1 -- "$input" "$picture" 2>/dev/null ||
      "$cudaconv" apply "$@" --split 0.5 -- "$input" "$picture"
    ;;
esac

printf 'The same again: %q apply' "$cudaconv"
printf ' %q' "$@" "$input"
echo " $made"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo "A window shows it: q or Ctrl-C ends it."
  "$cudaconv" play "$@" -- "$input"
fi
