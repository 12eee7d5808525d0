#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How `cudaconv apply` ends if it is interrupted: by signals, a full disk, an input that changes, a closed pipe. In
all cases OUT is complete or unchanged.

    tests/app/test-apply-ends.py BUILD
"""

import os
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

import media
from media import BEFORE, COMMAND, every_nth, frames_of, wait_for

LIVE = "testbin://video,is-live=true"
# Slow enough that a signal arrives in the middle. Without its lookahead, x264enc writes from the first frame on.
SLOW = ("--kernel=box", "--size=127", "--n-threads=1", "--encoder=identity sleep-time=20000 ! x264enc tune=zerolatency")


class Ends(media.Case):

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out.mkv"
        self.out.write_bytes(BEFORE)

    def start(self, *arguments, **more):
        process = subprocess.Popen([COMMAND, "apply", *map(str, arguments)], cwd=self.folder, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def temporary_file(self):
        return next(self.folder.rglob("*.part"), None)

    def has_written(self, size=1000):
        path = self.temporary_file()
        return path is not None and path.stat().st_size >= size

    def make_long_video(self):
        return self.make("long.mkv", 500, pattern="snow")

    def check_unchanged(self):
        self.assertEqual(self.out.read_bytes(), BEFORE)
        self.assertIsNone(self.temporary_file())

    # ---- signals ----

    def test_signals(self):
        source = self.make_long_video()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                process = self.start(*SLOW, source, "out.mkv")
                wait_for(self.has_written)
                process.send_signal(number)
                said = process.communicate(timeout=20)[1]
                self.assertEqual(process.returncode, -number, said)
                self.assertIn("interrupted; out.mkv is unchanged", said)
                self.check_unchanged()

    def test_a_signal_that_is_sent_twice(self):
        """`timeout` and terminals may send a signal twice. A later signal ends the process at once."""
        source = self.make("in.mkv", 100)
        for gap in (0, 0.001, 0.005, 0.02, 0.1):
            process = self.start(*SLOW, source, self.out)
            wait_for(lambda: list(self.folder.glob("out.mkv.*.part")))
            process.send_signal(signal.SIGINT)
            time.sleep(gap)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=20)[1]
            self.assertEqual(process.returncode, -signal.SIGINT)
            self.assertIn("is unchanged", said)
            self.assertEqual(list(self.folder.glob("*.part")), [])

    def test_signals_at_any_time(self):
        """From before the temporary file is created until after OUT has its name."""
        source = self.make("in.mkv", 5)
        for n in every_nth(range(40), 4):
            process = self.start("-q", source, "out.mkv")
            time.sleep(0.004 * n)
            process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=20)[1]
            self.assertIn(process.returncode, (0, -signal.SIGTERM), said)
            self.assertIsNone(self.temporary_file(), n)
            if process.returncode == 0 or self.out.read_bytes() != BEFORE:
                self.assertEqual(len(frames_of(self.out).hashes), 5)
            self.out.write_bytes(BEFORE)

    def test_signal_while_images_are_written(self):
        source = self.make_long_video()
        process = self.start("--kernel=box", source, "p%d.png")
        wait_for((self.folder / "p20.png").exists)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=20)[1]
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertIn("the images of p%d.png written so far are kept", said)
        names = sorted(path.name for path in self.folder.glob("p*"))
        self.assertEqual(names, sorted(f"p{n}.png" for n in range(1, len(names) + 1)))
        for path in self.folder.glob("p*"):
            self.assertEqual(path.read_bytes()[-8:-4], b"IEND", path)

    @unittest.skipUnless(media.Gst.ElementFactory.find("testsrcbin"), "there is no live source to test with")
    def test_live(self):
        for out in ("out.mkv", "out.mp4"):
            process = self.start(LIVE, out)
            wait_for(self.has_written if out == "out.mkv" else lambda: self.has_written(40))
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 0, said)
            found = re.search(r"(\d+) frames", said[0])
            self.assertEqual(len(frames_of(self.folder / out).hashes), int(found[1]))
        # A recording that is stopped early is complete.
        process = self.start("--seconds=60", LIVE, "out.mkv")
        wait_for(self.has_written)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual((process.communicate(timeout=20), process.returncode)[1], 0)
        process = self.start("--seconds=0.5", LIVE, "out.mkv")
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)
        times = frames_of(self.out).times
        self.assertIn(len(times), range(1, 16))  # 30 a second; a busy machine drops some
        self.assertLess(times[-1] - times[0], media.SECOND // 2)

    @unittest.skipUnless(media.Gst.ElementFactory.find("testsrcbin"), "there is no live source to test with")
    def test_live_signal_that_is_sent_twice(self):
        for gap in (0.001, 0.02, 0.1):
            process = self.start(LIVE, "out.mkv")
            wait_for(self.has_written)
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            time.sleep(gap)
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 0, said)
            self.assertGreater(len(frames_of(self.out).hashes), 0)

    # ---- the disk ----

    def test_file_size_limit(self):
        source = self.make_long_video()

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        self.apply(source, "out.mkv", status=1, says="out.mkv", preexec_fn=limit)
        self.check_unchanged()
        self.apply("--size=1", "--kernel=identity", source, "out.png", status=1, says="out.png", preexec_fn=limit)
        self.assertFalse((self.folder / "out.png").exists())

    def test_full_disk(self):
        source = self.make_long_video()
        with tempfile.TemporaryDirectory() as disk:
            if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "none", disk],
                                                   check=False, capture_output=True).returncode != 0:
                self.skipTest("a small disk cannot be mounted here")
            try:
                out = os.path.join(disk, "out.mkv")
                with open(out, "wb") as file:
                    file.write(BEFORE)
                self.apply(source, out, status=1, says=(out, "no space left"))
                self.assertEqual(os.listdir(disk), ["out.mkv"])
                with open(out, "rb") as file:
                    self.assertEqual(file.read(), BEFORE)
                self.apply(source, os.path.join(disk, "p%d.png"), status=1, says=disk)
                self.assertEqual([name for name in os.listdir(disk) if not re.match(r"p\d+\.png$|out.mkv$", name)], [])
            finally:
                subprocess.run(["umount", disk], check=True)

    def test_no_permission(self):
        source = self.make("in.mkv", 3)
        closed = self.folder / "closed"
        closed.mkdir(mode=0o555)
        more = {}
        if os.geteuid() == 0:
            self.folder.chmod(0o755)
            source.chmod(0o644)
            if not os.access(COMMAND, os.X_OK) or subprocess.run(
                    ["test", "-x", COMMAND], user=65534, check=False).returncode != 0:
                self.skipTest("the build cannot be read by another user")
            more = {"user": 65534, "group": 65534, "extra_groups": []}
        self.apply(source, "closed/out.mkv", status=1, says=("closed/out.mkv", "cannot be written"), **more)
        self.apply(source, "closed/out.png", status=1, says="closed/out.png", **more)
        self.assertEqual(list(closed.iterdir()), [])

    # ---- the input ----

    def test_input_vanishes(self):
        source = self.make_long_video()
        process = self.start(*SLOW, "--seconds=2", source, "out.mkv")
        wait_for(self.has_written)
        source.unlink()
        said = process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn("the file was removed while it was being read", said)
        self.check_unchanged()

    def test_input_is_cut_or_replaced(self):
        other = self.make("other.mkv", 3)
        for act in (lambda path: os.truncate(path, path.stat().st_size // 2), other.rename):
            source = self.make_long_video()
            process = self.start(*SLOW, "--seconds=2", source, "out.mkv")
            wait_for(self.has_written)
            act(source)
            said = process.communicate(timeout=30)[1]
            self.assertEqual(process.returncode, 1, said)
            self.assertIn("the file changed while it was being read", said)
            self.check_unchanged()

    def test_input_was_cut_before(self):
        whole = self.make("whole.mkv", 250)
        data = whole.read_bytes()
        cut = self.folder / "cut.mkv"
        cut.write_bytes(data[:len(data) // 3])
        for out, kept in (("out.mkv", "out.incomplete.mkv"), ("out.a.mp4", "out.a.incomplete.mp4")):
            self.apply(cut, out, status=1, says=("it should last 10.0 s, but ended after 3.",
                                                 f"the part up to there is in {kept}"))
            self.assertLess(80, len(frames_of(self.folder / kept).hashes))
        self.check_unchanged()
        self.assertFalse((self.folder / "out.a.mp4").exists())
        said = self.apply(cut, "f%d.png", status=1, says=("it should last 10.0 s", "written so far are kept")).stderr
        count = len(list(self.folder.glob("f*.png")))
        self.assertIn(f"the {count} images", said)
        # A part that ends before the cut is complete.
        self.apply("--seconds=3", cut, "out.mkv")
        self.apply("--start=1", "--end=3", cut, "out.mkv")
        self.apply("--end=5", cut, "out.mkv", status=1, says="ended after 3.")

    def test_image_of_a_video_is_not_truncated(self):
        self.make("whole.mkv", 250)
        for options in ((), ("--at=1",)):
            self.assertEqual(self.apply(*options, "whole.mkv", "out.png").stderr, "")

    # ---- others ----

    def test_two_at_once(self):
        source = self.make("in.mkv", 50)
        both = [self.start(f"--kernel={kernel}", "--lossless", source, "out.mkv") for kernel in ("box", "emboss")]
        for process in both:
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, 0)
        expected = [media.filtered(source, f"kernel={kernel}").hashes for kernel in ("box", "emboss")]
        self.assertIn(frames_of(self.out).hashes, expected)
        self.assertIsNone(self.temporary_file())

    def test_nobody_reads(self):
        source = self.make("in.mkv", 50)
        for closed in ("stdout", "stderr"):
            read_end, write_end = os.pipe()
            os.close(read_end)
            streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, closed: write_end}
            done = subprocess.run([COMMAND, "apply", source, "out.mkv"], cwd=self.folder, check=False, timeout=30, **streams)
            os.close(write_end)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(len(frames_of(self.out).hashes), 50)

    def test_progress_on_a_terminal(self):
        text = self.on_terminal("apply", *SLOW, "--seconds=2", self.make_long_video(), "out.mkv")
        self.shares(text, r"out\.mkv", "frames")
        # The progress line is cleared. The result is the last line.
        self.assertRegex(text, r"\r\x1b\[Kout\.mkv: 50 frames of 160x120, H\.264; [^\r\n]*\r\n$")

    def test_no_progress_in_a_file(self):
        self.assertEqual(self.apply(self.make("in.mkv", 50), "out.mkv").stderr, "")


if __name__ == "__main__":
    media.main()
