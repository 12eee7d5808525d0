#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The manual page has exactly the commands and options of the help.

usage: test-manual.py PROGRAM PAGE
"""

import pathlib
import re
import subprocess
import sys
import unittest

PROGRAM, PAGE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
FILTERING = {"apply", "play", "measure", "plan", "explain"}  # the commands whose options are those of the element as well
GENERAL = {"-h", "--help"}


def print_help(*command):
    return subprocess.run([PROGRAM, *command, "--help"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def list_commands():
    return set(re.findall(r"^  ([a-z]+) .*  ", print_help(), re.MULTILINE))


def list_options(command):
    """The options in the help of a command, in both forms."""
    entries = re.findall(r"^  (?:(-\w), )?(--[a-z0-9-]+)", print_help(command), re.MULTILINE)
    return {name for entry in entries for name in entry if name} - GENERAL


def read_page():
    """The text of each section and subsection, without escapes and comments of roff."""
    text = PAGE.read_text(encoding="utf-8").replace("\\-", "-")
    text = re.sub(r'^\.\\".*\n', "", text, flags=re.MULTILINE)
    text = re.sub(r"\\f[BIR]", "", text)
    parts = re.split(r"^\.S[HS] (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def find_entries(section):
    """The options that a section explains: at the start of an entry, or as "-k is short for"."""
    heads = re.findall(r"^\.TP\n\.\w+ (.*)", section, re.MULTILINE)
    short = re.findall(r"^\.B (-\w)\nis short for", section, re.MULTILINE)
    return {name for head in heads for name in re.findall(r"(?<![\w-])--?[a-z][a-z0-9-]*", head)
            if name.startswith("--") or len(name) == 2} | set(short)


class Manual(unittest.TestCase):
    def setUp(self):
        self.page = read_page()

    def test_commands(self):
        commands = list_commands()
        self.assertGreater(len(commands), 3)
        explained = set(re.findall(r"^\.TP\n\.B (\w+)", self.page["COMMANDS"], re.MULTILINE))
        self.assertEqual(explained, commands)
        for command in commands:
            self.assertIn(f"cudaconv {command}", self.page["SYNOPSIS"])

    def test_options(self):
        shared = find_entries(self.page["Options of apply, play, measure, plan and explain"])
        self.assertIn("--kernel", shared)
        for command in list_commands():
            with self.subTest(command=command):
                options = list_options(command)
                own = find_entries(self.page.get(f"Options of {command}", ""))
                if command in FILTERING:
                    self.assertFalse(own & shared)
                    own |= shared
                self.assertEqual(own, options)

    def test_general_options(self):
        self.assertEqual(find_entries(self.page["Options of all commands"]),
                         GENERAL | {"--version"})

    def test_environment(self):
        """The page explains the environment variables in the help."""
        names = {name for command in list_commands()
                 for name in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", print_help(command))}
        self.assertIn("SLURM_ARRAY_TASK_ID", names)
        for name in names:
            self.assertIn(name, self.page["ENVIRONMENT"])

    def test_sections(self):
        for name in ("NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "EXIT STATUS",
                     "ENVIRONMENT", "FILES", "EXAMPLES", "NOTES", "SEE ALSO"):
            self.assertIn(name, self.page)


unittest.main()
