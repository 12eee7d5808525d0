#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the options that scripts/configure.sh passes to Meson on machines with nvcc, and cuda/arch_flags.py to nvcc.

usage: test-configure.py C-COMPILER [OPTION...]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER = sys.argv[1:]
del sys.argv[1:]

NVCC = """#!/bin/sh
[ "$1" = --list-gpu-arch ] && printf 'compute_%s\\n' 50 75 80 86 90 120
"""
# writes its arguments to the build folder
MESON = r"""#!/bin/sh
if [ "$1" = introspect ]; then
  sed -n 's/.*-Dcuda-arch=\([^ ]*\).*/[{"name": "cuda-arch", "value": "\1"}]/p' "$3/build.ninja"
else
  mkdir -p "$2"
  echo "$@" >"$2/build.ninja"
fi
"""
DRIVER = """
#include <stdlib.h>
#include <string.h>
static const char *gpus(void) { return getenv("GPUS"); } /* "8.6 9.0" */
int cuInit(unsigned flags) { return strcmp(gpus(), "broken") ? 0 : 999; }
int cuDeviceGetCount(int *n) { *n = (int)(strlen(gpus()) + 1) / 4; return 0; }
int cuDeviceGetAttribute(int *value, int which, int device) {
  *value = gpus()[4 * device + 2 * (which - 75)] - '0';
  return 0;
}
"""


