#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests options, rows and files of the benchmarks on the fake driver. Measures no speed.

Pipelines need the plugin on GST_PLUGIN_PATH. Pipelines of peers run if their elements are installed.

usage: test-bench.py FOLDER NPP_FOLDER (the folders of the programs and of the fake NPP)
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

FOLDER, NPP_FOLDER = sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, FOLDER)
from ncu import METRICS  # pylint: disable=wrong-import-position
ALGORITHMS = {"direct", "constant", "tile-halo", "tile-cached", "scatter", "two-pass",
              "register-tile", "tensor-core"}
OWN_PATHS = {"pool", "chain-2", "chain-5", "own", "fresh", "cuda", "cuda-to-system",
             "system-to-cuda"}
PEERS = {"cudaupload", "cudaupload-queue", "gl", "fresh-cudaupload", "fresh-source"}
LIMITS = {"bus", "bus-up", "bus-down", "kernel"}


def run(command, *options, status=0, **environment):
    """Runs a command of cudaconv-bench without NPP and with a tiny budget. Returns its output and its errors."""
    npp = ["--npp=/nowhere"] if command in ("kernels", "coverage") else []
    done = subprocess.run([f"{FOLDER}/cudaconv-bench", command, *npp, "--budget=0.009", *options],
                          env={**os.environ, **environment}, capture_output=True, text=True,
                          check=False)
    if done.returncode != status:
        raise AssertionError(f"{options}: status {done.returncode}, not {status}\n{done.stderr}")
    return done.stdout, done.stderr


