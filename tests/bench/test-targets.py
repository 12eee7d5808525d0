#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the verdicts and the tables of pages, on made-up rows."""

import argparse
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import report  # noqa: E402
sys.stdout = open(os.devnull, "w", encoding="utf-8")


def made_up(kind, rows, **more):
    """Returns a run of this kind with the rows and their derived fields."""
    run = {"kind": kind, "complete": False, "results": rows, "notes": [], **more}
    report.derive(run)
    return run


def kernels(frames):
    """Returns a run of kernels. `frames` maps formats to {algorithm: us}. A copy takes 18 us."""
    return made_up("kernels", [
        {"format": format_, "width": 7680, "height": 4320, "kernel": "gaussian 3x3", "stride": 1,
         "bytes": 1000, "algorithm": name, "us": us}
        for format_, times in frames.items() for name, us in {"copy": 18, **times}.items()],
        peers=["copy", "npp"])


def pipelines(paths, format_="RGBA", streams=1, **more):
    """Returns a run of pipelines on the same frames. `paths` maps paths to us."""
    return made_up("pipelines", [
        {"path": path, "format": format_, "width": 1920, "height": 1080, "streams": streams,
         "devices": 1, "us": us, **more} for path, us in paths.items()])


class Verdicts(unittest.TestCase):
    def check(self, run, claims):
        """Checks verdicts. `claims` maps a part of the claim to (measured, met). Returns all verdicts."""
        verdicts = report.judge(run)
        for claim, (measured, met) in claims.items():
            verdict = next(v for v in verdicts if claim in v["claim"])
            self.assertAlmostEqual(verdict["measured"], measured, delta=0.01, msg=claim)
            self.assertEqual(verdict["met"], met, claim)
        return verdicts

    def test_kernels(self):
        fast, slow = kernels({"GRAY8": {"tensor-core": 18.5}}), kernels({"GRAY8": {"tensor-core": 20}})
        self.assertEqual(len(self.check(fast, {"% of the copy rate": (97.3, True)})), 1)
        self.check(slow, {"% of the copy rate": (90, False)})
        run = kernels({"GRAY8": {"register-tile": 30, "two-pass": 117}})
        verdict = self.check(run, {"as fast as two-pass": (3.9, False)})[0]
        self.assertAlmostEqual(verdict["copy"], 6.5)
        frames = {"NV12-Y": {"tensor-core": 19}, "NV12-UV": {"tensor-core": 10}, "NV12": {"tensor-core": 33}}
        self.check(kernels(frames), {"planes' sum": (33 / 29, False)})
        self.assertEqual(report.judge(kernels({"NV12": {"tensor-core": 33}})), [])

    def test_pipelines(self):
        self.check(pipelines({"bus": 840, "own": 1000}), {"own RGBA": (84, False)})
        run = pipelines({"bus": 860, "own": 1000, "pool": 1000, "cudaupload": 5100, "gl": 7900})
        self.check(run, {"own RGBA 1920x1080, % of the bus": (86, True),
                                "pool RGBA 1920x1080, times as fast as cudaupload": (5.1, True),
                                "pool RGBA 1920x1080, times as fast as gl": (7.9, False)})
        verdicts = self.check(pipelines({"bus": 940, "pool": 1000}, streams=16),
                              {"pool RGBA 1920x1080, 16 at once, % of": (94, False)})
        self.assertEqual(len(verdicts), 1)
        run = pipelines({"fresh": 1000, "pool": 100, "fresh-cudaupload": 1400, "cudaupload": 900})
        self.check(run, {"fresh RGBA 1920x1080, times as fast as fresh-cudaupload": (1.4, False)})
        self.assertNotIn("times_fresh-cudaupload", run["results"][1])
        for kernel, met in ((5, True), (4, False)):
            self.check(pipelines({"kernel": kernel, "cuda": 14.5}, "NV12"),
                       {"above the kernel's": (14.5 - kernel, met)})
        self.check(pipelines({"live": 16667}, latency_ms=1.5, worst_latency_ms=2.5),
                   {"median": (1.5, True), "worst": (2.5, False)})
        for us, met in ((970, False), (990, True)):
            self.check(pipelines({"decode": us, "decode-cudaconv": 1000}),
                       {"decoder's own rate": (us / 10, met)})

    def test_not_measured_is_missed(self):
        args = argparse.Namespace(json=None, check=True)
        for kind, n in (("kernels", 37), ("pipelines", 27), ("cpu", 3)):
            run = made_up(kind, [], complete=True)
            verdicts = report.judge(run)
            self.assertEqual(len(verdicts), n)
            self.assertFalse(any(v["met"] or "decode" in v["claim"] for v in verdicts))
            self.assertEqual(report.judge({**run, "complete": False}), [])
            args.run = lambda _, r=run: r
            self.assertEqual(report.report(args), 1)
        args.run = lambda _: kernels({"GRAY8": {"tensor-core": 18.5}})
        self.assertEqual(report.report(args), 0)