class Machine(unittest.TestCase):
    """A fake machine with nvcc, a driver, and the GPUs that the test chooses."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for name, text in (("nvcc", NVCC), ("meson", MESON)):
            (cls.folder / name).write_text(text)
            (cls.folder / name).chmod(0o755)
        (cls.folder / "driver.c").write_text(DRIVER)
        subprocess.run([*COMPILER, "-shared", "-fPIC", "-o", cls.folder / "libcuda.so.1",
                        cls.folder / "driver.c"], check=True)


class Configure(Machine):
    def environment(self, gpus):
        return {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "GPUS": gpus,
                "LD_LIBRARY_PATH": str(self.folder), "DESTDIR": ""}

    def configure(self, gpus, *words, **more):
        """Returns the name of the build folder, the options for Meson, and the messages."""
        with tempfile.TemporaryDirectory() as folder:
            env = self.environment(gpus) | more
            purpose = list(words[:1]) if words[:1] in (("--demo",), ("--install",)) else []
            done = subprocess.run([ROOT / "scripts/configure.sh", *purpose, f"{folder}/b",
                                   *words[len(purpose):]], env=env, text=True, check=True,
                                  capture_output=True)
            build = pathlib.Path(done.stdout.strip())
            command = (build / "build.ninja").read_text().split(maxsplit=2)  # setup, folder, options
            return build.name, "".join(command[2:]).strip(), done.stderr

    def test_gpus(self):
        """Compiles for the GPUs of the machine, each once."""
        self.assertEqual(self.configure("8.6 9.0 8.6")[:2], ("b", "-Dcuda-arch=sm_86 sm_90"))
        self.assertEqual(self.configure("8.6", "--demo")[:2], ("b", "-Dcuda-arch=sm_86"))

    def test_all(self):
        """Compiles for all generations if nvcc does not know a GPU, if a GPU is too old, and for packages."""
        for gpus in ("8.9", "6.1", "8.6 6.1"):
            self.assertEqual(self.configure(gpus)[:2], ("b", ""))
        self.assertEqual(self.configure("8.6", DESTDIR="/package")[:2], ("b", ""))

    def test_no_gpu(self):
        for gpus in ("", "broken"):
            build, options, messages = self.configure(gpus)
            self.assertEqual((build, options), ("b", "-Dcuda-arch=sm_80"))
            self.assertIn("MESON_OPTIONS=-Dcuda=disabled", messages)
            build, options, messages = self.configure(gpus, "--install")
            self.assertEqual((build, options), ("b", ""))
            self.assertIn("for all GPUs", messages)
            build, options, messages = self.configure(gpus, "--demo", "-Dbuildtype=debug")
            self.assertEqual((build, options), (
                "b-demo", "-Dbuildtype=debug -Dcuda=disabled -Dtests=disabled -Dbench=disabled"))
            self.assertIn("MESON_OPTIONS=-Dcuda=enabled", messages)

    def test_install_after_tests(self):
        """--install replaces the default of a build for tests by all GPUs, but not a choice of the user."""
        with tempfile.TemporaryDirectory() as folder:
            env = self.environment("")
            for name, options, action in (("default", [], "configure"), ("chosen", ["-Dcuda-arch=sm_80"], "setup")):
                for purpose in [], ["--install"]:
                    subprocess.run([ROOT / "scripts/configure.sh", *purpose, f"{folder}/{name}", *options], env=env,
                                   check=True, capture_output=True)
                command = pathlib.Path(folder, name, "build.ninja").read_text()
                self.assertEqual(command.split()[0], action)
            self.assertIn("-Dcuda-arch=\n", pathlib.Path(folder, "default", "build.ninja").read_text())

    def test_other_options(self):
        """A folder with other options is an error."""
        with tempfile.TemporaryDirectory() as folder:
            env = self.environment("")
            for options, status in ((["-Da=1", "-Db=2"], 0), (["-Da=1", "-Db=2"], 0), ([], 0), (["-Da=2"], 2)):
                done = subprocess.run([ROOT / "scripts/configure.sh", f"{folder}/b", *options], env=env, text=True,
                                      check=False, capture_output=True)
                self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn('MESON_OPTIONS="-Da=1 -Db=2" and not with "-Da=2"', done.stderr)

    def test_options_take_precedence(self):
        for option in ("-Dcuda=enabled", "-Dcuda-arch=sm_75", "-Dcuda-arch=", "-Ddevice-code=b"):
            self.assertEqual(self.configure("", "--demo", option)[:2], ("b", option))
            self.assertEqual(self.configure("8.6", option)[:2], ("b", option))


class ArchFlags(Machine):
    def flags(self, *words, status=0):
        done = subprocess.run([sys.executable, ROOT / "cuda/arch_flags.py", self.folder / "nvcc",
                               *words], text=True, check=False, capture_output=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr if status else done.stdout.splitlines()

    def test_spellings(self):
        wanted = ["-gencode=arch=compute_80,code=[sm_86,compute_80]"]
        for word in ("sm_86", "86", "8.6"):
            self.assertEqual(self.flags(word), wanted)
        wanted = ["-gencode=arch=compute_75,code=[sm_75]",
                  "-gencode=arch=compute_90,code=[sm_120,compute_90]"]
        for words in (["sm_75", "sm_120"], ["120 7.5"], ["75,12.0"], ["75;120", "75"]):
            self.assertEqual(self.flags(*words), wanted)

    def test_default(self):
        self.assertEqual(self.flags(), ["-gencode=arch=compute_75,code=[sm_75]",
                                        "-gencode=arch=compute_80,code=[sm_80,compute_80]",
                                        "-gencode=arch=compute_90,code=[sm_90,sm_120]"])

    def test_refused(self):
        for word in ("ampere", "sm_90a", "sm86", "compute_86", "60", "6.1", "native"):
            self.assertIn(f'"{word}" is not an architecture such as sm_90, 90 or 9.0, from sm_75 up',
                          self.flags(word, status=1))
        self.assertIn('does not know "sm_89"; it knows sm_75, sm_80, sm_86, sm_90, sm_120',
                      self.flags("sm_89", status=1))


class Variables(unittest.TestCase):
    """Variables of `make` reach the scripts unchanged."""

    def demo(self, *words, **env):
        done = subprocess.run(["make", "--no-print-directory", "-n", "demo", *words], cwd=ROOT, text=True, check=True,
                              stdout=subprocess.PIPE, env={**os.environ, **env})
        script = done.stdout[done.stdout.rindex("scripts/demo.sh"):].replace("scripts/demo.sh", "printf '%s\\n'", 1)
        done = subprocess.run(["sh", "-c", script], text=True, check=True, stdout=subprocess.PIPE, env={"build": "b"})
        return done.stdout.splitlines()

    def test_names(self):
        for name in ("it's a video.mp4", "$HOME/$(x) $$.mp4", "a;b&c|d>e.mp4", 'say "a" `b`.mp4', "a\\b#c,d).mp4"):
            self.assertEqual(self.demo(f"INPUT={name}")[2], name)
            self.assertEqual(self.demo(INPUT=name)[2], name)
            self.assertEqual(self.demo(f"OUTPUT={name}", f"PRESET={name}")[1:6], [name, "", name, "--preset", name])
        self.assertEqual(self.demo("BUILD=my $b")[1], "my $b/demo")

    def checked(self, *words, status=2):
        """Returns the messages of `make demo` for wrong variables. Checks that nothing was configured or built."""
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder, "b")
            # a build would fail here and leave its log
            env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
            pathlib.Path(folder, "meson").write_text("#!/bin/sh\nexit 1\n")
            pathlib.Path(folder, "meson").chmod(0o755)
            done = subprocess.run(["make", "--no-print-directory", "demo", f"BUILD={build}", *words], cwd=ROOT, text=True,
                                  check=False, stdin=subprocess.DEVNULL, capture_output=True, env=env)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual([path for path in build.rglob("*") if path.is_file()], [], done.stderr)
            return done.stderr

    def test_demo_is_checked_first(self):
        self.assertIn("KERNEL=sobell: there is no such kernel; the kernels are: identity box gaussian",
                      self.checked("KERNEL=sobell"))
        self.assertIn("PRESET=Sketchy: there is no such preset; the presets are: edges ", self.checked("PRESET=Sketchy"))
        self.assertIn("INPUT=no such.mp4: there is no such file", self.checked("INPUT=no such.mp4"))
        self.assertIn("INPUT=/usr: this is a folder", self.checked("INPUT=/usr"))
        self.assertIn("OUTPUT=/dev/null/x: this folder cannot be created", self.checked("OUTPUT=/dev/null/x"))

    def test_demo_accepts(self):
        for words in (["sobel", ""], ["nothing", "sketch"]):
            for source in ("", str(ROOT / "README.md"), "rtsp://camera/stream"):
                with tempfile.TemporaryDirectory() as folder:
                    subprocess.run([ROOT / "scripts/demo.sh", "check", f"{folder}/out", source, *words], cwd=ROOT, check=True)

    def test_results_of_demo(self):
        """Files with the same name and different extensions have different results."""
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder, "b")
            (build / "app").mkdir(parents=True)
            tool = build / "app/cudaconv"
            tool.write_text('#!/bin/sh\n[ "$1" != apply ] || for last; do :; done\n[ "$1" != apply ] || echo >"$last"\n')
            tool.chmod(0o755)
            for name in ("pic.bmp", "pic.webp", "a.b.mp4", "noending", "/dev/video0"):
                subprocess.run([ROOT / "scripts/demo.sh", build, f"{folder}/out", name, "sketch"], check=True,
                               stdout=subprocess.DEVNULL)
            self.assertEqual(sorted(os.listdir(f"{folder}/out")), [
                "a.b-mp4-sketch.mp4", "a.b-mp4-sketch.png", "noending-sketch.mp4", "noending-sketch.png",
                "pic-bmp-sketch.png", "pic-webp-sketch.png", "video0-sketch.mp4"])

    def test_no_folder(self):
        for name in ("", ".", "./", str(ROOT), "/"):
            done = subprocess.run(["make", "--no-print-directory", "-n", "clean", f"BUILD={name}"], cwd=ROOT,
                                  text=True, check=False, capture_output=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"BUILD={name}: name a folder that is only for the build", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
