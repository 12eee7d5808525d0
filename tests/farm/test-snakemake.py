# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/farm/Snakefile with Snakemake, which is killed while it runs."""

import os
import shutil
import signal
import subprocess
import sys

from farm import EXAMPLES, SETTINGS, FarmCase, media
from localslurm import wait_for


class Snakemake(FarmCase):

    def setUp(self):
        super().setUp()
        self.line = ("snakemake", "--snakefile", str(EXAMPLES / "Snakefile"), "--cores", "2", "--nocolor", "--config",
                     "video=video.mp4", "out=edges.mkv", "job=job", "piece=0.3s", f"settings={' '.join(SETTINGS)}")

    def made(self):
        return {path: path.stat().st_mtime_ns for path in self.records()}

    def test_killed(self):
        with open(self.folder / "log", "wb") as log, \
                subprocess.Popen(self.line, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 start_new_session=True) as snakemake:
            # Snakemake has not yet noticed at most two of these chunks
            wait_for("chunks are made", lambda: len(self.records()) >= 4 or snakemake.poll() is not None)
            os.killpg(snakemake.pid, signal.SIGKILL)
        before = self.made()
        n_chunks = self.status()["pieces"]
        self.assertIn(len(before), range(4, n_chunks), (self.folder / "log").read_text(encoding="utf-8"))
        self.assertFalse(self.out.exists())

        self.command(*self.line, "--unlock")
        self.command(*self.line, "--rerun-incomplete")
        after = self.made()
        kept = [path for path in before if after[path] == before[path]]
        self.assertGreaterEqual(len(kept), len(before) - 2)
        self.check_complete(n_chunks)
        self.check_video()

    def test_again(self):
        """The same line does nothing. Other settings make all chunks again."""
        self.command(*self.line)
        before = self.made()
        self.assertIn("Nothing to be done", self.command(*self.line))
        self.command("cudaconv", "apply", "--kernel=gaussian", "--lossless", self.video, "whole.mkv")
        self.command(*self.line[:-1], "settings=--kernel gaussian --lossless")
        self.assertFalse(set(self.made().items()) & set(before.items()))
        self.check_video()


if __name__ == "__main__":
    if not shutil.which("snakemake"):
        print("Snakemake is not installed: scripts/install-deps.sh farm")
        sys.exit(77)
    media.main()
