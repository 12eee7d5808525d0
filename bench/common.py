# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the scripts share: failures, and the files of --json."""

import argparse
import errno
import json
import os
import pathlib
import sys


class Failure(Exception):
    """Ends the program with a status."""

    def __init__(self, status, words=""):
        super().__init__(words)
        self.status = status


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
        sys.stdout.write(text)
    elif is_special(name):
        pathlib.Path(name).write_text(text, encoding="utf-8")
    else:
        part = pathlib.Path(f"{os.path.realpath(name)}.part")
        try:
            part.write_text(text, encoding="utf-8")
            part.replace(os.path.realpath(name))
        finally:
            part.unlink(missing_ok=True)
