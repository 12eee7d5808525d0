#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the architectures of this machine's NVIDIA GPUs in the syntax of -Dcuda-arch: "sm_86 sm_90".

    scripts/gpus-here.py

Queries the driver, as the plugin does. Exits with 1 if there is no driver or no GPU.
"""

import ctypes
import sys

MAJOR, MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*


def attribute(driver, which, device):
    value = ctypes.c_int()
    return None if driver.cuDeviceGetAttribute(ctypes.byref(value), which, device) else value.value


def architectures():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        n = ctypes.c_int()
        if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(n)):
            return set()
    except (OSError, AttributeError):
        return set()
    found = {(attribute(driver, MAJOR, device), attribute(driver, MINOR, device))
             for device in range(n.value)}
    return {10 * major + minor for major, minor in found if major is not None and minor is not None}


names = [f"sm_{number}" for number in sorted(architectures())]
print(*names)
sys.exit(0 if names else 1)
