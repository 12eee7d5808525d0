# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/farm/slurm.sh on a real Slurm with two nodes, with lost tasks and a lost node."""

import re
import sys

from farm import EXAMPLES, FarmCase, media
import localslurm
from localslurm import wait_for

SCRIPT = EXAMPLES / "slurm.sh"
MAX_TASKS = 17  # MaxArraySize
SLURM = localslurm.LocalSlurm(f"MaxArraySize={MAX_TASKS}")


class Slurm(FarmCase):

    def submit(self):
        return self.command(SCRIPT, self.job)

    def wait(self):
        SLURM.wait("the queue is empty", lambda: not localslurm.output_lines("squeue", "-h"))

    def logs(self):
        return "".join(path.read_text(encoding="utf-8") for path in self.job.glob("slurm-*.out"))

    def tasks_on(self, node):
        return localslurm.processes("cudaconv", "run", str(self.job), SLURMD_NODENAME=node)

    def kill_on(self, node):
        """Kills a task on a node. Returns the index of its chunk."""
        numbers = []

        def kill():
            index = self.kill_chunk(SLURMD_NODENAME=node)
            numbers.extend([] if index is None else [index])
            return numbers
        return wait_for(f"a task runs on {node}", kill)[0]

    def test_losses(self):
        n_chunks = self.plan(0.2)
        self.assertLess(n_chunks, MAX_TASKS)
        self.submit()
        killed = {self.kill_on("n1") for _ in range(3)}
        self.assertEqual(len(killed), 3)
        wait_for("a task runs on n2", lambda: self.tasks_on("n2"))
        SLURM.lose_node("n2")
        self.assertIn("down", localslurm.node_states()["n2"])
        SLURM.start_node("n2")
        self.wait()

        # Slurm has restarted the tasks of the lost node; the killed tasks are missing at the merge
        missing = set(self.status()["missing"])
        self.assertEqual(missing, killed)
        self.assertIn(f"3 of {n_chunks} chunks are missing", self.logs())
        self.assertFalse(self.out.exists())

        self.assertIn("3 chunks", self.submit())
        self.wait()
        self.check_complete(n_chunks)
        self.check_video()
        hosts = set(re.findall(r"BatchHost=(\w+)", "".join(localslurm.output_lines("scontrol", "-o", "show", "jobs"))))
        self.assertEqual(hosts, {"n1", "n2"})

        # the third time there is nothing to do but to merge
        self.out.unlink()
        self.assertNotIn("array", self.submit())
        self.wait()
        self.check_video()

    def test_more_chunks_than_tasks(self):
        n_chunks = self.plan(0.1)
        self.assertGreater(n_chunks, MAX_TASKS)
        self.assertIn(f"{n_chunks} chunks", self.submit())
        self.wait()
        self.assertEqual(len(list(self.job.glob("slurm-*_*.out"))), MAX_TASKS)
        self.check_complete(n_chunks)
        self.check_video()


if __name__ == "__main__":
    try:
        with SLURM:
            media.main()
    except localslurm.CannotRun as why:
        print(why)
        sys.exit(77)
