#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cudaconv-bench: runs the measuring programs and turns their output into tables, verdicts on targets, JSON and
the figures of docs/benchmarks.md. That page explains everything."""

import argparse
import itertools
import json
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import ablate
import coverage
import ncu
import peers
from common import Failure, lines_of, path_of, say, warn, writable, write_json
from lists import (AT_LEAST, AT_MOST, CPU, CPU_FRAMES, CPU_ROUNDS, CPU_SIZE, CUDA_PATHS, DECODERS, FASTEST,
                   FORMATS, G3, G5, HD, KERNEL_PEERS, LARGE, LIMITS, MEMORY, NO_FILTERS, PIPELINE_PEERS, ROUNDS,
                   S3, SIZES, STANDARD, STREAMS, SYSTEM_PATHS, TARGETS, UNITS)

# --- running ---


def measured(args, name, words):
    """Runs one of our programs with the given options and yields the objects that it prints."""
    options = {"budget": args.budget, "device": args.device}
    if name == "kernels":
        options["npp"] = getattr(args, "npp", None)
    return lines_of(name, words, **options)


def words_of(value, everything=""):
    """Returns the items of a comma-separated list. "all" stands for the items of another list."""
    return [one for word in value.split(",") for one in (words_of(everything) if word == "all" else [word.strip()])]


def size_of(row):
    return f"{row['width']}x{row['height']}"


def key(row):
    """Returns the fields by which a target selects a row."""
    return (row.get("algorithm") or row["path"], row["format"], size_of(row),
            row.get("stride") or row["streams"], row.get("kernel", ""))


def peers_of(run):
    return {"kernels": KERNEL_PEERS + [p for p in run.get("peers", []) if p != "copy"],
            "coverage": ["npp", "cvcuda"],
            "pipelines": [*PIPELINE_PEERS, "decode"], "cpu": []}[run["kind"]]


def derive(run):
    """Adds the fields that are computed from the times of several rows."""
    found = {key(row): row["us"] for row in run["results"]}
    for row in run["results"]:
        name, format_, *case = key(row)
        us, kernels = row["us"], run["kind"] in ("kernels", "coverage")
        if "bytes" in row:  # a decoder has none
            row["gb_s"] = 1e-3 * row["bytes"] / us
        for peer in peers_of(run) if name not in NO_FILTERS else []:
            if peer.startswith("fresh-") > (name == "fresh"):
                continue  # the peer's source is another one
            if (peer, format_, *case) in found:
                row[f"times_{peer}"] = found[peer, format_, *case] / us
        limit = found.get(("copy" if kernels else LIMITS.get(name, "bus"), format_, *case))
        if limit:
            base = "copy" if kernels else "bus"
            row.update({f"{base}_us": limit, f"percent_of_{base}": 100 * limit / us, f"times_a_{base}": us / limit})
        planes = [found.get((name, format_ + plane, *case), 0) for plane in ("-Y", "-UV")]
        if all(planes):
            row["times_its_planes"] = us / sum(planes)
        if not kernels:
            row["fps"] = 1e6 / us
        if name == "cuda" and ("kernel", format_, *case) in found:
            row["above_kernel_us"] = us - found["kernel", format_, *case]
        if name == "decode-cudaconv" and "times_decode" in row:
            row["percent_of_decoder"] = 100 * row["times_decode"]


def medians(rows):
    """Yields one row for each key. The row of a key that was measured several times has the median."""
    for one in dict.fromkeys(map(key, rows)):
        same = sorted((row for row in rows if key(row) == one), key=lambda row: row["us"])
        yield same[0] if len(same) == 1 else {
            **same[len(same) // 2], "least_us": same[0]["us"], "most_us": same[-1]["us"],
            "batches": len(same)}


def finish(run, lines):
    """Adds the results of the same frames to the run, and prints them."""
    rows = list(medians([line for line in lines if "us" in line]))
    notes = list(dict.fromkeys(line["note"] for line in lines if "note" in line))
    if run["kind"] == "coverage" and rows:
        notes = []  # many classics cannot run a kernel
    run["results"] += rows
    run["notes"] += notes
    derive({**run, "results": rows} if run["kind"] == "coverage" else run)
    print_rows(run, rows, notes)


def measure(args, run, words):
    """Runs the program of this kind of run. Prints the rows of the same frames when they are complete."""
    lines, frames = [], None
    program = "kernels" if run["kind"] == "coverage" else run["kind"]
    for line in measured(args, program, words):
        if "heading" in line or "us" in line and key(line)[1:] != frames:
            finish(run, lines)
            lines = []
        if "heading" in line:
            print_heading(run, line["heading"])
        elif "device" in line:
            run.update(line)
            if "peers" in run:
                run["peers"] = words_of(run["peers"])
            say(f"{run['device']}, CUDA {run['cuda']} driver; "
                + (run.get("gstreamer") or run.get("npp") or run["no_npp"]))
        else:
            lines.append(line)
            frames = key(line)[1:] if "us" in line else frames
    finish(run, lines)
    return run


def new_run(kind, complete, **more):
    """A `complete` run has to measure all targets."""
    return {"kind": kind, "complete": complete, **more, "results": [], "notes": []}


def run_kernels(args):
    """Measures the cases that the options select, or all cases of the page."""
    listed = next(lines_of("kernels", ["--list"]))
    algorithms = listed["algorithms"].replace("auto,", "")
    sweeps = STANDARD
    if args.kernel or args.algorithm or args.format or args.border or args.stride or args.size:
        sweeps = [("Selected cases", args.format or "GRAY8,RGBA", args.size or f"{LARGE},{HD}",
                   args.kernel or "gaussian:3,gaussian:5,sobel:3", args.algorithm or "all,npp",
                   args.border or "replicate", args.stride or 1)]
    words = []
    for heading, formats, sizes, kernels, names, *rest in sweeps:
        border, stride = rest or ("replicate", 1)
        names = ",".join(["copy", *words_of(names, algorithms)])
        words.append(f"# {heading}")
        words += [f"{format_} {size} {kernel} border={border} stride={stride} algorithms={names}"
                  for size in words_of(sizes, SIZES) for format_ in words_of(formats, FORMATS)
                  for kernel in words_of(kernels, listed["kernels"])]
    return measure(args, new_run("kernels", sweeps is STANDARD), words)


def run_coverage(args):
    """Measures all kernels on all kinds of formats, and CV-CUDA's filters if CV-CUDA is installed."""
    kernels = words_of(args.kernel) if args.kernel else coverage.kernels(next(lines_of("kernels", ["--list"])))
    run = new_run("coverage", not (args.kernel or args.format or args.size))
    names = f"copy,auto,npp,{coverage.CLASSICS}"
    words = [f"{format_} {size} {kernel} algorithms={names}"
             for size in words_of(args.size or coverage.SIZES) for kernel in kernels
             for format_ in words_of(args.format or coverage.FORMATS)]
    print_heading(run, f"{len(words)} cells")
    measure(args, run, words)
    for line in measured(args, "cvcuda", words):
        if "cvcuda" in line:
            run.update(line)
            say(f"\n{line['cvcuda']}")
        else:
            finish(run, [line])
    derive(run)
    return run


