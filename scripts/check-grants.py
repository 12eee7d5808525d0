#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that forbidden includes do not compile.

    scripts/check-grants.py BUILD

Takes the compile command of one source of each folder, and compiles files that include a header of each other folder.
Includes that docs/architecture.md allows have to compile, and all others must not. Exits with 1 if that is not so, and
with 77 if BUILD has no CUDA and so lacks a folder.
"""

import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

HEADERS = {
    "engine": "engine/plan/plan.h",
    "cpu": "cpu/kernels/row_kernels.h",
    "cuda": "cuda/launch.h",
    "plugin": "plugin/element.h",
    "memory": "plugin/memory/pinning.h",
    "tests": "tests/ref/oracle.h",
}
# a source of each folder, and the folders whose headers it may include by their full path
ALLOWED = {
    "engine/run/session.c": ["engine"],
    "cpu/loops.c": ["engine", "cpu"],
    "cuda/backend.c": ["engine", "cuda"],
    "plugin/backends.c": ["engine", "cpu", "cuda"],
    "plugin/flow.c": ["engine"],
    "plugin/memory/pools.c": ["engine"],
}


def commands(build):
    """Returns the compile command of each source, without its output."""
    result = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        for source in ALLOWED:
            if (build / entry["file"]).resolve().as_posix().endswith("/" + source):
                result.setdefault(source, words[:words.index("-MD")])
    return result


def compiles(build, command, header):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write(f'#include "{header}"\n')
        source.flush()
        return subprocess.run([*command, "-fsyntax-only", source.name], cwd=build,
                              capture_output=True, check=False).returncode == 0


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    known, faults = commands(build), 0
    for source, allowed in ALLOWED.items():
        for folder, header in HEADERS.items() if source in known else ():
            if compiles(build, known[source], header) != (folder in allowed):
                print(f"{source}: #include \"{header}\" " +
                      ("does not compile" if folder in allowed else "compiles"))
                faults += 1
    if faults:
        return 1
    return 0 if len(known) == len(ALLOWED) else 77


if __name__ == "__main__":
    sys.exit(main())