class Coverage(unittest.TestCase):
    """One cell of each kind: on target, below its target, and slower than a peer."""

    ROWS = {("GRAY8", "gaussian 5x5 sigma 1.2", 5, 1, 1): {"auto (tensor-core)": 12, "npp": 90},
            ("RGBA", "kirsch 3x3", 3, 8, 0): {"auto (constant)": 25, "constant": 24, "npp": 22},
            ("ARGB64", "whole 15x15", 15, 1, 0): {"auto (constant)": 60, "tile-halo": 59}}

    def setUp(self):
        self.run_ = made_up("coverage", [
            {"format": format_, "width": 3840, "height": 2160, "kernel": kernel, "stride": 1,
             "side": side, "matrices": matrices, "separable": separable, "bytes": 1000,
             "algorithm": name, "us": us}
            for (format_, kernel, side, matrices, separable), times in self.ROWS.items()
            for name, us in {"copy": 10, **times}.items()])

    def test_verdicts(self):
        verdicts = [(v["claim"].split(" ", 2)[2], round(v["measured"], 2), v["at_least"], v["met"])
                    for v in report.judge(self.run_)]
        self.assertEqual(verdicts, [
            ("gaussian 5x5 sigma 1.2, % of the copy rate", 83.33, 80, True),
            ("gaussian 5x5 sigma 1.2, times as fast as npp", 7.5, 0.95, True),
            ("kirsch 3x3, % of the copy rate", 40, 45, False),
            ("kirsch 3x3, times as fast as npp", 0.88, 0.95, False),
            ("whole 15x15, % of the copy rate", 16.67, 20, False),
            ("whole 15x15, times as fast as tile-halo", 0.98, 0.95, True)])

    def test_words(self):
        for name, word in (("kirsch 3x3", "kirsch:3"), ("box 21x21", "box:21"),
                           ("gaussian 9x9 sigma 1.7", "gaussian:9:1.7")):
            self.assertEqual(report.coverage.word(name), word)

    def test_tables(self):
        page = report.TABLES["coverage"]["coverage"](self.run_)
        self.assertIn("| gaussian 5x5 sigma 1.2 | 83 | |", page)
        self.assertIn("| **40** of 45, npp 1.1x |", page)
        self.assertEqual([report.coverage.rounded(share, 80) for share in (79.8, 80.2, 60.2)],
                         ["79.8", "80.2", "60"])
        summary = report.targets_table(self.run_)
        self.assertIn("| to 3x3, 8 matrices | 45/30 | 0 of 1 | kirsch 3x3 |", summary)
        self.assertIn("| 2 of 3 | kirsch 3x3 |", summary)


def profiled(kernels, needed, issued, **more):
    """Returns a row of a profile."""
    return {"kernel": "kirsch 3x3", "format": "RGB", "of_size": "", "share": 40, "wanted": 45,
            "per_256_bytes": 200, "kernels": kernels, **dict.fromkeys(report.ncu.METRICS, 1),
            "needed": needed, "issued": issued, **more}


