#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints nvcc's -gencode flags, one a line.

usage: arch_flags.py NVCC [ARCH...]

ARCH is like sm_90, and gets code of its own; PTX of the newest is added, which later GPUs compile
when they load it. Without any, it is the first of every generation that this nvcc knows from Turing
(75) up, whose code runs on the generation's others, and PTX of the oldest too, for those that take
no other's code (embedded boards).
"""
import re
import subprocess
import sys


def known(nvcc):
    text = subprocess.run([nvcc, '--list-gpu-arch'], check=True, capture_output=True, text=True).stdout
    return [int(number) for number in re.findall(r'compute_(\d+)$', text, re.MULTILINE)]


def first_of_generations(numbers):
    first = {}
    for number in sorted(number for number in numbers if number >= 75):
        first.setdefault(number // 10, number)
    return list(first.values())


def main():
    nvcc, *wanted = sys.argv[1:]
    for name in wanted:
        if not re.fullmatch(r'sm_\d+', name):
            sys.exit(f'cuda-arch: "{name}" is not an architecture such as sm_90')
    numbers = sorted(int(name[3:]) for name in wanted) or first_of_generations(known(nvcc))
    for number in numbers:
        print(f'-gencode=arch=compute_{number},code=sm_{number}')
    for number in numbers[-1:] if wanted else (numbers[0], numbers[-1]):
        print(f'-gencode=arch=compute_{number},code=compute_{number}')


main()
