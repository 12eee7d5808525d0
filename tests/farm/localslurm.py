#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A private Slurm on this machine: munged, slurmctld, and slurmd for two nodes, n1 and n2.

  tests/farm/localslurm.py COMMAND [ARGUMENT...]     starts a Slurm, runs the command, and exits with its status
  tests/farm/localslurm.py bash                      to try sbatch, squeue and scancel by hand
  tests/farm/localslurm.py lose n2                   in that shell: kills the node and everything on it
  tests/farm/localslurm.py start n2                  in that shell: starts the node again

The variable SLURM_LINES has more lines for slurm.conf. Exits with 77 if Slurm cannot run here: it needs root and the
packages of scripts/install-deps.sh farm.

It uses free ports, and munge has its own key and socket, so another Slurm on the machine is not disturbed. At the end,
even after a crash, a guard kills every process that has this SLURM_CONF in its environment.
"""

import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

NODES = ("n1", "n2")
NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol")
CPUS = 8  # of each node, for any number of real CPUs
LIMIT = 120  # seconds; normally a few
# cred_expire is also the time after which a task that lost its node starts again.
CONFIGURATION = """\
ClusterName=local
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
ReturnToService=2
SlurmdTimeout=60
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs={cpus} RealMemory=4096
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs={cpus} RealMemory=4096
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


class CannotRun(Exception):
    """Slurm cannot run here; the text has the reason."""


def wait_for(what, condition, limit=LIMIT):
    """Waits until the condition is true, and returns its value."""
    end = time.monotonic() + limit
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {limit} s")
        time.sleep(0.02)
    return value


def read_words(path):
    """The strings in a file of /proc; none if the process has ended."""
    try:
        return path.read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def processes(*words, **variables):
    """The processes whose command line begins with these words and whose environment has these variables."""
    wanted = {f"{name}={value}" for name, value in variables.items()}
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        if tuple(read_words(folder / "cmdline")[:len(words)]) == words and \
                wanted <= set(read_words(folder / "environ")) and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def send(pid, number):
    """Sends a signal. False if the process has ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def kill_all(**variables):
    def kill():
        return not [pid for pid in processes(**variables) if send(pid, signal.SIGKILL)]
    wait_for("killed processes end", kill)


def free_ports(number):
    """Free ports, below those that the system uses for connections."""
    ports = []
    for port in random.sample(range(20000, 32000), 1000):
        with socket.socket() as tried:
            try:
                tried.bind(("", port))
            except OSError:
                continue
        ports.append(port)
        if len(ports) == number:
            return ports
    raise CannotRun("there are no free ports")


def start_guard(folder):
    """Starts a process that cleans up when its standard input is closed, which happens when this process ends."""
    return subprocess.Popen([sys.executable, __file__, "guard", folder], stdin=subprocess.PIPE, start_new_session=True)


def guard(folder):
    sys.stdin.read()
    kill_all(SLURM_CONF=folder / "slurm.conf")
    shutil.rmtree(folder)


def start_daemon(folder, name, *arguments, environment=None):
    with open(folder / f"{name}.log", "ab") as log:
        return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                env=environment)


def node_environment(name):
    """The environment of slurmd. Its jobs inherit SLURMD_NODENAME."""
    return {**os.environ, "SLURMD_NODENAME": name}


def lose_node(name):
    """Kills a node, as a power failure does. Slurm is informed at once, as by a monitor, not after SlurmdTimeout."""
    kill_all(SLURM_CONF=os.environ["SLURM_CONF"], SLURMD_NODENAME=name)
    output_lines("scontrol", "update", f"NodeName={name}", "State=DOWN", "Reason=lost")


def output_lines(*command):
    """The output of a command of Slurm, in lines."""
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT).stdout.splitlines()


def version():
    """The version of Slurm, as (22, 5)."""
    return tuple(int(number) for number in output_lines("slurmd", "-V")[0].split()[-1].split(".")[:2])


def node_states():
    done = subprocess.run(["sinfo", "-h", "-N", "-o", "%N %T"], capture_output=True, text=True, check=False,
                          timeout=LIMIT)
    return dict(line.split() for line in done.stdout.splitlines())


class LocalSlurm:
    """A context manager, which sets SLURM_CONF. `lines` are added to slurm.conf."""

    def __init__(self, lines=""):
        self.lines = lines
        self.daemons = {}
        self.folder = self.guard = None

    def __enter__(self):
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        missing = [program for program in NEEDED if not shutil.which(program)]
        if missing:
            raise CannotRun(f"{', '.join(missing)}: not installed; scripts/install-deps.sh farm does it")
        if os.geteuid() != 0:
            raise CannotRun("slurmd needs root")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-"))
        self.guard = start_guard(self.folder)
        try:
            self.configure()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def configure(self):
        folder = self.folder
        folder.chmod(0o755)  # munged requires that others can reach its socket
        (folder / "state").mkdir()
        key = folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(1024))
        text = CONFIGURATION.format(host=socket.gethostname().split(".")[0], folder=folder, ports=free_ports(3),
                                    cpus=CPUS)
        (folder / "slurm.conf").write_text(text + self.lines + "\n", encoding="utf-8")
        if version() >= (23, 2):  # newer versions require cgroups by default
            (folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n", encoding="utf-8")
        os.environ["SLURM_CONF"] = str(folder / "slurm.conf")

    def start(self):
        folder = self.folder
        socket_path = folder / "munge.socket"
        self.daemons["munged"] = start_daemon(
            folder, "munged", "munged", "--foreground", f"--socket={socket_path}", f"--key-file={folder}/munge.key",
            f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munge.seed")
        self.wait("munged", socket_path.exists)
        self.daemons["slurmctld"] = start_daemon(folder, "slurmctld", "slurmctld", "-D")
        for name in NODES:
            self.start_node(name)
        self.wait("the nodes", lambda: node_states() == dict.fromkeys(NODES, "idle"))

    def wait(self, what, condition):
        """Waits for a condition. Fails if a daemon ends meanwhile."""
        def check():
            for name, daemon in self.daemons.items():
                if daemon.poll() is not None:
                    log = (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
                    raise AssertionError(f"{name} ended with {daemon.returncode}:\n{log}")
            return condition()
        wait_for(what, check)

    def lose_node(self, name):
        lose_node(name)
        self.daemons.pop(name).wait()

    def start_node(self, name):
        """Starts a node, or restarts a lost one."""
        self.daemons[name] = start_daemon(self.folder, name, "slurmd", "-D", "-N", name,
                                          environment=node_environment(name))

    def __exit__(self, *_):
        self.guard.stdin.close()
        for process in (*self.daemons.values(), self.guard):
            process.wait()
        os.environ.pop("SLURM_CONF", None)
        if self.guard.returncode != 0:
            raise AssertionError("the guard has failed")


def main(words):
    if not words:
        print(__doc__, file=sys.stderr)
        return 2
    if len(words) == 2 and words[0] == "guard":
        guard(pathlib.Path(words[1]))
        return 0
    if len(words) == 2 and words[0] == "lose":
        lose_node(words[1])
        return 0
    if len(words) == 2 and words[0] == "start":
        return subprocess.run(["slurmd", "-N", words[1]], check=False, env=node_environment(words[1])).returncode
    try:
        with LocalSlurm(os.environ.get("SLURM_LINES", "")):
            return subprocess.run(words, check=False).returncode
    except CannotRun as why:
        print(why)
        return 77


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
