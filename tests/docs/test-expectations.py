#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the checks of expectations.py with right and wrong files.

usage: test-expectations.py --tools FOLDER --program CUDACONV    (the options of run-page.py)
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import expectations
from expectations import Broken, Gst, Holds, Made, Says, edges, same, sharper, softer

TOOLS = sys.argv[1:]
del sys.argv[1:]
HERE = pathlib.Path(__file__).resolve().parent

SIZE = "width=160,height=120"
BARS = "videotestsrc num-buffers=12 pattern=smpte horizontal-speed=3 ! video/x-raw,format=I420,{},framerate=30/1"
SOURCE = BARS.format(SIZE)
AUDIO = "audiotestsrc num-buffers={} samplesperbuffer=1024 ! audio/x-raw,rate=44100,channels=1 ! vorbisenc ! m."
MUXED = "matroskamux name=m ! filesink location={} " + SOURCE + " ! jpegenc ! m. "
JPEG = "image/jpeg"


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def launch(self, line):
        pipeline = Gst.parse_launch(line)
        pipeline.set_state(Gst.State.PLAYING)
        message = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        pipeline.set_state(Gst.State.NULL)
        self.assertEqual(message.type, Gst.MessageType.EOS, line)

    def expect(self, expectation, fault=None, output=""):
        if not fault:
            expectation.check(self.folder, output)
            return
        with self.assertRaises(Broken) as caught:
            expectation.check(self.folder, output)
        self.assertIn(fault, str(caught.exception))

    def run_page(self, name, text):
        page = self.folder / name
        page.write_text(text, encoding="utf-8")
        return subprocess.run([HERE / "run-page.py", *TOOLS, page], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def filtered(self, line, fault=None, looks=same, source=SOURCE, **more):
        self.launch(f"{line} ! gdppay ! filesink location=made.gdp")
        self.expect(Made("made.gdp", source, looks, **more), fault)

    def test_streams(self):
        self.filtered(SOURCE, format="I420")
        self.filtered(SOURCE, "has the format I420, not RGB", format="RGB")
        self.filtered(SOURCE, "has the interlace mode progressive, not interleaved", interlace_mode="interleaved")
        self.filtered(BARS.format("width=80,height=60"), "has 80x60, not 160x120")
        self.filtered(BARS.format("width=80,height=60"), size=(80, 60), looks=None)
        self.filtered(SOURCE, "has 160x120, not 80x60", size=(80, 60))
        self.expect(Made("nothing.mp4", SOURCE, same), "nothing.mp4 does not exist")
        (self.folder / "damaged.mp4").write_bytes(b"nothing")
        self.expect(Made("damaged.mp4", SOURCE, same), "damaged.mp4 cannot be read to its end")

    def test_times(self):
        self.filtered(SOURCE.replace("num-buffers=12", "num-buffers=6"), "has 6 frames, not 12")
        self.filtered(SOURCE, "has 12 frames, not 6", frames=6)
        self.filtered(SOURCE, first=6)
        self.filtered(SOURCE.replace("num-buffers=12", "num-buffers=5"), "has 5 frames, not 6", first=6)
        slow = SOURCE.replace("30/1", "15/1")
        self.filtered(slow, "has frame 1 at 0.067 s, not 0.033 s")
        self.filtered(slow, "has frame 1 at 0.067 s, not 0.033 s", times="shifted")
        self.filtered(slow, times="any")
        late = SOURCE.replace("videotestsrc", "videotestsrc timestamp-offset=1000000000")
        self.filtered(late, "has frame 0 at 1.000 s, not 0.000 s")
        self.filtered(late, times="shifted")

    def test_looks(self):
        soft, sharp = f"{SOURCE} ! cudaconv kernel=gaussian sigma=2", f"{SOURCE} ! cudaconv kernel=sharpen"
        self.filtered(soft, looks=softer)
        self.filtered(soft, "has frame 0 not same", looks=same)
        self.filtered(sharp, looks=sharper)
        self.filtered(sharp, "has frame 0 not softer", looks=softer)
        self.filtered(f"{SOURCE} ! cudaconv kernel=sobel", looks=edges)
        self.filtered(f"{SOURCE} ! cudaconv kernel=sobel chroma=copy", "not edges", looks=edges)
        self.filtered(f"{SOURCE} ! cudaconv kernel=identity", looks={(0, 0.2): same, (0.2, 1): same})
        self.filtered(soft, "has frame 6 not same", looks={(0, 0.19): softer, (0.19, 1): same})
        self.filtered(SOURCE, "has no frame from 1 s to 2 s", looks={(1, 2): same})
        boxed = "videobox left=80 ! cudaconv kernel=identity ! videobox left=-80"
        self.filtered(f"{SOURCE} ! {boxed} ! video/x-raw,format=I420", looks=None, regions={(80, 0, 160, 120): same})
        self.filtered(f"{SOURCE} ! {boxed} ! video/x-raw,format=I420", "in (0, 0, 80, 120) has frame 0 not same",
                      looks=None, regions={(0, 0, 80, 120): same})

    def test_audio(self):
        for name, audio in (("mute.mkv", ""), ("short.mkv", AUDIO.format(4)), ("long.mkv", AUDIO.format(16))):
            self.launch(MUXED.format(name) + audio)
        self.expect(Made("long.mkv", "long.mkv", same, codec=JPEG))
        self.expect(Made("long.mkv", "long.mkv", same, codec="video/x-h264"), f"the codec {JPEG}, not video/x-h264")
        self.expect(Made("short.mkv", "long.mkv", same), "s of audio, not 0.39 s")
        self.expect(Made("mute.mkv", "long.mkv", same), "has 0.00 s of audio, not 0.39 s")
        self.expect(Made("mute.mkv", "long.mkv", same, audio=False))
        self.expect(Made("long.mkv", "long.mkv", same, audio=False), "has 0.39 s of audio, not 0.00 s")

    def test_two_videos(self):
        self.launch(MUXED.format("two.mkv") + f"{SOURCE} ! jpegenc ! m.")
        self.expect(Made("two.mkv", SOURCE, same), "two.mkv has 2 videos, not 1")

    def test_words(self):
        self.expect(Says("^2 frames$"), output="1 frame\n2 frames\n")
        self.expect(Says("^2 frames$"), "the output does not match /^2 frames$/", output="12 frames\n")
        (self.folder / "list").write_text("one\ntwo\n")
        self.expect(Holds("list", "^two$"))
        self.expect(Holds("list", "^three$"), "list does not match /^three$/")
        self.expect(Holds("nothing", "^two$"), "nothing does not match /^two$/")

    def test_missing_expectations(self):
        """A block without an expectation fails, and so does an expectation without a block."""
        text = ("### Ten-bit video\n\n```sh\ntrue\n```\n\n### Nowhere\n\n```sh\ntrue\n```\n\n"
                "### One image\n\n```sh\ncudaconv apply --kernel sobel photo.jpg edges.png\n```\n\n```sh\ntrue\n```\n")
        done = self.run_page("recipes-video.md", text)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("FAILED: not as expected: window-1.gdp does not exist", done.stdout)
        self.assertIn('FAILED: expectations.py has no expectations for "Nowhere 1"', done.stdout)
        self.assertIn('FAILED: expectations.py has "Thumbnails 1", but the page has no such block', done.stdout)
        self.assertNotIn('has "Ten-bit video 1"', done.stdout)
        # a block does not pass with the result of another
        self.assertIn("FAILED: not as expected: edges.png does not exist", done.stdout)
        self.assertIn("1 passed, 3 FAILED", done.stdout)
        done = self.run_page("no-expectations.md", text)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    Gst.init(None)
    missing = [name for name in ("cudaconv", "gdppay", "jpegenc", "vorbisenc", "matroskamux", "videobox")
               if not Gst.ElementFactory.find(name)]
    if missing:
        print(f"GStreamer's elements {' '.join(missing)} are not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
