# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the CPU backend, OpenCV and libvips in turn, on frames of the same pixels with the same number of
threads. Creates a virtual environment with the peers from PyPI, and runs itself again there. docs/benchmarks.md
explains the figures."""

import argparse
import ctypes
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import filters
import pipeline
from common import Failure, Frames, say, warn, write_json

BUFFERS = 8  # sources, and as many targets, as in frames.c
COPIES = {"identity": 1.5}  # limit in times of a memcpy, whatever the peers take
MAX_COPIES = 2.5  # for the other filters
MIN_TIMES_IN_PIPELINE = 1.5  # times as fast as the fastest peer, whatever a memcpy takes
FRAMES_IN_PIPELINE = 2000  # per cell, in all rounds together
INSIDE = "CUDACONV_BENCH_PEERS"  # environment variable that is set in the virtual environment
NUMPY = "numpy==2.4.6"
# Restrict the peers to AVX2: OpenCV's own code, its IPP, and Highway (its AVX-512 targets are the bits below 9).
PEERS_AVX2 = {"OPENCV_CPU_DISABLE": "AVX512-COMMON,AVX512-SKX,AVX512-CNL,AVX512-CLX,AVX512-ICL",
              "OPENCV_IPP": "avx2", "VIPS_VECTOR": "511"}
PACKAGES = {"OpenCV": [NUMPY, "opencv-python-headless==5.0.0.93"],
            "libvips": [NUMPY, "pyvips==3.2.0", "pyvips-binary==8.18.7"]}


# --- the virtual environment ---


def run_quietly(*command):
    """Runs a command. Returns None, or the last line of its output if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        return str(error)
    lines = (done.stderr + done.stdout).strip().splitlines()
    wrong = [line for line in lines if line.startswith("ERROR:")] or lines or ["it failed"]
    return wrong[-1].removeprefix("ERROR: ") if done.returncode else None


