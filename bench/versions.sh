#!/usr/bin/env bash
# Whole-process time of two installed versions, nothing cached, alternating, on one directory.
#
#   bench/versions.sh OLD NEW DIRECTORY [ROUNDS]     OLD, NEW: the `pyrograph` of two virtual environments
#
# Prints seconds and peak memory (KB, largest process) of each run; compare within one run only.
set -euo pipefail
old=$1 new=$2 directory=$3 rounds=${4:-2}
for round in $(seq "$rounds"); do
  for command in "$old" "$new"; do
    cache=$(mktemp -d)
    XDG_CACHE_HOME=$cache /usr/bin/time -f "$command %e s, %U s of CPU, %M KB" "$command" scan "$directory" \
      --root "$directory" --isolated --no-gitignore --exit-zero --quiet --format json:/dev/null
    rm -rf "$cache"
  done
done
