# SPDX-License-Identifier: LGPL-2.1-or-later
"""A job with a full disk. The chunks that fit are complete, and the job continues when there is space."""

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
        n_chunks = self.plan(0.2)
        output = self.command("cudaconv", "run", self.job, status=1)
        self.assertRegex(output, "(?i)no space left")
        self.assertIn(str(self.job), output)
        # chunks with a record are complete, and the others have no record
        status = self.status()
        made = status["made"]
        self.assertIn(made, range(1, n_chunks))
        self.assertEqual((status["notes"], status["missing"]), ([], list(range(made, n_chunks))))
        self.assertEqual(len(self.records()), made)
        self.assertEqual(list(self.job.glob("parts/*")), [])
        self.assertIn("chunks are missing", self.command("cudaconv", "merge", self.job, status=1))

        # space for the chunks, but not for OUT
        self.resize("300k")
        output = self.command("cudaconv", "run", self.job)
        self.assertEqual(output.count("chunk "), n_chunks - made)
        self.assertRegex(self.command("cudaconv", "merge", self.job, status=1), "(?i)edges.mkv.*no space left")
        self.assertEqual(sorted(path.name for path in self.disk.iterdir()), ["job"])

        self.resize("4m")
        self.command("cudaconv", "merge", self.job)
        self.check_complete(n_chunks)
        self.check_video()


def own_mounts():
    """Restarts this process in its own mount namespace, so that mounts end with it. False if mounting fails."""
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
