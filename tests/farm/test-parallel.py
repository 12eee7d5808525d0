# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/farm/parallel.sh with GNU parallel, here and on machines that a stand-in for ssh makes up."""

import os
import re
import shutil
import subprocess
import sys

from farm import EXAMPLES, LIMIT, FarmCase, media
from localslurm import wait_for

SCRIPT = EXAMPLES / "parallel.sh"
# what it gets is options, a host, and a command for the shell there, which a login tells of in SHELL
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
        self.pieces = self.plan(0.5)

    def check(self):
        self.check_complete(self.pieces)
        self.check_film()

    def test_one_machine(self):
        with subprocess.Popen([SCRIPT, self.job, "--jobs", "2"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, cwd=self.folder) as script:
            # one of them is killed, and tried again
            wait_for("a piece that can be killed", lambda: self.kill_piece() is not None or script.poll() is not None)
            running = script.poll() is None
            said = script.communicate(timeout=LIMIT)[0]
        self.assertEqual((running, script.returncode), (True, 0), said)
        self.check()

    def test_machines(self):
        ssh, hosts = self.folder / "ssh", self.folder / "hosts"
        ssh.write_text(SSH % hosts, encoding="utf-8")
        ssh.chmod(0o755)
        # a machine that is not there is no loss
        said = self.command(SCRIPT, "job", "--sshlogin", "2/one,2/two,2/gone",
                            env={**os.environ, "PARALLEL_SSH": str(ssh)})
        self.assertEqual(set(hosts.read_text(encoding="utf-8").split()), {"one", "two", "gone"}, said)
        self.check()

    def test_line(self):
        """The one line that the script has in a comment."""
        line = re.search(r"^# +(parallel cudaconv.*)$", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE).group(1)
        self.command("cudaconv", "run", self.job, "--index", "1")
        self.command("bash", "-c", line)
        self.command("cudaconv", "merge", self.job)
        self.check()

    def test_failure(self):
        """A piece that cannot be made does not keep the others from being made, and there is no merge."""
        (self.job / "pieces").mkdir(exist_ok=True)
        self.record(2).mkdir()
        said = self.command(SCRIPT, self.job, "--jobs", "2", "--retries", "1", status=1)
        self.assertIn("000002.json", said)
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
