# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the gain of each special path: cells that use the path, with and without it. A path is a method, a
kernel or a rewriting of the plan that is faster than the next more general one. An instruction set is a path
as well. docs/benchmarks.md says which gain makes a path worth keeping."""

import collections
import re
import statistics
import subprocess

from common import Failure, Frames, lines_of, path_of

CPU_PATHS = [
    "fused-conv2d", "fused-separable", "fused-gradient", "11", "30", "50", "20-10", "11-11",
    "20-20-10", "22-11", "33", "40-10", "80-10", "40-40-10", "11-23", "macropixel", "identity",
    "box", "box-columns-8", "box-columns-16", "conv2d", "conv2d-bytes", "separable",
    "separable-bytes", "separable-centred", "separable-one-part", "separable-two-parts",
    "vertical-first", "three-rows", "separable-cut-taps", "separable-three-parts", "separable-added-parts", "sums-16",
    "sums-double", "sum-patterns", "output-16", "output-shift", "output-float",
    "streaming", "prefetch"]
CUDA_PATHS = ["layout-all-pixels", "layout-groups", "layout-components", "layout-luma-of-pixels",
              "two-pass"]  # and every tensor-core kernel
BEFORE = {"avx2": "c", "avxvnni": "avx2", "avx512": "avx2", "avx512vnni": "avx512"}

# Common cells: 3x3 to 31x31, boxes and Gaussians to 127, 16 bits to 15x15.
CPU_FORMATS = "GRAY8 RGB RGBA NV12 YUY2 GRAY16_LE P010_10LE".split()
CUDA_FORMATS = "GRAY8 RGB RGBA NV12 I420 YUY2 GRAY16_LE P010_10LE ARGB64".split()
NARROW = ("GRAY16_LE", "ARGB64")  # only up to 15x15
NAMED = """identity gaussian:3 gaussian:5 gaussian:7 gaussian:9 gaussian:11 gaussian:13 gaussian:15
 gaussian:3:0.8 gaussian:5:1.2 gaussian:7:1.5 gaussian:9:2 gaussian:15:3 gaussian:31:5 gaussian:63:10
 gaussian:127:20 box:3 box:5 box:7 box:9 box:13 box:15 box:21 box:31 box:63 box:127 sharpen:3
 sharpen:5 laplacian:3 unsharp:3 unsharp:5 emboss:3 log:5 log:9 motion-blur:3 motion-blur:9 sobel-x:3 sobel-x:5 sobel-y:3 sobel:3 sobel:5 sobel:7 prewitt:3 scharr:3 roberts:3
 kirsch:3 separable:3 separable:5 separable:9 separable:15 whole:3 whole:5 whole:7 whole:9 whole:13
 whole:15""".split()
OPTIONS = """sobel:3 response=magnitude-l1|sobel:3 response=absolute|laplacian:3 response=clamp
sobel-x:3 response=clamp|sobel-x:3 response=offset|sobel-x:5 response=offset|log:5 response=offset
sobel:3 response=direction|laplacian-8:3|laplacian-8:3 response=clamp|sobel-y:5|sobel:3 scale=0.5
gaussian:3 scale=0.07 bias=10|gaussian:5 scale=-0.004 bias=255|sharpen:3 scale=0.8 bias=20
sobel:3 color=components|gaussian:5 chroma=filter|gaussian:3 chroma=filter|box:3 chroma=filter
box:5 chroma=filter|gaussian:9 chroma=filter|gaussian:5 alpha=filter""".replace("\n", "|").split("|")
# Rare cells, which may take up to twice as long without a path.
OTHERS = """gaussian:31:5|gaussian:63:10|gaussian:127:20|box:31|box:63|box:127|separable:31|separable:21
separable:15 response=magnitude-l1|sobel:5 response=magnitude-l1|sobel:7 response=magnitude-l1
sobel:7 response=absolute|sobel:7 color=components|kirsch:3 response=magnitude
kirsch:3 response=magnitude-l1|whole:9 response=offset|whole:15 response=offset
separable:9 scale=3000|separable:31 scale=0.5 bias=3|gaussian:9 scale=0.37 bias=20
box:9 scale=0.37 bias=255 response=offset|unsharp:5 response=magnitude|identity:5 response=magnitude
sobel:3 response=direction color=grey alpha=filter chroma=copy|whole:9 response=magnitude-l1
gaussian:13 scale=0.1234567891|sobel-x:7 scale=0.37 bias=20|log:9 scale=0.37 bias=20
whole:15 scale=1000|gaussian:15 response=magnitude scale=0.37|box:31 stride=4|separable:31 stride=4
sobel:5 response=direction color=grey chroma=copy|sobel:7 response=direction color=grey chroma=copy
separable:31 stride=4 scale=0.5 response=magnitude|separable:9 stride=4 scale=300""".replace("\n", "|").split("|")


def side_of(kernel):
    found = re.search(r":(\d+)", kernel)
    return int(found[1]) if found else 3


def cells(formats, size, kernels, widest=15):
    return [f"{format_} {size} {kernel.strip()}" for format_ in formats for kernel in kernels
            if format_ not in NARROW or side_of(kernel) <= widest]


def explain(words, cases, where):
    """Returns what runs for each case: a tuple of lines without costs, tiles and reasons. Leaves out cases that
    cannot run."""
    found = {}
    done = subprocess.run([path_of("explain"), *words, *cases], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(2, done.stderr.strip())
    case = None
    for line in done.stdout.splitlines():
        if line.startswith("  "):
            found[case] += (re.sub(r"; not .*|, cost [^;,(]*( \([^)]*\))?|;? ?\d+ blocks of.*", "",
                                   line.split(". ", 1)[1]),)
        elif line != where:
            case = line.split(": ")[0]
            found[case] = ()
    return found


def spread(items, n):
    """Returns up to n of the items, evenly spaced."""
    if len(items) <= n or n == 1:
        return items[:n]
    return [items[i * (len(items) - 1) // (n - 1)] for i in range(n)]


def gain(frames, with_it, without, rounds):
    """Returns how many times as long a case takes without the path. Measures both in turn."""
    times = [(frames.request(with_it)["us"], frames.request(without)["us"]) for _ in range(rounds)]
    return min(b for _, b in times) / min(a for a, _ in times)


def row_of(path, n_cells, gains, min_gain):
    """Returns a row of the table. `gains` maps cases to their gain."""
    best = max(gains, key=gains.get, default=None)
    return {"path": path, "cells": n_cells, "best": gains.get(best, 1), "best_cell": best or "",
            "median": statistics.median(gains.values()) if gains else 1,
            "worst": min(gains.values(), default=1), "gains": gains,
            "earns": bool(gains) and gains[best] >= min_gain}


def unknown(paths, backend):
    """Returns the given paths that do not exist, and all that exist."""
    if backend == "cuda":
        return [path for path in paths if path not in CUDA_PATHS
                and not path.startswith("cc_tensor_")], [*CUDA_PATHS, "the name of a kernel"]
    known = [*CPU_PATHS, *(f"isa-{isa}" for isa in BEFORE)]
    return [path for path in paths if path not in known], known


def rows_of_table(run):
    """Returns the head, and a row for each path with several processors side by side."""
    isas = list(dict.fromkeys(row.get("isa", "") for row in run["results"]))
    head = ["path"]
    for isa in isas:
        head += [f"{isa} cells".strip(), "median", "best", "best cell"]
    with_others = any(row.get("others") for row in run["results"])
    head += ["best of rare cells"] if with_others else []
    found = {(row["path"], row.get("isa", "")): row for row in run["results"]}
    rows = []
    for path in dict.fromkeys(path for path, _ in found):
        line = [path]
        for isa in isas:
            row = found.get((path, isa))
            line += ["", "", "", ""] if not row else [
                str(row["cells"]), f"{row['median']:.2f}", f"{row['best']:.2f}",
                re.sub(r" \d+x\d+", "", row["best_cell"])]
        if with_others:
            line.append(f"{found[path, isas[0]].get('most_of_others', 1):.2f}")
        rows.append(line)
    return head, rows


def ablate_cpu(isas, only, max_cells, budget, rounds, say):
    rows = []
    cases = cells(CPU_FORMATS, "1920x1080", NAMED + OPTIONS)
    frames = Frames(budget)
    for isa in isas:
        base = explain([f"--isa={isa}"], cases, isa)
        for path in only or [f"isa-{isa}", *CPU_PATHS]:
            if path.startswith("isa-") and (isa not in BEFORE or path != f"isa-{isa}"):
                continue
            if path.startswith("isa-"):
                changed, less = list(base), f" isa={BEFORE[isa]}"
            else:
                other = explain([f"--isa={isa}", f"--without={path}"], cases, isa)
                changed, less = [c for c in base if base[c] != other[c]], f" isa={isa} without={path}"
            gains = {}
            for case in spread(changed, max_cells):
                gains[case] = gain(frames, f"{case} isa={isa}", case + less, rounds)
            rows.append({"isa": isa, **row_of(path, len(changed), gains, 1.1)})
            say(rows[-1])
    frames.process.stdin.close()
    return rows


def times_of(cases, budget, device):
    """Runs cudaconv-bench-kernels. Returns the microseconds of each algorithm by the number of the case."""
    found, at = collections.defaultdict(dict), -1
    for row in lines_of("kernels", cases, budget=budget, device=device):
        if "heading" in row:
            at = int(row["heading"])
        elif "us" in row:
            found[at][row["algorithm"]] = row["us"]
    return found


def ablate_cuda(gpu, only, max_cells, budget, device, say):
    cases = cells(CUDA_FORMATS, "3840x2160", NAMED + OPTIONS)
    cases += cells(["GRAY8", "RGBA", "YUY2", "GRAY16_LE"], "3840x2160",
                   [f"{kernel} stride=2" for kernel in
                    ("gaussian:3", "gaussian:9", "gaussian:15", "gaussian:31", "whole:5")])
    cases += cells(["GRAY8-limited", "NV12-limited"], "3840x2160",
                   ["sobel:3", "prewitt:3", "scharr:3", "laplacian:3", "sobel-x:3", "sobel:5"])
    others = [case for case in cells(CUDA_FORMATS, "3840x2160", OTHERS, 127) if case not in cases]
    cases += others
    base = explain([f"--gpu={gpu}"], cases, gpu)
    runs = collections.defaultdict(list)
    for case, lines in base.items():
        for name in dict.fromkeys(re.findall(r"cc_tensor\w+", " ".join(lines))):
            runs[name].append(case)
    for path in CUDA_PATHS:
        other = explain([f"--gpu={gpu}", f"--without={path}"], cases, gpu)
        runs[path] = [case for case in base if base[case] != other[case]]
    if only:
        runs = {path: runs[path] for path in only}
    words, plan = [], []
    for path in sorted(runs):
        own = [case for case in runs[path] if case not in others]
        for case in spread(own, max_cells) + spread([case for case in runs[path] if case in others], max_cells):
            words += [f"# {len(plan)}", f"{case} algorithms=auto,without:{path}"]
            plan.append((path, case))
    times = times_of(words, budget, device)
    rows = []
    for path in sorted(runs):
        gains = {}
        for i, (which, case) in enumerate(plan):
            if which == path and len(times[i]) == 2:
                (own,) = (us for name, us in times[i].items() if name.startswith("auto"))
                (less,) = (us for name, us in times[i].items() if not name.startswith("auto"))
                gains[case] = less / own
        own = {case: gain for case, gain in gains.items() if case not in others}
        rest = {case: gain for case, gain in gains.items() if case in others}
        row = row_of(path, len(runs[path]), own, 1.15)
        row.update(others=rest, most_of_others=max(rest.values(), default=1))
        row["earns"] |= row["most_of_others"] > 2 or any(
            gain > 1.03 and re.search(r" \w[\w-]*:[35]( |$)", case)
            and case.split()[0] not in (*NARROW, "P010_10LE") for case, gain in own.items())
        rows.append(row)
        say(row)
    return rows
