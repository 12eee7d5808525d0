#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds files that need each other: circles of #include "..." and circles of calls.

    scripts/includes.py           the circles, one a line; status 1 when there are any
    scripts/includes.py --folders which folder includes which, and how often

A header counts together with the source file of the same name, so two files whose sources include
each other's headers are a circle too. An include that climbs out of its folder with ".." is a fault
as well: folders are granted by meson.build. SEPARATE has parts of the element that do not know each
other.

A function is called by every C source of the product that mentions its name, as a callback too. That
is read from the sources and not from object files, so nothing has to be built. KNOWN has the calls
that close a circle today. An entry that no circle needs is a fault, so the list only gets shorter.
"""

import collections
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCT = ["app", "bench", "cpu", "cuda", "engine", "examples", "plugin"]
FOLDERS = [*PRODUCT, "tests"]
SUFFIXES = {".c", ".h", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
# as clang-format writes it: from the beginning of a line to the brace
DEFINITION = re.compile(r"^((?:[\w*]+[\s*]+)*)(\w+)\((?:[^;{}()]|\([^;{}()]*\))*\)\s*\{", re.MULTILINE)

# (UNITS, OTHERS): parts of the element that do not know each other; no include, and no call
SEPARATE = [
    ("plugin/properties/*", "plugin/flow"),
    ("plugin/properties/*", "plugin/negotiation"),
    ("plugin/properties/*", "plugin/caps"),
    ("plugin/properties/*", "plugin/memory/*"),
    ("plugin/flow", "plugin/properties/[!s]*"),  # of settings it reads in-flight
    ("plugin/flow", "plugin/properties/selection"),
    ("plugin/memory/*", "plugin/properties/*"),
    ("plugin/memory/*", "engine/kernel/*"),
    ("plugin/negotiation", "plugin/flow"),
    ("plugin/negotiation", "plugin/properties/selection"),
    ("plugin/negotiation", "plugin/memory/*frame"),
    ("plugin/negotiation", "plugin/memory/pools"),
]

# (CALLERS, CALLED): patterns of units
KNOWN = [
    ("app/*", "app/main"),  # the commands parse options by functions of main.c, whose table has their arguments
]


def sources(root, folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                yield path


def find(root, path, name):
    """The file that is meant: beside the one that includes it, or from a folder above."""
    for base in path.parents[:len(path.relative_to(root).parts)]:
        if (base / name).is_file():
            return (base / name).resolve()
    return None  # generated, or of a library


def unit(root, path):
    """A header and the source of the same name are one; device code stands for itself."""
    name = path.relative_to(root)
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


def includes(root):
    """Which unit includes which, how often a folder includes another, and the includes that climb."""
    graph, folders, faults = collections.defaultdict(set), collections.Counter(), []
    for path in sources(root, FOLDERS):
        graph[unit(root, path)]
        for name in INCLUDE.findall(path.read_text()):
            if ".." in name.split("/"):
                faults.append(f"{path.relative_to(root)}: \"{name}\" climbs out of its folder")
            target = find(root, path, name)
            if target and unit(root, target) != unit(root, path):
                graph[unit(root, path)].add(unit(root, target))
                graph[unit(root, target)]
                a, b = (p.relative_to(root).parts[0] for p in (path, target))
                folders[a, b] += a != b
    return graph, folders, faults


def calls(root):
    """The functions by which a unit calls another, by pairs of units."""
    texts = {unit(root, path): NO_CODE.sub(" ", path.read_text())
             for path in sources(root, PRODUCT) if path.suffix == ".c"}
    homes, own = collections.defaultdict(set), collections.defaultdict(set)
    for name, text in texts.items():
        for before, function in DEFINITION.findall(text):
            own[name].add(function)
            if "static" not in before.split():
                homes[function].add(name)
    found = collections.defaultdict(set)
    for name, text in texts.items():
        # a word without "_" may be a variable: it has to be called
        for function in set(re.findall(r"(?<![\w.])(?<!->)(?:\w+_\w+\b|\w+(?=\())", text)) - own[name]:
            for home in homes.get(function, ()):
                found[name, home].add(function)
    return found


def circles_of_calls(found, known):
    """The circles that are left without the known calls."""
    graph = collections.defaultdict(set)
    for a, b in found:
        graph[b]
        if not any(fnmatch.fnmatch(a, callers) and fnmatch.fnmatch(b, called) for callers, called in known):
            graph[a].add(b)
    return circles(graph)


def call_faults(root, known):
    """What is wrong with the calls, a text for each fault."""
    found = calls(root)
    faults = []
    for part in circles_of_calls(found, known):
        faults.append("circle of calls: " + ", ".join(part))
        faults += [f"  {a} calls {b}: {', '.join(sorted(functions)[:4])}"
                   for (a, b), functions in sorted(found.items()) if a in part and b in part]
    for entry in known:
        if circles_of_calls(found, [other for other in known if other != entry]) == circles_of_calls(found, known):
            faults.append(f"no circle of calls needs {entry} any more: take it out of KNOWN")
    return faults


def separation_faults(graph, found):
    """Parts that know each other though they are not to."""
    known = {(a, b): "includes" for a in graph for b in graph[a]}
    known.update({pair: f"calls {', '.join(sorted(functions)[:4])} of" for pair, functions in found.items()})
    return [f"{a} {how} {b}, which it is not to know" for (a, b), how in sorted(known.items())
            if any(fnmatch.fnmatch(a, units) and fnmatch.fnmatch(b, others) for units, others in SEPARATE)]


def main():
    graph, folders, faults = includes(ROOT)
    if sys.argv[1:] == ["--folders"]:
        for (a, b), count in sorted(folders.items()):
            if count:
                print(f"{a} -> {b}: {count}")
    faults += ["circle: " + ", ".join(part) for part in circles(graph)]
    faults += call_faults(ROOT, KNOWN)
    faults += separation_faults(graph, calls(ROOT))
    print("".join(f"{fault}\n" for fault in faults), end="")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
