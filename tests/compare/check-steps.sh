#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compares the steps of random plans with steps.txt.
#   check-steps.sh PROGRAM FILE
if "$1" | diff -u "$2" - > steps.diff; then
  rm steps.diff
  exit 0
fi
head -n 60 steps.diff
echo "$(grep -c '^[-+] ' steps.diff) lines of plans differ: other methods or kernels are chosen than $2 says."
echo "If that is meant: $1 > $2, and the commit says why."
exit 1
