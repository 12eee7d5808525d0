# SPDX-License-Identifier: LGPL-2.1-or-later
"""A job whose disk is full: the pieces that fit are whole, and it goes on when there is room."""

import os
import subprocess
import sys

from farm import FarmCase, media


class Disk(FarmCase):

    def resize(self, size):
        subprocess.run(["mount", "-o", f"remount,size={size}", self.disk], check=True)

    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96k", "none", self.disk], check=True)
        self.addCleanup(subprocess.run, ["umount", self.disk], check=True)
        self.job, self.out = self.disk / "job", self.disk / "edges.mkv"

    def test_full(self):
        pieces = self.plan(0.2)
        said = self.command("cudaconv", "run", self.job, status=1)
        self.assertRegex(said, "(?i)no space left")
        self.assertIn(str(self.job), said)
        # what has a record is there as a whole, and the rest has none
        status = self.status()
        made = status["made"]
        self.assertIn(made, range(1, pieces))
        self.assertEqual((status["notes"], status["missing"]), ([], list(range(made, pieces))))
        self.assertEqual(len(self.records()), made)
        self.assertEqual(list(self.job.glob("parts/*")), [])
        self.assertIn("pieces are missing", self.command("cudaconv", "merge", self.job, status=1))

        # room for the pieces, and not for the film
        self.resize("300k")
        said = self.command("cudaconv", "run", self.job)
        self.assertEqual(said.count("piece "), pieces - made)
        self.assertRegex(self.command("cudaconv", "merge", self.job, status=1), "(?i)edges.mkv.*no space left")
        self.assertEqual(sorted(path.name for path in self.disk.iterdir()), ["job"])

        self.resize("4m")
        self.command("cudaconv", "merge", self.job)
        self.check_complete(pieces)
        self.check_film()


def own_mounts():
    """Goes on in a namespace where mounts end with the process. False where nothing can be mounted."""
    if os.environ.get("OWN_MOUNTS") == str(os.getpid()):
        return True
    own = ("unshare", "--mount", "--propagation", "private")
    if subprocess.run([*own, "mount", "-t", "tmpfs", "none", "/mnt"], check=False).returncode != 0:
        return False
    os.environ["OWN_MOUNTS"] = str(os.getpid())
    os.execvp(own[0], [*own, sys.executable, *sys.argv])


if __name__ == "__main__":
    if not own_mounts():
        print("a small disk cannot be mounted here; it needs root and the right to mount")
        sys.exit(77)
    media.main()
