#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints nvcc's -gencode flags, one a line.

usage: arch_flags.py NVCC [ARCH...]

ARCH is sm_90, 90 or 9.0, for example. One argument may hold several. Each gets machine code. PTX
for the newest is added, which the driver compiles for later GPUs when it loads the code.

Without ARCH, machine code is made for the first architecture of every generation from Turing (75)
up that this nvcc knows. That code runs on the rest of the generation. PTX for Ampere (80) is added
for future GPUs and for boards with a generation of their own (Thor, 110), whose driver compiles it
at the first run.

nvcc compiles the device code once for each architecture that the code distinguishes, which takes
most of the time, and then assembles it for all GPUs with the features of that architecture.
"""
import re
import subprocess
import sys

DISTINGUISHED = 75, 80, 90
BOARD_GENERATIONS = 11,


def known_architectures(nvcc):
    text = subprocess.run([nvcc, '--list-gpu-arch'], check=True, capture_output=True, text=True).stdout
    return [int(number) for number in re.findall(r'compute_(\d+)$', text, re.MULTILINE)]


def first_of_generations(numbers):
    first = {}
    for number in sorted(number for number in numbers
                         if number >= DISTINGUISHED[0] and number // 10 not in BOARD_GENERATIONS):
        first.setdefault(number // 10, number)
    return list(first.values())


def compiled_for(number):
    return max(feature_set for feature_set in DISTINGUISHED if feature_set <= number)


def number_of(name, among):
    written = re.fullmatch(r'(?:sm_)?(\d{2,3})|(\d{1,2})\.(\d)', name)
    number = int(written[1] or written[2] + written[3]) if written else 0
    if number < DISTINGUISHED[0]:
        sys.exit(f'cuda-arch: "{name}" is not an architecture such as sm_90, 90 or 9.0, '
                 f'from sm_{DISTINGUISHED[0]} up')
    if number not in among:
        sys.exit(f'cuda-arch: this nvcc does not know "{name}"; it knows '
                 + ', '.join(f'sm_{one}' for one in sorted(among) if one >= DISTINGUISHED[0]))
    return number


def main():
    nvcc, *words = sys.argv[1:]
    wanted = re.findall(r'[^\s,;]+', ' '.join(words))
    among = known_architectures(nvcc)
    numbers = sorted({number_of(name, among) for name in wanted}) or first_of_generations(among)
    ptx = compiled_for(numbers[-1]) if wanted else 80
    for feature_set in DISTINGUISHED:
        codes = [f'sm_{number}' for number in numbers if compiled_for(number) == feature_set]
        codes += [f'compute_{feature_set}'] * (feature_set == ptx)
        if codes:
            print(f'-gencode=arch=compute_{feature_set},code=[{",".join(codes)}]')


main()
