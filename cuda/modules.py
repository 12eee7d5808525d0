#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the .cu files of the folder as FOLDER/NAME, without the suffix, one a line.

Ninja compiles them in this order. Those in tensor/ take longest and come first, so that none of
them is compiled alone at the end.
"""
import pathlib

home = pathlib.Path(__file__).parent
names = (path.relative_to(home).with_suffix('').as_posix() for path in home.rglob('*.cu'))
for name in sorted(names, key=lambda name: (not name.startswith('tensor/'), name)):
    print(name)
