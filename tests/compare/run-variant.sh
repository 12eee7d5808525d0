#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compares one variant of the CPU backend with the plain loop on the processor that qemu-user emulates. Exits with 77
# if neither that processor nor this one has the instructions. Also exits with 77 if this processor has them, because
# compare-cpu then compares the variant.
#
#   run-variant.sh CUDACONV_COMPARE VARIANT
compare=$1 variant=$2

status=0
"$compare" --variant "$variant" --quick --case 1 || status=$?
if [ "$status" != 77 ]; then
  echo "skipped: this processor has what $variant needs, so compare-cpu compares it"
  [ "$status" = 0 ] && status=77
  exit "$status"
fi
if [ -n "${ASAN_OPTIONS:-}" ]; then
  echo "skipped: this processor lacks what $variant needs, and an emulated one has no room for the sanitizer"
  exit 77
fi
if ! command -v qemu-x86_64 >/dev/null; then
  echo "skipped: this processor lacks what $variant needs, and there is no qemu-x86_64 (qemu-user)"
  exit 77
fi
status=0
qemu-x86_64 -cpu max "$compare" --variant "$variant" --quick --filter border=wrap || status=$?
[ "$status" != 77 ] || echo "skipped: neither this processor nor qemu-user has what $variant needs"
exit "$status"
