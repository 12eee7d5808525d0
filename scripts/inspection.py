# SPDX-License-Identifier: LGPL-2.1-or-later
"""What gst-inspect-1.0 tells of the plugin in a build folder, for the scripts beside this file."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def inspect(build):
    """All that gst-inspect-1.0 says about cudaconv. Ends the script with 77 where there is none."""
    program = shutil.which("gst-inspect-1.0")
    if not program:
        print("gst-inspect-1.0 is missing")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, GST_PLUGIN_PATH=str(pathlib.Path(build).resolve() / "plugin"),
                   GST_REGISTRY=f"{folder}/registry", GST_REGISTRY_FORK="no", LC_ALL="C.UTF-8")
        return subprocess.run([program, "cudaconv"], env=env, check=True, text=True,
                              stdout=subprocess.PIPE).stdout


def below(text, heading):
    """The lines below a heading of gst-inspect-1.0, to the next one."""
    lines = []
    for line in text.split(f"{heading}:\n")[1].splitlines():
        if re.match(r"\S", line):
            break
        lines.append(line)
    return lines


def properties_of(text):
    """The properties: a name with its lines each."""
    properties = {}
    for line in below(text, "Element Properties"):
        head = re.match(r"  (\S+) *: (.*)", line)
        if head:
            properties[head[1]] = lines = [head[2]]
        elif line.strip():
            lines.append(line.strip())
    return properties


def choices(lines):
    """The values of an enum with their descriptions, of the lines of its property."""
    found = (re.match(r"\(-?\d+\): (\S+) +- (.*)", line) for line in lines)
    return [(choice[1], choice[2]) for choice in found if choice]


def presets_of(text):
    """The presets with their descriptions."""
    found = (re.match(r'  "(.*?)": (.*)', line) for line in below(text, "Presets"))
    return [(preset[1], preset[2]) for preset in found if preset]
