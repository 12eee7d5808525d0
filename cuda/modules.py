#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the names of the .cu files beside it, without that ending, one a line.

Ninja starts them in this order. The tensor cores' take longest and come first, so that none of them
is left to run alone.
"""
import pathlib

names = (path.stem for path in pathlib.Path(__file__).parent.glob('*.cu'))
for name in sorted(names, key=lambda name: (not name.startswith('tensor'), name)):
    print(name)
