#!/usr/bin/env bash
# Whole-process time against Bandit, cold, alternating, on a directory of Python.
#
#   bench/speed.sh DIRECTORY [ROUNDS]
#
# Prints seconds and peak memory (KB, largest process) of each run; compare within one run only.
set -euo pipefail
directory=$1 rounds=${2:-3}
for round in $(seq "$rounds"); do
  cache=$(mktemp -d)
  XDG_CACHE_HOME=$cache /usr/bin/time -f "pyrograph %e s, %U s of CPU, %M KB" python -m pyrograph scan "$directory" \
    --root "$directory" --include '*.py' --isolated --no-gitignore --exit-zero --quiet --format json:/dev/null
  rm -rf "$cache"
  { /usr/bin/time -f "bandit    %e s, %U s of CPU, %M KB" bandit -q -r "$directory" -f json -o /dev/null || true; } 2>&1 | tail -n 1
done
