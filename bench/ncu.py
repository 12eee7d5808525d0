# SPDX-License-Identifier: LGPL-2.1-or-later
"""Profiles the cells of a coverage run that miss their target, one frame of each, with NVIDIA's profiler ncu."""

import csv
import itertools
import json
import subprocess

import coverage

SCHEDULERS = 4  # per multiprocessor
METRICS = {"instructions": "smsp__inst_executed.sum",  # warp instructions
           "issued": "smsp__issue_active.avg.pct_of_peak_sustained_active",
           "active": "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
           "tensor": "sm__pipe_tensor_op_imma_cycles_active.avg.pct_of_peak_sustained_active",
           "l1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
           "registers": "launch__registers_per_thread",
           "warps": "smsp__warps_active.avg.per_cycle_active",  # per scheduler
           "cycles": "smsp__average_warp_latency_per_inst_issued.ratio",
           "dram_bytes": "dram__bytes.sum",
           "ns": "gpu__time_duration.sum",
           "hz": "smsp__cycles_elapsed.avg.per_second",
           "multiprocessors": "launch__sm_count"}
WAITS = {"memory": "long_scoreboard",
         "shared memory": "short_scoreboard",
         "results": "wait",  # of earlier instructions of the same warp
         "barrier": "barrier",
         "tensor cores": "math_pipe_throttle",
         "L1 queue": "mio_throttle",
         "load queue": "lg_throttle",
         "code": "no_instruction",
         "turn": "not_selected"}
METRICS |= {wait: f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"
            for wait, reason in WAITS.items()}  # cycles per instruction
SUMS = ("instructions", "dram_bytes", "ns")  # summed over the launches of a frame; other metrics are averaged
AT_ONCE = 30  # cells per run of ncu
SECONDS = 300  # timeout of a run
TOO_LONG = f"ncu: no end after {SECONDS} s"


def command(program, cases, options=()):
    """Returns the command that runs ncu on cudaconv-bench-kernels, with one frame of each case."""
    return ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
            "--metrics", ",".join(METRICS.values()), "--kernel-name", "regex:^cc_",
            str(program), *options, "--once", *cases]


