#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the .cu files of the folder, as FOLDER/NAME without that ending, one a line.

Ninja starts them in this order. The tensor cores' take longest and come first, so that none of them
is left to run alone.
"""
import pathlib

home = pathlib.Path(__file__).parent
names = (path.relative_to(home).with_suffix('').as_posix() for path in home.rglob('*.cu'))
for name in sorted(names, key=lambda name: (not name.startswith('tensor/'), name)):
    print(name)