def run_pipelines(args):
    """Measures memory paths, many pipelines at once, latency and decoding, or a selection of these."""
    selected = args.format or args.size
    only = words_of(args.only or ("paths" if selected else "paths,streams,latency"))
    if set(only) - {"paths", "streams", "latency", "decode"} or ("decode" in only and not args.decode):
        raise Failure(2, "--only takes paths, streams, latency and, with --decode=FILE, decode")
    frames = [args.format or "RGBA", args.size or HD]
    groups = []  # heading, formats, sizes, paths, streams
    if "paths" in only:
        own = [("Selected frames", *frames, SYSTEM_PATHS + CUDA_PATHS, 1)]
        groups += own if selected else MEMORY
    if "streams" in only:
        groups.append(("Pipelines at once", *frames, ["bus", "pool"], args.streams))
    if "latency" in only:
        groups.append(("A live source of 60 frames a second", *frames, ["live"], 1))
    words, kernels = [], []
    for heading, formats, sizes, paths, streams in groups:
        words.append(f"# {heading}")
        for size, format_ in itertools.product(words_of(sizes, SIZES), words_of(formats, FORMATS)):
            words += [f"{path} {format_} {size} {streams} {PIPELINE_PEERS.get(path, '')}".strip() for path in paths]
            if "cuda" in paths:
                kernels.append(f"{format_} {size} sobel:3")
    if args.decode:
        words.append("# A decoder alone and with cudaconv")
        words += [f"{path} {args.decode}" for path in DECODERS] * ROUNDS
    run = new_run("pipelines", not selected and not args.only)
    for line in measured(args, "kernels", kernels) if kernels else []:
        if "us" in line:
            for field in ("algorithm", "kernel", "border", "stride"):
                del line[field]
            run["results"].append({**line, "path": "kernel", "streams": 1, "devices": 1})
    return measure(args, run, words)


