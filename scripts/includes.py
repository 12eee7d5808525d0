#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds circular dependencies: cycles of #include "..." and cycles of calls.

    scripts/includes.py           prints the cycles, one per line; exits with 1 if there is any
    scripts/includes.py --folders prints which folder includes which, and how often

A header and the source file of the same name are one unit. So two files whose sources include each other's headers are
a cycle too. An include with ".." is an error as well, because meson.build grants whole folders. SEPARATE lists parts of
the element that must not depend on each other.

A C source of the product calls a function if it mentions the function's name, also as a callback. The script reads
sources and not object files, so nothing has to be built. KNOWN lists the calls that close a cycle today. An entry that no
cycle needs is an error, so the list only gets shorter.
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
# in the style of clang-format: from the start of a line to the brace
DEFINITION = re.compile(r"^((?:[\w*]+[\s*]+)*)(\w+)\((?:[^;{}()]|\([^;{}()]*\))*\)\s*\{", re.MULTILINE)

# (UNITS, OTHERS): the units must not include or call the others
SEPARATE = [
    ("plugin/properties/*", "plugin/flow"),
    ("plugin/properties/*", "plugin/negotiation"),
    ("plugin/properties/*", "plugin/caps"),
    ("plugin/properties/*", "plugin/memory/*"),
    ("plugin/flow", "plugin/properties/[!s]*"),  # flow reads in-flight of the settings
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
    ("app/*", "app/main"),  # the commands call the option parser of main.c, whose table has their arguments
]


def sources(root, folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                yield path


def find(root, path, name):
    """Returns the included file: in the folder of `path`, or in a folder above."""
    for base in path.parents[:len(path.relative_to(root).parts)]:
        if (base / name).is_file():
            return (base / name).resolve()
    return None  # a generated file, or of a library


def unit(root, path):
    """Returns the unit of a file. A header and the C source of the same name are one unit. A device source is a unit."""
    name = path.relative_to(root)
    return (name.with_suffix("") if path.suffix in (".c", ".h") else name).as_posix()


def cycles(graph):
    """Returns the strongly connected components of more than one unit (Tarjan's algorithm)."""
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
            component = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def includes(root):
    """Returns the graph of units, the counts of includes between folders, and texts of includes with ".."."""
    graph, folders, faults = collections.defaultdict(set), collections.Counter(), []
    for path in sources(root, FOLDERS):
        graph[unit(root, path)]
        for name in INCLUDE.findall(path.read_text()):
            if ".." in name.split("/"):
                faults.append(f"{path.relative_to(root)}: \"{name}\" leaves its folder")
            target = find(root, path, name)
            if target and unit(root, target) != unit(root, path):
                graph[unit(root, path)].add(unit(root, target))
                graph[unit(root, target)]
                a, b = (p.relative_to(root).parts[0] for p in (path, target))
                folders[a, b] += a != b
    return graph, folders, faults


def calls(root):
    """Maps pairs of units to the functions that the first one calls of the second one."""
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
        # a word without "_" may be a variable, so it counts only before "("
        for function in set(re.findall(r"(?<![\w.])(?<!->)(?:\w+_\w+\b|\w+(?=\())", text)) - own[name]:
            for home in homes.get(function, ()):
                found[name, home].add(function)
    return found


def cycles_of_calls(found, known):
    """Returns the cycles that exist without the known calls."""
    graph = collections.defaultdict(set)
    for a, b in found:
        graph[b]
        if not any(fnmatch.fnmatch(a, callers) and fnmatch.fnmatch(b, called) for callers, called in known):
            graph[a].add(b)
    return cycles(graph)


def call_faults(root, known):
    """Returns a text for each fault of the calls."""
    found = calls(root)
    faults = []
    for cycle in cycles_of_calls(found, known):
        faults.append("cycle of calls: " + ", ".join(cycle))
        faults += [f"  {a} calls {b}: {', '.join(sorted(functions)[:4])}"
                   for (a, b), functions in sorted(found.items()) if a in cycle and b in cycle]
    for entry in known:
        if cycles_of_calls(found, [other for other in known if other != entry]) == cycles_of_calls(found, known):
            faults.append(f"no cycle of calls needs {entry} any more: remove it from KNOWN")
    return faults


def separation_faults(graph, found):
    """Returns a text for each dependency that SEPARATE forbids."""
    known = {(a, b): "includes" for a in graph for b in graph[a]}
    known.update({pair: f"calls {', '.join(sorted(functions)[:4])} of" for pair, functions in found.items()})
    return [f"{a} {how} {b}, but must not depend on it" for (a, b), how in sorted(known.items())
            if any(fnmatch.fnmatch(a, units) and fnmatch.fnmatch(b, others) for units, others in SEPARATE)]


def main():
    graph, folders, faults = includes(ROOT)
    if sys.argv[1:] == ["--folders"]:
        for (a, b), count in sorted(folders.items()):
            if count:
                print(f"{a} -> {b}: {count}")
    faults += ["cycle: " + ", ".join(cycle) for cycle in cycles(graph)]
    faults += call_faults(ROOT, KNOWN)
    faults += separation_faults(graph, calls(ROOT))
    print("".join(f"{fault}\n" for fault in faults), end="")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
