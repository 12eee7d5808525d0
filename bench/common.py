# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by all scripts: failures, messages, the measuring programs, and the files of --json."""

import argparse
import errno
import json
import os
import pathlib
import subprocess
import sys


class Failure(Exception):
    """Ends the program with an exit status."""

    def __init__(self, status, words=""):
        super().__init__(words)
        self.status = status


def say(line=""):
    """Prints a line and flushes."""
    print(line, flush=True)


def warn(line):
    print(f"cudaconv-bench: {line}", file=sys.stderr, flush=True)


# --- the programs ---


def path_of(name):
    """Returns the path of one of our programs, which is in the folder of this file."""
    program = pathlib.Path(__file__).resolve().parent / f"cudaconv-bench-{name}"
    if not program.exists():
        raise Failure(77, f"no {program}: \"ninja -C build\" builds it (some programs need CUDA)")
    return program


def lines_of(name, words, **options):
    """Runs one of our programs with all options that are not None. Yields the objects that it prints."""
    given = [f"--{option}={value}" for option, value in options.items() if value is not None]
    with subprocess.Popen([path_of(name), *given, *words], stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            yield {field: value for field, value in json.loads(line).items() if value}
    if child.returncode:  # the program has reported why
        raise Failure(max(child.returncode, 1))


class Frames:
    """A process of cudaconv-bench-frames. It measures one round of a case for each request."""

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
    """Whether a name is the name of a device or a pipe."""
    return os.path.exists(name) and not os.path.isfile(name)


def writable(name):
    """A type for argparse: the name of a writable file. Other names are an error before anything is measured."""
    where = name if is_special(name) else os.path.dirname(os.path.realpath(name))
    if name != "-" and not os.access(where, os.W_OK):
        why = errno.EACCES if os.path.exists(where) else errno.ENOENT
        raise argparse.ArgumentTypeError(f"{name} cannot be written: {os.strerror(why)}")
    return name


def write_json(name, run):
    """Writes a run completely or not at all. "-" is standard output."""
    text = json.dumps(run, indent=1) + "\n"
    if name == "-":
        sys.__stdout__.write(text)  # tables go to standard error in this case
    elif is_special(name):
        pathlib.Path(name).write_text(text, encoding="utf-8")
    else:
        temporary = pathlib.Path(f"{os.path.realpath(name)}.part")
        try:
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(os.path.realpath(name))
        finally:
            temporary.unlink(missing_ok=True)
