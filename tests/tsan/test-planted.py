#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ThreadSanitizer with locks.c accepts data that GLib's locks protect, and reports a race.

usage: test-planted.py PROGRAM      in the environment of `meson test --setup tsan`
"""
import os
import subprocess
import sys

FINDING = 66  # exitcode of TSAN_OPTIONS


def main():
    if 'exitcode=66' not in os.environ.get('TSAN_OPTIONS', ''):
        print('needs meson test --setup tsan')
        return 77
    wrong = 0
    for kind in 'mutex', 'recursive', 'rwlock', 'cond', 'pool', 'race':
        run = subprocess.run([sys.argv[1], kind], capture_output=True, text=True, check=False, timeout=100)
        if kind == 'race':
            good = run.returncode == FINDING and 'data race' in run.stderr and 'count_without_lock' in run.stderr
        else:
            good = run.returncode == 0 and run.stdout == '2000\n' and not run.stderr
        print(f'{kind}: {"as it should be" if good else f"status {run.returncode}, {run.stdout}{run.stderr}"}')
        wrong += not good
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
