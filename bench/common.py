# SPDX-License-Identifier: LGPL-2.1-or-later
"""For all scripts: failures, messages, the programs that measure, and the files of --json."""

import argparse
import errno
import json
import os
import pathlib
import subprocess
import sys


class Failure(Exception):
    """Ends the program with a status."""

    def __init__(self, status, words=""):
        super().__init__(words)
        self.status = status


def say(line=""):
    """Prints a line of a table as soon as it is there."""
    print(line, flush=True)


def warn(line):
    print(f"cudaconv-bench: {line}", file=sys.stderr, flush=True)


# --- the programs ---


def path_of(name):
    """Where a program of ours lies: beside this file."""
    program = pathlib.Path(__file__).resolve().parent / f"cudaconv-bench-{name}"
    if not program.exists():
        raise Failure(77, f"no {program}: \"ninja -C build\" makes it, of some only where there is CUDA")
    return program


def lines_of(name, words, **options):
    """Runs a program of ours with those options that are not None; yields the objects that it prints."""
    given = [f"--{option}={value}" for option, value in options.items() if value is not None]
    with subprocess.Popen([path_of(name), *given, *words], stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            yield {field: value for field, value in json.loads(line).items() if value}
    if child.returncode:  # the program has reported why
        raise Failure(max(child.returncode, 1))


class Frames:
    """cudaconv-bench-frames, which measures a round of a case at each request."""

    def __init__(self, budget):
        self.process = subprocess.Popen([path_of("frames"), f"--budget={budget}"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def request(self, words):
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {"error": "cudaconv-bench-frames ended"}
        if "error" in answer:
            raise Failure(1, f"{words}: {answer['error']}")
        return answer


# --- files ---


def is_special(name):
    """Whether a name is that of a device or a pipe."""
    return os.path.exists(name) and not os.path.isfile(name)


def writable(name):
    """For argparse: the name of a file that can be written. Refuses others before anything is measured."""
    where = name if is_special(name) else os.path.dirname(os.path.realpath(name))
    if name != "-" and not os.access(where, os.W_OK):
        why = errno.EACCES if os.path.exists(where) else errno.ENOENT
        raise argparse.ArgumentTypeError(f"{name} cannot be written: {os.strerror(why)}")
    return name


def write_json(name, run):
    """Writes a run as a whole or not at all; "-" is the standard output."""
    text = json.dumps(run, indent=1) + "\n"
    if name == "-":
        sys.__stdout__.write(text)  # tables go to the standard error then
    elif is_special(name):
        pathlib.Path(name).write_text(text, encoding="utf-8")
    else:
        part = pathlib.Path(f"{os.path.realpath(name)}.part")
        try:
            part.write_text(text, encoding="utf-8")
            part.replace(os.path.realpath(name))
        finally:
            part.unlink(missing_ok=True)
