# SPDX-License-Identifier: LGPL-2.1-or-later
"""A video, its job, and checks of the result. For the tests in this folder, which are started as TEST BUILD."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys

from localslurm import LIMIT, processes, read_words, send, wait_for

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples" / "farm"
sys.path.insert(0, str(HERE.parent / "app"))

import media  # noqa: E402

FRAMES = 75
CHANCE = random.Random(1)
SETTINGS = ("--kernel=sobel", "--lossless")

# the examples call the command by its name
os.environ["PATH"] = f"{media.COMMAND.parent}:{os.environ['PATH']}"


def number_of(pid):
    """The index of the chunk that a `cudaconv run` makes, or None."""
    words = read_words(pathlib.Path(f"/proc/{pid}/cmdline"))
    if "--index" in words:
        return int(words[words.index("--index") + 1])
    for word in read_words(pathlib.Path(f"/proc/{pid}/environ")):
        if word.startswith("SLURM_ARRAY_TASK_ID="):
            return int(word.split("=")[1])
    return None


class FarmCase(media.Case):
    """A test with a video video.mp4, the result edges.mkv, and a job."""

    def setUp(self):
        super().setUp()
        self.video, self.out, self.job = (self.folder / name for name in ("video.mp4", "edges.mkv", "job"))
        media.make_video(self.video, "mp4mux", f"{media.video(FRAMES)} ! x264enc bframes=3 key-int-max=40 ! h264parse",
                         f"{media.audio(FRAMES)} ! avenc_aac")

    def command(self, *words, status=0, **more):
        """Runs a command. Returns its output on both streams."""
        done = subprocess.run(list(map(str, words)), cwd=self.folder, timeout=LIMIT, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
        self.assertEqual(done.returncode, status, f"{' '.join(map(str, words))}:\n{done.stdout}")
        return done.stdout

    def plan(self, seconds):
        """Plans the job. Returns the number of chunks."""
        self.command("cudaconv", "plan", self.video, *SETTINGS, "--out", self.out, "--job", self.job, "--piece",
                     f"{seconds}s")
        return self.status()["pieces"]

    def status(self):
        return json.loads(self.command("cudaconv", "status", self.job, "--check", "--json"))

    def records(self):
        return sorted(self.job.glob("pieces/[0-9][0-9][0-9][0-9][0-9][0-9].json"))

    def kill_chunk(self, **variables):
        """Kills a `cudaconv run` of this job, with these variables in its environment, in the middle of a chunk. Returns
        the index of the chunk, or None if there is no such process."""
        found = processes("cudaconv", "run", str(self.job), **variables)
        CHANCE.shuffle(found)
        for pid in found:
            if not send(pid, signal.SIGSTOP):
                continue
            index = number_of(pid)
            half = index is not None and not self.record(index).exists()
            if send(pid, signal.SIGKILL if half else signal.SIGCONT) and half:
                wait_for("a killed process ends", lambda: pid not in processes("cudaconv"))
                return index
        return None

    def record(self, index):
        return self.job / "pieces" / f"{index:06}.json"

    def check_complete(self, n_chunks):
        """Checks that each chunk exists once, with all frames."""
        status = self.status()
        self.assertEqual((status["made"], status["missing"], status["notes"]), (n_chunks, [], []))
        self.assertEqual(status["frames"], FRAMES)
        self.assertEqual(len(self.records()), n_chunks)
        self.assertEqual(list(self.job.glob("parts/*")), [])

    def check_video(self):
        """Checks that the video equals that of `cudaconv apply`: pixels, times and audio."""
        whole = self.folder / "whole.mkv"
        if not whole.exists():
            self.apply(*SETTINGS, self.video, whole)
        streams = [media.read(path) for path in (self.out, whole)]
        for kind in ("video/", "audio/"):
            ours, expected = (media.only(stream, kind) for stream in streams)
            self.assertEqual(ours.times, expected.times, kind)
            self.assertEqual(ours.hashes, expected.hashes, kind)
        self.assertEqual(len(media.only(streams[0], "video/").hashes), FRAMES)
