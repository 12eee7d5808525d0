#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The doctor in all states of an installation, and wrong usages of the commands without options.

usage: test-doctor.py PROGRAM PLUGIN SYSTEM_PLUGINS CRASHES HANGS [STAND_IN]

PLUGIN is the plugin, SYSTEM_PLUGINS the folder of GStreamer's own, CRASHES and HANGS are files that
do so when they are loaded. STAND_IN is the folder of the stand-in for CUDA's driver: then only what
needs it is tested.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, PLUGIN, SYSTEM, CRASHES, HANGS = (pathlib.Path(sys.argv.pop(1)).resolve()
                                           for _ in range(5))
STAND_IN = sys.argv.pop(1) if len(sys.argv) > 1 else None
NAME = "libgstcudaconv.so"

# what the command needs for anything at all, as GStreamer 1.20 and later call it
NEEDED = ["libgstcoreelements.so", "libgstplayback.so", "libgstvideoconvert.so",
          "libgstvideoconvertscale.so"]


class Report:
    """What the doctor says."""

    def __init__(self, done):
        self.status, self.complaints = done.returncode, done.stderr
        self.lines = done.stdout.splitlines()
        self.text = f"{done.stdout}{done.stderr}"

    def find(self, mark, text):
        """The place of the line with a mark and a text in it, or None."""
        for place, line in enumerate(self.lines):
            if line.startswith(f"  {mark} ") and text in line:
                return place
        return None

    def count(self, mark):
        return sum(line.startswith(f"  {mark} ") for line in self.lines)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # the program without its build folder
        (self.folder / "bin").mkdir()
        self.program = self.folder / "bin" / "cudaconv"
        shutil.copy(PROGRAM, self.program)

    def make_folder(self, name, source=None, text=None):
        """A folder with a file named like the plugin."""
        (self.folder / name).mkdir()
        path = self.folder / name / NAME
        if text is None:
            shutil.copy(source, path)
        else:
            path.write_text(text, encoding="utf-8")
        return path

    def make_system(self, names):
        """A folder with some of GStreamer's plugins."""
        folder = self.folder / "system"
        folder.mkdir(exist_ok=True)
        for name in names:
            if (SYSTEM / name).exists() and not (folder / name).exists():
                (folder / name).symlink_to(SYSTEM / name)
        self.assertTrue((folder / "libgstcoreelements.so").exists())
        return folder

    def run_program(self, *arguments, program=None, system=True, **environment):
        """With few of GStreamer's plugins and nothing of the user's, so that it takes no time."""
        env = {name: value for name, value in os.environ.items()
               if not name.startswith(("GST_", "CUDACONV_", "CUDA_", "DISPLAY", "WAYLAND_"))}
        env.update({"GST_REGISTRY": str(self.folder / "registry"),
                    "XDG_DATA_HOME": str(self.folder / "data")})
        if system and "GST_PLUGIN_SYSTEM_PATH" not in environment:
            env["GST_PLUGIN_SYSTEM_PATH"] = str(self.make_system(NEEDED))
        env.update({name: str(value) for name, value in environment.items()})
        return subprocess.run([program or self.program, *arguments], env=env, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def examine(self, *arguments, **environment):
        return Report(self.run_program("doctor", *arguments, **environment))

    def assert_says(self, report, mark, text, *mends):
        """There is such a line, and the lines below it say what to do."""
        place = report.find(mark, text)
        self.assertIsNotNone(place, f"no \"{mark}\" with \"{text}\":\n{report.text}")
        below = []
        for line in report.lines[place + 1:]:
            if not line.startswith("     "):
                break
            below.append(line)
        for mend in mends:
            self.assertIn(mend, "\n".join(below))

    def assert_broken(self, report):
        self.assertEqual(report.status, 1, report.text)
        self.assertIn("cudaconv does not work here: see what is broken above.", report.lines)

    def assert_works(self, report):
        self.assertEqual(report.status, 0, report.text)
        self.assertEqual(report.count("broken"), 0)
        self.assertTrue(any(line.startswith("cudaconv works") for line in report.lines))


class Plugin(Case):
    def test_on_the_path(self):
        report = self.examine(GST_PLUGIN_PATH=PLUGIN.parent)
        self.assert_works(report)
        self.assert_says(report, "ok", f"from {PLUGIN} (GST_PLUGIN_PATH)")
        self.assert_says(report, "ok", "backend=auto filters on ")
        self.assert_says(report, "ok", "backend=cpu filters on cpu: ")
        self.assert_says(report, "-", f"GST_PLUGIN_PATH={PLUGIN.parent}")
        self.assertEqual(report.complaints, "")

    def test_beside_the_program(self):
        report = self.examine(program=PROGRAM)
        self.assert_works(report)
        self.assert_says(report, "ok", f"from {PLUGIN} (the build folder of this program)")

    def test_of_the_user(self):
        folder = self.folder / "data" / "gstreamer-1.0" / "plugins"
        folder.parent.mkdir(parents=True)
        folder.symlink_to(PLUGIN.parent)
        report = self.examine(system=False)
        self.assert_says(report, "ok", "(the user's folder)")

    def test_nowhere(self):
        report = self.examine()
        self.assert_broken(report)
        self.assert_says(report, "broken", f"element cudaconv: no {NAME} in ", "make install",
                         "export GST_PLUGIN_PATH=FOLDER")
        self.assertNotIn("Filtering", report.lines)

    def test_no_plugin_file(self):
        path = self.make_folder("broken", text="This is no library.\n")
        report = self.examine(GST_PLUGIN_PATH=path.parent)
        self.assert_broken(report)
        self.assert_says(report, "broken", f"GStreamer does not take {path} (GST_PLUGIN_PATH): ",
                         "build the file anew", f"rm {self.folder}/registry")
        self.assertIsNotNone(report.find("broken", "Opening module failed"))

    def test_one_that_crashes(self):
        path = self.make_folder("crashes", CRASHES)
        for _ in range(3):  # whether the scanner ends before GStreamer writes to it is chance
            (self.folder / "registry").unlink(missing_ok=True)
            report = self.examine(GST_PLUGIN_PATH=path.parent)
            self.assert_broken(report)
            self.assert_says(report, "broken", f"{path} (GST_PLUGIN_PATH): crashes (", "remove it")

    def test_one_that_hangs(self):
        path = self.make_folder("hangs", HANGS)
        start = time.monotonic()
        report = self.examine("--timeout=2", GST_PLUGIN_PATH=path.parent)
        self.assertLess(time.monotonic() - start, 45)
        self.assert_broken(report)
        self.assert_says(report, "broken", "hangs: no answer within 2 seconds", "remove it")
        self.assertIn("GStreamer waits for a plugin that does not load", report.complaints)

    def test_an_old_registry(self):
        """A library of the plugin was broken when GStreamer looked, and is not any more."""
        libraries = self.folder / "libraries"
        libraries.mkdir()
        (libraries / "libgstvideo-1.0.so.0").write_text("This is no library.\n", encoding="utf-8")
        self.run_program("--version", program="gst-inspect-1.0", LD_LIBRARY_PATH=libraries,
                         GST_PLUGIN_PATH=PLUGIN.parent)
        report = self.examine(GST_PLUGIN_PATH=PLUGIN.parent)
        self.assert_broken(report)
        self.assert_says(report, "broken", f"GStreamer does not take {PLUGIN} (GST_PLUGIN_PATH): "
                         "its registry says", f"rm {self.folder}/registry")
        (self.folder / "registry").unlink()
        self.assert_works(self.examine(GST_PLUGIN_PATH=PLUGIN.parent))

    def test_two(self):
        copy = self.make_folder("copy", PLUGIN)
        report = self.examine(GST_PLUGIN_PATH=f"{copy.parent}:{PLUGIN.parent}")
        self.assert_works(report)
        self.assert_says(report, "ok", f"from {copy} (GST_PLUGIN_PATH)")
        self.assert_says(report, "-", f"another copy is not in use: {PLUGIN} ", "remove")

    def test_one_in_two_ways(self):
        link = self.folder / "link"
        link.symlink_to(PLUGIN.parent)
        report = self.examine(GST_PLUGIN_PATH=f"{link}:{PLUGIN.parent}")
        self.assert_says(report, "ok", f"from {link}/{NAME} (GST_PLUGIN_PATH)")
        self.assertIsNone(report.find("-", "another copy"))

    def test_a_broken_one_in_front(self):
        broken = self.make_folder("broken", text="This is no library.\n")
        report = self.examine(GST_PLUGIN_PATH=f"{broken.parent}:{PLUGIN.parent}")
        self.assert_says(report, "ok", f"from {PLUGIN} ")
        self.assert_says(report, "missing", f"does not load: {broken} ", "remove it")

    def test_a_broken_one_of_others(self):
        system = self.make_system(NEEDED)
        (system / "libgstother.so").write_text("This is no library.\n", encoding="utf-8")
        report = self.examine(GST_PLUGIN_SYSTEM_PATH=system, GST_PLUGIN_PATH=PLUGIN.parent)
        self.assert_works(report)
        self.assert_says(report, "missing", f"does not take {system}/libgstother.so: ",
                         f"rm {self.folder}/registry")


class Surroundings(Case):
    def test_elements(self):
        report = self.examine(GST_PLUGIN_PATH=PLUGIN.parent)
        self.assert_works(report)
        self.assert_says(report, "ok", "open any file: uridecodebin")
        self.assert_says(report, "missing", "encode H.264: x264enc",
                         "Debian package gstreamer1.0-plugins-ugly")
        self.assert_says(report, "missing", "put pieces of films together: appsrc",
                         "Debian package gstreamer1.0-plugins-base")
        install = next(line for line in report.lines if "apt-get install" in line)
        for package in ("good", "bad", "ugly"):
            self.assertEqual(install.count(f"gstreamer1.0-plugins-{package}"), 1)

    def test_no_elements(self):
        system = self.make_system(NEEDED[:1])
        report = self.examine(GST_PLUGIN_SYSTEM_PATH=system, GST_PLUGIN_PATH=PLUGIN.parent)
        self.assert_broken(report)
        self.assert_says(report, "ok", "backend=cpu filters on cpu: ")
        self.assert_says(report, "broken", "open any file: uridecodebin",
                         "Debian package gstreamer1.0-plugins-base")

    def test_element_out_of_choice(self):
        system = self.make_system([*NEEDED, "libgstogg.so"])
        report = self.examine(GST_PLUGIN_SYSTEM_PATH=system, GST_PLUGIN_PATH=PLUGIN.parent)
        self.assert_says(report, "ok", "read Ogg: oggdemux")
        report = self.examine(GST_PLUGIN_SYSTEM_PATH=system, GST_PLUGIN_PATH=PLUGIN.parent,
                              GST_PLUGIN_FEATURE_RANK="oggdemux:NONE")
        self.assert_says(report, "missing", "oggdemux is there, but GStreamer does not choose it",
                         "GST_PLUGIN_FEATURE_RANK")

    def test_environment(self):
        report = self.examine(GST_PLUGIN_PATH=f"{PLUGIN.parent}:/nowhere", CUDACONV_CPU="nonsense",
                              CUDACONV_REGISTERED_LIMIT="4G")
        self.assert_works(report)
        self.assert_says(report, "missing", "GST_PLUGIN_PATH names /nowhere", "unset")
        self.assert_says(report, "missing", "CUDACONV_CPU=nonsense is ignored: it takes plain, c",
                         "unset it")
        self.assert_says(report, "missing", "CUDACONV_REGISTERED_LIMIT=4G: this is no number",
                         "1073741824")

    def test_display(self):
        report = self.examine(GST_PLUGIN_PATH=PLUGIN.parent)
        self.assert_says(report, "-", "no display: neither DISPLAY nor WAYLAND_DISPLAY is set")
        report = self.examine(GST_PLUGIN_PATH=PLUGIN.parent, DISPLAY=":7177")
        self.assert_says(report, "missing", "the display :7177 does not open", "ssh -X")

    def test_cuda_asked_for(self):
        """On a machine with a GPU its devices are hidden."""
        report = self.examine("--backend=cuda", GST_PLUGIN_PATH=PLUGIN.parent,
                              CUDA_VISIBLE_DEVICES="")
        self.assert_broken(report)
        place = report.find("broken", "backend=cuda: ")
        self.assertIsNotNone(place, report.text)
        self.assertTrue(report.lines[place + 1].startswith("     "), "nothing mends it")
        self.assert_says(report, "ok", "backend=auto filters on cpu: ")

    def test_cpu_asked_for(self):
        report = self.examine("--backend", "cpu", GST_PLUGIN_PATH=PLUGIN.parent,
                              CUDA_VISIBLE_DEVICES="")
        self.assert_works(report)


def list_commands():
    """The commands that the help names, in its order."""
    done = subprocess.run([PROGRAM, "--help"], check=True, stdout=subprocess.PIPE, text=True)
    return re.findall(r"^  ([a-z]+) .*  ", done.stdout, re.MULTILINE)


class Usage(Case):
    def assert_refused(self, arguments, *parts):
        done = self.run_program(*arguments, GST_PLUGIN_PATH=PLUGIN.parent,
                                GST_PLUGIN_SYSTEM_PATH=SYSTEM)
        with self.subTest(arguments=arguments):
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, "")
            for part in parts:
                self.assertIn(part, done.stderr)

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
        self.assert_refused(["doctor", "--timeout=0"], '--timeout "0": it takes 1 or more')
        self.assert_refused(["doctor", "--timeout=soon"], "--timeout", "soon")

    def test_nothing(self):
        done = self.run_program()
        self.assertEqual(done.returncode, 2)
        self.assertIn("Usage: cudaconv COMMAND", done.stdout)

    def test_help(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertIn("Usage: cudaconv COMMAND", done.stdout)
        for command in ("kernels", "presets", "doctor"):
            done = self.run_program(command, "--help", GST_PLUGIN_SYSTEM_PATH=SYSTEM)
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"cudaconv {command}", done.stdout)
        done = self.run_program("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^cudaconv \S+, GStreamer \S+\n$")


