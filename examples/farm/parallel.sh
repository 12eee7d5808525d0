#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A job of cudaconv with GNU parallel, here or on several machines, and the merge behind it.
#
#   cudaconv plan film.mp4 --kernel sobel --out edges.mkv --piece 60s --job job/
#   ./parallel.sh job/
#   ./parallel.sh job/ --jobs 4 --eta                 what follows the job is for parallel
#   ./parallel.sh job/ --sshlogin node1,node2,:       on other machines; : is this one
#
# The same line again goes on with what is missing. Other machines have to see the job, the film and this folder under
# the same names, and to find cudaconv in the PATH that `ssh node1 command` has.
#
# Of several GPUs each piece takes the one that the fewest others use; CUDA_VISIBLE_DEVICES=0,1 leaves out the rest.
#
# In one line, with neither other machines nor a second try:
#
#   parallel cudaconv run job/ --index {} ::: $(cudaconv status job/ --missing)
set -euo pipefail

job=${1:?usage: parallel.sh JOB [OPTION of parallel...]}
shift

# a piece uses several cores by itself, so there is a job for every second one
cudaconv status "$job" --missing |
  parallel --quote --jobs 50% --retries 3 --workdir . "$@" cudaconv run "$job" --index {}

cudaconv merge "$job"
