#!/usr/bin/env bash
# Builds the project and runs its tests in a fresh Debian in a folder of this machine.
#
#   scripts/fresh-debian.sh RELEASE ROOT [MESON OPTION...]
#   scripts/fresh-debian.sh bookworm /var/tmp/debian12
#   scripts/fresh-debian.sh trixie /var/tmp/debian13 -Dcuda-arch=sm_90
#
# The system has make, git and ca-certificates, and `make` installs the rest. The script copies the files that git tracks
# into the system. In bookworm it runs `make demo` and `make test`, as a new user without a GPU would. Trixie has a newer
# GStreamer, GLib, gcc and Meson. There the script runs `make test` with warnings as errors, and with the CUDA Toolkit of this
# machine if there is one. The system has no driver, so tests that need a GPU are skipped. At the end the script prints the
# time and the last lines of each `make`.
#
# The first run creates ROOT/base with debootstrap, from the mirror of this machine's apt. Each run copies ROOT/base to
# ROOT/fresh, which grows to 3 GB and is kept. The mounts in it end with the script.
#
# Needs root, debootstrap, and the right to mount and to chroot. The exit status is 77 if one of them is missing.
set -euo pipefail

case ${1:-} in
  bookworm) targets=(demo test) ;;
  trixie) targets=(test) ;;
  *) targets=() ;;
esac
if [ $# -lt 2 ] || [ ${#targets[@]} = 0 ]; then
  echo "Usage: scripts/fresh-debian.sh bookworm|trixie ROOT [MESON OPTION...]" >&2
  exit 2
fi
release=$1
folder=$(realpath -m "$2")
base=$folder/base
root=$folder/fresh
options=("${@:3}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# In a private mount namespace nothing stays mounted, whatever ends the script.
if [ "${OWN_MOUNTS:-}" != $$ ]; then
  may_mount=(unshare --mount --propagation private sh -c 'mount -t proc proc /proc && chroot / true')
  if [ "$(id -u)" != 0 ] || ! "${may_mount[@]}" 2>/dev/null; then
    echo "skipped: root and the right to mount and to chroot are needed"
    exit 77
  fi
  OWN_MOUNTS=$$ exec unshare --mount --propagation private scripts/fresh-debian.sh "$release" "$folder" "${options[@]}"
fi

inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    ${http_proxy:+"http_proxy=$http_proxy"} chroot "$root" "$@" </dev/null 2>&1
}

# the folder debootstrap exists until debootstrap is done
if [ ! -x "$base/usr/bin/apt-get" ] || [ -d "$base/debootstrap" ]; then
  scripts/install-deps.sh bootstrap
  if ! command -v debootstrap >/dev/null; then
    echo "skipped: debootstrap is needed"
    exit 77
  fi
  mirror=$(apt-get indextargets --format "\$(REPO_URI)" 'Origin: Debian' 'Label: Debian' | sed -n 1p)
  mkdir -p "$folder"
  debootstrap --variant=minbase --include=make,git,ca-certificates "$release" "$base" ${mirror:+"$mirror"}
fi
if ! grep -q "^VERSION_CODENAME=$release\$" "$base/etc/os-release"; then
  echo "$base does not have the system $release." >&2
  exit 1
fi

rm -rf --one-file-system "$root"
cp -a "$base" "$root"
mkdir "$root/src"
git ls-files -z | while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
  tar -c --null --files-from=- | tar -x --no-same-owner -C "$root/src"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc || true)
if [ "$release" = trixie ]; then
  options+=(-Dwerror=true)
  if [ -z "$nvcc" ]; then
    echo "without CUDA, because there is no nvcc"
  else
    mkdir -p "$root/usr/local/cuda"
    mount --bind "$(dirname "$(realpath "$nvcc")")/.." "$root/usr/local/cuda"
    mount -o remount,bind,ro "$root/usr/local/cuda"
  fi
fi

summary=
status=0
for target in "${targets[@]}"; do
  start=$SECONDS
  inside make -C /src "$target" ${options[@]:+"MESON_OPTIONS=${options[*]@Q}"} |
    tee "$root/make-$target.txt" || status=1
  summary+="== $release: make $target took $((SECONDS - start)) s. Its last lines:
$(tail -n 5 "$root/make-$target.txt")
"
done
printf '\n%s' "$summary"
exit $status
