#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a line FORWARD(symbol, name, parameters, arguments) for each function of the driver.

    calls.py OUTPUT COMPILER...

The functions are those that the toolkit's cuda.h declares, in all their versions. `symbol` is the
one of the library (cuMemAlloc_v2), `name` has no suffix (cuMemAlloc).
"""

import re
import subprocess
import sys

# With this macro the header also declares old versions of functions.
SOURCE = "#define __CUDA_API_VERSION_INTERNAL\n#include <cuda.h>\n"


def arguments_of(parameters):
    """The names of the parameters, which stand last: "const void *image", "CUuuid ids[]"."""
    if parameters.strip() in ("", "void"):
        return ""
    return ", ".join(re.search(r"(\w+)\s*(\[\w*\])?$", one.strip()).group(1)
                     for one in parameters.split(","))


output, *compiler = sys.argv[1:]
header = subprocess.run([*compiler, "-E", "-P", "-x", "c", "-"], input=SOURCE, text=True, check=True,
                        stdout=subprocess.PIPE).stdout
calls = dict(re.findall(r"\bCUresult\s+(cu\w+)\s*\(([^;{}]*)\)\s*;", header))
with open(output, "w", encoding="utf-8") as file:
    for symbol, parameters in calls.items():
        parameters = " ".join(parameters.split())
        name = re.sub(r"(_v\d+)?(_pts[zd])?$", "", symbol)
        file.write(f"FORWARD({symbol}, {name}, ({parameters}), ({arguments_of(parameters)}))\n")
