#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds files that need each other: circles of #include "...".

    scripts/includes.py           the circles, one a line; status 1 when there are any
    scripts/includes.py --folders which folder includes which, and how often

A header counts together with the source file of the same name, so two files whose sources include
each other's headers are a circle too. An include that climbs out of its folder with ".." is a fault
as well: folders are granted by meson.build.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["app", "backends", "bench", "cpu", "cuda", "engine", "examples", "plugin", "tests"]
SUFFIXES = {".c", ".h", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                yield path


def find(path, name):
    """The file that is meant: beside the one that includes it, or from the top folder."""
    for base in (path.parent, ROOT):
        if (base / name).is_file():
            return (base / name).resolve()
    return None  # generated, or of a library


def unit(path):
    """A header and the source of the same name are one; device code stands for itself."""
    name = path.relative_to(ROOT)
    return (name.with_suffix("") if path.suffix in (".c", ".h") else name).as_posix()


def circles(graph):
    """The strongly connected parts of more than one unit (Tarjan's algorithm)."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in number:
                visit(other)
            if other in stack:
                lowest[node] = min(lowest[node], lowest[other])
        if lowest[node] == number[node]:
            part = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(part) > 1:
                found.append(sorted(part))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def main():
    graph, folders, faults = collections.defaultdict(set), collections.Counter(), 0
    for path in sources():
        graph[unit(path)]
        for name in INCLUDE.findall(path.read_text()):
            if ".." in name.split("/"):
                print(f"{path.relative_to(ROOT)}: \"{name}\" climbs out of its folder")
                faults += 1
            target = find(path, name)
            if target and unit(target) != unit(path):
                graph[unit(path)].add(unit(target))
                graph[unit(target)]
                a, b = (p.relative_to(ROOT).parts[0] for p in (path, target))
                folders[a, b] += a != b
    if sys.argv[1:] == ["--folders"]:
        for (a, b), count in sorted(folders.items()):
            if count:
                print(f"{a} -> {b}: {count}")
    for part in circles(graph):
        print("circle: " + ", ".join(part))
        faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
