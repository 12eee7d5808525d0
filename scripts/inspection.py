# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the output of gst-inspect-1.0 about the plugin of a build folder, for the scripts in this folder."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def inspect(build):
    """Returns the output of gst-inspect-1.0 about cudaconv. Exits with 77 if gst-inspect-1.0 is missing."""
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
    """Returns the lines between a heading of gst-inspect-1.0 and the next heading."""
    lines = []
    for line in text.split(f"{heading}:\n")[1].splitlines():
        if re.match(r"\S", line):
            break
        lines.append(line)
    return lines


def properties_of(text):
    """Maps the names of the properties to their lines."""
    properties = {}
    for line in below(text, "Element Properties"):
        head = re.match(r"  (\S+) *: (.*)", line)
        if head:
            properties[head[1]] = lines = [head[2]]
        elif line.strip():
            lines.append(line.strip())
    return properties


def choices(lines):
    """Returns the values of an enum and their descriptions, from the lines of a property. Leaves out former names."""
    found = (re.match(r"\(-?\d+\): (\S+) +- (.*)", line) for line in lines)
    return [(choice[1], choice[2]) for choice in found if choice and not choice[2].startswith("The former name of ")]


def presets_of(text):
    """Returns the presets and their descriptions."""
    found = (re.match(r'  "(.*?)": (.*)', line) for line in below(text, "Presets"))
    return [(preset[1], preset[2]) for preset in found if preset]
