#!/bin/sh
# Creates the folder GRANT. It contains only a link to the folder SOURCE.
#
#   scripts/grant.sh SOURCE GRANT
set -eu
mkdir -p "$2"
ln -sfn "$1" "$2/$(basename "$1")"
