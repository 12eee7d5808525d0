#!/usr/bin/env bash
# Installs the missing Debian packages of the given groups.
#
#   scripts/install-deps.sh GROUP...
#
# Needs root or sudo only if a package is missing. On a system without apt-get it prints the names of the packages. Meson
# then reports missing libraries.
set -euo pipefail

declare -A packages=(
  # for meson setup and ninja
  [build]="gcc libc6-dev meson ninja-build pkg-config python3 libglib2.0-dev libgstreamer1.0-dev
           libgstreamer-plugins-base1.0-dev libjson-glib-dev"
  # gst-launch-1.0 and elements for the pipelines of the tests; GStreamer in Python; emulated processors; a virtual
  # display and its keyboard; GTK for examples/viewer.c
  [test]="gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
          gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav
          gstreamer1.0-x python3-gi python3-gst-1.0 gir1.2-gst-plugins-base-1.0 qemu-user xvfb xdotool
          libgtk-3-dev"
  # for the demo and an installation: gst-launch-1.0, and plugins for common files, cameras and networks
  [run]="gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
         gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav"
  # a window for the demo
  [display]="gstreamer1.0-x gstreamer1.0-gl"
  # for the images of docs/gallery.md
  [gallery]="gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad"
  # the peers of the benchmarks
  [bench]="gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-opencv ffmpeg"
  # the filters of docs/migration.md; OpenCV comes from PyPI
  [migration]="ffmpeg"
  [lint]="git clang-format clang-tidy cppcheck shellcheck mandoc python3"
  [sanitize]="valgrind python3"
  # libFuzzer is in the runtime library; llvm prints the lines of a stack
  [fuzz]="clang llvm libclang-rt-dev"
  # packages that recipes in docs/ name and the group test does not have
  [docs]="gstreamer1.0-plugins-base-apps gstreamer1.0-rtsp gstreamer1.0-nice ges1.0-tools python3-numpy
          gir1.2-gst-plugins-bad-1.0 gir1.2-gst-rtsp-server-1.0 python3-opencv opencv-data"
  # the schedulers of the examples for a farm; not for `make test`, because they install daemons and take 700 MB
  [farm]="slurm-wlm munge parallel snakemake python3-yaml"
  # line coverage of the tests
  [coverage]="gcovr"
  # for scripts/fresh-debian.sh
  [bootstrap]="debootstrap"
)
# with CUDA: nvcc preprocesses with g++, the plugin uses GStreamer's CUDA memory, and tests run device code in fibers
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
  packages[build]+=" g++ libgstreamer-plugins-bad1.0-dev"
  packages[test]+=" libboost-context-dev"
fi

wanted=()
for group in "$@"; do
  if [ -z "${packages[$group]:-}" ]; then
    echo "There is no group '$group'; the groups are: ${!packages[*]}" >&2
    exit 2
  fi
  read -r -d '' -a names <<<"${packages[$group]}" || true
  wanted+=("${names[@]}")
done
[ ${#wanted[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "No apt-get here. These packages are needed, maybe with other names: ${wanted[*]}"
  exit 0
fi

installed=$(dpkg-query -W -f='${Package} ${db:Status-Abbrev}\n' "${wanted[@]}" 2>/dev/null |
  awk '$2 == "ii" {print $1}' || true)
mapfile -t missing < <(printf '%s\n' "${wanted[@]}" | sort -u | grep -vxF "$installed" || true)
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=(env DEBIAN_FRONTEND=noninteractive LC_ALL=C)
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Packages are missing, and sudo is not installed. As root, run:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo "${as_root[@]}")
fi

echo "Installing with apt-get, which may take a few minutes: ${missing[*]}"
log=$(mktemp)
# Prints a line every 20 seconds, so that the script does not seem to hang.
show_progress() {
  while sleep 20 >/dev/null; do
    [ -s "$log" ] || continue # sudo asks for the password
    awk '/ newly installed,/ { all = $3 }
         /^Unpacking / { unpacked++ }
         /^Setting up / { ready++ }
         END { if (all) printf "  %d packages: %d unpacked, %d ready\n", all, unpacked, ready
               else print "  apt-get looks for the packages" }' "$log"
  done
}
show_progress 2>/dev/null &
trap 'kill $! 2>/dev/null; rm -f "$log"' EXIT
begin=$SECONDS
quietly() { "${as_root[@]}" "$@" </dev/null >>"$log" 2>&1; }
install() {
  quietly apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 "${missing[@]}"
}
# Missing or old package lists are the only failure that a second attempt can fix.
if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || ! install; then
  if ! quietly apt-get update || ! install; then
    cat "$log" >&2
    echo "The packages could not be installed: ${missing[*]}" >&2
    exit 1
  fi
fi
echo "packages: $((SECONDS - begin)) s"