class Explain(unittest.TestCase):
    """cudaconv-bench explain and ablate."""

    def explain(self, *options, status=0):
        done = subprocess.run([f"{FOLDER}/cudaconv-bench", "explain", *options],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_processors_and_gpus(self):
        text = self.explain("P010_10LE 1920x1080 gaussian:9", "--isa=all", "--gpu=all")
        for name in ("plain", "c", "avx2", "avxvnni", "avx512", "avx512vnni", "sm_75", "sm_80",
                     "sm_90"):
            self.assertIn(f"\n{name}\n  1. filter plane 0 (Y)", text)
        self.assertIn("cc_tensor_separable_u2", text)
        self.assertIn("17x17", self.explain("I420 1920x1080 gaussian::2.6"))

    def test_left_out_path(self):
        case = "GRAY8 640x360 gaussian:5"
        self.assertIn("fused", self.explain("--isa=avx2", case))
        self.assertNotIn(": fused", self.explain("--isa=avx2", "--without=fused-separable", case))

    def test_wrong_options(self):
        for options, words in (
                (["GRAY8 64x64 nothing"], "nothing"), (["GRAY8 64x64 box", "--isa=z80"], "avx2"),
                (["GRAY8 64x64 box", "--gpu=sm_1"], "sm_90"), ([], "FORMAT WIDTHxHEIGHT KERNEL"),
                (["--kernel=box"], "FORMAT WIDTHxHEIGHT KERNEL"),
                (["GRAY8 64x64"], "a case is"), (["GRAY8 64x64 box stride=3"], "1, 2 or 4"),
                (["GRAY8 64x64 box word"], "NAME=VALUE"), (["NV99 64x64 box"], "NV99"),
                (["v210 64x64 box"], "v210"), (["GRAY8 4294967297x1 box"], "WIDTHxHEIGHT"),
                (["GRAY8 64x64 gaussian:3:nan"], "sigma"), (["--isa=", "GRAY8 9x9 box"], "avx2")):
            self.assertIn(words, self.explain(*options, status=2), options)

    def test_ablate(self):
        text, _ = run("ablate", "--isa=c", "--path=identity", "--cells=1", "--rounds=1")
        self.assertRegex(text, r"c +identity +1 of +\d+ cells +best \d")
        for option, words in (("--path=nothing", "separable"), ("--cells=0", "above 0"),
                              ("--isa=z80", "avx2")):
            self.assertIn(words, run("ablate", option, status=2)[1], option)


class Options(unittest.TestCase):
    def test_wrong_options(self):
        for command, option, words in (
                ("kernels", "--kernel=nothing", "nothing"), ("kernels", "--kernel=sobel:4", "3, 5"),
                ("kernels", "--kernel=sobel:3:2", "sigma"), ("kernels", "--algorithm=fast", "fast"),
                ("kernels", "--format=NV99", "NV99"), ("kernels", "--size=64", "WIDTHxHEIGHT"),
                ("kernels", "--size=0x64", "WIDTHxHEIGHT"), ("kernels", "--border=none", "none"),
                ("kernels", "--stride=3", "1, 2 or 4"), ("kernels", "--budget=0", "above 0"),
                ("kernels", "word", "word"), ("pipelines", "--kernel=box", "--kernel"),
                ("pipelines", "--only=all", "latency"), ("pipelines", "--only=decode", "FILE"),
                ("pipelines", "--size=64", "WIDTHxHEIGHT"), ("nothing", "", "kernels")):
            self.assertIn(words, run(command, option, status=2)[1], option)
        self.assertIn("256", run("pipelines", "--only=streams", "--streams=999", status=2)[1])

    def test_skipped_without_device(self):
        for command in ("kernels", "pipelines"):
            text, error = run(command, status=77, FAKE_CUDA="devices=0")
            self.assertEqual((text, error.count("\n")), ("", 1))

    def test_failures(self):
        self.assertIn("cuEventRecord", run("kernels", "--size=16x8", status=1,
                                           FAKE_CUDA="fail=cuEventRecord:3+:719")[1])
        self.assertIn("cuMemcpyHtoDAsync", run("kernels", "--size=9x9", status=1,
                                               FAKE_CUDA="fail=cuMemcpyHtoDAsync:1:719")[1])
        with tempfile.TemporaryDirectory() as empty:
            self.assertIn("GST_PLUGIN_PATH",
                          run("pipelines", status=1, GST_PLUGIN_PATH=empty,
                              GST_PLUGIN_SYSTEM_PATH=empty, GST_REGISTRY=f"{empty}/registry")[1])
        # only the element calls this function
        _, error = run("pipelines", "--size=16x8", status=1,
                       FAKE_CUDA="fail=cuStreamWaitEvent:9+:719")
        self.assertRegex(error, "pool: .*cuStreamWaitEvent")


class Rows(unittest.TestCase):
    def measure(self, *options, **environment):
        """Returns the run and the printed table."""
        text, table_text = run(*options, "--json=-", **environment)
        run_ = json.loads(text)
        for result in run_["results"]:
            self.assertLessEqual(result["least_us"], result["us"])
            self.assertLessEqual(result["us"], result["most_us"])
        return run_, table_text

    def test_all_combinations(self):
        run_, _ = self.measure("kernels", "--kernel=gaussian:3,sobel,box:9", "--algorithm=all",
                               "--format=GRAY8,NV12,GRAY16_LE", "--size=17x9,8x8")
        results = run_["results"]
        found = {(r["format"], r["width"], r["kernel"], r["algorithm"]) for r in results}
        wide = ALGORITHMS - {"register-tile"}
        in_float = {"direct", "tile-halo", "tile-cached", "scatter", "register-tile"}
        self.assertEqual(found, {
            (format_, width, kernel, algorithm)
            for format_ in ("GRAY8", "NV12", "GRAY16_LE") for width in (17, 8)
            for kernel, algorithms in (("gaussian 3x3", ALGORITHMS), ("sobel 3x3", ALGORITHMS),
                                       ("box 9x9", wide))
            for algorithm in algorithms | {"copy"}
            # sums of squares of 16 bits do not fit a float
            if (format_, kernel) != ("GRAY16_LE", "sobel 3x3") or algorithm not in in_float})
        self.assertEqual(len(found), len(results))
        self.assertEqual(sum("register-tile cannot run" in note for note in run_["notes"]), 6)

    def test_bytes(self):
        for options, read, written in (
                (("--format=GRAY8", "--kernel=box:3"), 17 * 9, 17 * 9),
                (("--format=GRAY16_LE", "--kernel=box:3"), 2 * 17 * 9, 2 * 17 * 9),
                (("--format=NV12", "--kernel=box:3"), 17 * 9 + 2 * 9 * 5, 17 * 9 + 2 * 9 * 5),
                (("--format=NV12-UV", "--kernel=box:3"), 2 * 9 * 5, 2 * 9 * 5),
                # an edge filter fills the chroma without reading it
                (("--format=NV12", "--kernel=sobel"), 17 * 9, 17 * 9 + 2 * 9 * 5),
                (("--format=GRAY8", "--kernel=box:3", "--stride=4"), 17 * 9, 5 * 3)):
            run_, _ = self.measure("kernels", "--size=17x9", "--algorithm=constant", *options)
            self.assertEqual({(r["bytes"], r["target_bytes"]) for r in run_["results"]},
                             {(read + written, written)}, options)

    def test_auto_names_algorithm(self):
        run_, _ = self.measure("kernels", "--size=16x8", "--algorithm=auto", "--format=GRAY8",
                               "--kernel=gaussian:5:1.2")
        self.assertEqual([(r["algorithm"], r["kernel"]) for r in run_["results"]],
                         [(a, "gaussian 5x5 sigma 1.2") for a in ("copy", "auto (tensor-core)")])

    def test_stride(self):
        run_, _ = self.measure("kernels", "--size=61x41", "--kernel=gaussian:3", "--format=GRAY8",
                               "--algorithm=all", "--border=constant", "--stride=2")
        self.assertEqual({(r["algorithm"], r["stride"], r["border"]) for r in run_["results"]},
                         {(name, 2, "constant") for name in ALGORITHMS - {"register-tile"} | {"copy"}})

    def test_coverage(self):
        """On the fake driver everything is as fast as a copy, so all targets are met."""
        run_, table = self.measure("coverage", "--size=16x8", "--format=GRAY8,YUY2,ARGB64")
        own = [r for r in run_["results"] if r["algorithm"].startswith("auto")]
        names = {r["kernel"] for r in own}
        self.assertEqual(len(own), 3 * len(names))
        self.assertLessEqual({"kirsch 3x3", "gaussian 9x9 sigma 2", "whole 15x15", "separable 3x3"},
                             names)
        kirsch = next(r for r in own if r["kernel"] == "kirsch 3x3")
        self.assertEqual((kirsch["side"], kirsch["matrices"]), (3, 8))
        self.assertEqual([v for v in run_["targets"] if not v["met"]], [])
        self.assertTrue("cvcuda" in run_ or "CV-CUDA is not measured" in table)

    def test_reach_alias(self):
        """The command coverage was called reach."""
        text, _ = run("reach", "--size=16x8", "--format=GRAY8", "--kernel=box:3", "--json=-", "--npp=/nowhere")
        self.assertEqual(json.loads(text)["kind"], "coverage")

    def test_former_algorithm_name(self):
        """The algorithm tensor-core was called sliding."""
        text, _ = run("kernels", "--size=16x8", "--format=GRAY8", "--kernel=box:3", "--algorithm=sliding", "--json=-",
                      "--npp=/nowhere")
        self.assertEqual([row["algorithm"] for row in json.loads(text)["results"]], ["copy", "tensor-core"])
        done = subprocess.run([f"{FOLDER}/cudaconv-bench-kernels", "--npp=/nowhere", "--once",
                               "GRAY8 16x8 box:3 algorithms=sliding"], capture_output=True, text=True, check=True)
        self.assertIn('"algorithm":"tensor-core"', done.stdout.replace(" ", ""))

    def test_choice_of_auto(self):
        """Checks the algorithm that auto chooses, and the number of launches. Three launches filter the components
        as planes."""
        expected = {
            "RGBA gaussian:5 1": ("auto (tensor-core)", 1),
            "YUY2 gaussian:15 1": ("auto (tensor-core)", 1),
            "RGB kirsch:3 1": ("auto (tensor-core)", 1),  # as luma
            "RGBA box:63 1": ("auto (tensor-core)", 1),
            "ARGB64 box:31 1": ("auto (tensor-core)", 1),
            "ARGB64 box:63 1": ("auto (tensor-core)", 3),  # too wide for interleaved pixels
            "ARGB64 whole:5 1": ("auto (tensor-core)", 1),
            "ARGB64 whole:13 1": ("auto (tensor-core)", 3),  # cheaper as planes
            "ARGB64 whole:9 1": ("auto (tensor-core)", 3),
            "ARGB64 whole:9 2": ("auto (tensor-core)", 1),  # planes would need four times the pixels of the result
            "RGBA separable:15 2": ("auto (tensor-core)", 3),
            "ARGB64 gaussian:15 4": ("auto (tensor-core)", 3),
            "RGBA separable:15 4": ("auto (tensor-core)", 1),
            "RGB gaussian:127 1": ("auto (tensor-core)", 1),
            "RGBA gaussian:127 1": ("auto (tensor-core)", 3),  # alpha is copied
            "GRAY8 gaussian:31:5 2": ("auto (tensor-core)", 2),  # filters all pixels, then drops some
            "ARGB64 gaussian:31:5 4": ("auto (two-pass)", 2)}  # cheaper
        cases = [case.split() for case in expected]
        done = subprocess.run(
            [f"{FOLDER}/cudaconv-bench-kernels", "--npp=/nowhere", "--once",
             *(f"{format_} 48x32 {kernel} stride={stride}"
               for format_, kernel, stride in cases)], capture_output=True, text=True, check=True)
        rows = [row for row in map(json.loads, done.stdout.splitlines()) if "launches" in row]
        self.assertEqual([(row["algorithm"], row["launches"]) for row in rows],
                         list(expected.values()))
        self.assertEqual({row["us"] for row in rows}, {0})  # --once does not time

    @unittest.skipUnless(shutil.which("gst-launch-1.0"), "no gst-launch-1.0")
    def test_launches_of_two_passes(self):
        """Luma and chroma of an edge filter have different zero values, so filtering the pixels takes two passes. That
        costs more than planes, which take three launches. Counts launches by the last one that can fail."""
        rows = [[(x * y + 3 * x + y * y) % 5 - 2 for x in range(15)] for y in range(15)]
        rows[7][7] -= sum(map(sum, rows))
        matrix = "; ".join(" ".join(map(str, row)) for row in rows)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(f"[wide]\nclass=edge\nresponse=absolute\nmatrix-15={matrix}\n")
            file.flush()
            for chroma, failing, status in (("neutral", 1, 1), ("neutral", 2, 0),
                                            ("filter", 3, 1), ("filter", 4, 0)):
                done = subprocess.run(
                    ["gst-launch-1.0", "-q", *(
                        # live, because gst-launch 1.22 waits forever after an error before its main loop runs
                        "videotestsrc is-live=true num-buffers=1 "
                        "! video/x-raw,format=AYUV,width=48,height=32 "
                        f"! cudaconv backend=cuda kernel-file={file.name} chroma={chroma} "
                        "! fakesink").split()], capture_output=True, text=True, check=False,
                    env={**os.environ, "FAKE_CUDA": f"fail=cuLaunchKernelEx:{failing}:700"})
                self.assertEqual((chroma, failing, done.returncode), (chroma, failing, status),
                                 done.stderr)

    def test_profile(self):
        """A fake ncu reports two launches for each cell that misses its target. It fails if the GRAY8 cell is among
        the cells. The other cells are profiled nevertheless."""
        rows = [{"format": format_, "width": 16, "height": 8, "kernel": kernel, "side": 3,
                 "matrices": matrices, "separable": 0, "stride": 1, "algorithm": name, "bytes": 256,
                 "us": us}
                for format_, kernel, matrices, own in (
                    ("RGBA", "kirsch 3x3", 8, 25), ("RGBA", "sobel 3x3", 2, 11),
                    ("GRAY8", "gaussian 9x9 sigma 1.7", 1, 40))
                for name, us in (("copy", 10), ("auto (tensor-core)", own))]
        counted = [
            ("cc_deinterleave_u8(CcLaunch)", {"instructions": "1,000", "issued": 20, "dram_bytes": 500,
                                        "ns": "1,000"}),
            ("cc_filter(CcLaunch)", {"instructions": "3,000", "issued": 60, "dram_bytes": 700,
                                     "ns": "3,000"})]
        lines = [["Kernel Name", *METRICS.values()], ["", *["unit"] * len(METRICS)]]
        for name, counts in counted:
            counts = dict.fromkeys(METRICS, 1) | {"hz": 1e9, "multiprocessors": 2} | counts
            lines.append([name, *(counts[metric] for metric in METRICS)])
        printed = ["==PROF== Connected", '{"device": "made up"}',
                   '{"launches": 2, "target_bytes": 512}',
                   *(",".join(f'"{cell}"' for cell in line) for line in lines)]
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/ncu", "w", encoding="utf-8") as script:
                script.write("\n".join([
                    "#!/bin/sh", f"for word; do echo \"$word\"; done >> {folder}/words",
                    "case \"$*\" in *GRAY8*) echo no such cell; exit 1;; esac",
                    "cat <<'END'", *printed, "END", ""]))
            os.chmod(f"{folder}/ncu", 0o755)
            with open(f"{folder}/coverage.json", "w", encoding="utf-8") as file:
                json.dump({"kind": "coverage", "complete": False, "device": "made up", "notes": [],
                           "results": rows}, file)
            done = subprocess.run(
                [f"{FOLDER}/cudaconv-bench", "profile", f"{folder}/coverage.json",
                 f"--json={folder}/out.json"], capture_output=True, text=True, check=False,
                env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            self.assertIn("kirsch 3x3, RGBA  40, 45", done.stdout)
            with open(f"{folder}/words", encoding="utf-8") as file:
                cases = [line.rstrip() for line in file if "16x8" in line]
            both = ["RGBA 16x8 kirsch:3", "GRAY8 16x8 gaussian:9:1.7"]
            self.assertEqual(cases, 2 * both)  # together, then one by one
            self.assertIn(f"{both[1]}: ncu: no such cell", done.stdout)
            with open(f"{folder}/out.json", encoding="utf-8") as file:
                found = json.load(file)["results"]
        self.assertEqual([row["kernel"] for row in found], ["kirsch 3x3"])
        row = found[0]
        self.assertEqual((row["kernels"], row["instructions"], row["dram_bytes"], row["issued"],
                          row["per_256_bytes"]), (["cc_deinterleave_u8", "cc_filter"], 4000, 1200, 50, 2000))
        # at 45 % of the copy rate a frame takes 22.2 us, in which 8 schedulers issue 177,800 instructions
        self.assertAlmostEqual(row["needed"], 100 * 4000 / (10 / 0.45 * 1e-6 * 1e9 * 8))

    def test_npp(self):
        run_, _ = self.measure("kernels", f"--npp={NPP_FOLDER}", "--algorithm=tensor-core,npp",
                               "--kernel=gaussian:3,gaussian:7,sobel-x,box:3", "--size=65x9",
                               "--format=GRAY8,NV12")
        self.assertEqual(run_["npp"], "NPP 13.0.1 (libnppif.so.13)")
        cases = [("GRAY8", "gaussian 3x3"), ("GRAY8", "sobel-x 3x3")]
        for name, field in (("npp", "us"), ("tensor-core", "times_npp")):
            self.assertEqual([(r["format"], r["kernel"]) for r in run_["results"]
                              if r["algorithm"] == name and field in r], cases)
        # the fake NPP refuses 7x7 with the status that NPP has for unsupported sizes
        self.assertEqual(run_["notes"].count("npp: NPP answers with status -33"), 1)

    def test_check(self):
        # on the fake driver everything takes 1 us, so a frame takes as long as a copy
        options = ("kernels", "--format=GRAY8", "--kernel=gaussian:3", "--check")
        run_, table = self.measure(*options, "--size=1920x1080", "--algorithm=tensor-core")
        self.assertEqual([t["measured"] for t in run_["targets"]], [1])
        self.assertIn("(target: at most 1.6)", table)
        run(*options, "--size=8x8", status=1)

    def test_all_paths(self):
        run_, table = self.measure("pipelines", "--only=paths,streams,latency", "--format=NV12",
                                   "--size=256x172", "--streams=3", FAKE_CUDA="devices=2")
        one = {r["path"]: r for r in run_["results"] if r["streams"] == 1}
        self.assertEqual(set(one) - PEERS, OWN_PATHS | LIMITS | {"live"})
        for peer in PEERS - set(one):
            self.assertIn(f"  {peer}: ", table)
        self.assertEqual([(r["path"], r["devices"]) for r in run_["results"] if r["streams"] == 3],
                         [("bus", 2), ("pool", 2)])
        for path in set(one) - {"kernel"}:
            frame, row = 256 * 172 * 3 // 2, one[path]
            self.assertEqual(row["bytes"], frame if path in ("bus-up", "bus-down") else 2 * frame)
        # each path is compared with the limit of the directions that its frames take
        for path, limit in (("pool", "bus"), ("own", "bus"), ("fresh", "bus"),
                            ("cuda-to-system", "bus-down"), ("system-to-cuda", "bus-up")):
            self.assertEqual(one[path]["bus_us"], one[limit]["us"])
        self.assertAlmostEqual(one["cuda"]["above_kernel_us"], one["cuda"]["us"] - one["kernel"]["us"])
        self.assertLessEqual(one["live"]["latency_ms"], one["live"]["worst_latency_ms"])
        self.assertEqual((one["live"]["in_flight"], one["pool"]["in_flight"] > 1), (1, True))
        # frames are large enough to be registered
        self.assertEqual(
            {path: (one[path]["memory_in"], one[path]["memory_out"]) for path in OWN_PATHS},
            {"pool": ("pinned pool", "pinned pool"), "own": ("registered", "pinned pool"),
             "chain-2": ("pinned pool", "CUDA memory"), "chain-5": ("pinned pool", "CUDA memory"),
             "fresh": ("staged: memory that has not been seen before", "pinned pool"),
             "cuda": ("CUDA memory", "CUDA memory"),
             "cuda-to-system": ("CUDA memory", "pinned pool"),
             "system-to-cuda": ("pinned pool", "CUDA memory")})

    def test_unsupported_frames(self):
        run_, table = self.measure("pipelines", "--format=GRAY8,NV12-Y", "--size=16x8",
                                   "--decode=/nowhere")
        self.assertEqual({r["path"] for r in run_["results"]} - PEERS,
                         LIMITS | {"pool", "chain-2", "chain-5", "own", "fresh"})
        self.assertIn("  cuda: no element takes GRAY8 of 16x8 in CUDA memory", table)
        self.assertIn("no frames of NV12-Y", table)
        self.assertIn("decode: no element \"nvh264dec\"", table)
        run("pipelines", "--only=decode", "--decode=/nowhere", "--check", status=1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
