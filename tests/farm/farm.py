# SPDX-License-Identifier: LGPL-2.1-or-later
"""A film, its plan, and what must come out of it. For the tests beside it, which are started as TEST BUILD."""

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
    """Of the piece that a `cudaconv run` makes."""
    words = read_words(pathlib.Path(f"/proc/{pid}/cmdline"))
    if "--index" in words:
        return int(words[words.index("--index") + 1])
    for word in read_words(pathlib.Path(f"/proc/{pid}/environ")):
        if word.startswith("SLURM_ARRAY_TASK_ID="):
            return int(word.split("=")[1])
    return None


class FarmCase(media.Case):
    """film.mp4 in the test's folder, edges.mkv of it, and the job in between."""

    def setUp(self):
        super().setUp()
        self.film, self.out, self.job = (self.folder / name for name in ("film.mp4", "edges.mkv", "job"))
        media.film(self.film, "mp4mux", f"{media.video(FRAMES)} ! x264enc bframes=3 key-int-max=40 ! h264parse",
                   f"{media.sound(FRAMES)} ! avenc_aac")

    def command(self, *words, status=0, **more):
        """What is said on both streams."""
        done = subprocess.run(list(map(str, words)), cwd=self.folder, timeout=LIMIT, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
        self.assertEqual(done.returncode, status, f"{' '.join(map(str, words))}:\n{done.stdout}")
        return done.stdout

    def plan(self, seconds):
        """The number of pieces."""
        self.command("cudaconv", "plan", self.film, *SETTINGS, "--out", self.out, "--job", self.job, "--piece",
                     f"{seconds}s")
        return self.status()["pieces"]

    def status(self):
        return json.loads(self.command("cudaconv", "status", self.job, "--check", "--json"))

    def records(self):
        return sorted(self.job.glob("pieces/[0-9][0-9][0-9][0-9][0-9][0-9].json"))

    def kill_piece(self, **variables):
        """Kills a `cudaconv run` of this job in the middle of a piece, one that has these variables. Hands out the
        number of the piece, or None when there is no such process."""
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

    def check_complete(self, pieces):
        """Each piece is there once, and no other frames than theirs."""
        status = self.status()
        self.assertEqual((status["made"], status["missing"], status["notes"]), (pieces, [], []))
        self.assertEqual(status["frames"], FRAMES)
        self.assertEqual(len(self.records()), pieces)
        self.assertEqual(list(self.job.glob("parts/*")), [])

    def check_film(self):
        """It is what one machine makes at once: pixels, times and sound."""
        whole = self.folder / "whole.mkv"
        if not whole.exists():
            self.apply(*SETTINGS, self.film, whole)
        streams = [media.read(path) for path in (self.out, whole)]
        for kind in ("video/", "audio/"):
            ours, expected = (media.only(stream, kind) for stream in streams)
            self.assertEqual(ours.times, expected.times, kind)
            self.assertEqual(ours.hashes, expected.hashes, kind)
        self.assertEqual(len(media.only(streams[0], "video/").hashes), FRAMES)
