#!/usr/bin/env bash
# Says in one line what this machine lacks and what that costs; prints nothing when it has it all.
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
  lacks+=("display: no window, the result is in files")
fi

[ ${#lacks[@]} -gt 0 ] || exit 0
line=$(printf '%s; ' "${lacks[@]}")
echo "Not on this machine: ${line%; }."
