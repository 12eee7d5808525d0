#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests options, rows and files of cudaconv-bench-frames and cudaconv-bench-peers without any peer.

usage: test-peers.py FOLDER (of the programs)
"""

import contextlib
import ctypes
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
FOLDER = sys.argv.pop(1)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import filters  # noqa: E402  pylint: disable=wrong-import-position
import peers  # noqa: E402  pylint: disable=wrong-import-position
import pipeline  # noqa: E402  pylint: disable=wrong-import-position
import report  # noqa: E402  pylint: disable=wrong-import-position


def frames(*options, lines=None, status=0):
    """Runs cudaconv-bench-frames. Returns its answers and its error output."""
    done = subprocess.run([f"{FOLDER}/cudaconv-bench-frames", "--budget=0.01", *options],
                          input="\n".join(lines or []), capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise AssertionError(f"{options}: status {done.returncode}, not {status}\n{done.stderr}")
    return list(map(json.loads, done.stdout.splitlines())), done.stderr


def saved(words, folder):
    """Returns a source frame and the result of the case `words`."""
    file = pathlib.Path(folder, "frame")
    frames(lines=[words, f"save {file}"])
    pixels = file.read_bytes()
    return pixels[:len(pixels) // 2], pixels[len(pixels) // 2:]


class Frames(unittest.TestCase):
    def test_wrong_cases(self):
        for words, message in (
                ("GRAY8 16x8", "a case is"), ("NV99 16x8 box:3", "NV99"),
                ("GRAY8 16 box:3", "WIDTHxHEIGHT"), ("GRAY8 16x8 nothing", "nothing"),
                ("GRAY8 16x8 sobel:4", "3, 5"), ("GRAY8 16x8 box:3:2", "sigma"),
                ("GRAY8 16x8 box:3 wrap", "NAME=VALUE"), ("GRAY8 16x8 box:3 border=x", "reflect"),
                ("GRAY8 16x8 box:3 size=3", "instances"), ("GRAY8 16x8 box:3 threads=0", "1 to"),
                ("GRAY8 16x8 box:3 instances=x", "1 to"), ("GRAY8 16x8 matrix:1,2;3", "row 2"),
                ("GRAY8 16x8 matrix:1,x,3", "coefficient 2 is \"x\""), ("GRAY8 16x8 matrix:", "row 1"),
                ("GRAY8 16x8 matrix:1,2", "odd")):
            self.assertIn(message, frames(words, status=2)[1], words)
            answer = frames(lines=[words, "GRAY8 16x8 box:3"])[0]
            self.assertIn(message, answer[0]["error"], words)
            self.assertIn("us", answer[1])  # the next case is measured
        for option, message in (("--budget=0", "above 0"), ("--sizes=16x8", "FORMAT WIDTHxHEIGHT"),
                                ("--nothing", "nothing")):
            self.assertIn(message, frames(option, status=2)[1], option)
        for line in ("save /nowhere/frame", "save frame"):
            self.assertIn("no case", frames(lines=[line])[0][0]["error"])
        self.assertIn("/nowhere/frame: ", frames(lines=["GRAY8 16x8 box:3", "save /nowhere/frame"])
                      [0][1]["error"])
        self.assertEqual(frames(lines=[])[0], [])

    def test_rows(self):
        rows, _ = frames(*(f"{format_} 64x32 {kernel} threads={threads} instances={instances}"
                           for format_ in ("RGB", "NV12") for kernel in ("box:3", "gaussian:5:1.2")
                           for threads in (1, 2) for instances in (1, 3)))
        self.assertEqual(len({(row["format"], row["kernel"], row["threads"], row["instances"])
                              for row in rows}), 16)
        self.assertEqual({row["kernel"] for row in rows}, {"box 3x3", "gaussian 5x5 sigma 1.2"})
        for row in rows:
            self.assertLessEqual(row["least_us"], row["us"])
            self.assertLessEqual(row["us"], row["most_us"])
            self.assertGreaterEqual(row["frames"], 3 * row["instances"])
            self.assertGreater(min(row["fps"], row["copy_us"], row["copy_fps"]), 0)
        self.assertEqual(rows[0]["bytes"], 2 * 3 * 64 * 32)

    def test_frames(self):
        """Identity returns the same frame, with alpha and both bytes of a sample."""
        with tempfile.TemporaryDirectory() as folder:
            for format_ in ("GRAY8", "RGBA", "GRAY16_LE", "NV12"):
                source, result = saved(f"{format_} 18x6 identity alpha=filter", folder)
                self.assertEqual(source, result)
                self.assertGreater(len(set(source)), 50)
            source, result = saved("GRAY8 18x6 matrix:2 border=wrap", folder)
            self.assertEqual(source, result)  # a matrix is divided by its sum


class Filters(unittest.TestCase):
    def test_all_run(self):
        cases = [f"{format_} 32x24 {filter_.own} color=components alpha=filter"
                 for format_ in filters.FORMATS for filter_ in filters.FILTERS]
        rows, _ = frames(*cases)
        self.assertEqual(len(rows), 4 * 27)
        self.assertEqual(len({filter_.name for filter_ in filters.FILTERS}), 27)

    def test_coefficients_of_peers(self):
        with tempfile.TemporaryDirectory() as folder:
            for filter_ in filters.FILTERS:
                matrix = filter_.matrix
                if filter_.row and not filter_.sigma:
                    matrix = [[x * y for x in filter_.row] for y in filter_.row]
                if matrix:
                    same = filters.of_matrix("", matrix).own + " response=clamp"
                    results = [saved(f"GRAY8 32x24 {words}", folder)
                               for words in (filter_.own, same)]
                    self.assertEqual(*results, filter_.name)


class Array:
    """The part of NumPy's array that a pipeline uses."""

    def __init__(self, pixels):
        self.memory = ctypes.create_string_buffer(pixels, len(pixels))
        self.ctypes = types.SimpleNamespace(data=ctypes.addressof(self.memory))
        self.nbytes = len(pixels)

    def tobytes(self):
        return self.memory.raw


