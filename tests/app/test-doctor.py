#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command doctor in all states of an installation, and wrong usages of the commands that take no arguments.

usage: test-doctor.py PROGRAM PLUGIN SYSTEM_PLUGINS CRASHES HANGS PRINTS [STAND_IN]

PLUGIN is the plugin, and SYSTEM_PLUGINS the folder of GStreamer's plugins. CRASHES, HANGS and PRINTS are libraries that
do so when they are loaded. With STAND_IN, the folder of the fake CUDA driver, only the tests that need it run.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, PLUGIN, SYSTEM, CRASHES, HANGS, PRINTS = (pathlib.Path(sys.argv.pop(1)).resolve()
                                                   for _ in range(6))
STAND_IN = sys.argv.pop(1) if len(sys.argv) > 1 else None
NAME = "libgstcudaconv.so"
MARKS = ("ok", "missing", "broken", "-")

# the plugins that every command needs, under their names in GStreamer 1.20 and later
NEEDED = ["libgstcoreelements.so", "libgstplayback.so", "libgstvideoconvert.so",
          "libgstvideoconvertscale.so"]


class Report:
    """The output of doctor as text and as JSON, in the same state."""

    def __init__(self, done, done_as_json):
        self.status, self.errors = done.returncode, done.stderr.decode(errors="replace")
        self.lines = done.stdout.decode().splitlines()
        self.text = done.stdout.decode() + self.errors
        self.status_of_json = done_as_json.returncode
        self.json = json.loads(done_as_json.stdout.decode())

    def find(self, mark, text):
        """The number of the line with this mark and text, or None."""
        for number, line in enumerate(self.lines):
            if line.startswith(f"  {mark} ") and text in line:
                return number
        return None

    def has_row(self, text):
        return any(line[2:11].strip() in MARKS and line[11:] == text for line in self.lines)

    def list_differences(self):
        """The facts that only one of the two outputs has."""
        data, rows = self.json, []
        plugin, gpu = data["plugin"], data["gpu"]
        rows.append(plugin["error"] or f"element cudaconv {plugin['version']}: {plugin['file']}")
        rows += [f"driver: {gpu['driver']}"] if gpu["driver"] else []
        rows += [f"device {i}: {device}" for i, device in enumerate(gpu["devices"])]
        rows += [gpu["error"]] if gpu["error"] else []
        for name, backend in data["backends"].items():
            if plugin["error"]:
                continue
            rows.append(f"backend={name}: {backend['error']}" if backend["error"] else
                        f"backend={name} filters on {backend['runs']}: {backend['device']}; "
                        f"why: {backend['reason']}")
        found = [row for row in data["elements"] if row["found"]]
        rows += [f"{row['purpose']}: {row['found']}" for row in found]
        missing = [f"{row['purpose']}: {' or '.join(row['elements'])}; " for row in data["elements"] if not row["found"]]
        versions = data["versions"]
        head = (f"cudaconv {versions['cudaconv']}, GStreamer {versions['gstreamer']}, "
                f"GLib {versions['glib']}, {versions['system']}")
        fixes = [f"To fix it: {fix}" for fix in data["fixes"]]
        return ([row for row in rows if not self.has_row(row)]
                + [row for row in missing if not any(row in line for line in self.lines)]
                + [line for line in self.lines if line[2:11].strip() in MARKS and line.startswith("  ")
                   and line[11:] not in rows and not any(row in line for row in missing)]
                + [line for line in [head, *fixes] if line not in self.lines]
                + [line for line in self.lines if line.startswith("To fix") and line not in fixes])


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # a copy of the program outside of its build folder
        (self.folder / "bin").mkdir()
        self.program = self.folder / "bin" / "cudaconv"
        shutil.copy(PROGRAM, self.program)

    def make_folder(self, name, source=None, text=None):
        """Makes a folder with a file that has the plugin's name."""
        (self.folder / name).mkdir()
        path = self.folder / name / NAME
        if text is None:
            shutil.copy(source, path)
        else:
            path.write_text(text, encoding="utf-8")
        return path

    def make_system(self, names):
        """Makes a folder with some of GStreamer's plugins."""
        folder = self.folder / "system"
        folder.mkdir(exist_ok=True)
        for name in names:
            if (SYSTEM / name).exists() and not (folder / name).exists():
                (folder / name).symlink_to(SYSTEM / name)
        self.assertTrue((folder / "libgstcoreelements.so").exists())
        return folder

    def run_program(self, *arguments, program=None, system=True, **environment):
        """Runs a program with few of GStreamer's plugins and no files of the user, so that it starts fast."""
        env = {name: value for name, value in os.environ.items()
               if not name.startswith(("GST_", "CUDACONV_", "CUDA_", "DISPLAY", "WAYLAND_"))}
        env.update({"GST_REGISTRY": str(self.folder / "registry"),
                    "XDG_DATA_HOME": str(self.folder / "data")})
        if system and "GST_PLUGIN_SYSTEM_PATH" not in environment:
            env["GST_PLUGIN_SYSTEM_PATH"] = str(self.make_system(NEEDED))
        env.update({name: str(value) for name, value in environment.items()})
        return subprocess.run([program or self.program, *arguments], env=env, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def examine(self, *arguments, **environment):
        """Runs doctor with and without --json, and checks that both report the same."""
        report = Report(self.run_program("doctor", *arguments, **environment),
                        self.run_program("doctor", "--json", *arguments, **environment))
        self.assertEqual(report.list_differences(), [], report.text)
        self.assertEqual(report.status_of_json, report.status)
        self.assertEqual(report.json["works"], report.status == 0)
        return report

    def assert_says(self, report, mark, text, *fixes):
        """Checks that there is a line with this mark and text, and that the next line has the fix."""
        number = report.find(mark, text)
        self.assertIsNotNone(number, f"no \"{mark}\" with \"{text}\":\n{report.text}")
        for fix in fixes:
            self.assertRegex(report.lines[number + 1], rf"^ {{11}}fix: .*{re.escape(fix)}")

    def assert_broken(self, report, backend="auto"):
        self.assertEqual(report.status, 1, report.text)
        self.assertIn(f"cudaconv does not work with backend={backend}.", report.lines)
        self.assertNotEqual(report.json["fixes"], [])
        self.assertNotIn("apt-get", report.text)

    def assert_works(self, report, backend="auto"):
        self.assertEqual(report.status, 0, report.text)
        self.assertFalse(any(line.startswith("  broken") for line in report.lines))
        self.assertIn(f"cudaconv works with backend={backend}.", report.lines)
        self.assertEqual(report.json["fixes"], [])


class Plugin(Case):
    def test_on_the_path(self):
        report = self.examine(GST_PLUGIN_PATH=PLUGIN.parent)
        self.assert_works(report)
        self.assert_says(report, "ok", f": {PLUGIN}")
        self.assert_says(report, "ok", "backend=auto filters on ")
        self.assert_says(report, "ok", "backend=cpu filters on cpu: ")
        self.assertTrue(report.json["plugin"]["found"])
        self.assertEqual(report.json["backends"]["cpu"]["runs"], "cpu")
        self.assertEqual(report.errors, "")

    def test_beside_the_program(self):
        report = self.examine(program=PROGRAM)
        self.assert_works(report)
        self.assert_says(report, "ok", f": {PLUGIN}")

    def test_nowhere(self):
        report = self.examine(GST_PLUGIN_PATH=self.folder)
        self.assert_broken(report)
        self.assert_says(report, "broken", f"there is no {NAME} in GST_PLUGIN_PATH ({self.folder})",
                         "make install")
        self.assertNotIn("Backends", report.lines)
        self.assertFalse(report.json["plugin"]["found"])
        self.assertEqual(report.json["fixes"], [report.json["plugin"]["fix"]])
        for backend in report.json["backends"].values():
            self.assertFalse(backend["works"])

    def test_no_plugin_file(self):
        path = self.make_folder("broken", text="This is not a library.\n")
        report = self.examine(GST_PLUGIN_PATH=path.parent)
        self.assert_broken(report)
        self.assert_says(report, "broken", "Opening module failed", "rebuild the file or copy it again",
                         f"rm {self.folder}/registry")
        self.assertTrue(report.json["plugin"]["found"])
        self.assertEqual(report.json["plugin"]["file"], str(path))

    def test_plugin_crashes(self):
        path = self.make_folder("crashes", CRASHES)
        for _ in range(3):  # three times, because the scanner may end before or after GStreamer writes to it
            (self.folder / "registry").unlink(missing_ok=True)
            report = self.examine(GST_PLUGIN_PATH=path.parent)
            self.assert_broken(report)
            self.assert_says(report, "broken", f"{path} crashes (", "remove it")

    def test_plugin_hangs(self):
        path = self.make_folder("hangs", HANGS)
        start = time.monotonic()
        report = self.examine("--timeout=2", GST_PLUGIN_PATH=path.parent)
        self.assertLess(time.monotonic() - start, 45)
        self.assert_broken(report)
        self.assert_says(report, "broken", f"{path} hangs: no answer within 2 seconds", "remove it")
        self.assertIn("a plugin hangs while GStreamer loads it", report.errors)

    def test_plugin_prints(self):
        path = self.make_folder("prints", PRINTS)
        report = self.examine("--timeout=20", GST_PLUGIN_PATH=path.parent)
        self.assert_broken(report)
        self.assertNotIn("hangs", report.text)
        self.assertEqual(report.json["plugin"]["file"], str(path))

    def test_other_plugin_hangs(self):
        system = self.make_system(NEEDED)
        shutil.copy(HANGS, system / "libgstother.so")
        report = self.examine("--timeout=2", GST_PLUGIN_SYSTEM_PATH=system,
                              GST_PLUGIN_PATH=PLUGIN.parent)
        self.assert_works(report)
        self.assertIn("a plugin hangs while GStreamer loads it", report.errors)

    def test_old_registry(self):
        """A library that the plugin needs was broken when GStreamer scanned its plugins, and works now."""
        libraries = self.folder / "libraries"
        libraries.mkdir()
        (libraries / "libgstvideo-1.0.so.0").write_text("This is not a library.\n", encoding="utf-8")
        self.run_program("--version", program="gst-inspect-1.0", LD_LIBRARY_PATH=libraries,
                         GST_PLUGIN_PATH=PLUGIN.parent)
        report = self.examine(GST_PLUGIN_PATH=PLUGIN.parent)
        self.assert_broken(report)
        self.assert_says(report, "broken", f"{PLUGIN} loads now, but did not when GStreamer scanned its plugins",
                         f"rm {self.folder}/registry")
        (self.folder / "registry").unlink()
        self.assert_works(self.examine(GST_PLUGIN_PATH=PLUGIN.parent))


class Json(Case):
    def test_names_that_are_not_utf8(self):
        """A name in Latin-1 is not UTF-8, and JSON has to be."""
        for name, text in ((b"Gr\xf6\xdfe", "Gr\ufffd\ufffde"), ("Größe".encode(), "Größe")):
            with self.subTest(name=name):
                self.make_folder(os.fsdecode(name), PLUGIN)
                report = self.examine(GST_PLUGIN_PATH=self.folder / os.fsdecode(name),
                                      LC_ALL="C.UTF-8")
                self.assert_works(report)
                self.assertEqual(report.json["plugin"]["file"], f"{self.folder}/{text}/{NAME}")

    def test_plugin_in_such_a_folder_that_does_not_load(self):
        folder = os.fsdecode(b"\xff")
        self.make_folder(folder, text="This is not a library.\n")
        report = self.examine(GST_PLUGIN_PATH=self.folder / folder, LC_ALL="C.UTF-8")
        self.assert_broken(report)
        self.assertIn("Opening module failed", report.json["plugin"]["error"])

    def test_other_locale(self):
        """JSON is UTF-8 in every locale."""
        path = self.make_folder("Größe", PLUGIN)
        done = self.run_program("doctor", "--json", GST_PLUGIN_PATH=path.parent, LC_ALL="C")
        self.assertEqual(json.loads(done.stdout.decode())["plugin"]["file"], str(path))


class System(Case):
    def test_elements(self):
        report = self.examine(GST_PLUGIN_PATH=PLUGIN.parent)
        self.assert_works(report)
        self.assert_says(report, "ok", "open any file: uridecodebin")
        self.assert_says(report, "missing", "encode H.264: x264enc or openh264enc; optional, "
                         "Debian package gstreamer1.0-plugins-ugly")
        install = next(line for line in report.lines if "apt-get install" in line)
        for package in ("base", "good", "bad", "ugly"):
            self.assertEqual(install.split().count(f"gstreamer1.0-plugins-{package}"), 1)
        rows = {row["purpose"]: row for row in report.json["elements"]}
        self.assertEqual(rows["encode H.264"],
                         {"purpose": "encode H.264", "elements": ["x264enc", "openh264enc"],
                          "found": None, "package": "gstreamer1.0-plugins-ugly", "needed": False})
        self.assertEqual(rows["open any file"]["found"], "uridecodebin")
        self.assertTrue(rows["open any file"]["needed"])

    def test_any_of_several_elements(self):
        system = self.make_system([*NEEDED, "libgstopenh264.so"])
        report = self.examine(GST_PLUGIN_SYSTEM_PATH=system, GST_PLUGIN_PATH=PLUGIN.parent)
        if not (system / "libgstopenh264.so").exists():
            self.skipTest("there is no openh264enc")
        self.assert_says(report, "ok", "encode H.264: openh264enc")

    def test_no_elements(self):
        system = self.make_system(NEEDED[:1])
        report = self.examine(GST_PLUGIN_SYSTEM_PATH=system, GST_PLUGIN_PATH=PLUGIN.parent)
        self.assert_broken(report)
        self.assert_says(report, "ok", "backend=cpu filters on cpu: ")
        self.assert_says(report, "broken",
                         "open any file: uridecodebin; Debian package gstreamer1.0-plugins-base")
        self.assertEqual(report.json["fixes"],
                         ["install the Debian package gstreamer1.0-plugins-base, which has " + element
                          for element in ("uridecodebin", "videoconvert")])

    def test_backend_cuda(self):
        """The devices are hidden, so the result is the same on a machine with a GPU."""
        report = self.examine("--backend=cuda", GST_PLUGIN_PATH=PLUGIN.parent,
                              CUDA_VISIBLE_DEVICES="")
        self.assert_broken(report, "cuda")
        self.assert_says(report, "broken", "backend=cuda: ")
        self.assertFalse(report.json["gpu"]["usable"])
        self.assertEqual(report.json["fixes"], [report.json["gpu"]["fix"]])
        self.assert_says(report, "ok", "backend=auto filters on cpu: ")
        # packages of missing elements are not named, because they would not fix the failure
        self.assert_says(report, "missing", "encode H.264: x264enc or openh264enc; optional")
        self.assertNotIn("gstreamer1.0-", report.text)

    def test_backend_cpu(self):
        report = self.examine("--backend", "cpu", GST_PLUGIN_PATH=PLUGIN.parent,
                              CUDA_VISIBLE_DEVICES="")
        self.assert_works(report, "cpu")

    def make_driver(self, library):
        folder = self.folder / "driver"
        folder.mkdir()
        shutil.copy(library, folder / "libcuda.so.1")
        return folder

    def test_driver_that_crashes(self):
        driver = self.make_driver(CRASHES)
        report = self.examine("--backend=cuda", GST_PLUGIN_PATH=PLUGIN.parent,
                              LD_LIBRARY_PATH=driver)
        self.assert_broken(report, "cuda")
        self.assert_says(report, "broken", "the driver crashes (", "nvidia-smi")
        self.assert_says(report, "ok", "backend=cpu filters on cpu: ")
        self.assertEqual(report.json["fixes"], [report.json["gpu"]["fix"]])

    def test_driver_that_hangs(self):
        driver = self.make_driver(HANGS)
        start = time.monotonic()
        report = self.examine("--backend=cpu", "--timeout=2", GST_PLUGIN_PATH=PLUGIN.parent,
                              LD_LIBRARY_PATH=driver)
        self.assertLess(time.monotonic() - start, 45)
        self.assert_works(report, "cpu")
        self.assert_says(report, "missing", "the driver hangs: no answer within 2 seconds",
                         "nvidia-smi")


def list_commands():
    """The commands in the help, in its order."""
    done = subprocess.run([PROGRAM, "--help"], check=True, stdout=subprocess.PIPE, text=True)
    return re.findall(r"^  ([a-z]+) .*  ", done.stdout, re.MULTILINE)


class Usage(Case):
    def assert_refused(self, arguments, *parts):
        done = self.run_program(*arguments, GST_PLUGIN_PATH=PLUGIN.parent,
                                GST_PLUGIN_SYSTEM_PATH=SYSTEM)
        with self.subTest(arguments=arguments):
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, b"")
            for part in parts:
                self.assertIn(part, done.stderr.decode())

    def test_refusals(self):
        commands = list_commands()
        self.assertGreater(len(commands), 3)
        names = f"there are: {', '.join(sorted(commands))}\n"
        self.assert_refused(["aply"], 'no command "aply"', names)
        self.assert_refused([""], 'no command ""', names)
        self.assert_refused(["--kernel=sobel"], 'no command "--kernel=sobel"', names)
        for command in ("kernels", "presets", "doctor"):
            self.assert_refused([command, "one"], "expected no argument, got 1 argument",
                                f"cudaconv {command} --help")
            self.assert_refused([command, "one", "two"], "expected no argument, got 2 arguments")
            self.assert_refused([command, "--nonsense"], "--nonsense", f"cudaconv {command} --help")
            self.assert_refused([command, "-z"], "-z")
        self.assert_refused(["doctor", "--backend=gpu"], '--backend "gpu"', "auto, cuda, cpu")
        self.assert_refused(["doctor", "--backend"], "--backend")
        self.assert_refused(["doctor", "--json", "--backend=gpu"], '--backend "gpu"')
        self.assert_refused(["doctor", "--probe=nonsense"])
        self.assert_refused(["doctor", "--timeout=0"], '--timeout "0": expected 1 or more')
        self.assert_refused(["doctor", "--timeout=soon"], "--timeout", "soon")

    def test_nothing(self):
        done = self.run_program()
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"Usage: cudaconv COMMAND", done.stdout)

    def test_help(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertIn(b"Usage: cudaconv COMMAND", done.stdout)
        for command in ("kernels", "presets", "doctor"):
            done = self.run_program(command, "--help", GST_PLUGIN_SYSTEM_PATH=SYSTEM)
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"cudaconv {command}", done.stdout.decode())
        done = self.run_program("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout.decode(), r"^cudaconv \S+, GStreamer \S+\n$")


class StandIn(Case):
    """The states of the CUDA driver."""

    def examine_with(self, settings, *arguments):
        return self.examine(*arguments, GST_PLUGIN_PATH=PLUGIN.parent, FAKE_CUDA=settings,
                            LD_LIBRARY_PATH=STAND_IN)

    def test_works(self):
        report = self.examine_with("devices=2", "--backend=cuda")
        self.assert_works(report, "cuda")
        self.assert_says(report, "ok", f"driver: {STAND_IN}/libcuda.so.1, for CUDA ")
        self.assert_says(report, "ok", "backend=auto filters on cuda: Fake GPU 0; why: ")
        self.assert_says(report, "ok", "backend=cuda filters on cuda: Fake GPU 0")
        self.assert_says(report, "ok", "backend=cpu filters on cpu: ")
        self.assert_says(report, "missing", "decode H.264 on the GPU: nvh264dec; optional, Debian")
        self.assertTrue(report.json["gpu"]["usable"])
        self.assertEqual(report.json["gpu"]["devices"],
                         [f"Fake GPU {i}, compute capability 9.0" for i in (0, 1)])

    def test_old_driver(self):
        report = self.examine_with("version=10020")
        self.assert_works(report)
        self.assert_says(report, "ok", "for CUDA 10.2")
        self.assert_says(report, "missing", "the NVIDIA driver is too old", "a newer driver")
        self.assert_says(report, "ok", "backend=auto filters on cpu: ")
        self.assert_says(report, "missing", "backend=cuda: the NVIDIA driver is too old")
        self.assertFalse(report.json["gpu"]["usable"])

    def test_no_device(self):
        report = self.examine_with("devices=0")
        self.assert_works(report)
        self.assert_says(report, "missing", "the driver sees no device", "nvidia-smi")
        self.assert_says(report, "missing", "backend=cuda: no CUDA device")

    def test_driver_that_does_not_start(self):
        report = self.examine_with("init=999", "--backend=cuda")
        self.assert_broken(report, "cuda")
        self.assert_says(report, "broken", "cuInit: CUDA_ERROR_UNKNOWN (999)", "nvidia-smi")
        self.assert_says(report, "broken", "backend=cuda: the NVIDIA driver does not start")
        self.assertEqual(report.json["fixes"], [report.json["gpu"]["fix"]])

    def test_hidden_devices(self):
        for visible in ("-1", "", "NoDevFiles"):
            report = self.examine(GST_PLUGIN_PATH=PLUGIN.parent, FAKE_CUDA="init=100",
                                  LD_LIBRARY_PATH=STAND_IN, CUDA_VISIBLE_DEVICES=visible)
            self.assert_says(report, "missing", "CUDA_VISIBLE_DEVICES hides all devices",
                             "unset CUDA_VISIBLE_DEVICES")

    def test_device_that_fails(self):
        report = self.examine_with("lost=cuLaunchKernelEx:1:719")
        self.assert_works(report)
        self.assert_says(report, "ok", "backend=auto filters on cpu: ")
        self.assert_says(report, "missing", "backend=cuda: cuLaunchKernelEx: CUDA_ERROR_LAUNCH_FAILED",
                         "nvidia-smi")
        self.assertIn("CUDA_ERROR_LAUNCH_FAILED", report.json["backends"]["auto"]["reason"])

    def test_no_memory(self):
        report = self.examine_with("memory=0")
        self.assert_works(report)
        self.assert_says(report, "missing", "backend=cuda: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY",
                         "end other programs")


if STAND_IN:
    unittest.main(defaultTest="StandIn")
del StandIn
unittest.main()
