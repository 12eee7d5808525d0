#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that scripts/tiers.py counts results, reports failures, and stops at its limit."""

import contextlib
import io
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
import tiers  # noqa: E402


class Tiers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.summary = tiers.Summary()

    def close(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = self.summary.close()
        return status, said.getvalue()

    def test_log_of_meson(self):
        log = self.folder / "testlog.json"
        rows = [("good", "OK", 3.25), ("bad", "FAIL", 2), ("slow", "TIMEOUT", 9), ("not here", "SKIP", 0)]
        log.write_text("".join(json.dumps({"name": name, "result": result, "duration": seconds, "stdout": f"{name} says"})
                               + "\n" for name, result, seconds in rows))
        with contextlib.redirect_stdout(io.StringIO()):
            self.summary.count_tests("release", log)
        status, said = self.close()
        self.assertEqual(status, 1)
        self.assertEqual(said.splitlines()[-1], "1 passed, 2 failed, 1 skipped")
        self.assertLess(said.index("9.0 s  release: slow"), said.index("3.2 s  release: good"))
        for text in "release: bad: FAIL after 2 s", "bad says", "slow says":
            self.assertIn(text, said[said.index("== failures"):])
        self.assertNotIn("good says", said)
        self.assertIn("\nskipped 1: not here says\n", said)

    def test_failure_of_meson(self):
        """Meson itself fails after some tests."""
        log = self.folder / "testlog.json"
        log.write_text(json.dumps({"name": "good", "result": "OK", "duration": 1}) + "\n")
        with contextlib.redirect_stdout(io.StringIO()):
            self.summary.count_tests("release", log, 2)
        status, said = self.close()
        self.assertEqual((status, said.splitlines()[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("meson test exited with status 2", said)

    def test_exception_in_section(self):
        """The next sections run nevertheless."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.summary.section("broken", json.loads, "{")
            self.summary.section("good", self.summary.must, "true")
        status, said = self.close()
        self.assertEqual(status, 1)
        self.assertIn("JSONDecodeError", said)
        self.assertIn("good", said)

    def test_reasons(self):
        for said, reason in (("a.c: skipped, no device", "no device"), ("skipped: no valgrind\nbye", "no valgrind"),
                             ("ok 1 /a # SKIP no server\n# End", "no server"), ("no more", "no more"),
                             ("", "no reason given")):
            self.assertEqual(tiers.reason_of({"stdout": said}), reason)

    def test_no_results(self):
        (self.folder / "empty").touch()
        with contextlib.redirect_stdout(io.StringIO()):
            self.summary.count_tests("release", self.folder / "none")
            self.summary.count_tests("release", self.folder / "empty")
            self.summary.count_lines("lint", self.folder / "log", "true")
        status, said = self.close()
        self.assertEqual((status, said.splitlines()[-1]), (1, "0 passed, 3 failed, 0 skipped"))

    def test_setup(self):
        """A folder with other options is created again."""
        with contextlib.redirect_stdout(io.StringIO()), unittest.mock.patch.object(self.summary, "must") as must:
            must.side_effect = lambda *words, **more: not pathlib.Path(words[2]).mkdir()
            for options, n in (("-Da=1", 1), ("-Da=1", 1), ("-Da=2", 2)):
                self.assertTrue(tiers.setup(self.summary, self.folder / "b", options))
                self.assertEqual(must.call_count, n)
            must.side_effect = lambda *words, **more: False
            self.assertFalse(tiers.setup(self.summary, self.folder / "b", "-Da=3"))

    def test_signals(self):
        """A signal also ends the running command."""
        for number in signal.SIGTERM, signal.SIGHUP:
            end = self.folder / f"{number}"
            program = f"""
import sys
sys.path.insert(0, {str(SCRIPTS)!r})
import tiers
tiers.run_parts = lambda summary, build: summary.run("sh", "-c", "echo on; sleep 5; touch {end}")
sys.argv[1:] = ["all", "b"]
tiers.main()
"""
            with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
                process.stdout.readline()
                process.send_signal(number)
                process.wait(30)
            self.assertEqual(process.returncode, 128 + number)
        time.sleep(5)
        self.assertEqual([path for path in self.folder.iterdir()], [])

    def test_lines(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.summary.count_lines("lint", self.folder / "log", "sh", "-c",
                                     "echo lint a: ok; echo why; echo lint b: failed, b; exit 1")
            self.summary.count_lines("lint", self.folder / "log", "sh", "-c", "echo it broke; exit 1")
        status, said = self.close()
        self.assertEqual((status, said.splitlines()[-1]), (1, "1 passed, 2 failed, 0 skipped"))
        self.assertIn("why\nlint b: failed, b", said)
        self.assertIn("it broke", said)

    def test_limit(self):
        """A section that takes too long is stopped with all its processes, and its name is printed."""
        self.summary.deadline = self.summary.start + 1
        start = time.monotonic()
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(TimeoutError):
            self.summary.section("packages", self.summary.run, "sh", "-c", f"sleep 61; touch {self.folder}/late")
        self.assertLess(time.monotonic() - start, 10)
        status, said = self.close()
        self.assertEqual(status, 1)
        self.assertIn('in the section "packages"', said)

    def test_unknown_part(self):
        for words in (["all", "build"], ["parts", "compare"]):
            done = subprocess.run([SCRIPTS / "tiers.py", *words, "nonsense"], text=True, check=False,
                                  stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 1)
            self.assertIn("no part nonsense; the parts are compare ", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
