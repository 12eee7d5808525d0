#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a C file that embeds a fatbin as read-only data.

usage: embed.py FATBIN SYMBOL OUTPUT

The assembler includes the fatbin. Ninja notices a change by the time of the C file.
"""
import sys

fatbin, symbol, output = sys.argv[1:]
with open(fatbin, 'rb') as file:
    if file.read(4) != b'\x50\xed\x55\xba':
        sys.exit(f'{fatbin} is no fatbin of nvcc')
with open(output, 'w', encoding='utf-8') as c_file:
    c_file.write(f'''__asm__(".pushsection .rodata, \\"a\\"\\n"
        ".balign 16\\n"
        ".globl {symbol}\\n"
        ".hidden {symbol}\\n"
        "{symbol}:\\n"
        ".incbin \\"{fatbin}\\"\\n"
        ".popsection\\n");
''')