class StandIn(Case):
    """The states of CUDA's driver."""

    def examine_with(self, settings, *arguments):
        return self.examine(*arguments, GST_PLUGIN_PATH=PLUGIN.parent, FAKE_CUDA=settings,
                            LD_LIBRARY_PATH=STAND_IN)

    def test_works(self):
        report = self.examine_with("devices=2", "--backend=cuda")
        self.assert_works(report)
        self.assert_says(report, "ok", f"driver library: {STAND_IN}/libcuda.so.1, for CUDA ")
        self.assert_says(report, "ok", "device 0: Fake GPU 0, compute capability 9.0")
        self.assert_says(report, "ok", "device 1: Fake GPU 1, compute capability 9.0")
        self.assert_says(report, "ok", "backend=auto filters on cuda: Fake GPU 0; why: ")
        self.assert_says(report, "ok", "backend=cuda filters on cuda: Fake GPU 0")
        self.assert_says(report, "ok", "backend=cpu filters on cpu: ")

    def test_old_driver(self):
        report = self.examine_with("version=10020")
        self.assert_works(report)
        self.assert_says(report, "ok", "for CUDA 10.2")
        self.assert_says(report, "ok", "backend=auto filters on cpu: ")
        self.assert_says(report, "missing", "backend=cuda: the NVIDIA driver is too old",
                         "a newer driver")

    def test_no_device(self):
        report = self.examine_with("devices=0")
        self.assert_works(report)
        self.assert_says(report, "missing", "it sees no device", "nvidia-smi")
        self.assert_says(report, "missing", "backend=cuda: no CUDA device", "under GPU above")

    def test_driver_that_does_not_start(self):
        report = self.examine_with("init=999", "--backend=cuda")
        self.assert_broken(report)
        self.assert_says(report, "missing", "cuInit: CUDA_ERROR_UNKNOWN (999)", "nvidia-smi")
        self.assert_says(report, "broken", "backend=cuda: the NVIDIA driver does not start",
                         "under GPU above")

    def test_hidden_devices(self):
        report = self.examine(GST_PLUGIN_PATH=PLUGIN.parent, FAKE_CUDA="init=100",
                              LD_LIBRARY_PATH=STAND_IN, CUDA_VISIBLE_DEVICES="-1")
        self.assert_says(report, "missing", "cuInit: CUDA_ERROR_NO_DEVICE (100)",
                         "CUDA_VISIBLE_DEVICES hides all devices: unset it")

    def test_device_that_fails(self):
        report = self.examine_with("lost=cuLaunchKernelEx:1:719")
        self.assert_works(report)
        self.assert_says(report, "missing", "backend=auto filters on cpu: ", "CUDA cannot go on")
        self.assert_says(report, "missing", "backend=cuda: cuLaunchKernelEx: CUDA_ERROR_LAUNCH_FAILED",
                         "nvidia-smi")

    def test_no_memory(self):
        report = self.examine_with("memory=0")
        self.assert_works(report)
        self.assert_says(report, "missing", "backend=cuda: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY",
                         "end other programs")


if STAND_IN:
    unittest.main(defaultTest="StandIn")
del StandIn
unittest.main()
