#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints nvcc's -gencode flags, one a line.

usage: arch_flags.py NVCC [ARCH...]

ARCH is like sm_90; without any, all that this nvcc knows from Turing (75) up. PTX of the newest is
added, which later GPUs compile when they load it.
"""
import re
import subprocess
import sys


def known(nvcc):
    text = subprocess.run([nvcc, '--list-gpu-arch'], check=True, capture_output=True, text=True).stdout
    return [int(number) for number in re.findall(r'compute_(\d+)$', text, re.MULTILINE)]


def main():
    nvcc, *wanted = sys.argv[1:]
    for name in wanted:
        if not re.fullmatch(r'sm_\d+', name):
            sys.exit(f'cuda-arch: "{name}" is not an architecture such as sm_90')
    numbers = [int(name[3:]) for name in wanted] or [n for n in known(nvcc) if n >= 75]
    for number in sorted(numbers):
        print(f'-gencode=arch=compute_{number},code=sm_{number}')
    newest = max(numbers)
    print(f'-gencode=arch=compute_{newest},code=compute_{newest}')


main()