def time_frames(command):
    """Returns microseconds a frame: the difference of a short and a long run, without the start-up."""
    seconds = []
    for frames in CPU_FRAMES:
        begin = time.monotonic()
        subprocess.run([word.replace("FRAMES", str(frames)) for word in command], check=True,
                       stdout=subprocess.DEVNULL)
        seconds.append(time.monotonic() - begin)
    return 1e6 * (seconds[1] - seconds[0]) / (CPU_FRAMES[1] - CPU_FRAMES[0])


def gstreamer(format_, element):
    return ["gst-launch-1.0", "-q", *(
        f"videotestsrc pattern=snow num-buffers=1 ! video/x-raw,format={format_},framerate=30/1,"
        "width={width},height={height} ! imagefreeze num-buffers=FRAMES ! ".format(**CPU_SIZE)
        + f"{element} ! fakesink sync=false").split()]


def ffmpeg(pixels, name, filter_):
    return ["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "-1", "-f", "rawvideo",
            "-pix_fmt", pixels, "-s", size_of(CPU_SIZE), "-i", name, "-frames:v", "FRAMES",
            "-filter_threads", str(os.cpu_count()), "-vf", filter_, "-f", "null", "-"]


def find_element():
    """Ends the program if GStreamer does not find cudaconv."""
    try:
        subprocess.run(["gst-inspect-1.0", "--exists", "cudaconv"], check=True)
    except FileNotFoundError:
        raise Failure(77, "no gst-inspect-1.0 and gst-launch-1.0 on the PATH: the package "
                          "gstreamer1.0-tools has them") from None
    except subprocess.CalledProcessError:
        raise Failure(1, "GStreamer does not find the element cudaconv: set GST_PLUGIN_PATH to the "
                         "folder plugin of the build, or install it") from None


def run_cpu(args):
    """Measures the element on the CPU and other filters in turn. Subtracts the time of the same pipeline
    without a filter."""
    find_element()
    run = new_run("cpu", True, device=f"{os.cpu_count()} processors")
    print_heading(run, f"{size_of(CPU_SIZE)}, {run['device']}, ms a frame, medians of "
                       f"{CPU_ROUNDS} rounds in turns")
    with tempfile.NamedTemporaryFile() as file:
        file.write(random.Random(1).randbytes(math.prod(CPU_SIZE.values())))
        file.flush()
        for title, format_, own, peer, pixels in CPU:
            commands = [gstreamer(format_, f"cudaconv backend=cpu {own}"), gstreamer(format_, "identity")]
            commands += [ffmpeg(pixels, file.name, f) for f in (peer, "null")] if pixels else [
                gstreamer(format_, peer), commands[1]]
            try:
                rounds = [[time_frames(c) for c in commands] for _ in range(CPU_ROUNDS)]
            except (OSError, subprocess.CalledProcessError):
                run["notes"].append(f"{title}: not measured, the peer is not installed")
                run["status"] = 77
                print_rows(run, [], run["notes"][-1:])
                continue
            own_us, own_empty, peer_us, peer_empty = map(statistics.median, zip(*rounds))
            run["results"].append({
                **CPU_SIZE, "path": "cudaconv", "format": format_, "streams": 1, "kernel": title,
                "us": own_us - own_empty, "peer_us": peer_us - peer_empty,
                "times_peer": (peer_us - peer_empty) / (own_us - own_empty)})
            print_rows(run, run["results"][-1:], [])
    return run


# --- text ---


def number(width, digits, field, unit="", scale=1):
    """Returns a column: its width, and a function from a row to the text of the cell."""
    return width, lambda row: f"{row[field] * scale:.{digits}f}{unit}" if row.get(field) else "-"


