#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks examples/Containerfile without building an image.

Checks that packages exist in this release, that copied and run paths exist, that options of Meson exist, and that stages
are defined. Exits with 77 on a system without apt-cache or its lists.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILE = ROOT / "examples" / "Containerfile"


def instructions():
    """Returns the instructions as pairs of a name and the rest, with continued lines joined."""
    text = re.sub(r"^#.*\n", "", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = re.sub(r"\\\n\s*", "", text)
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


def faults_of_run(line):
    faults = []
    for command in re.split(r"\s*(?:&&|;)\s*", line):
        words = [word for word in command.split() if not re.match(r"[A-Z_]+=", word)]
        if words[0].startswith("scripts/") and not (ROOT / words[0]).is_file():
            faults.append(f"{words[0]} does not exist")
        if words[:2] == ["apt-get", "install"]:
            packages = [word for word in words[2:] if not word.startswith("-")]
            known = set(subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True,
                                       check=True).stdout.split())
            faults += [f"no package {package}" for package in packages if package not in known]
        if words[:2] == ["meson", "setup"]:
            options = set(re.findall(r"option\('([\w-]+)'", (ROOT / "meson_options.txt").read_text(encoding="utf-8")))
            given = re.findall(r"-D([\w-]+)=", command)
            faults += [f"no option {option}" for option in given if option not in options]
    return faults


def faults_of_copy(line, stages):
    words = line.split()
    if words[0].startswith("--from="):
        stage = words[0].split("=", 1)[1]
        return [] if stage in stages else [f"no stage {stage}"]
    return [f"{path} does not exist" for path in words[:-1] if not (ROOT / path).exists()]


def main():
    if not shutil.which("apt-cache") or not any(pathlib.Path("/var/lib/apt/lists").glob("*_Packages*")):
        print("apt-cache or its lists of packages are missing")
        return 77
    stages, faults, counts = [], [], {"RUN": 0, "COPY": 0, "ENTRYPOINT": 0}
    for name, line in instructions():
        counts[name] = counts.get(name, 0) + 1
        if name == "FROM":
            stages += re.findall(r" AS (\w+)", line)
        elif name == "RUN":
            faults += faults_of_run(line)
        elif name == "COPY":
            faults += faults_of_copy(line, stages)
    faults += [f"there is no {name}" for name, count in counts.items() if count == 0]
    for fault in faults:
        print(f"{FILE.name}: {fault}")
    return 1 if faults else 0


sys.exit(main())