def make_environment(folder):
    """Creates the virtual environment, and installs the peers that can be installed. Reports the others. Returns
    the path of its Python."""
    python, list_ = folder / "bin" / "python", folder / "cudaconv-peers.json"
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise Failure(2, f"--environment={folder}: the folder has other files in it; name a new folder")
    installed = []
    if list_.exists() and not run_quietly(python, "-c", ""):
        installed = json.loads(list_.read_text(encoding="utf-8"))
    else:
        error = run_quietly(sys.executable, "-m", "venv", folder)
        if error:
            raise Failure(77, f"no virtual environment in {folder}: {error}")
    for peer, packages in PACKAGES.items():
        if packages in installed:
            continue
        warn(f"installing {peer}")
        error = run_quietly(python, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", *packages)
        if error:
            warn(f"{peer} is skipped: no {packages[-1]} for Python "
                 f"{sys.version_info[0]}.{sys.version_info[1]} here: {error}")
        else:
            installed.append(packages)
    list_.write_text(json.dumps(installed), encoding="utf-8")
    return python


def is_limited_to_avx2():
    """Whether cudaconv, and so the peers, may use AVX2 only."""
    return os.environ.get("CUDACONV_CPU") == "avx2"


def enter_environment(options):
    """Replaces the process by the Python of the virtual environment, with the same arguments."""
    python = make_environment(options.environment)
    plugin = pathlib.Path(__file__).resolve().parents[1] / "plugin"  # of the same build
    if plugin.is_dir():
        os.environ["GST_PLUGIN_PATH"] = os.pathsep.join(filter(None, [str(plugin), os.environ.get("GST_PLUGIN_PATH")]))
    # libvips reads its number of threads at its start. Huge pages are off for NumPy's frames, because the
    # frames of cudaconv have none.
    os.environ.update({INSIDE: "1", "VIPS_CONCURRENCY": str(options.threads),
                       "NUMPY_MADVISE_HUGEPAGE": "0",
                       **(PEERS_AVX2 if is_limited_to_avx2() else {})})
    os.execv(python, [python, *sys.argv])


def open_peers(threads):
    """Returns the installed peers by their names."""
    found = {}
    for name, kind in filters.PEERS.items():
        try:
            found[name] = kind(threads)
        except ModuleNotFoundError:
            continue  # reported by make_environment
        except (ImportError, OSError) as error:
            warn(f"{name} is skipped: {error}")
    if not found:
        raise Failure(77, "no peer is installed")
    return found


# --- measuring ---


def saved(own, like):
    """Returns a source frame of the last case and its result, with the shape and type of `like`."""
    import numpy
    with tempfile.TemporaryDirectory() as folder:
        own.request(f"save {folder}/frames")
        return numpy.fromfile(f"{folder}/frames", like.dtype).reshape(2, *like.shape)


def round_of(calls, budget):
    """Returns the median time of a peer's frames in microseconds, after one frame to warm up."""
    calls[-1]()
    us, begin = [], time.perf_counter()
    last = begin
    while len(us) < 3 or last - begin < 1e-3 * budget:
        calls[len(us) % len(calls)]()
        now = time.perf_counter()
        us.append(1e6 * (now - last))
        last = now
    return statistics.median(us)


class Buffers:
    """Eight sources and targets of a format, aligned as in frames.c. In a pipeline there is one target, because an
    element gets the same buffer from its pool each time."""

    def __init__(self, format_, width, height, one_target=False):
        import numpy
        samples, size = filters.FORMATS[format_]
        shape = (height, width) if samples == 1 else (height, width, samples)
        n = math.prod(shape) * size

        def aligned():
            block = numpy.ones(n + 64, numpy.uint8)
            start = -block.ctypes.data % 64
            return block[start:start + n].view(f"<u{size}").reshape(shape)

        target = aligned()
        self.pairs = [(aligned(), target if one_target else aligned()) for _ in range(BUFFERS)]

    def fill(self, source):
        import numpy
        for i, (src, _) in enumerate(self.pairs):
            src[:] = numpy.roll(source, 977 * i)


def difference(own, other, margin):
    """Returns the largest difference of two frames, without the pixels near the border. None: no pixel is left."""
    inside = [frame[margin:-margin, margin:-margin].astype("int32") for frame in (own, other)]
    return int(abs(inside[0] - inside[1]).max()) if inside[0].size else None


class InPipeline:
    """Measures rounds in a pipeline, with the element, or with a peer that is called for each frame instead."""

    def __init__(self, options, format_, filter_, frames):
        self.frames, self.n = frames, math.ceil(options.pipeline / options.rounds)
        width, height = options.size.split("x")
        caps = f"video/x-raw,format={format_},width={width},height={height},framerate=30/1"
        try:
            self.line = pipeline.Pipeline(caps, [src for src, _ in frames.pairs])
        except OSError as error:
            raise Failure(77, f"no GStreamer: {error}") from None
        self.element = (f"cudaconv backend=cpu n-threads={options.threads} color=components alpha=filter "
                        f"{filter_.properties} ! ")
        self.number = {src.ctypes.data: i for i, (src, _) in enumerate(frames.pairs)}

    def check(self, result):
        """Fails if the element's first frame differs from the backend's result."""
        found = []
        self.line.run(0, self.element, lambda at: found.append(ctypes.string_at(at, result.nbytes)))
        if found != [result.tobytes()]:
            raise Failure(1, f"{self.element}: the frame is not the one of cudaconv-bench-frames")

    def round(self, calls):
        """Measures all in turn. Returns microseconds a frame. For a memcpy and for peers, about 10 of them are the
        call into Python."""
        (src, dst), number = self.frames.pairs[0], self.number
        return {"own": self.line.run(self.n, self.element),
                "memcpy": self.line.run(self.n, call=lambda at: ctypes.memmove(dst.ctypes.data, at, src.nbytes)),
                **{name: self.line.run(self.n, call=lambda at, run=run: run[number[at]]())
                   for name, run in calls.items()}}


def round_alone(options, own, words, calls):
    """Does the same as InPipeline.round without a pipeline."""
    answer = own.request(words)
    return {"own": answer["us"], "memcpy": answer["copy_us"],
            **{name: round_of(run, options.budget) for name, run in calls.items()}}


def measure(options, own, peers, frames, format_, filter_):
    """Returns the row of a cell: the medians of several rounds. A round measures all in turn."""
    words = (f"{format_} {options.size} {filter_.own} threads={options.threads} "
             "color=components alpha=filter")
    device, (source, result) = own.request(words)["device"], saved(own, frames.pairs[0][0])
    frames.fill(source)
    calls, differences = {}, {}
    for name, peer in peers.items():
        calls[name] = peer.prepare(filter_, frames.pairs)
        differences[name] = difference(result, peer.pixels(calls[name][0](), result), filter_.size)
    in_pipeline = options.pipeline and InPipeline(options, format_, filter_, frames)
    if in_pipeline:
        in_pipeline.check(result)
    rounds = [in_pipeline.round(calls) if in_pipeline else round_alone(options, own, words, calls)
              for _ in range(options.rounds)]
    us = {name: statistics.median(round_[name] for round_ in rounds) for name in rounds[0]}
    return {"format": format_, "kernel": filter_.name, "device": device, "us": us["own"],
            "copy_us": us["memcpy"],
            "peers": {name: {"us": us[name], "difference": differences[name]} for name in calls}}


def judge(row, at_least, in_pipeline=False):
    """Adds the ratios and the verdict to a row."""
    fastest = min(row["peers"], key=lambda name: row["peers"][name]["us"], default=None)
    limit = COPIES.get(row["kernel"], 0 if in_pipeline else MAX_COPIES)
    row["times_a_copy"] = row["us"] / row["copy_us"]
    row["met"] = row["times_a_copy"] <= limit
    if fastest:
        row["fastest"] = fastest
        row["times_fastest"] = row["peers"][fastest]["us"] / row["us"]
        if row["kernel"] not in COPIES:
            row["met"] |= row["times_fastest"] >= at_least
    return row


def cells(options):
    """Returns the selected pairs of a format and a filter."""
    unknown = set(options.formats) - set(filters.FORMATS)
    if unknown:
        raise Failure(2, f"--formats={','.join(options.formats)}: there is no "
                         f"{', '.join(sorted(unknown))}; the formats are {', '.join(filters.FORMATS)}")
    width = int(options.size.split("x")[0])
    if options.pipeline and any(width * math.prod(filters.FORMATS[format_]) % 4 for format_ in options.formats):
        raise Failure(2, f"--size={options.size}: --pipeline needs rows of whole words, because GStreamer pads others")
    found = [(format_, filter_) for format_ in options.formats for filter_ in filters.FILTERS
             if options.filter in f"{format_} {filter_.name}"]
    if not found:
        raise Failure(2, f"--filter={options.filter}: no cell contains this text; a cell is FORMAT KERNEL, such as "
                         f"\"GRAY8 {filters.FILTERS[1].name}\"")
    return found


def run(options):
    """Measures all cells and prints each one when it is complete."""
    peers = open_peers(options.threads)
    width, height = map(int, options.size.split("x"))
    run_ = {"kind": "peers", "size": options.size, "threads": options.threads,
            "budget_ms": options.budget, "rounds": options.rounds, "at_least": options.at_least,
            "pipeline": options.pipeline,
            "peers": {name: peer.version for name, peer in peers.items()}, "results": []}
    say(f"cudaconv and {', '.join(run_['peers'].values())}")
    own, frames, before = Frames(options.budget), None, None
    for format_, filter_ in cells(options):
        if format_ != before:
            frames, before = Buffers(format_, width, height, options.pipeline > 0), format_
        row = judge(measure(options, own, peers, frames, format_, filter_), options.at_least, options.pipeline > 0)
        if not run_["results"]:
            run_["device"] = row["device"]
        print_row(run_, row)
        run_["results"].append(row)
    return run_


# --- text ---


def notes(row):
    """Returns the peers whose frames differ from ours by more than 1."""
    return ", ".join(f"{name} differs by {peer['difference']}"
                     for name, peer in row["peers"].items() if (peer["difference"] or 0) > 1)


def print_row(run_, row):
    """Prints a row, with a heading above the first row of a format."""
    if not run_["results"] or run_["results"][-1]["format"] != row["format"]:
        say(f"\n{row['format']} {run_['size']}, {row['device']}, us a frame"
            + " in a pipeline" * (run_.get("pipeline", 0) > 0))
        say(f"{'kernel':<24}{'memcpy':>10}{'cudaconv':>10}"
            + "".join(f"{name:>12}" for name in run_["peers"])
            + f"{'x fastest':>11}{'x memcpy':>10}  verdict")
    of_peers = "".join(f"{row['peers'][name]['us']:>12.1f}" if name in row["peers"] else f"{'-':>12}"
                       for name in run_["peers"])
    note = notes(row)
    say(f"{row['kernel']:<24}{row['copy_us']:>10.1f}{row['us']:>10.1f}{of_peers}"
        f"{row.get('times_fastest', math.nan):>11.2f}{row['times_a_copy']:>10.2f}  "
        + ("met" if row["met"] else "missed") + f" ({note})" * bool(note))


def summary(run_):
    met = sum(row["met"] for row in run_["results"])
    if run_.get("pipeline"):
        return (f"{met} of {len(run_['results'])} cells meet the target: at least {run_['at_least']:g} times as fast as "
                f"the fastest peer in a pipeline; identity: at most {COPIES['identity']} times a memcpy")
    return (f"{met} of {len(run_['results'])} cells meet the target: at least {run_['at_least']:g} times as fast as the "
            f"fastest peer, or at most {MAX_COPIES} times a memcpy; identity: at most {COPIES['identity']} times")


def show(run_):
    """Prints the table of a run that --json wrote."""
    rows, run_["results"] = run_["results"], []
    say(f"cudaconv and {', '.join(run_['peers'].values())}")
    for row in rows:
        print_row(run_, row)
        run_["results"].append(row)
    return run_


# --- options ---


def above_zero(kind):
    def read(text):
        value = kind(text)
        if not value > 0 or value == math.inf:
            raise ValueError
        return value
    read.__name__ = "number above 0"
    return read


def size(text):
    if not re.fullmatch(r"[1-9]\d{0,4}x[1-9]\d{0,4}", text):
        raise argparse.ArgumentTypeError(f"\"{text}\": a size is WIDTHxHEIGHT")
    return text


ENVIRONMENT = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "cudaconv" / "peers"
OPTIONS = [  # flags, arguments for argparse, help
    ("--filter", {"default": "", "metavar": "TEXT"}, "only cells whose \"FORMAT KERNEL\" contains TEXT, such as \"RGB box 3x3\""),
    ("--formats", {"default": "GRAY8,RGB,RGBA,GRAY16_LE", "type": lambda text: text.split(","), "metavar": "LIST"},
     "of %(default)s"),
    ("--size", {"default": "1920x1080", "type": size, "metavar": "WIDTHxHEIGHT"}, None),
    ("--threads", {"default": 1, "type": above_zero(int)}, "of cudaconv and of each peer (1)"),
    ("--budget", {"default": 100, "type": above_zero(float), "metavar": "MS"}, "per round (100)"),
    ("--rounds", {"default": 5, "type": above_zero(int)}, "per cell (5)"),
    ("--pipeline", {"nargs": "?", "default": 0, "const": FRAMES_IN_PIPELINE, "type": above_zero(int),
                    "metavar": "FRAMES"},
     "measure in a pipeline of GStreamer, FRAMES frames per cell (%(const)s) instead of --budget"),
    ("--at-least", {"type": above_zero(float), "metavar": "TIMES"},
     "the target: TIMES as fast as the fastest peer (2; 1.2 with CUDACONV_CPU=avx2; "
     f"{MIN_TIMES_IN_PIPELINE} with --pipeline)"),
    ("--environment", {"default": ENVIRONMENT, "type": lambda text: pathlib.Path(text).resolve(), "metavar": "DIR"},
     "virtual environment of Python, created if it does not exist (%(default)s)"),
    ("--show", {"dest": "file", "type": argparse.FileType(encoding="utf-8"), "metavar": "FILE"},
     "show a run that --json wrote, and measure nothing")]


def target(options):
    """Returns how many times as fast as the fastest peer a cell has to be."""
    return options.at_least or (MIN_TIMES_IN_PIPELINE if options.pipeline else 1.2 if is_limited_to_avx2() else 2)


def main(options):
    """Measures or reads a run, and writes it. Returns 1 if a cell misses its target."""
    options.at_least = target(options)
    if options.file:
        run_ = show(json.load(options.file))
    elif INSIDE in os.environ:
        run_ = run(options)
    else:
        cells(options)  # reports wrong options at once
        enter_environment(options)
    say(f"\n{summary(run_)}")
    if options.json:
        write_json(options.json, run_)
    return 0 if all(row["met"] for row in run_["results"]) else 1
