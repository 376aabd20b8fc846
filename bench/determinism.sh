#!/usr/bin/env bash
# The same bytes whatever the number of processes, the hash seed and the cache: JSON and SARIF of one directory.
#
#   bench/determinism.sh DIRECTORY
#
# Prints the number of findings and one line a run; ends with 1 where two runs differ. That the order of files and the
# backend of the search change nothing is tested in tests/test_determinism.py.
set -euo pipefail
directory=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
first=
for run in "1 0 cold" "1 0 report" "1 1 units" "2 0 cold" "2 2 cold"; do
  read -r jobs seed cache <<<"$run"
  [ "$cache" != cold ] || rm -rf "$out/cache"
  [ "$cache" != units ] || rm -rf "$out/cache/pyrograph/reports"
  XDG_CACHE_HOME="$out/cache" PYTHONHASHSEED=$seed python -m pyrograph scan "$directory" --root "$directory" --isolated \
    --no-gitignore --exit-zero --quiet --jobs "$jobs" --confidence low --threat-model all \
    --format "json:$out/report.json" --format "sarif:$out/report.sarif"
  sum=$(cat "$out/report.json" "$out/report.sarif" | sha256sum | cut -c1-16)
  echo "jobs $jobs, hash seed $seed, cache $cache: $sum"
  first=${first:-$sum}
  [ "$sum" = "$first" ] || { echo "the reports differ"; exit 1; }
done
python -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["findings"]), "findings")' "$out/report.json"
