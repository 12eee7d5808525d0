#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs a job of cudaconv as a job array of Slurm, followed by a Slurm job that merges.
#
#   cudaconv plan video.mp4 --kernel sobel --out edges.mkv --piece 60s --job job/
#   ./slurm.sh job/                                    submits both
#
# Run the same line again to make the missing chunks. By hand:
#
#   sbatch --array=0-89%16 slurm.sh job/               chunks 0 to 89, at most 16 at a time
#   sbatch --array=0-99%16 slurm.sh job/ --of 100      all chunks, shared among 100 tasks
#   sbatch slurm.sh job/                               without an array, it merges
#
# Arguments after the job are for `cudaconv run`. Options of sbatch are in the lines below, or in its variables, such as
# SBATCH_PARTITION. All nodes need the job, the video and the program under the same paths.
#
#SBATCH --job-name=cudaconv
#SBATCH --cpus-per-task=4
#SBATCH --mem=2G
#SBATCH --time=2:00:00
##SBATCH --gres=gpu:1
# a task whose node fails starts again on another node
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

job=${1:?usage: slurm.sh JOB [OPTION of cudaconv run...]}
shift

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  # it reads the number of the chunk from SLURM_ARRAY_TASK_ID
  exec cudaconv run "$job" --n-threads "${SLURM_CPUS_PER_TASK:-0}" "$@"
elif [ -n "${SLURM_JOB_ID:-}" ]; then
  exec cudaconv merge "$job"
fi

# ---- outside of Slurm: submits both ----

at_once=${AT_ONCE:-16} # tasks
command -v sbatch >/dev/null || { echo 'slurm.sh: Slurm is not installed; parallel.sh and cudaconv run do not need it' >&2; exit 1; }
log=${job%/}/slurm-%A_%a.out
merge=()
missing=$(cudaconv status "$job" --missing)
if [ -n "$missing" ]; then
  # an index has to be smaller than MaxArraySize; if one is not, each task makes several chunks
  limit=$(scontrol show config | awk '$1 == "MaxArraySize" { print $3 }')
  last=${missing##*$'\n'}
  if [ "$last" -lt "$limit" ]; then
    array=${missing//$'\n'/,}
  else
    array=0-$((limit - 1))
    set -- --of "$limit" "$@"
  fi
  id=$(sbatch --parsable --array="$array%$at_once" --output="$log" "$0" "$job" "$@")
  id=${id%%;*} # the name of a cluster may follow
  echo "job array $id: $(wc -l <<<"$missing") chunks, logs in ${log/\%A/$id}"
  # not afterok, because the merge would wait for ever if a task failed; merge reports missing chunks
  merge=(--dependency="afterany:$id")
fi
id=$(sbatch --parsable "${merge[@]}" --job-name=cudaconv-merge --output="${job%/}/slurm-%j.out" "$0" "$job")
echo "job ${id%%;*}: merge, log in ${job%/}/slurm-${id%%;*}.out"