def launches_of(text):
    """Yields name and metrics of each launch in the output of ncu."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    for row in csv.DictReader(lines):
        if row.get("Kernel Name"):  # the line with the units has none
            yield row["Kernel Name"].split("(")[0], {
                name: float(row[metric].replace(",", "")) for name, metric in METRICS.items()}


def frame_of(case, launches):
    """Combines the metrics of all launches of a frame. Averages are weighted by time."""
    time = sum(metrics["ns"] for _, metrics in launches)
    frame = {metric: sum(metrics[metric] * (1 if metric in SUMS else metrics["ns"] / time)
                         for _, metrics in launches) for metric in METRICS}
    return {**frame, "kernels": [name for name, _ in launches],
            "per_256_bytes": frame["instructions"] / (case["target_bytes"] / 256)}


def profile(program, cases, options=()):
    """Profiles a frame of each case in one run of ncu. Returns the metrics, or None and an error text."""
    try:
        done = subprocess.run(command(program, cases, options), capture_output=True, text=True,
                              timeout=SECONDS, check=False)
        found = [case for line in done.stdout.splitlines() if line.startswith("{")
                 and (case := json.loads(line)).get("launches")]
        launches = list(launches_of(done.stdout))
        if len(found) != len(cases) or sum(case["launches"] for case in found) != len(launches):
            words = (done.stdout + done.stderr).strip().splitlines()
            return None, f"ncu: {words[-1] if words else f'status {done.returncode}'}"
        each = iter(launches)
        return [frame_of(case, list(itertools.islice(each, case["launches"]))) for case in found], None
    except subprocess.TimeoutExpired:
        return None, TOO_LONG
    except (ArithmeticError, LookupError, ValueError) as why:
        return None, f"ncu: {why!r}"


def needed(row):
    """Returns the part of all issue slots, in percent, that the frame's instructions would fill at the target.
    Above 100 the kernel has too many instructions for the target."""
    slots = 1e-6 * row["copy_us"] * 100 / row["wanted"] * row["hz"] * SCHEDULERS
    return 100 * row["instructions"] / (slots * row["multiprocessors"])


def misses(run):
    """Yields a row without metrics, and the case, for each cell that misses its target."""
    cells = coverage.cells(run)
    several = len({size for _, _, size in cells}) > 1
    for (kernel, format_, size), (own, share, target, *_) in cells.items():
        if share < target:
            yield ({"kernel": kernel, "format": format_, "of_size": f", {size}" * several,
                    "share": share, "wanted": target, "copy_us": own["us"] * share / 100},
                   f"{format_} {size} {coverage.word(kernel)}")


def frames_of(program, cases, options=()):
    """Returns (metrics, error) for a frame of each case; one of the two is None. If one case fails, a run of
    ncu has no results at all. Then each case runs again alone, unless the run took too long."""
    frames, error = profile(program, cases, options)
    if frames or len(cases) == 1 or error == TOO_LONG:
        return [(frame, error) for frame in frames or [None] * len(cases)]
    return [frames_of(program, [case], options)[0] for case in cases]


def rows_of(run, program, options=(), say=print):
    """Yields the rows of all cells that miss their target, in order. Reports cells that fail, and stops when
    all cells of a run of ncu fail."""
    cells = list(misses(run))
    for first in range(0, len(cells), AT_ONCE):
        rows, cases = zip(*cells[first:first + AT_ONCE])
        found = frames_of(program, cases, options)
        for row, case, (frame, error) in zip(rows, cases, found):
            if frame:
                row = {**row, **frame}
                yield {**row, "needed": needed(row)}
            else:
                say(f"{case}: {error}")
        if not any(frame for frame, _ in found) and first + AT_ONCE < len(cells):
            return say(f"{len(cells) - first - AT_ONCE} more cells were not profiled")


def limit(row):
    """Returns why a cell misses its target; see bench/notes/limits.md."""
    return "instructions" if row["needed"] >= 90 else \
        "latency" if row["needed"] > row["issued"] else "start and end"


def main_waits(row):
    return ", ".join(f"{wait} {row[wait]:.1f}" for wait in sorted(WAITS, key=lambda wait: -row[wait])[:3])


NUMBERS = {"instructions": ("per_256_bytes", ".0f"), "slots needed": ("needed", ".0f"),
           "slots used": ("issued", ".0f"), "active": ("active", ".0f"),
           "tensor": ("tensor", ".0f"), "L1": ("l1", ".0f"), "registers": ("registers", ".0f"),
           "warps": ("warps", ".1f"), "cycles": ("cycles", ".1f")}
HEAD = ["share, target", *NUMBERS, "longest waits", "limit"]


def cells_of(row):
    """Returns the texts of a row: the name of the cell, and the columns of HEAD."""
    return [f"{row['kernel']}, {row['format']}{row['of_size']}",
            f"{coverage.rounded(row['share'], row['wanted'])}, {row['wanted']:g}",
            *(f"{row[field]:{form}}" for field, form in NUMBERS.values()),
            main_waits(row), limit(row)]


def span(values, text):
    low, high = text(min(values)), text(max(values))
    return low if low == high else f"{low} to {high}"


def rows_of_kernels(run):
    """Returns the head and the rows of a table with a row for each kernel. A row has the ranges over all cells
    of the kernel, and the number of cells for each limit."""
    rows = [["", "cells", *HEAD]]
    groups = {}
    for row in run["results"]:
        name = ", ".join(name[3:] for name in row["kernels"])
        groups.setdefault(f"`{name}`{row['of_size']}", []).append(row)
    for name, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        mean = {wait: sum(row[wait] for row in group) / len(group) for wait in WAITS}
        held = [limit(row) for row in group]
        rows.append([name, str(len(group)),
                     span([(row["share"], row["wanted"]) for row in group],
                          lambda both: coverage.rounded(*both)) + " of " +
                     span([row["wanted"] for row in group], "{:g}".format),
                     *(span([row[field] for row in group], f"{{:{form}}}".format)
                       for field, form in NUMBERS.values()),
                     main_waits(mean),
                     ", ".join(f"{one} {held.count(one)}" for one in sorted(set(held)))])
    return rows[0], rows[1:]