class Profile(unittest.TestCase):
    def test_limits(self):
        for needed, issued, limit in ((90, 95, "instructions"), (89, 50, "latency"),
                                      (50, 51, "start and end")):
            self.assertEqual(report.ncu.limit(profiled(["cc_a"], needed, issued)), limit)

    def test_tables(self):
        run = {"results": [profiled(["cc_a"], 60, 50), profiled(["cc_b", "cc_a"], 95, 50),
                           profiled(["cc_a"], 40, 50)]}
        head, rows = report.ncu.rows_of_kernels(run)
        self.assertEqual([row[:2] for row in rows], [["`a`", "2"], ["`b, a`", "1"]])
        self.assertEqual(rows[0][head.index("instructions")], "200")
        self.assertEqual(rows[0][head.index("slots needed")], "40 to 60")
        self.assertEqual(rows[0][-1], "latency 1, start and end 1")
        cells = list(map(report.ncu.cells_of, run["results"]))
        self.assertEqual([row[-1] for row in cells], ["latency", "instructions", "start and end"])
        self.assertEqual({len(row) for row in cells}, {1 + len(report.ncu.HEAD)})

    def test_shares(self):
        """A share just below the target is not rounded to the target."""
        run = {"results": [profiled(["cc_a"], 60, 50, share=share) for share in (44.8, 40)]}
        self.assertEqual(report.ncu.rows_of_kernels(run)[1][0][2], "40 to 44.8 of 45")
        self.assertEqual([report.ncu.cells_of(row)[1] for row in run["results"]], ["44.8, 45", "40, 45"])

    def test_sizes(self):
        run = {"results": [profiled(["cc_a"], 60, 50, of_size=f", {size}") for size in ("16x8", "8x8")]}
        self.assertEqual([row[0] for row in report.ncu.rows_of_kernels(run)[1]],
                         ["`a`, 16x8", "`a`, 8x8"])
        self.assertEqual([report.ncu.cells_of(row)[0] for row in run["results"]],
                         ["kirsch 3x3, RGB, 16x8", "kirsch 3x3, RGB, 8x8"])


class ProfileFailures(unittest.TestCase):
    def rows(self, failing):
        """Profiles five cells, two per run, with a fake that fails for some. Returns the number of rows, the runs
        and the messages."""
        cells = [({"share": 1, "wanted": 9}, f"case {i}") for i in range(5)]
        runs, said = [], []

        def profile(_, cases, __):
            runs.append(" ".join(case[5:] for case in cases))
            error = failing(cases)
            return (None, error) if error else ([{"frame": 1}] * len(cases), None)

        with mock.patch.multiple(report.ncu, AT_ONCE=2, misses=lambda _: cells, profile=profile,
                                 needed=lambda _: 0):
            rows = list(report.ncu.rows_of({}, "program", say=said.append))
        return len(rows), runs, said

    def test_one_fails(self):
        rows, runs, said = self.rows(lambda cases: "case 1" in cases and "none")
        self.assertEqual((rows, runs), (4, ["0 1", "0", "1", "2 3", "4"]))
        self.assertEqual(said, ["case 1: none"])

    def test_all_fail(self):
        rows, runs, said = self.rows(lambda cases: "not allowed")
        self.assertEqual((rows, runs), (0, ["0 1", "0", "1"]))
        self.assertEqual(said, ["case 0: not allowed", "case 1: not allowed",
                                "3 more cells were not profiled"])

    def test_too_long(self):
        rows, runs, said = self.rows(lambda cases: report.ncu.TOO_LONG)
        self.assertEqual((rows, runs, len(said)), (0, ["0 1"], 3))


