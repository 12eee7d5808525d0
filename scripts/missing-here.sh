#!/usr/bin/env bash
# Prints one line with the components that this machine lacks and the consequences. Prints nothing if it has all.
#
#   scripts/missing-here.sh [demo|install]
set -euo pipefail

lacks=()
if ! command -v nvcc >/dev/null && [ ! -x /usr/local/cuda/bin/nvcc ]; then
  lacks+=("CUDA Toolkit (nvcc): only the CPU backend is built")
fi
if ! ldconfig=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null) ||
  ! grep -q 'libcuda\.so\.1' <<<"$ldconfig"; then
  lacks+=("NVIDIA driver (libcuda.so.1): the filter runs on the CPU$([ -n "${1:-}" ] || echo ", and GPU tests are skipped")")
fi
if [ "${1:-}" = demo ] && [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  lacks+=("display: no window, only files")
fi

[ ${#lacks[@]} -gt 0 ] || exit 0
line=$(printf '%s; ' "${lacks[@]}")
echo "Not on this machine: ${line%; }."
