#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cudaconv-bench on the stand-in for the driver: options, tables and files, but no speed.

The pipelines need the plugin on GST_PLUGIN_PATH. Those of other elements run where these do.

usage: test-bench.py PROGRAM NPP_FOLDER, which has a stand-in for NPP
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM = sys.argv.pop(1)
NPP = sys.argv.pop(1)
ALGORITHMS = {"direct", "constant", "tile-halo", "tile-cached", "scatter", "two-pass",
              "register-tile", "sliding"}


def run(*options, status=0, **environment):
    """Runs the program with no NPP and hardly any time; returns what it wrote, to both places."""
    done = subprocess.run([PROGRAM, "--npp=/nowhere", "--budget=0.009", *options],
                          env={**os.environ, **environment}, capture_output=True, text=True,
                          check=False)
    if done.returncode != status:
        raise AssertionError(f"{options}: status {done.returncode}, not {status}\n{done.stderr}")
    return done.stdout, done.stderr


class Options(unittest.TestCase):
    def test_help_names_everything(self):
        text, _ = run("--help")
        for word in ("--kernel", "--pipeline", "--streams", "--latency", "--decode", "--paper", "--check", "sobel-x", "register-tile", "NV12-UV", "npp"):
            self.assertIn(word, text)

    def test_wrong_ones_are_refused(self):
        for option, word in (("--kernel=nothing", "motion-blur"), ("--kernel=sobel:4", "3, 5 and 7"),
                             ("--kernel=sobel:3:2", "sigma"), ("--algorithm=fast", "tile-cached"),
                             ("--format=NV21", "P010_10LE"), ("--size=64", "WIDTHxHEIGHT"),
                             ("--size=0x64", "WIDTHxHEIGHT"), ("--border=none", "reflect-101"),
                             ("--stride=3", "1, 2 and 4"), ("--budget=0", "above 0"),
                             ("word", "word")):
            _, error = run(option, status=2)
            self.assertIn(word, error, option)
        _, error = run("--paper", "--kernel=box", status=2)
        self.assertIn("--size only", error)
        for options in (("--pipeline", "--kernel=box"), ("--latency", "--paper"),
                        ("--streams=2", "--plot=-"), ("--decode=x", "--stride=2")):
            _, error = run(*options, status=2)
            self.assertIn("--format and --size only", error)
        _, error = run("--streams=0", status=2)
        self.assertIn("1 to", error)

    def test_without_a_device_it_skips(self):
        text, error = run(status=77, FAKE_CUDA="devices=0")
        self.assertEqual(text, "")
        self.assertEqual(error.count("\n"), 1)

    def test_a_failing_device_is_an_error(self):
        _, error = run("--size=16x8", status=1, FAKE_CUDA="fail=cuEventRecord:3+:719")
        self.assertIn("cuEventRecord", error)


