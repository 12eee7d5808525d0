#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs a job of cudaconv with GNU parallel, on this machine or on several, and merges it.
#
#   cudaconv plan video.mp4 --kernel sobel --out edges.mkv --piece 60s --job job/
#   ./parallel.sh job/
#   ./parallel.sh job/ --jobs 4 --eta                 arguments after the job are for parallel
#   ./parallel.sh job/ --sshlogin node1,node2,:       on other machines; : is this one
#
# Run the same line again to make the missing chunks. Other machines need the job, the video and this folder under the
# same paths, and cudaconv in the PATH of `ssh node1 command`.
#
# With several GPUs, each chunk uses the least busy one. CUDA_VISIBLE_DEVICES=0,1 restricts it to these.
#
# In one line, without other machines and without retries:
#
#   parallel cudaconv run job/ --index {} ::: $(cudaconv status job/ --missing)
set -euo pipefail

job=${1:?usage: parallel.sh JOB [OPTION of parallel...]}
shift

# a chunk uses several cores, so there is one job for two cores
cudaconv status "$job" --missing |
  parallel --quote --jobs 50% --retries 3 --workdir . "$@" cudaconv run "$job" --index {}

cudaconv merge "$job"
