#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints nvcc's -gencode flags, one a line.

usage: arch_flags.py NVCC [ARCH...]

ARCH is like sm_90, 90 or 9.0, and gets code of its own; PTX for the newest is added, which later
GPUs compile when they load it. One argument may hold several. Without any, it is the first of every generation that this nvcc knows from Turing
(75) up, whose code runs on the generation's others, and PTX for Ampere (80), for GPUs to come and
for boards with a generation of their own (Thor, 110), whose driver compiles it at the first run.

The device code is compiled once for each of the architectures that it tells apart, which takes most
of the time, and then made into code for the GPUs that have what that one has.
"""
import re
import subprocess
import sys

TOLD_APART = 75, 80, 90
OF_BOARDS = 11,  # generations


def known(nvcc):
    text = subprocess.run([nvcc, '--list-gpu-arch'], check=True, capture_output=True, text=True).stdout
    return [int(number) for number in re.findall(r'compute_(\d+)$', text, re.MULTILINE)]


def first_of_generations(numbers):
    first = {}
    for number in sorted(number for number in numbers
                         if number >= TOLD_APART[0] and number // 10 not in OF_BOARDS):
        first.setdefault(number // 10, number)
    return list(first.values())


def compiled_for(number):
    return max(apart for apart in TOLD_APART if apart <= number)


def number_of(name, among):
    written = re.fullmatch(r'(?:sm_)?(\d{2,3})|(\d{1,2})\.(\d)', name)
    number = int(written[1] or written[2] + written[3]) if written else 0
    if number < TOLD_APART[0]:
        sys.exit(f'cuda-arch: "{name}" is not an architecture such as sm_90, 90 or 9.0, '
                 f'from sm_{TOLD_APART[0]} up')
    if number not in among:
        sys.exit(f'cuda-arch: this nvcc does not know "{name}"; it knows '
                 + ', '.join(f'sm_{one}' for one in sorted(among) if one >= TOLD_APART[0]))
    return number


def main():
    nvcc, *words = sys.argv[1:]
    wanted = re.findall(r'[^\s,;]+', ' '.join(words))
    among = known(nvcc)
    numbers = sorted({number_of(name, among) for name in wanted}) or first_of_generations(among)
    ptx = compiled_for(numbers[-1]) if wanted else 80
    for apart in TOLD_APART:
        codes = [f'sm_{number}' for number in numbers if compiled_for(number) == apart]
        codes += [f'compute_{apart}'] * (apart == ptx)
        if codes:
            print(f'-gencode=arch=compute_{apart},code=[{",".join(codes)}]')


main()
