# SPDX-License-Identifier: LGPL-2.1-or-later
"""Why cells of a reach run miss their share: what NVIDIA's profiler, ncu, counts in a frame of each."""

import csv
import itertools
import json
import shutil
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


def frame_of(launches):
    """The metrics of one frame's launches together."""
    time = sum(metrics["ns"] for _, metrics in launches)
    return {"kernels": [name for name, _ in launches]} | {
        metric: sum(metrics[metric] * (1 if metric in SUMS else metrics["ns"] / time)
                    for _, metrics in launches)
        for metric in METRICS}


def profile(program, cases, options=()):
    """The metrics of a frame of each case, or why there are none."""
    try:
        done = subprocess.run(command(program, cases, options), capture_output=True, text=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None, f"ncu: nothing within {SECONDS} s"
    counts = [json.loads(line).get("launches", 0) for line in done.stdout.splitlines()
              if line.startswith("{")]
    counts = [n for n in counts if n]
    launches = list(launches_of(done.stdout))
    if len(counts) != len(cases) or sum(counts) != len(launches):
        words = (done.stdout + done.stderr).strip().splitlines()
        return None, f"ncu: {words[-1] if words else f'status {done.returncode}'}"
    each = iter(launches)
    return [frame_of(list(itertools.islice(each, n))) for n in counts], None


def needed(row):
    """The part of all issue slots that the frame's instructions fill at the share that is wanted,
    in percent: above 100 that share is out of reach with so many instructions."""
    slots = 1e-6 * row["copy_us"] * 100 / row["wanted"] * row["hz"] * SCHEDULERS
    return 100 * row["instructions"] / (slots * row["multiprocessors"])


def misses(run, listed):
    """Rows of the cells that miss their share, without metrics, and the words of their cases."""
    words = {reach.label(word): word for word in reach.kernels(listed)[0]}
    for (kernel, format_, size), (own, share, wanted, *_) in reach.cells(run).items():
        if share < wanted:
            yield ({"format": format_, "size": size, "kernel": kernel, "share": share,
                    "wanted": wanted, "copy_us": own["us"] * share / 100},
                   f"{format_} {size} {words.get(kernel, kernel)} replicate 1 auto")


def rows_of(run, listed, program, options=(), say=print):
    """Profiles all cells that miss; yields their rows in order, and says which fail."""
    cells = list(misses(run, listed))
    for first in range(0, len(cells), AT_ONCE):
        rows, cases = zip(*cells[first:first + AT_ONCE])
        frames, error = profile(program, cases, options)
        for row, case, frame in zip(rows, cases, frames or [None] * len(rows)):
            if frame:
                row = {**row, **frame}
                yield {**row, "needed": needed(row)}
            else:
                say(f"{case}: {error}")


def is_there():
    return shutil.which("ncu") is not None


HEAD = ["reached, wanted", "million instructions", "slots needed", "slots used", "active",
        "tensor", "L1", "registers", "warps", "cycles", "of which waits"]


def cells_of(row):
    """A row as text: the cell, and what HEAD names."""
    waits = sorted(WAITS, key=lambda wait: -row[wait])[:3]
    return [f"{row['kernel']}, {row['format']}", f"{row['share']:.0f}, {row['wanted']:g}",
            f"{1e-6 * row['instructions']:.1f}", f"{row['needed']:.0f}", f"{row['issued']:.0f}",
            f"{row['active']:.0f}", f"{row['tensor']:.0f}", f"{row['l1']:.0f}",
            f"{row['registers']:.0f}", f"{row['warps']:.1f}", f"{row['cycles']:.1f}",
            ", ".join(f"{wait} {row[wait]:.1f}" for wait in waits)]
