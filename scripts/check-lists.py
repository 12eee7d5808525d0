#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that lists in documents have the same words as the lists in the code."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def names(path, prefix):
    """Returns the names of the enum whose constants start with the prefix."""
    return re.findall(rf'F\({prefix}_\w+, "([\w-]+)"', read(path))


RESPONSES = names("engine/shared.h", "CC_RESPONSE")
CHROMAS = names("engine/kernel/kernel.h", "CC_CHROMA")
CLASSES = names("engine/kernel/kernel.h", "CC_KERNEL")
# the arguments of cc_is_left_out, and the tap patterns without the last one, which means no pattern
CPU_PATHS = {path for file in sorted((ROOT / "cpu").rglob("*.c"))
             for argument in re.findall(r'(?:cc_is_left_out\(|path = )([^()]*?"[a-z0-9-]+"[^();]*)[);]',
                                        file.read_text(encoding="utf-8"))
             for path in re.findall(r'"([a-z0-9-]+)"', argument)}
CPU_PATHS |= set(re.findall(r'\{0x\w+, "([\d-]+)"\}', read("cpu/methods/tap_pattern.c")))
FORMATS = dict(re.findall(r"F\((\w+), CC_IN_CUDA_(\w+)\)", read("plugin/memory/formats.h")))

PLAIN = r"\b(?!or\b|default\b)[a-z][a-z0-9-]*"
FORMAT = r"\w*[A-Z]\w*"

# file, pattern of the list, pattern of its words, expected words
LISTS = [
    ("docs/gpu.md", r"of 16 bits a sample\s+only\s([^.]*)\.", FORMAT,
     [name for name, in_cuda in FORMATS.items() if "_" in name and in_cuda in ("ANY", "PLANAR")]),
    ("docs/gpu.md", r"Before 1\.24\.4 CUDA memory does not hold (.*) of an odd height", FORMAT,
     [name for name, in_cuda in FORMATS.items() if in_cuda == "PLANAR"]),
    ("presets/kernels.ini", r"^#   class  ([^:]*):", PLAIN, CLASSES),
    ("presets/kernels.ini", r"^#   response  (.*)$", PLAIN, [r for r in RESPONSES[1:] if not r.startswith("canny")]),
    ("presets/kernels.ini", r"^#   chroma  ([^:]*):", PLAIN, CHROMAS[1:]),
    ("bench/ablate.py", r'(?s)^CPU_PATHS = \[([^\]]*)\]', r'(?<=")[\w-]+(?=")', sorted(CPU_PATHS)),
]


def check(path, pattern, word, expected):
    """Whether the list exists and has exactly the expected words."""
    found = re.search(pattern, read(path), re.MULTILINE)
    words = set(re.findall(word, found.group(1))) if found else set()
    wrong = words ^ set(expected)
    if wrong or not words:
        print(f"{path}: {pattern}: {', '.join(sorted(wrong)) or 'no such list'}")
    return bool(words) and not wrong


# a list and not a generator, so that all are checked
sys.exit(0 if all([check(*entry) for entry in LISTS]) else 1)
