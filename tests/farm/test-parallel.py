# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/farm/parallel.sh with GNU parallel, on this machine and on others that a fake ssh simulates."""

import os
import re
import shutil
import subprocess
import sys

from farm import EXAMPLES, LIMIT, FarmCase, media
from localslurm import wait_for

SCRIPT = EXAMPLES / "parallel.sh"
# The fake ssh gets options, a host, and a command for the remote shell. A login sets SHELL.
SSH = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do case $1 in -[lpioF]) shift 2 ;; *) shift ;; esac; done
echo "$1" >>"%s"
[ "$1" != gone ] || { echo "ssh: connect to host gone: No route to host" >&2; exit 255; }
shift
[ "$1" != -- ] || shift
cd / && SHELL=/bin/sh exec sh -c "$*"
"""


class Parallel(FarmCase):

    def setUp(self):
        super().setUp()
        self.n_chunks = self.plan(0.5)

    def check(self):
        self.check_complete(self.n_chunks)
        self.check_video()

    def test_one_machine(self):
        with subprocess.Popen([SCRIPT, self.job, "--jobs", "2"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, cwd=self.folder) as script:
            # one run is killed, and parallel tries it again
            wait_for("a chunk that can be killed", lambda: self.kill_chunk() is not None or script.poll() is not None)
            running = script.poll() is None
            output = script.communicate(timeout=LIMIT)[0]
        self.assertEqual((running, script.returncode), (True, 0), output)
        self.check()

    def test_machines(self):
        ssh, hosts = self.folder / "ssh", self.folder / "hosts"
        ssh.write_text(SSH % hosts, encoding="utf-8")
        ssh.chmod(0o755)
        # a machine that cannot be reached does not matter
        output = self.command(SCRIPT, "job", "--sshlogin", "2/one,2/two,2/gone",
                            env={**os.environ, "PARALLEL_SSH": str(ssh)})
        self.assertEqual(set(hosts.read_text(encoding="utf-8").split()), {"one", "two", "gone"}, output)
        self.check()

    def test_line(self):
        """The one-line command in a comment of the script."""
        line = re.search(r"^# +(parallel cudaconv.*)$", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE).group(1)
        self.command("cudaconv", "run", self.job, "--index", "1")
        self.command("bash", "-c", line)
        self.command("cudaconv", "merge", self.job)
        self.check()

    def test_failure(self):
        """If a chunk cannot be made, the others are made all the same, and nothing is merged."""
        (self.job / "pieces").mkdir(exist_ok=True)
        self.record(2).mkdir()
        output = self.command(SCRIPT, self.job, "--jobs", "2", "--retries", "1", status=1)
        self.assertIn("000002.json", output)
        self.assertFalse(self.out.exists())
        self.record(2).rmdir()
        self.assertEqual(self.status()["missing"], [2])
        self.command(SCRIPT, self.job)
        self.check()


if __name__ == "__main__":
    if not shutil.which("parallel"):
        print("GNU parallel is not installed: scripts/install-deps.sh farm")
        sys.exit(77)
    media.main()
