# SPDX-License-Identifier: LGPL-2.1-or-later
"""Why cells of a reach run miss their share: what NVIDIA's profiler, ncu, counts in a frame of each."""

import concurrent.futures
import csv
import os
import shutil
import subprocess

import reach

SCHEDULERS = 4  # of a multiprocessor
METRICS = {"instructions": "smsp__inst_executed.sum",  # of warps
           "issued": "smsp__issue_active.avg.pct_of_peak_sustained_active",
           "tensor": "sm__pipe_tensor_op_imma_cycles_active.avg.pct_of_peak_sustained_active",
           "l1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
           "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
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
LAUNCHES = 6  # that are looked at, which hold a frame's; before them one is for starting
SECONDS = 120  # for a cell


def command(program, case, options=()):
    """ncu on the program that measures kernels, which runs one case."""
    return ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
            "--metrics", ",".join(METRICS.values()), "--kernel-name", "regex:^cc_",
            "--launch-skip", "1", "--launch-count", str(LAUNCHES),
            str(program), *options, "--budget=2", case]


def launches_of(text):
    """The launches that ncu prints: name and metrics of each."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    for row in csv.DictReader(lines):
        if row.get("Kernel Name"):  # the line of units has none
            yield row["Kernel Name"].split("(")[0], {
                name: float(row[metric].replace(",", "")) for name, metric in METRICS.items()}


def frame_of(launches):
    """The metrics of one frame, whose launches repeat; None without any."""
    found = {}
    for name, metrics in launches:
        found.setdefault(name, metrics)
    if not found:
        return None
    frame = {"kernels": list(found)}
    time = sum(metrics["ns"] for metrics in found.values())
    for metric in METRICS:
        frame[metric] = sum(m[metric] * (1 if metric in SUMS else m["ns"] / time)
                            for m in found.values())
    return frame


def profile(program, case, options=()):
    """The metrics of a frame of a case, or why there are none."""
    try:
        done = subprocess.run(command(program, case, options), capture_output=True, text=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None, f"nothing within {SECONDS} s"
    frame = frame_of(launches_of(done.stdout))
    words = (done.stdout + done.stderr).strip().splitlines()
    return frame, None if frame else words[-1] if words else f"status {done.returncode}"


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
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        frames = pool.map(lambda cell: profile(program, cell[1], options), cells)
        for (row, case), (frame, error) in zip(cells, frames):
            if frame:
                row = {**row, **frame}
                yield {**row, "needed": needed(row)}
            else:
                say(f"{case}: {error}")


def is_there():
    return shutil.which("ncu") is not None


HEAD = ["reached, wanted", "million instructions", "slots needed", "slots used", "tensor", "L1",
        "warps"]


def cells_of(row):
    """A row as text: the cell, and what HEAD names."""
    return [f"{row['kernel']}, {row['format']}", f"{row['share']:.0f}, {row['wanted']:g}",
            f"{1e-6 * row['instructions']:.1f}", f"{row['needed']:.0f}",
            *(f"{row[name]:.0f}" for name in ("issued", "tensor", "l1", "warps"))]
