# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plans, runs and merges jobs. For the tests of `cudaconv plan`, `run`, `status` and `merge`."""

import hashlib
import json
import os

import media

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
