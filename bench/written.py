# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that are there in whole or not at all."""

import argparse
import os
import sys


class Written:
    """A file for argparse that is written under another name, NAME.part, until it is kept, so that
    a run that ends early leaves what was there before. "-" is the standard output."""

    def __init__(self, name):
        self.name = self.part = None
        try:
            if name == "-":
                self.file = sys.stdout
            elif os.path.exists(name) and not os.path.isfile(name):  # a device, a pipe
                self.file = open(name, "w", encoding="utf-8")
            else:
                self.name = os.path.realpath(name)
                self.file = open(f"{self.name}.part", "w", encoding="utf-8")
                self.part = self.file.name
        except OSError as error:
            raise argparse.ArgumentTypeError(f"{name} cannot be written: {error.strerror}") from error

    def write(self, text):
        self.file.write(text)

    def keep(self):
        self.file.flush()
        if self.part:
            self.file.close()
            os.replace(self.part, self.name)
            self.part = None

    def drop(self):
        """After keep, does nothing."""
        if self.part:
            self.file.close()
            os.remove(self.part)
            self.part = None
