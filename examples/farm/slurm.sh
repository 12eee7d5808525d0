#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A job of cudaconv as a job array of Slurm, and another Slurm job behind it that merges.
#
#   cudaconv plan film.mp4 --kernel sobel --out edges.mkv --piece 60s --job job/
#   ./slurm.sh job/                                    submits both
#
# The same line again goes on with what is missing. By hand it is
#
#   sbatch --array=0-89%16 slurm.sh job/               pieces 0 to 89, at most 16 at a time
#   sbatch --array=0-99%16 slurm.sh job/ --of 100      all pieces, shared out among 100 tasks
#   sbatch slurm.sh job/                               without an array it merges
#
# What follows the job is for `cudaconv run`. What sbatch is to know is in the lines below, or in its variables, such
# as SBATCH_PARTITION. All nodes have to see the job, the film and the program under the same names.
#
#SBATCH --job-name=cudaconv
#SBATCH --cpus-per-task=4
#SBATCH --mem=2G
#SBATCH --time=2:00:00
##SBATCH --gres=gpu:1
# a task whose node fails starts again on another one
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

job=${1:?usage: slurm.sh JOB [OPTION of cudaconv run...]}
shift

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  # it takes SLURM_ARRAY_TASK_ID for the number of the piece
  exec cudaconv run "$job" --n-threads "${SLURM_CPUS_PER_TASK:-0}" "$@"
elif [ -n "${SLURM_JOB_ID:-}" ]; then
  exec cudaconv merge "$job"
fi

# ---- outside of Slurm: submits both ----

at_once=${AT_ONCE:-16} # tasks
command -v sbatch >/dev/null || { echo 'slurm.sh: Slurm is not here; parallel.sh and cudaconv run do without it' >&2; exit 1; }
log=${job%/}/slurm-%A_%a.out
merge=()
missing=$(cudaconv status "$job" --missing)
if [ -n "$missing" ]; then
  # an index has to be smaller than MaxArraySize; where one is not, each task makes several pieces
  limit=$(scontrol show config | awk '$1 == "MaxArraySize" { print $3 }')
  last=${missing##*$'\n'}
  if [ "$last" -lt "$limit" ]; then
    array=${missing//$'\n'/,}
  else
    array=0-$((limit - 1))
    set -- --of "$limit" "$@"
  fi
  id=$(sbatch --parsable --array="$array%$at_once" --output="$log" "$0" "$job" "$@")
  id=${id%%;*} # a cluster's name follows
  echo "job array $id: $(wc -l <<<"$missing") pieces, logs in ${log/\%A/$id}"
  # not afterok, with which it would wait for ever when a task fails: merge says what is missing
  merge=(--dependency="afterany:$id")
fi
id=$(sbatch --parsable "${merge[@]}" --job-name=cudaconv-merge --output="${job%/}/slurm-%j.out" "$0" "$job")
echo "job ${id%%;*}: merge, log in ${job%/}/slurm-${id%%;*}.out"
