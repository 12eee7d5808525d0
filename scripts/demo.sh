#!/usr/bin/env bash
# Filters a video, an image or a camera with the command of a build folder. The Makefile calls this script.
#
#   scripts/demo.sh check OUTPUT INPUT KERNEL PRESET
#   scripts/demo.sh BUILD OUTPUT INPUT NAME [OPTION OF cudaconv apply...]
#
# The first form checks the arguments before anything is built. The second form makes OUTPUT/INPUT-NAME.mp4, and a .png of
# a frame before (left) and after (right). For an image it makes only the .png. The . of INPUT's extension becomes a -, so
# that pic.bmp and pic.webp have different results. If INPUT is "", cudaconv-scene renders a video, and the result is
# NAME.mp4. With a display, a window shows the result.
set -euo pipefail

fail() {
  echo "$*" >&2
  exit 1
}
make_output() {
  mkdir -p -- "$output" 2>/dev/null ||
    fail "OUTPUT=$output: this folder cannot be created; name one that $(id -un) may write to."
}
names_in() { sed -n 's/^\[\([a-z].*\)\]$/\1/p' "$1"; } # names of the sections

if [ "$1" = check ]; then
  output=$2 input=$3 kernel=$4 preset=$5 # names are case-insensitive
  mapfile -t kernels < <(names_in presets/kernels.ini)
  mapfile -t presets < <(names_in presets/GstCudaConv.prs)
  if [ -n "$preset" ]; then
    [[ " ${presets[*]} " == *" ${preset,,} "* ]] || fail "PRESET=$preset: there is no such preset; the presets are: ${presets[*]}"
  elif [[ " ${kernels[*]} " != *" ${kernel,,} "* ]]; then
    fail "KERNEL=$kernel: there is no such kernel; the kernels are: ${kernels[*]}"
  fi
  if [ -n "$input" ] && [[ $input != *://* ]]; then
    [ -e "$input" ] || fail "INPUT=$input: there is no such file, and it is not a URI such as rtsp://camera/stream."
    [ ! -d "$input" ] || fail "INPUT=$input: this is a folder; name a file."
    [ -r "$input" ] || fail "INPUT=$input: $(id -un) may not read it."
  fi
  make_output
  exit
fi

build=$1 output=$2 input=$3 name=$4
shift 4
cudaconv=$build/app/cudaconv
video=$output/$name.mp4 image=$output/$name.png result=OUT.mp4

make_output
if [ -n "$input" ]; then
  base=${input##*/}
  [[ $base != ?*.* ]] || base=${base%.*}-${base##*.}
  video=$output/$base-$name.mp4 image=$output/$base-$name.png
else
  input=$output/scene.mp4
  if [ ! -e "$input" ]; then
    echo "Rendering a video to filter: $input"
    "$build/examples/cudaconv-scene" "$input"
  fi
fi

case ${input,,} in
  *.png | *.jpg | *.jpeg | *.webp | *.tif | *.tiff | *.bmp | *.gif)
    "$cudaconv" apply "$@" --split 0.5 -- "$input" "$image"
    result=OUT.png
    ;;
  /dev/video*)
    "$cudaconv" apply "$@" --seconds 10 -- "$input" "$video"
    ;;
  *)
    "$cudaconv" apply "$@" -- "$input" "$video"
    # take the first frame if the video is shorter than a second
    "$cudaconv" apply "$@" --split 0.5 --at 1 -- "$input" "$image" 2>/dev/null ||
      "$cudaconv" apply "$@" --split 0.5 -- "$input" "$image"
    ;;
esac

printf 'The same by hand: %q apply' "$cudaconv"
printf ' %q' "$@" "$input"
echo " $result"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo "A window shows the result. q or Ctrl-C closes the window."
  "$cudaconv" play "$@" -- "$input"
fi