class InPipeline(unittest.TestCase):
    OPTIONS = report.parse(["peers", "--pipeline=6", "--rounds=2", "--size=32x24"])

    def open(self, filter_, sources):
        target = Array(bytes(32 * 24))
        frames_ = types.SimpleNamespace(pairs=[(Array(source), target) for source in sources])
        return peers.InPipeline(self.OPTIONS, "GRAY8", filter_, frames_), target

    def test_element(self):
        """The element with the filter's properties gives the same frame as the case."""
        with tempfile.TemporaryDirectory() as folder:
            for filter_ in filters.FILTERS:
                source, result = saved(f"GRAY8 32x24 {filter_.own} color=components", folder)
                line, _ = self.open(filter_, [source])
                line.check(Array(result))
                with self.assertRaisesRegex(peers.Failure, "the frame is not"):
                    line.check(Array(bytes(32 * 24)))

    def test_rounds(self):
        """A peer is called for each frame and for one to warm up, on the sources round robin."""
        sources, called = [os.urandom(32 * 24) for _ in range(2)], []
        line, target = self.open(filters.FILTERS[0], sources)
        us = line.round({"peer": [lambda i=i: called.append(i) for i in range(2)]})
        self.assertEqual(list(us), ["own", "memcpy", "peer"])
        self.assertGreater(min(us.values()), 0)
        self.assertEqual(called, [0, 1, 0, 1])
        self.assertEqual(target.tobytes(), sources[1])

    def test_errors(self):
        line, _ = self.open(filters.FILTERS[0], [bytes(32 * 24)])
        for elements, words in (("nothing ! ", "no element"), ("capsfilter caps=audio/x-raw ! ", ".")):
            with self.assertRaisesRegex(RuntimeError, words):
                line.line.run(1, elements)
        with mock.patch.object(pipeline, "LIBRARY", "nothing.so"), \
                self.assertRaisesRegex(peers.Failure, "no GStreamer"):
            self.open(filters.FILTERS[0], [])


def row(format_, kernel, us, in_pipeline=False, **times):
    return peers.judge({"format": format_, "kernel": kernel, "device": "made up", "us": us,
                        "copy_us": 100, "peers": {name: {"us": time, "difference": 1}
                                                  for name, time in times.items()}}, 2, in_pipeline)


ROWS = [row("GRAY8", "identity", 140, OpenCV=100), row("GRAY8", "box 3x3", 260, OpenCV=530),
        row("RGB", "box 3x3", 240, OpenCV=90, libvips=800), row("RGB", "box 5x5", 0.2)]
MISSED = [row("GRAY8", "identity", 160, OpenCV=900), row("RGB", "box 3x3", 260, OpenCV=510)]


