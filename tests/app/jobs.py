# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions and damages for the tests of `cudaconv plan`, `run`, `status` and `merge`."""

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

# Variables of a scheduler must not choose the chunks of a test.
for name in ("SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"):
    os.environ.pop(name, None)

# A key frame every 0.8 s, with open GOPs: frames that are shown before a key frame need it.
OPEN_GOP = "x264enc speed-preset=veryfast key-int-max=20 bframes=3 option-string=open-gop=1:b-adapt=0"


def write_sealed(path, members, name):
    """Writes an object with a member `name` that has the hash of all other members, as the command does."""
    members = {member: value for member, value in members.items() if member != name}
    text = json.dumps(members, separators=(",", ":"), ensure_ascii=False)
    path.write_text(json.dumps(members | {name: hashlib.md5(text.encode()).hexdigest()}))


class Case(media.Case):
    """A test with a job in the folder self.job."""

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

    def record_path(self, chunk):
        return self.job / "pieces" / f"{chunk:06}.json"

    def record(self, chunk):
        return json.loads(self.record_path(chunk).read_text())

    def write_record(self, chunk, record):
        """Writes a record with the right hash."""
        path = self.record_path(chunk)
        write_sealed(path, record | {"seconds": record["seconds"] and 1}, "check")

    def files_of(self, chunk):
        """The files of a chunk: packets and times."""
        return [self.job / file["name"] for file in self.record(chunk)["files"]]

    def n_chunks(self):
        return json.loads((self.job / "manifest.json").read_text())["pieces"]


# one second for 50 frames on every machine
SLOW = "--encoder=identity sleep-time=20000 ! x264enc speed-preset=ultrafast"


def limit_files(size=4000):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class EndsCase(Case):
    """A test with OUT out.mkv, and with processes in the background."""

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
        """Waits for the process. Returns its stderr."""
        output = process.communicate(timeout=60)[1]
        self.assertNotIn("CRITICAL **", output)
        return output

    def parts(self):
        return set(self.job.glob("parts/*"))

    def plan_video(self, *options, frames=75, length=1, pattern="ball"):
        source = self.make("in.mkv", frames, pattern=pattern)
        self.plan(*options, "--piece", length, source, "--out", self.out)
        return source

    def make_merged(self, **more):
        """Plans, runs and merges a job. Returns the bytes of OUT, and replaces OUT by BEFORE."""
        self.plan_video(**more)
        self.run_job()
        self.merge()
        whole = self.out.read_bytes()
        self.out.write_bytes(BEFORE)
        return whole

    def save_copy(self):
        """Saves a copy of the job for restore_copy()."""
        self.kept = self.folder / "kept"
        shutil.copytree(self.job, self.kept)

    def restore_copy(self):
        shutil.rmtree(self.job)
        shutil.copytree(self.kept, self.job)

    def assert_merges(self, whole):
        self.merge()
        self.assertEqual(self.out.read_bytes(), whole)
        self.out.write_bytes(BEFORE)

    def assert_refused(self, says=(), sealed=False, **more):
        """merge fails with one line. `sealed`: the reason is not the hash of the record."""
        done = self.merge(status=1, says=says, timeout=30, **more)
        if sealed:
            self.assertNotIn("its hash does not match", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(self.out.read_bytes(), BEFORE)
        return done


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
