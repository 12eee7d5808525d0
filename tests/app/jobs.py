# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plans, runs, damages and merges jobs. For the tests of `cudaconv plan`, `run`, `status` and `merge`."""

import hashlib
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess

import media
from media import BEFORE, COMMAND

# What a scheduler would set must not choose the pieces of a test.
for name in ("SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"):
    os.environ.pop(name, None)

# Key frames are 0.8 s from each other, and frames in front of one are shown before it and need it.
OPEN_GOP = "x264enc speed-preset=veryfast key-int-max=20 bframes=3 option-string=open-gop=1:b-adapt=0"


def write_sealed(path, members, name):
    """An object with the hash of all of its other members, as the command writes it."""
    members = {member: value for member, value in members.items() if member != name}
    text = json.dumps(members, separators=(",", ":"), ensure_ascii=False)
    path.write_text(json.dumps(members | {name: hashlib.md5(text.encode()).hexdigest()}))


class Case(media.Case):
    """The folder of the job is self.job."""

    def setUp(self):
        super().setUp()
        self.job = self.folder / "job"

    def plan(self, *arguments, **more):
        return self.cudaconv("plan", "--job", self.job, *arguments, **more)

    def run_job(self, *arguments, **more):
        return self.cudaconv("run", self.job, *arguments, **more)

    def merge(self, *arguments, **more):
        return self.cudaconv("merge", self.job, *arguments, **more)

    def status(self, *arguments, **more):
        return self.cudaconv("status", self.job, *arguments, **more)

    def missing(self, *arguments):
        return [int(line) for line in self.status("--missing", *arguments).stdout.splitlines()]

    def record_path(self, piece):
        return self.job / "pieces" / f"{piece:06}.json"

    def record(self, piece):
        return json.loads(self.record_path(piece).read_text())

    def write_record(self, piece, record):
        """With a hash that fits."""
        path = self.record_path(piece)
        write_sealed(path, record | {"seconds": record["seconds"] and 1}, "check")

    def files_of(self, piece):
        """The film of a piece and its times."""
        return [self.job / file["name"] for file in self.record(piece)["files"]]

    def pieces(self):
        return json.loads((self.job / "manifest.json").read_text())["pieces"]


# a second for 50 frames, whatever the machine
SLOW = "--encoder=identity sleep-time=20000 ! x264enc speed-preset=ultrafast"


def limit_files(size=4000):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class EndsCase(Case):
    """With OUT out.mkv, and runs that end while others go on."""

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out.mkv"

    def start(self, name, *arguments, **more):
        process = subprocess.Popen([COMMAND, name, self.job, *map(str, arguments)], cwd=self.folder, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        """What it says on stderr."""
        said = process.communicate(timeout=60)[1]
        self.assertNotIn("CRITICAL **", said)
        return said

    def parts(self):
        return set(self.job.glob("parts/*"))

    def plan_film(self, *options, frames=75, piece=1, pattern="ball"):
        source = self.make("in.mkv", frames, pattern=pattern)
        self.plan(*options, "--piece", piece, source, "--out", self.out)
        return source

    def make_film(self, **more):
        """A job that is made. Gives the bytes that its film has to have."""
        self.plan_film(**more)
        self.run_job()
        self.merge()
        whole = self.out.read_bytes()
        self.out.write_bytes(BEFORE)
        return whole

    def keep(self):
        """Keeps a copy of the job, which bring_back() puts in its place."""
        self.kept = self.folder / "kept"
        shutil.copytree(self.job, self.kept)

    def bring_back(self):
        shutil.rmtree(self.job)
        shutil.copytree(self.kept, self.job)

    def assert_merges(self, whole):
        self.merge()
        self.assertEqual(self.out.read_bytes(), whole)
        self.out.write_bytes(BEFORE)

    def assert_refused(self, says=(), sealed=False, **more):
        """`sealed`: not because the record's own hash does not fit."""
        done = self.merge(status=1, says=says, timeout=30, **more)
        if sealed:
            self.assertNotIn("its hash is another one", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(self.out.read_bytes(), BEFORE)


# ---- damage ----

def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def replace_by_fifo(path):
    path.unlink()
    os.mkfifo(path)


def replace_by_folder(path):
    path.unlink()
    path.mkdir()


def replace_by_loop(path):
    path.unlink()
    path.symlink_to(path.name)


NESTED = "[" * 40 + "]" * 40
DAMAGES = {
    "gone": pathlib.Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\n1 2 3\n"),
    "first byte": lambda path: flip(path, 0),
    "a byte": lambda path: flip(path, path.stat().st_size // 2),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "fifo": replace_by_fifo,
    "folder": replace_by_folder,
    "loop": replace_by_loop,
}
OF_JSON = {
    "nested": lambda path: path.write_text(NESTED),
    "nested member": lambda path: path.write_text('{"job": ' + NESTED + "}"),
    "array": lambda path: path.write_text("[1]"),
    "text": lambda path: path.write_text('"x"'),
    "object": lambda path: path.write_text("{}"),
    "not UTF-8": lambda path: path.write_bytes(b'{"job": "\xff\xfe"}'),
}
