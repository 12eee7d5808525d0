#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the processor time to compile device code, and prints tables.

usage: compile-time.py [--kernels] BUILD [MODULE...]

BUILD is a configured build folder. It is not changed. The commands that nvcc would run for each module run one
after another. With --kernels each kernel is also assembled alone, and a second table has its seconds, lines of
PTX, bytes of code, registers and bytes of spilled registers.
"""
import argparse
import collections
import pathlib
import re
import resource
import subprocess
import tempfile


def run(command, folder=None):
    """Runs a command. Returns its processor seconds and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["bash", "-c", command], cwd=folder, check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def commands_of(build, module, folder):
    """Returns the commands that nvcc would run for a module, with all files in `folder`."""
    nvcc = run(f"ninja -t commands cuda/{module}.fatbin", build)[1].splitlines()[-1]
    nvcc = re.sub(r"-MD -MF \S+ -o \S+", f"-o {folder}/{module}.fatbin", nvcc)
    lines = re.findall(r"^#\$ (.*)$", run(f"{nvcc} --dryrun --keep --keep-dir {folder}", build)[1], re.MULTILINE)
    path = "; ".join("export " + line for line in lines if re.match(r"(CICC_|LD_LIBRARY_)?PATH=", line))
    return [f"{path}; {line}" for line in lines if not re.match(r"\w+=", line)]


def phase_of(command):
    line = command.rpartition("; ")[2]
    program = re.match(r'"?(?:\S*/)?(\w+)', line)[1]
    arch = re.search(r"-arch[= ]\w+_(\w+)", line)
    return f"{program} {arch[1]}" if arch else "others"


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|---" + "|--:" * (len(head) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
    print()


def print_modules(build, modules, folder):
    taken = {}
    for module in modules:
        taken[module] = collections.Counter()
        for command in commands_of(build, module, folder):
            taken[module][phase_of(command)] += run(command, build)[0]
    phases = sorted({phase for of_module in taken.values() for phase in of_module},
                    key=lambda phase: (phase == "others", phase.split()[0], len(phase), phase))
    rows = sorted(([module, *(of_module[phase] + 0.0 for phase in phases), of_module.total()]
                   for module, of_module in taken.items()), key=lambda row: -row[-1])
    sums = ["all", *(sum(row[i] for row in rows) for i in range(1, len(phases) + 2))]
    print_table(["module", *phases, "all"], rows + [sums])


def print_kernels(build, modules, folder):
    alone, cubin = f"{folder}/alone.ptx", f"{folder}/alone.cubin"
    rows, archs = {}, []
    for module in modules:
        assembles = {phase_of(command).split()[1]: command
                     for command in commands_of(build, module, folder) if "; ptxas " in command}
        archs = list(assembles)
        for arch, command in assembles.items():
            ptx = re.search(r'"([^"]+\.ptx)"', command)[1]
            command = re.sub(r'-o "[^"]+"', f'-v -o "{cubin}"', command).replace(ptx, alone)
            head, *entries = re.split(r"^(?=\.visible \.entry )", pathlib.Path(ptx).read_text(), flags=re.MULTILINE)
            for entry in entries:
                name = re.search(r"entry (\w+)", entry)[1]
                pathlib.Path(alone).write_text(head + entry)
                seconds, output = run(command, build)
                size = re.search(rf"\.text\.{name}\s+PROGBITS\s+\w+ \w+ (\w+)", run(f"readelf -SW {cubin}")[1])[1]
                registers, spilled = (re.search(text, output)[1] for text in
                                      (r"Used (\d+) registers", r"(\d+) bytes spill stores"))
                rows.setdefault(name.removeprefix("cc_"), []).extend(
                    [seconds, entry.count("\n"), int(size, 16), int(registers), int(spilled)])
    heads = [f"{column} {arch}" for arch in archs for column in ("s", "PTX", "bytes", "registers", "spilled")]
    print_table(["kernel", *heads],
                sorted(([name, *of_kernel] for name, of_kernel in rows.items()),
                       key=lambda row: -sum(row[1::5])))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("build")
    parser.add_argument("module", nargs="*")
    given = parser.parse_args()
    listing = pathlib.Path(__file__).parent.parent / "cuda" / "modules.py"
    modules = given.module or [path.rpartition("/")[2] for path in run(f"python3 {listing}")[1].split()]
    with tempfile.TemporaryDirectory() as folder:
        print_modules(given.build, modules, folder)
        if given.kernels:
            print_kernels(given.build, modules, folder)


main()
