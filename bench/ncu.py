# SPDX-License-Identifier: LGPL-2.1-or-later
"""Why cells of a reach run miss their share: what NVIDIA's profiler, ncu, counts in a frame of each."""

import csv
import itertools
import json
import subprocess

import reach

SCHEDULERS = 4  # of a multiprocessor
METRICS = {"instructions": "smsp__inst_executed.sum",  # of warps
           "issued": "smsp__issue_active.avg.pct_of_peak_sustained_active",
           "active": "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
           "tensor": "sm__pipe_tensor_op_imma_cycles_active.avg.pct_of_peak_sustained_active",
           "l1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
           "registers": "launch__registers_per_thread",
           "warps": "smsp__warps_active.avg.per_cycle_active",  # of a scheduler
           "cycles": "smsp__average_warp_latency_per_inst_issued.ratio",
           "dram_bytes": "dram__bytes.sum",
           "ns": "gpu__time_duration.sum",
           "hz": "smsp__cycles_elapsed.avg.per_second",
           "multiprocessors": "launch__sm_count"}
WAITS = {"memory": "long_scoreboard",
         "shared memory": "short_scoreboard",
         "results": "wait",  # of the warp's own instructions before
         "barrier": "barrier",
         "tensor cores": "math_pipe_throttle",
         "L1 queue": "mio_throttle",
         "load queue": "lg_throttle",
         "code": "no_instruction",
         "turn": "not_selected"}
METRICS |= {wait: f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"
            for wait, reason in WAITS.items()}  # cycles for each instruction
SUMS = ("instructions", "dram_bytes", "ns")  # over the launches of a frame; of the others the mean
AT_ONCE = 30  # cells of one run of ncu
SECONDS = 300  # for that
TOO_LONG = f"ncu: no end after {SECONDS} s"


def command(program, cases, options=()):
    """ncu on the program that measures kernels, which launches one frame of each case."""
    return ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
            "--metrics", ",".join(METRICS.values()), "--kernel-name", "regex:^cc_",
            str(program), *options, "--once", *cases]


def launches_of(text):
    """The launches that ncu prints: name and metrics of each."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    for row in csv.DictReader(lines):
        if row.get("Kernel Name"):  # the line of units has none
            yield row["Kernel Name"].split("(")[0], {
                name: float(row[metric].replace(",", "")) for name, metric in METRICS.items()}


def frame_of(case, launches):
    """What the program says of a case, and the metrics of its frame's launches together."""
    time = sum(metrics["ns"] for _, metrics in launches)
    frame = {metric: sum(metrics[metric] * (1 if metric in SUMS else metrics["ns"] / time)
                         for _, metrics in launches) for metric in METRICS}
    return {**frame, "kernels": [name for name, _ in launches],
            "per_256_bytes": frame["instructions"] / (case["target_bytes"] / 256)}


def profile(program, cases, options=()):
    """The metrics of a frame of each case, or why there are none."""
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
    """The part of all issue slots that the frame's instructions fill at the share that is wanted,
    in percent: above 100 that share is out of reach with so many instructions."""
    slots = 1e-6 * row["copy_us"] * 100 / row["wanted"] * row["hz"] * SCHEDULERS
    return 100 * row["instructions"] / (slots * row["multiprocessors"])


def misses(run):
    """Rows of the cells that miss their share, without metrics, and the words of their cases."""
    cells = reach.cells(run)
    several = len({size for _, _, size in cells}) > 1
    for (kernel, format_, size), (own, share, wanted, *_) in cells.items():
        if share < wanted:
            yield ({"kernel": kernel, "format": format_, "of_size": f", {size}" * several,
                    "share": share, "wanted": wanted, "copy_us": own["us"] * share / 100},
                   f"{format_} {size} {reach.word(kernel)}")


def frames_of(program, cases, options=()):
    """The metrics of a frame of each case, or None, and why there are none. One case that fails
    leaves nothing of a run of ncu, so its cases run again one by one, if that was not too long."""
    frames, error = profile(program, cases, options)
    if frames or len(cases) == 1 or error == TOO_LONG:
        return [(frame, error) for frame in frames or [None] * len(cases)]
    return [frames_of(program, [case], options)[0] for case in cases]


def rows_of(run, program, options=(), say=print):
    """Yields the rows of all cells that miss, in order; says which fail, and ends when AT_ONCE do."""
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
            return say(f"{len(cells) - first - AT_ONCE} more cells that miss were not profiled")


def limit(row):
    """What keeps a cell from its share: see bench/notes/limits.md."""
    return "instructions" if row["needed"] >= 90 else \
        "latency" if row["needed"] > row["issued"] else "start and end"


def most_waits(row):
    return ", ".join(f"{wait} {row[wait]:.1f}" for wait in sorted(WAITS, key=lambda wait: -row[wait])[:3])


NUMBERS = {"instructions": ("per_256_bytes", ".0f"), "slots needed": ("needed", ".0f"),
           "slots used": ("issued", ".0f"), "active": ("active", ".0f"),
           "tensor": ("tensor", ".0f"), "L1": ("l1", ".0f"), "registers": ("registers", ".0f"),
           "warps": ("warps", ".1f"), "cycles": ("cycles", ".1f")}
HEAD = ["reached, wanted", *NUMBERS, "of which waits", "limit"]


def cells_of(row):
    """A row as text: the cell, and what HEAD names."""
    return [f"{row['kernel']}, {row['format']}{row['of_size']}",
            f"{reach.rounded(row['share'], row['wanted'])}, {row['wanted']:g}",
            *(f"{row[field]:{form}}" for field, form in NUMBERS.values()),
            most_waits(row), limit(row)]


def span(values, text):
    least, most = text(min(values)), text(max(values))
    return least if least == most else f"{least} to {most}"


def rows_of_kernels(run):
    """The same of all cells that one kernel makes, and of how many of them which limit holds."""
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
                          lambda both: reach.rounded(*both)) + " of " +
                     span([row["wanted"] for row in group], "{:g}".format),
                     *(span([row[field] for row in group], f"{{:{form}}}".format)
                       for field, form in NUMBERS.values()),
                     most_waits(mean),
                     ", ".join(f"{one} {held.count(one)}" for one in sorted(set(held)))])
    return rows[0], rows[1:]