class Peers(unittest.TestCase):
    def run_peers(self, *options, status=0, flags=(), **environment):
        done = subprocess.run([sys.executable, *flags, f"{FOLDER}/cudaconv-bench-peers", *options],
                              capture_output=True, text=True, check=False,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def show(self, rows, *options, status=0):
        """Returns the printed text of a run."""
        run = {"kind": "peers", "size": "1920x1080", "threads": 1, "budget_ms": 60, "rounds": 3,
               "at_least": 2, "peers": {"OpenCV": "OpenCV 5", "libvips": "libvips 8"},
               "device": "made up", "results": rows}
        with tempfile.TemporaryDirectory() as folder:
            file, copy = (pathlib.Path(folder, name) for name in ("run", "copy"))
            file.write_text(json.dumps(run), encoding="utf-8")
            text, _ = self.run_peers(f"--show={file}", f"--json={copy}", *options, status=status)
            self.assertEqual(json.loads(copy.read_text(encoding="utf-8")), run)
            return text

    def test_verdicts(self):
        self.assertEqual([row["met"] for row in ROWS], [True] * 4)
        self.assertEqual([row["met"] for row in MISSED], [False] * 2)
        self.assertEqual([row("GRAY8", "box 3x3", 100, True, OpenCV=us)["met"] for us in (199, 201)],
                         [False, True])  # a memcpy takes as long as cudaconv
        self.assertEqual((ROWS[2]["fastest"], ROWS[2]["times_fastest"]), ("OpenCV", 90 / 240))

    def test_show(self):
        text = self.show(ROWS)
        self.assertIn("4 of 4 cells meet the target: at least 2 times as fast as the fastest peer", text)
        self.assertEqual([line.split() for line in text.splitlines() if line.startswith("box 3x3")],
                         ["box 3x3 100.0 260.0 530.0 - 2.04 2.60 met".split(),
                          "box 3x3 100.0 240.0 90.0 800.0 0.38 2.40 met".split()])
        off = {**MISSED[1], "peers": {"OpenCV": {"us": 510, "difference": 7}}}
        text = self.show([*ROWS, MISSED[0], off], status=1)
        self.assertIn("4 of 6 cells", text)
        self.assertIn("missed (OpenCV differs by 7)", text)

    def test_wrong_options(self):
        for option, words in (("--formats=NV12", "GRAY16_LE"), ("--filter=cubic", "gaussian 3x3"),
                              ("--size=64", "WIDTHxHEIGHT"), ("--threads=0", "above 0"),
                              ("--budget=x", "above 0"), ("--rounds=0.5", "above 0"),
                              ("--at-least=nan", "above 0"), ("--json=/nowhere/run.json", "No such file"),
                              ("--show=/nowhere", "/nowhere"), ("word", "word"),
                              ("--pipeline=0", "above 0")):
            text, error = self.run_peers(option, status=2)
            self.assertEqual(text, "")
            self.assertIn(words, error, option)
        self.assertIn("whole words", self.run_peers("--pipeline", "--size=30x8", status=2)[1])
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "file").touch()
            self.assertIn("has other files in it",
                          self.run_peers(f"--environment={folder}", status=2)[1])
            for text in ("", "[]", "{}"):
                pathlib.Path(folder, "file").write_text(text, encoding="utf-8")
                self.assertIn("not a run", self.run_peers(f"--show={folder}/file", status=2)[1])

    def test_skipped_without_peers(self):
        """-S hides installed packages."""
        _, error = self.run_peers(status=77, flags=["-S"], CUDACONV_BENCH_PEERS="1", PYTHONPATH="")
        self.assertIn("no peer is installed", error)

    def make_environment(self, folder):
        """Returns the installed packages and the messages."""
        installed = []

        def run_quietly(*command):
            installed.append(str(command[-1]))
            return "no such thing" if installed[-1].startswith("pyvips") else None

        error = io.StringIO()
        with mock.patch.object(peers, "run_quietly", run_quietly), \
                contextlib.redirect_stderr(error):
            peers.make_environment(pathlib.Path(folder))
        return " ".join(installed), error.getvalue()

    def test_environment(self):
        """A peer that cannot be installed is reported and tried again. The other is not installed twice."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "pyvenv.cfg").touch()
            for first in (True, False):
                installed, reported = self.make_environment(folder)
                self.assertEqual(reported.count("\n"), 2 + 1 if first else 1 + 1)
                self.assertIn("libvips is skipped: no pyvips", reported)
                self.assertEqual("opencv" in installed, first)

    def test_avx2_of_peers(self):
        """CUDACONV_CPU=avx2 limits the peers as well."""
        for cpu, ipp in (("avx2", "avx2"), ("avx512", None), ("", None)):
            with mock.patch.dict(os.environ, {"CUDACONV_CPU": cpu}), \
                    mock.patch.object(os, "execv"), \
                    mock.patch.object(peers, "make_environment", return_value="python"):
                os.environ.pop("OPENCV_IPP", None)
                peers.enter_environment(report.parse(["peers"]))
                self.assertEqual(os.environ.get("OPENCV_IPP"), ipp)

    def test_target(self):
        """With AVX2 only, the target is lower."""
        for cpu, bound in (("avx2", 1.2), ("", 2)):
            os.environ["CUDACONV_CPU"] = cpu
            for options, target in (([], bound), (["--at-least=3"], 3), (["--pipeline"], 1.5)):
                self.assertEqual(peers.target(report.parse(["peers", *options])), target)
        del os.environ["CUDACONV_CPU"]


if __name__ == "__main__":
    unittest.main(verbosity=2)