class Pages(unittest.TestCase):
    def test_no_page(self):
        with tempfile.TemporaryDirectory() as folder:
            file, error = pathlib.Path(folder, "run.json"), io.StringIO()
            file.write_text('{"kind": "profile", "results": []}', encoding="utf-8")
            with contextlib.redirect_stderr(error):
                self.assertEqual(report.main(["docs", f"--page={folder}/none.md", str(file)]), 1)
            self.assertIn("none.md", error.getvalue())
            page = pathlib.Path(folder, "latin.md")
            page.write_bytes("é".encode("latin-1"))
            with contextlib.redirect_stderr(error):
                self.assertEqual(report.main(["docs", f"--page={page}", str(file)]), 1)
            self.assertIn("latin.md: no place for", error.getvalue())

    def test_profile(self):
        page = pathlib.Path(report.__file__).parent / "notes" / "limits.md"
        with tempfile.TemporaryDirectory() as folder:
            copy, file = pathlib.Path(folder, "page.md"), pathlib.Path(folder, "run.json")
            copy.write_bytes(page.read_bytes())
            run = {"kind": "profile", "results": [profiled(["cc_a"], 60, 50)]}
            file.write_text(report.json.dumps(run), encoding="utf-8")
            self.assertEqual(report.main(["docs", f"--page={copy}", str(file)]), 0)
            content = copy.read_text(encoding="utf-8")
            del run["results"][0]["per_256_bytes"]  # as in a run of an older program
            file.write_text(report.json.dumps(run), encoding="utf-8")
            error = io.StringIO()
            with contextlib.redirect_stderr(error):
                self.assertEqual(report.main(["docs", f"--page={copy}", str(file)]), 2)
            self.assertIn("not a run that can be read: KeyError('per_256_bytes')", error.getvalue())
            for text in ("", "[]", "{}", '{"kind": "zzz"}', "[" * 100000):
                file.write_text(text, encoding="utf-8")
                with contextlib.redirect_stderr(error):
                    for command in (["docs", f"--page={copy}"], ["show"], ["profile"]):
                        self.assertEqual(report.main([*command, str(file)]), 2)
            self.assertEqual(copy.read_text(encoding="utf-8"), content)
        self.assertIn("| `a` | 1 | 40 of 45 | 200 |", content)

    def test_tables(self):
        page = pathlib.Path(report.__file__).parent.parent / "docs" / "benchmarks.md"
        with tempfile.TemporaryDirectory() as folder:
            copy, file = pathlib.Path(folder, "page.md"), pathlib.Path(folder, "run.json")
            copy.write_bytes(page.read_bytes())
            old = {**made_up("coverage", []), "kind": "reach"}  # the old name of the kind
            for run, words in ((kernels({"GRAY8": {"tensor-core": 18.5}}), "`tensor-core` | 18.5 (97.3) |"),
                               (pipelines({"bus": 840, "own": 1000}), "84.0: missed |"),
                               (made_up("coverage", []), "cells that meet it |"),
                               (old, "cells that meet it |"),
                               # the old name of the algorithm
                               (kernels({"GRAY8": {"sliding": 18.5}}), "`tensor-core` | 18.5 (97.3) |")):
                file.write_text(report.json.dumps(run), encoding="utf-8")
                self.assertEqual(report.main(["docs", f"--page={copy}", str(file)]), 0)
                self.assertIn(words, copy.read_text(encoding="utf-8"))


class Files(unittest.TestCase):
    """--json replaces its file by a complete run, or leaves it as it was."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.old, self.file = self.folder / "old.json", self.folder / "run.json"
        self.old.write_text("old", encoding="utf-8")
        self.file.write_text(report.json.dumps(
            {**kernels({"GRAY8": {"tensor-core": 18.5}}), "device": "made up"}), encoding="utf-8")

    def run_main(self, *words, status):
        error = io.StringIO()
        with contextlib.redirect_stderr(error):
            self.assertEqual(report.main(list(words)), status)
        self.assertEqual(len(list(self.folder.iterdir())), 2)
        return error.getvalue()

    def test_kept(self):
        self.run_main("show", str(self.file), f"--json={self.old}", status=0)
        self.assertEqual(report.json.loads(self.old.read_text(encoding="utf-8"))["kind"], "kernels")

    def test_dropped(self):
        self.file.write_text("{}", encoding="utf-8")
        self.run_main("show", str(self.file), f"--json={self.old}", status=2)
        with mock.patch.object(report, "judge", side_effect=KeyboardInterrupt):
            self.file.write_text(report.json.dumps(
                {**kernels({"GRAY8": {"tensor-core": 18.5}}), "device": "made up"}), encoding="utf-8")
            self.run_main("show", str(self.file), f"--json={self.old}", status=130)
        self.assertEqual(self.old.read_text(encoding="utf-8"), "old")
        self.assertEqual(len(list(self.folder.iterdir())), 2)

    def test_refused(self):
        """A file that cannot be written is an error before anything is measured."""
        error = io.StringIO()
        with contextlib.redirect_stderr(error), self.assertRaises(SystemExit):
            report.main(["cpu", f"--json={self.folder}/none/run.json"])
        self.assertIn("none/run.json cannot be written: No such file", error.getvalue())

    def test_no_element(self):
        """A missing element or gst-inspect is not reported as a missing peer."""
        for program, status, words in (("exit 1", 1, "does not find the element cudaconv"),
                                       (None, 77, "gstreamer1.0-tools")):
            with tempfile.TemporaryDirectory() as path:
                if program:
                    inspect = pathlib.Path(path, "gst-inspect-1.0")
                    inspect.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
                    inspect.chmod(0o755)
                with mock.patch.dict(os.environ, PATH=path):
                    self.assertIn(words, self.run_main("cpu", f"--json={self.old}", status=status))
        self.assertEqual(self.old.read_text(encoding="utf-8"), "old")


if __name__ == "__main__":
    unittest.main(verbosity=2)
