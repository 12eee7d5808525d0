#!/usr/bin/env bash
# Installs the Debian packages of the given groups, those that are missing and no others.
#
#   scripts/install-deps.sh GROUP...
#
# Needs root or sudo only when something is missing. On a system without apt-get it names the
# groups' packages and leaves the rest to Meson, which says what it does not find.
set -euo pipefail

declare -A packages=(
  # what meson setup and ninja use
  [build]="gcc libc6-dev meson ninja-build pkg-config python3 libglib2.0-dev libgstreamer1.0-dev
           libgstreamer-plugins-base1.0-dev libjson-glib-dev"
  # elements in the pipelines of the tests, and gst-launch-1.0; GStreamer in Python; processors that this
  # one is not; a display that is none, and its keys
  [test]="gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
          gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav
          gstreamer1.0-x python3-gi python3-gst-1.0 gir1.2-gst-plugins-base-1.0 qemu-user xvfb xdotool"
  # what the demo and an installation need: gst-launch-1.0, and what reads and writes the usual files, cameras
  # and networks
  [run]="gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
         gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav"
  # a window for it
  [display]="gstreamer1.0-x gstreamer1.0-gl"
  # what makes and stores the pictures of docs/gallery.md
  [gallery]="gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad"
  # the filters that the benchmark compares with
  [bench]="gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-opencv ffmpeg"
  # the filters that docs/migration.md compares with; OpenCV comes from PyPI
  [migration]="ffmpeg"
  [lint]="git clang-format clang-tidy cppcheck shellcheck mandoc python3"
  [sanitize]="valgrind python3"
  # libFuzzer comes with the runtime library; llvm names the lines of a stack
  [fuzz]="clang llvm libclang-rt-dev"
  # what recipes in docs/ name and the group test has not
  [docs]="gstreamer1.0-plugins-base-apps gstreamer1.0-rtsp gstreamer1.0-nice ges1.0-tools python3-numpy
          gir1.2-gst-plugins-bad-1.0 gir1.2-gst-rtsp-server-1.0"
  # the schedulers that the examples for a farm are tested with; `make test` leaves them out, for they bring daemons
  # and 700 MB along
  [farm]="slurm-wlm munge parallel snakemake python3-yaml"
  # which lines the tests run
  [coverage]="gcovr"
  # a Debian of another release in a folder
  [bootstrap]="debootstrap"
)
# nvcc preprocesses with g++, a build with CUDA knows GStreamer's CUDA memory, and its tests run device
# code as fibers
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
  packages[build]+=" g++ libgstreamer-plugins-bad1.0-dev"
  packages[test]+=" libboost-context-dev"
fi

wanted=()
for group in "$@"; do
  if [ -z "${packages[$group]:-}" ]; then
    echo "No group '$group'; there are: ${!packages[*]}" >&2
    exit 2
  fi
  read -r -d '' -a names <<<"${packages[$group]}" || true
  wanted+=("${names[@]}")
done
[ ${#wanted[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "No apt-get here; these packages, or what your system calls them, are needed: ${wanted[*]}"
  exit 0
fi

installed=$(dpkg-query -W -f='${Package} ${db:Status-Abbrev}\n' "${wanted[@]}" 2>/dev/null |
  awk '$2 == "ii" {print $1}' || true)
mapfile -t missing < <(printf '%s\n' "${wanted[@]}" | sort -u | grep -vxF "$installed" || true)
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=(env DEBIAN_FRONTEND=noninteractive LC_ALL=C)
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Missing packages, and neither root nor sudo to install them. As root, run:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo "${as_root[@]}")
fi

echo "Installing with apt-get, which may take some minutes: ${missing[*]}"
log=$(mktemp)
# A line from time to time, so that nobody takes the silence for the end.
tell_progress() {
  while sleep 20 >/dev/null; do
    [ -s "$log" ] || continue # sudo asks for the password
    awk '/ newly installed,/ { all = $3 }
         /^Unpacking / { unpacked++ }
         /^Setting up / { ready++ }
         END { if (all) printf "  of %d packages %d are unpacked and %d are ready\n", all, unpacked, ready
               else print "  apt-get looks for the packages" }' "$log"
  done
}
tell_progress 2>/dev/null &
trap 'kill $! 2>/dev/null; rm -f "$log"' EXIT
begin=$SECONDS
quietly() { "${as_root[@]}" "$@" </dev/null >>"$log" 2>&1; }
install() {
  quietly apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 "${missing[@]}"
}
# Lists that are absent or too old are the one failure that a second try can fix.
if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || ! install; then
  if ! quietly apt-get update || ! install; then
    cat "$log" >&2
    echo "The packages could not be installed: ${missing[*]}" >&2
    exit 1
  fi
fi
echo "packages: $((SECONDS - begin)) s"
