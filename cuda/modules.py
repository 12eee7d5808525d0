#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the names of the .cu files beside it, without that ending, one a line."""
import pathlib

for path in sorted(pathlib.Path(__file__).parent.glob('*.cu')):
    print(path.stem)