def columns(run):
    """Maps titles to columns. A width below 0 aligns to the left."""
    if run["kind"] == "cpu":
        return {"": (-30, lambda r: r["kernel"]), "cudaconv": number(9, 3, "us", scale=1e-3),
                "peer": number(9, 3, "peer_us", scale=1e-3), "ratio": number(7, 1, "times_peer")}
    frames = {"format": (-10, lambda r: r["format"]), "size": (11, size_of)}
    if run["kind"] in ("kernels", "coverage"):
        return {**frames,
                "kernel": (-22, lambda r: r["kernel"] + f" /{r['stride']}" * (r["stride"] > 1)),
                "algorithm": (-16, lambda r: r["algorithm"]), "us/frame": number(10, 2, "us"),
                "GB/s": number(7, 0, "gb_s"), "% copy": number(7, 1, "percent_of_copy"),
                **{peer: number(9, 2, f"times_{peer}", "x") for peer in peers_of(run)}}
    return {"path": (-17, lambda r: r["path"]), **frames,
            "streams": (7, lambda r: f"{r['streams']}" + f"/{r['devices']}" * (r["devices"] > 1)),
            "frames/s": number(10, 1, "fps"), "us/frame": number(10, 2, "us"),
            "GB/s": number(7, 1, "gb_s"), "% bus": number(7, 1, "percent_of_bus"),
            "+kernel": number(8, 2, "above_kernel_us"),
            **{peer: number(len(peer) + 1, 2, f"times_{peer}", "x") for peer in peers_of(run)},
            "MB/stream": number(9, 1, "device_mb_a_stream"),
            "median ms": number(9, 3, "latency_ms"),
            "worst ms": number(9, 3, "worst_latency_ms"),
            "memory in, out": (-1, lambda r: f"{r['memory_in']}, {r.get('memory_out')}; "
                               f"{r['in_flight']} in flight" if "memory_in" in r else "")}


def join_cells(cells):
    return " ".join(cell.ljust(-width) if width < 0 else cell.rjust(width) for width, cell in cells).rstrip()


def print_heading(run, heading):
    say(f"\n{heading}")
    say(join_cells((width, title) for title, (width, _) in columns(run).items()))


def print_rows(run, rows, notes):
    for row in rows:
        say(join_cells((width, text_of(row)) for width, text_of in columns(run).values()))
    for note in notes:
        say(f"  {note}")


# --- targets ---


def unit_of(field):
    return UNITS.get(field) or f"times as fast as {field.removeprefix('times_')}"


def more_of(count, kernels):
    """Returns the text for a stride, or for several streams."""
    return "" if count == 1 else f" stride {count}" if kernels else f", {count} at once"


def judge_one(run, target):
    """Returns a verdict for each case of a target that was measured. For a complete run, also returns
    one for each case that was not."""
    field, bound, limit, names, formats, sizes, count, kernels = target
    rows, verdicts = {key(row): row for row in reversed(run["results"])}, []
    frames = list(itertools.product(formats.split(","), sizes.split(","))) if formats else [
        found[1:3] for found in rows if found[0] == names]
    for kernel, name, frame in itertools.product(kernels.split(","), names.split(","), frames):
        row = rows.get((name, *frame, count, kernel), {})
        value = row.get(field)
        if value is None and not run["complete"] and formats:
            continue
        case = " ".join(filter(None, (name, *frame, kernel))) + more_of(count, kernel)
        met = value is not None and (value >= limit if bound == AT_LEAST else value <= limit)
        verdicts.append({"claim": f"{case}, {unit_of(field)}", "measured": value,
                         bound.replace(" ", "_"): limit, "met": met})
        if field not in UNITS and value and "copy_us" in row:
            verdicts[-1]["copy"] = value * row["us"] / row["copy_us"]
    return verdicts


def judge(run):
    if run["kind"] == "coverage":
        return coverage.judge(run)
    return [verdict for target in TARGETS[run["kind"]] for verdict in judge_one(run, target)]


def print_verdicts(verdicts):
    for verdict in verdicts:
        bound = AT_LEAST if "at_least" in verdict else AT_MOST
        target = f"{bound} {verdict[bound.replace(' ', '_')]:.5g}"
        value = verdict["measured"]
        copy = f"; a copy: {verdict['copy']:.2f}" if "copy" in verdict else ""
        say(f"{verdict['claim']:<76} {'-' if value is None else format(value, '.2f'):>9} "
            f"(target: {target}{copy})"
            + (" not measured" if value is None else "" if verdict["met"] else " missed"))


# --- the figures of docs/benchmarks.md ---


def figure(value):
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(head, rows):
    return "".join("|" + "|".join(f" {cell} " if cell else " " for cell in line) + "|\n"
                   for line in [head, ["---"] * len(head), *rows])