class Figures(unittest.TestCase):
    def measure(self, *options):
        """The results as JSON, the rows of the CSV file, the chart, and the table."""
        with tempfile.TemporaryDirectory() as folder:
            table, plot = os.path.join(folder, "table.csv"), os.path.join(folder, "plot.svg")
            text, table_text = run(*options, "--json=-", f"--csv={table}", f"--plot={plot}")
            with open(table, encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            chart = xml.etree.ElementTree.parse(plot)
        return json.loads(text), rows, chart, table_text

    def check_consistency(self, results):
        for result in results:
            self.assertAlmostEqual(result["gb_s"], result["bytes"] / result["us"] / 1e3, delta=0.01)
            self.assertAlmostEqual(result["percent_of_copy"],
                                   100 * result["copy_us"] / result["us"], delta=0.01)
            self.assertLessEqual(result["least_us"], result["us"])
            self.assertLessEqual(result["us"], result["most_us"])
            for peer, times in result["times_as_fast_as"].items():
                peers = [r["us"] for r in results if r["algorithm"] == peer and
                         all(r[key] == result[key] for key in ("format", "width", "kernel"))]
                self.assertAlmostEqual(times, peers[0] / result["us"], delta=0.001)

    def test_every_combination(self):
        run_, rows, chart, table = self.measure(
            "--kernel=gaussian:3,sobel", "--kernel=box:9", "--algorithm=all",
            "--format=GRAY8,NV12,GRAY16_LE", "--size=17x9,8x8")
        self.assertTrue(run_["device"].startswith("Fake GPU"))
        self.assertIsNone(run_["npp"])
        results = run_["results"]
        found = {(r["format"], r["width"], r["kernel"], r["algorithm"]) for r in results}
        wide = ALGORITHMS - {"two-pass", "register-tile"}
        self.assertEqual(found, {
            (format_, width, kernel, algorithm)
            for format_ in ("GRAY8", "NV12", "GRAY16_LE")
            for width in (17, 8)
            for kernel, algorithms in (("gaussian 3x3", ALGORITHMS), ("sobel 3x3", ALGORITHMS),
                                       ("box 9x9", wide))
            for algorithm in algorithms | {"copy"}})
        self.assertEqual(len(found), len(results))
        self.check_consistency(results)
        self.assertEqual(table.count("two-pass cannot run this case"), 6)
        self.assertEqual(len(rows), len(results))
        for row, result in zip(rows, results):
            self.assertEqual(row["algorithm"], result["algorithm"])
            self.assertAlmostEqual(float(row["us"]), result["us"], delta=1e-4)
        bars = [e for e in chart.iter() if e.tag.endswith("}rect") and len(e) > 0]
        self.assertEqual(len(bars), sum(r["algorithm"] != "copy" for r in results))

    def bytes_of(self, *options):
        results = self.measure("--size=17x9", "--algorithm=constant", *options)[0]["results"]
        return {result["bytes"] for result in results}

    def test_bytes(self):
        self.assertEqual(self.bytes_of("--format=GRAY8", "--kernel=box:3"), {2 * 17 * 9})
        self.assertEqual(self.bytes_of("--format=GRAY16_LE", "--kernel=box:3"), {4 * 17 * 9})
        self.assertEqual(self.bytes_of("--format=RGBA", "--kernel=box:3"), {8 * 17 * 9})
        self.assertEqual(self.bytes_of("--format=NV12", "--kernel=box:3"),
                         {2 * 17 * 9 + 4 * 9 * 5})
        # an edge filter fills the chroma without reading it
        self.assertEqual(self.bytes_of("--format=NV12", "--kernel=sobel"),
                         {2 * 17 * 9 + 2 * 9 * 5})
        self.assertEqual(self.bytes_of("--format=GRAY8", "--kernel=box:3", "--stride=4"),
                         {17 * 9 + 5 * 3})

    def test_auto_says_what_ran(self):
        run_ = self.measure("--size=16x8", "--algorithm=auto", "--format=GRAY8",
                            "--kernel=gaussian:5:1.2")[0]
        names = [result["algorithm"] for result in run_["results"]]
        self.assertEqual(names, ["copy", "auto (sliding)"])
        self.assertEqual(run_["results"][1]["kernel"], "gaussian 5x5 sigma 1.2")

    def test_paper(self):
        run_, _, _, table = self.measure("--paper", "--size=61x41")
        results = run_["results"]
        self.assertIn("all 8 algorithms equal the serial loop's", table)
        strided = [r for r in results if r["stride"] == 2]
        self.assertEqual({r["algorithm"] for r in strided}, ALGORITHMS | {"copy", "serial"})
        self.assertTrue(all("serial" in r["times_as_fast_as"] for r in strided
                            if r["algorithm"] in ALGORITHMS))
        self.assertIn(("box 15x15", "tile-cached"),
                      {(r["kernel"], r["algorithm"]) for r in results})

    def test_paper_fails_when_a_result_cannot_be_fetched(self):
        _, error = run("--paper", "--size=9x9", status=1, FAKE_CUDA="fail=cuMemcpyDtoHAsync:1:719")
        self.assertIn("cuMemcpyDtoHAsync", error)

    def test_npp(self):
        run_, _, _, table = self.measure(f"--npp={NPP}", "--kernel=gaussian:3,gaussian:7,sobel-x",
                                         "--kernel=box:3", "--algorithm=sliding,npp",
                                         "--format=GRAY8,NV12", "--size=65x9")
        self.assertEqual(run_["npp"], "NPP 13.0.1 (libnppif.so.13)")
        self.assertEqual([(r["format"], r["kernel"]) for r in run_["results"]
                          if r["algorithm"] == "npp"],
                         [("GRAY8", "gaussian 3x3"), ("GRAY8", "sobel-x 3x3")])
        self.assertEqual(sum("npp" in r["times_as_fast_as"] for r in run_["results"]
                             if r["algorithm"] == "sliding"), 2)
        # the stand-in refuses 7x7 as NPP refuses what it does not have
        self.assertEqual(table.count("npp: NPP answers with status -33"), 1)

    def test_targets(self):
        # the stand-in takes 1 us for everything: a frame as long as a copy
        options = ("--size=1920x1080", "--format=GRAY8", "--kernel=gaussian:3", "--check")
        run_, _, _, table = self.measure(*options, "--algorithm=sliding")
        self.assertEqual([t["measured"] for t in run_["targets"]], [1])
        self.assertIn("(wanted: at most 1.6)", table)
        _, table = run("--size=8x8", "--format=GRAY8", "--kernel=gaussian:3", "--check", "--json=-",
                       status=1)
        self.assertNotIn("Targets", table)


OWN_PATHS = {"pool", "own", "fresh", "cuda", "cuda-to-system", "system-to-cuda"}
PEERS = {"cudaupload", "cudaupload-queue", "gl"}
LIMITS = {"bus", "bus-up", "bus-down"}


class Pipelines(unittest.TestCase):
    def measure(self, *options, **environment):
        """The results as JSON, the rows of the CSV file, the targets, and the table."""
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "table.csv")
            text, table_text = run(*options, "--json=-", f"--csv={table}", **environment)
            with open(table, encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
        run_ = json.loads(text)
        self.assertEqual([row["path"] for row in rows], [r["path"] for r in run_["pipelines"]])
        for row, result in zip(rows, run_["pipelines"]):
            self.assertAlmostEqual(float(row["us"]), result["us"], delta=1e-3)
            self.assertEqual(row["memory_in"], result.get("memory_in", ""))
            self.check_consistency(result, run_["pipelines"])
        return run_["pipelines"], table_text

    def check_consistency(self, result, results):
        self.assertLessEqual(result["least_us"], result["us"])
        self.assertLessEqual(result["us"], result["most_us"])
        self.assertAlmostEqual(result["fps"] * result["us"], 1e6, delta=0.01e6)
        if "percent_of_bus" in result:
            self.assertAlmostEqual(result["percent_of_bus"],
                                   100 * result["bus_us"] / result["us"], delta=0.1)
        for peer, times in result["times_as_fast_as"].items():
            other = next(r for r in results if r["path"] == peer and r["width"] == result["width"])
            self.assertAlmostEqual(times, other["us"] / result["us"], delta=0.001 + 0.01 * times)

    def test_every_path(self):
        results, table = self.measure("--pipeline", "--streams=16", "--latency", "--format=RGBA",
                                      "--size=22x10")
        one = {r["path"]: r for r in results if r["streams"] == 1}
        self.assertEqual(set(one) - PEERS, OWN_PATHS | LIMITS | {"live"})
        for peer in PEERS - set(one):
            self.assertIn(f"  {peer}: ", table)
        self.assertEqual([r["path"] for r in results if r["streams"] == 16], ["bus", "pool"])
        bytes_ = 22 * 10 * 4
        self.assertEqual({r["bytes"] for path, r in one.items() if path not in LIMITS},
                         {2 * bytes_})
        self.assertEqual([one[path]["bytes"] for path in ("bus", "bus-up", "bus-down")],
                         [2 * bytes_, bytes_, bytes_])
        # each beside the limit of the way that its frames take
        for path, limit in (("pool", "bus"), ("own", "bus"), ("fresh", "bus"),
                            ("cuda-to-system", "bus-down"), ("system-to-cuda", "bus-up")):
            self.assertEqual(one[path]["bus_us"], one[limit]["us"])
        self.assertNotIn("bus_us", one["cuda"])
        self.assertEqual({len(one[limit]["times_as_fast_as"]) for limit in LIMITS}, {0})
        self.assertGreater(one["cuda"]["kernel_us"], 0)
        self.assertGreater(one["live"]["worst_latency_ms"], 0)
        self.assertLessEqual(one["live"]["latency_ms"], one["live"]["worst_latency_ms"])
        self.assertEqual(one["live"]["in_flight"], 1)
        self.assertGreater(one["pool"]["in_flight"], 1)

    def test_memory(self):
        """Frames that are large enough to be registered take the way that they shall."""
        results, _ = self.measure("--pipeline", "--format=NV12", "--size=256x172")
        self.assertEqual(
            {r["path"]: (r["memory_in"], r["memory_out"])
             for r in results if r["path"] in OWN_PATHS},
            {"pool": ("pinned pool", "pinned pool"),
             "own": ("registered", "pinned pool"),
             "fresh": ("staged: memory that has not been seen before", "pinned pool"),
             "cuda": ("CUDA memory", "CUDA memory"),
             "cuda-to-system": ("CUDA memory", "pinned pool"),
             "system-to-cuda": ("pinned pool", "CUDA memory")})

    def test_formats(self):
        results, table = self.measure("--pipeline", "--format=GRAY8,NV12-Y", "--size=16x8")
        self.assertEqual({r["path"] for r in results} - PEERS, LIMITS | {"pool", "own", "fresh"})
        self.assertEqual({r["format"] for r in results}, {"GRAY8"})
        for path in ("cuda", "cuda-to-system", "system-to-cuda"):
            self.assertIn(f"  {path}: cudaconv takes no GRAY8 of 16x8 in CUDA memory", table)
        self.assertIn("no frames of NV12-Y", table)

    def test_streams(self):
        options = ("--streams=3", "--format=NV12", "--size=64x48")
        results, _ = self.measure(*options, FAKE_CUDA="devices=2")
        self.assertEqual([(r["path"], r["streams"], r["devices"]) for r in results],
                         [("bus", 3, 2), ("pool", 3, 2)])
        self.assertGreater(results[1]["device_mb_a_stream"], 0)
        results, _ = self.measure(*options, "--device=1", FAKE_CUDA="devices=2")
        self.assertEqual({r["devices"] for r in results}, {1})

    def test_latency(self):
        results, table = self.measure("--latency", "--size=16x8", "--budget=100")
        self.assertEqual([r["path"] for r in results], ["live"])
        self.assertIn("worst ms", table)
        # it is the source that says how fast it goes
        self.assertAlmostEqual(results[0]["us"], 1e6 / 60, delta=5e3)

    def test_decoder_is_missing(self):
        # with the stand-in there is none
        results, table = self.measure("--decode=/nowhere")
        self.assertEqual(results, [])
        self.assertIn("nvh264dec", table)
        run("--decode=/nowhere", "--check", status=1)

    def test_failures(self):
        _, error = run("--pipeline", status=77, FAKE_CUDA="devices=0")
        self.assertEqual(error.count("\n"), 1)
        with tempfile.TemporaryDirectory() as empty:
            _, error = run("--pipeline", status=1, GST_PLUGIN_PATH=empty,
                           GST_PLUGIN_SYSTEM_PATH=empty, GST_REGISTRY=f"{empty}/registry")
        self.assertIn("GST_PLUGIN_PATH", error)
        # only the element calls this
        _, error = run("--pipeline", "--size=16x8", status=1,
                       FAKE_CUDA="fail=cuStreamWaitEvent:9+:719")
        self.assertRegex(error, "pool: .*cuStreamWaitEvent")


if __name__ == "__main__":
    unittest.main(verbosity=2)
