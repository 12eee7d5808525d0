#!/usr/bin/env bash
# Builds the project and runs its tests on Debian 13, whose GStreamer, GLib, gcc and Meson are newer
# than those of Debian 12, in a folder of this machine.
#
#   scripts/test-debian13.sh ROOT [MESON OPTION...]
#   scripts/test-debian13.sh /var/tmp/trixie -Dcuda-arch=sm_90
#
# ROOT is a folder for a Debian 13 of about 3 GB. The first run makes it with debootstrap from the
# mirror that apt of this machine uses; later runs use it again. scripts/install-deps.sh installs the
# packages in it. The sources and the CUDA Toolkit, when there is one, are mounted in it read only,
# and the build is ROOT/build, made anew each time.
#
# Needs root and the right to mount and to chroot. The mounts end with the script. There is no driver
# in ROOT, so the tests that need a GPU are skipped.
set -euo pipefail

if [ $# = 0 ]; then
  echo "Usage: scripts/test-debian13.sh ROOT [MESON OPTION...]" >&2
  exit 2
fi
root=$(realpath -m "$1")
shift
if [ "$(id -u)" != 0 ] || [ "$root" = / ]; then
  echo "This needs root, and a folder that is not the system itself." >&2
  exit 1
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# In a mount namespace of its own nothing stays mounted, whatever ends the script.
if [ "${OWN_MOUNTS:-}" != $$ ]; then
  OWN_MOUNTS=$$ exec unshare --mount --propagation private scripts/test-debian13.sh "$root" "$@"
fi

# debootstrap keeps its own folder in there until it is done
if [ ! -x "$root/usr/bin/apt-get" ] || [ -d "$root/debootstrap" ]; then
  scripts/install-deps.sh bootstrap
  mirror=$(apt-get indextargets --format "\$(REPO_URI)" 'Origin: Debian' 'Label: Debian' | sed -n 1p)
  debootstrap --variant=minbase trixie "$root" ${mirror:+"$mirror"}
fi
if ! grep -q '^VERSION_CODENAME=trixie$' "$root/etc/os-release"; then
  echo "$root holds another system than Debian 13." >&2
  exit 1
fi

bind() { # bind FOLDER PLACE
  mkdir -p "$root$2"
  mount --bind "$1" "$root$2"
  mount -o remount,bind,ro "$root$2"
}
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
bind . /src
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc || true)
if [ -n "$nvcc" ]; then
  bind "$(dirname "$(realpath "$nvcc")")/.." /usr/local/cuda
fi

inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    ${http_proxy:+"http_proxy=$http_proxy"} chroot "$root" "$@"
}
inside /src/scripts/install-deps.sh build test farm
rm -rf "$root/build"
inside meson setup /build /src -Dwerror=true "$@"
inside ninja -C /build
inside meson test -C /build --no-rebuild --print-errorlogs