def kernels_table(run):
    """Returns a table of the microseconds a frame of every algorithm, for the cases of the first targets."""
    cases = [(f, LARGE, 1, k) for f in ("GRAY8", "RGBA") for k in (G3, G5, S3)]
    found = {key(r): r for r in run["results"]}
    names = {name: found.get((name, *cases[0]), {"us": math.inf})["us"] for name, *case in found
             if tuple(case) in cases}

    def cell(name, case):
        row = found.get((name, *case), {})
        share = f" ({row['percent_of_copy']:.1f})" if name == FASTEST and row else ""
        return figure(row.get("us")) + share

    return table([""] + [f"{c[0]} {c[3]}" for c in cases],
                 [[{"copy": "copy", "npp": "NPP"}.get(n, f"`{n}`")] + [cell(n, c) for c in cases]
                  for n in sorted(names, key=lambda n: (n != "copy", n == "npp", names[n]))])


def pipelines_table(run):
    fields = ["fps", "percent_of_bus", "times_cudaupload", "times_cudaupload-queue", "times_gl",
              "times_fresh-cudaupload", "times_fresh-source",
              "device_mb_a_stream", "above_kernel_us", "latency_ms", "worst_latency_ms"]
    rows = []
    for row in run["results"]:
        path, format_, size, streams, _ = key(row)
        if path not in [*PIPELINE_PEERS, "kernel"]:
            rows.append([f"`{path}`" + f", {streams} at once" * (streams > 1), f"{format_} {size}"]
                        + [figure(row.get(field)) for field in fields])
    return table(["", "frames", "frames/s", "% of the bus", "times `cudaupload`", "with a queue",
                  "times `gl`", "times `fresh-cudaupload`", "times `fresh-source`", "MB per stream",
                  "us above the kernel", "median ms", "worst ms"], rows)


def targets_table(run):
    """Returns a table with a row for each target and the values of all its cases."""
    if run["kind"] == "coverage":
        return table(*coverage.summary(run))
    rows = []
    for target in TARGETS[run["kind"]]:
        field, bound, limit, names, formats, sizes, count, kernels = target
        verdicts = judge_one(run, target)
        values = [v["measured"] for v in verdicts if v["measured"] is not None]
        frames = " ".join(filter(None, (formats, sizes, kernels))).replace(",", ", ")
        measured = f"{figure(min(values))} to {figure(max(values))}" if len(values) > 4 else \
            ", ".join(map(figure, values))
        if verdicts:
            rows.append([names.replace(",", ", "), frames + more_of(count, kernels), unit_of(field),
                         f"{bound} {limit:g}",
                         measured + ("" if all(v["met"] for v in verdicts) else ": missed")])
    return table(["", "frames", "unit", "target", "measured"], rows)


TABLES = {  # kind of run to tables by their marks in the page
    "kernels": {"kernels": kernels_table, "kernels-targets": targets_table},
    "pipelines": {"pipelines": pipelines_table, "pipelines-targets": targets_table},
    "coverage": {"coverage": lambda run: table(*coverage.rows_of_table(run)),
                 "coverage-targets": targets_table},
    "ablate-cpu": {"ablate-cpu": lambda run: table(*ablate.rows_of_table(run))},
    "ablate-cuda": {"ablate-cuda": lambda run: table(*ablate.rows_of_table(run))},
    "profile": {"profile": lambda run: table(*ncu.rows_of_kernels(run))}}


def load(file):
    """Reads a run that --json wrote. Version 0.1 called the kind `coverage` `reach`, and the algorithm
    `tensor-core` `sliding`."""
    run = json.load(file)
    for row in run.get("results", []):
        if isinstance(row.get("algorithm"), str):
            row["algorithm"] = row["algorithm"].replace("sliding", "tensor-core")
    return {**run, "kind": "coverage"} if run["kind"] == "reach" else run


def write_docs(args):
    """Puts the tables of the runs between their marks in the page."""
    page = pathlib.Path(args.page)
    content = page.read_text(encoding="utf-8", errors="surrogateescape")
    for run in map(load, args.runs):
        if run["kind"] not in TABLES:
            raise Failure(2, f"{page} has no figures of {run['kind']}")
        for mark, make in TABLES[run["kind"]].items():
            made = make(run)
            content, n = re.subn(rf"(<!-- figures: {mark} -->\n).*?(<!-- end -->)",
                                 lambda m, made=made: f"{m[1]}\n{made}\n{m[2]}", content,
                                 flags=re.DOTALL)
            if n != 1:
                raise Failure(1, f"{page}: no place for \"figures: {mark}\"")
    page.write_text(content, encoding="utf-8", errors="surrogateescape")
    return 0


