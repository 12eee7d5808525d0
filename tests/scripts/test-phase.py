#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that scripts/phase.sh prints a line for a phase, and the end of the output if the phase fails."""

import contextlib
import os
import pathlib
import pty
import re
import signal
import subprocess
import tempfile
import time
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "phase.sh"


class Phase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name, "build")

    def run_phase(self, text, status=0, **env):
        """Runs a phase. Returns the lines of standard output and standard error."""
        done = subprocess.run([SCRIPT, self.build, "compiling", "sh", "-c", text], text=True, check=False, timeout=20,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "V": "", **env})
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout.splitlines()

    def log(self):
        return (self.build / "make.log").read_text()

    def test_line(self):
        """Prints one line with the progress of ninja or meson test. The log has the output of all phases."""
        for text, line in (("echo '[1/2] one'; echo '[2/2] two'", "compiling: 2 of 2 steps, N s"),
                           ("echo ' 12/93 cudaconv:unit / plan OK'", "compiling: 12 of 93 steps, N s"),
                           ("echo no progress", "compiling: N s")):
            said = self.run_phase(text)
            self.assertEqual([re.sub(r"\d+ s$", "N s", got) for got in said], [line])
        self.assertEqual(self.run_phase("echo ninja: no work to do."), [])
        for text in "[2/2] two", "no progress":
            self.assertIn(text, self.log())

    def test_failure(self):
        """Prints the messages of the compiler or the last lines, and the name of the log."""
        said = self.run_phase("seq 100; echo 'FAILED: a.o'; echo 'a.c:1: error: b'; exit 3", status=3)
        self.assertEqual(said[:2], ["FAILED: a.o", "a.c:1: error: b"])
        self.assertIn(str(self.build / "make.log"), said[-1])
        said = self.run_phase("seq 100; exit 1", status=1)
        self.assertEqual(said[:-1], [str(n) for n in range(81, 101)])

    def test_all_of_it(self):
        self.assertEqual(self.run_phase("echo one; echo two; exit 4", status=4, V="1"), ["one", "two"])

    def test_no_folder(self):
        self.build.touch()
        done = subprocess.run([SCRIPT, self.build, "compiling", "true"], text=True, check=False,
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^.*/build/make.log cannot be written by .*BUILD=FOLDER")

    def test_killed(self):
        """The line is not updated after the script was killed."""
        terminal, other_end = pty.openpty()
        with subprocess.Popen([SCRIPT, self.build, "compiling", "sleep", "1"], stdout=other_end,
                              stderr=other_end) as process:
            os.close(other_end)
            os.read(terminal, 1000)
            process.kill()
        start = time.monotonic()
        with contextlib.suppress(OSError):  # the other end is closed
            while os.read(terminal, 1000):
                self.assertLess(time.monotonic() - start, 10)
        os.close(terminal)

    def test_terminal(self):
        """The line is updated while the phase runs, and Ctrl-C ends the phase at once."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(SCRIPT, [SCRIPT, self.build, "compiling", "sh", "-c", "echo '[1/9] one'; sleep 60; echo on"])
        said = b""
        while not re.search(rb"compiling: 11 %, 1 of 9 steps, \d\.\d a second, \d:\d\d left", said):
            said += os.read(terminal, 1000)
        start = time.monotonic()
        os.write(terminal, b"\x03")
        _, status = os.waitpid(pid, 0)
        self.assertLess(time.monotonic() - start, 10)
        self.assertIn(os.waitstatus_to_exitcode(status), (130, -signal.SIGINT))
        self.assertNotIn("\non\n", self.log())
        os.close(terminal)


if __name__ == "__main__":
    unittest.main(verbosity=2)
