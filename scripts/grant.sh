#!/bin/sh
# Makes the folder GRANT with a link to the folder SOURCE in it, and nothing else.
#
#   scripts/grant.sh SOURCE GRANT
set -eu
mkdir -p "$2"
ln -sfn "$1" "$2/$(basename "$1")"
