#!/usr/bin/env bash
# Filters a film, a picture or a camera with the command of a build folder; the Makefile calls it.
#
#   scripts/demo.sh BUILD OUTPUT INPUT NAME [OPTION OF cudaconv apply...]
#
# The result is OUTPUT/INPUT-NAME.mp4 and .png, a picture of it before (left) and after (right); of a picture
# only the latter. Without INPUT, "", it is NAME.mp4 of a film that cudaconv-scene renders. A window follows where there is a
# display.
set -euo pipefail

build=$1 output=$2 input=$3 name=$4
shift 4
cudaconv=$build/app/cudaconv
film=$output/$name.mp4 picture=$output/$name.png made=OUT.mp4

if ! mkdir -p -- "$output" 2>/dev/null; then
  echo "OUTPUT=$output: this folder cannot be made; name one that $(id -un) may write to." >&2
  exit 1
fi
if [ -n "$input" ]; then
  base=${input##*/}
  film=$output/${base%.*}-$name.mp4 picture=$output/${base%.*}-$name.png
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