# --- why cells miss ---


def profile(args):
    """Profiles all cells of a coverage run that miss their target."""
    covered = load(args.file)
    if covered["kind"] != "coverage":
        raise Failure(2, f"{args.file.name} is no run of coverage")
    if not shutil.which("ncu"):
        raise Failure(77, "no ncu on the PATH: NVIDIA's CUDA toolkit has it")
    options = [] if args.device is None else [f"--device={args.device}"]
    run = {**new_run("profile", covered["complete"]), "device": covered["device"]}
    say("  ".join(["cell", *ncu.HEAD]))
    for row in ncu.rows_of(covered, path_of("kernels"), options, run["notes"].append):
        run["results"].append(row)
        say("  ".join(ncu.cells_of(row)))
    for note in run["notes"]:
        say(note)
    if args.json:
        write_json(args.json, run)
    return 1 if run["notes"] else 0


# --- the gain of special paths ---


def run_ablate(args):
    """Measures the gain of special paths and prints a line for each."""
    def show(row):
        say(f"{row.get('isa', ''):>10}  {row['path']:<48} {len(row['gains']):>3} of {row['cells']:>3} cells  best "
            f"{row['best']:.2f}  median {row['median']:.2f}  worst {row['worst']:.2f}  "
            f"{'' if row['earns'] else 'not worth keeping'}  {row['best_cell']}"
            + (f"; other cells {row['most_of_others']:.2f}" if row.get("others") else ""))

    only = words_of(args.path) if args.path else None
    wrong, known = ablate.unknown(only or [], args.backend)
    if wrong:
        raise Failure(2, f"--path={wrong[0]}: the paths are {', '.join(known)}")
    if args.cells < 1 or args.rounds < 1:
        raise Failure(2, "--cells and --rounds have to be above 0")
    if args.backend == "cuda":
        rows = ablate.ablate_cuda(args.gpu, only, args.cells, args.budget or 5, args.device, show)
    else:
        rows = ablate.ablate_cpu(words_of(args.isa), only, args.cells, args.budget or 30, args.rounds, show)
    if args.json:
        write_json(args.json, {"kind": f"ablate-{args.backend}", "results": rows})
    return 0


# --- the program ---


def report(args):
    """Measures or reads a run, prints the verdicts and writes the JSON."""
    run = args.run(args)
    verdicts = judge(run)
    if run["kind"] == "coverage":  # too many to print all
        say(f"\nTargets: {sum(v['met'] for v in verdicts)} of {len(verdicts)} are met")
        print_verdicts([v for v in verdicts if not v["met"]])
    elif verdicts:
        say("\nTargets")
        print_verdicts(verdicts)
    if args.json:
        write_json(args.json, {**run, "targets": verdicts})
    missed = not (verdicts and all(v["met"] for v in verdicts))
    return 1 if args.check and missed else run.get("status", 0)


def show_run(args):
    run = load(args.file)
    print_heading(run, run["device"])
    print_rows(run, run["results"], run["notes"])
    return run


READ = argparse.FileType(encoding="utf-8")
# commands, flags, kind (None: a switch; a string: the metavar; a dictionary: all arguments; else the type), help
OPTIONS = [
    ("kernels coverage pipelines cpu show profile ablate peers", "--json", writable, "write all figures as JSON"),
    ("kernels coverage pipelines cpu show", "--check", None, "exit with status 1 if a target is missed"),
    ("kernels coverage pipelines", "--budget", float, "ms for a line (200; pipelines 3000, live 10000)"),
    ("kernels coverage pipelines profile ablate", "-d --device", int, "CUDA device"),
    ("kernels pipelines", "-f --format", "LIST", f"of {FORMATS}"),
    ("kernels pipelines", "-s --size", "LIST", "of WIDTHxHEIGHT"),
    ("kernels", "-k --kernel", "LIST", "of NAME[:SIZE[:SIGMA]]"),
    ("coverage", "-f --format", "LIST", f"of {FORMATS} ({coverage.FORMATS})"),
    ("coverage", "-s --size", "LIST", f"of WIDTHxHEIGHT ({coverage.SIZES})"),
    ("coverage", "-k --kernel", "LIST", "of NAME[:SIZE[:SIGMA]] (all)"),
    ("kernels", "-a --algorithm", "LIST", "algorithms and npp"),
    ("kernels", "--stride", int, "1, 2 or 4"),
    ("kernels", "--border", "NAME", "replicate, constant, reflect, reflect-101 or wrap"),
    ("kernels coverage", "--npp", "FOLDER", "of libnppif.so and libnppc.so"),
    ("pipelines", "--only", "LIST", "of paths, streams, latency and decode"),
    ("pipelines", "--streams", {"type": int, "default": STREAMS}, "pipelines at once"),
    ("pipelines", "--decode", "FILE", "an H.264 video; measures its decoder as well"),
    ("ablate", "--backend", {"choices": ["cpu", "cuda"], "default": "cpu"}, None),
    ("ablate", "--isa", {"default": "avx2", "metavar": "LIST"}, "processors (avx2)"),
    ("ablate", "--gpu", {"default": "sm_90"}, "the architecture nearest to this machine's GPU (sm_90)"),
    ("ablate", "--path", "LIST", "of paths (all)"),
    ("ablate", "--cells", {"type": int, "default": 6}, "maximum for each path (6)"),
    ("ablate", "--rounds", {"type": int, "default": 3}, "on the CPU (3)"),
    ("ablate", "--budget", float, "ms for a line (CPU 30, CUDA 5)"),
    *(("peers", *option) for option in peers.OPTIONS),
    ("show", "file", {"type": READ}, None),
    ("profile", "file", {"type": READ}, "a run of coverage that --json wrote"),
    ("docs", "--page", {"default": "docs/benchmarks.md"}, None),
    ("docs", "runs", {"nargs": "+", "type": READ}, None)]
COMMANDS = {"kernels": (report, run_kernels, "measure the CUDA kernels, a copy, NPP and the classics"),
            "coverage": (report, run_coverage, "measure all kernels on many formats and compare with their targets"),
            "pipelines": (report, run_pipelines, "measure pipelines with the element, and the bus"),
            "cpu": (report, run_cpu, "measure the element on the CPU, OpenCV and FFmpeg"),
            "peers": (peers.main, None, "measure the CPU backend, OpenCV and libvips of PyPI; the status is 1 if a cell "
                                        "misses its target"),
            "show": (report, show_run, "show a run that --json wrote"),
            "profile": (profile, None, "explain with NVIDIA's ncu why cells of a run of coverage miss their target"),
            "ablate": (run_ablate, None, "measure cells with and without each special path"),
            "explain": (None, None, "print what runs, also on processors and GPUs of other machines; see explain "
                                    "--help"),
            "docs": (write_docs, None, "put runs that --json wrote into a page of docs/")}
ALIASES = {"coverage": ["reach"]}  # old names


def parse(argv):
    parser = argparse.ArgumentParser(
        prog="cudaconv-bench", description="Measures cudaconv and its peers. The status is 77 without "
        "a device, 1 if something fails and 2 for wrong options. A LIST has commas between its items, "
        "or is \"all\". The FILE \"-\" is standard output.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (main_, run, help_) in COMMANDS.items():
        sub = commands.add_parser(name, aliases=ALIASES.get(name, []), help=help_, description=help_)
        for users, flags, kind, help_ in OPTIONS:
            if name in users.split():
                sub.add_argument(*flags.split(), help=help_, **(
                    {"action": "store_true"} if kind is None else {"metavar": kind} if isinstance(kind, str) else
                    kind if isinstance(kind, dict) else {"type": kind}))
        sub.set_defaults(main=main_, run=run)
    return parser.parse_args(argv)


def main(argv):
    if argv[:1] == ["explain"]:
        program = path_of("explain")
        os.execv(program, [str(program), *argv[1:]])
    args = parse(argv)
    if getattr(args, "json", None) == "-":
        sys.stdout = sys.stderr
    try:
        return args.main(args)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as why:
        if not getattr(args, "file", None) and not getattr(args, "runs", None):
            raise
        warn(f"the file is not a run that can be read: {why!r}")
        return 2
    except (Failure, OSError, RuntimeError) as failure:
        if str(failure):
            warn(failure)
        return getattr(failure, "status", 1)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(["peers"] * sys.argv[0].endswith("-peers") + sys.argv[1:]))
