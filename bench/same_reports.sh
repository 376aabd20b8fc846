#!/usr/bin/env bash
# Whether two versions of the sources write the same reports, byte for byte: for changes that must not change behaviour.
#
#   bench/same_reports.sh OLD NEW DIRECTORY...     OLD, NEW: the `src` folders of two checkouts
#
# Every finding counts: low confidence, all threat models, no configuration of the directory. Prints one line a
# directory; ends with 1 where a report differs, and keeps both reports then.
set -euo pipefail
old=$1 new=$2
shift 2
out=$(mktemp -d)
formats=(json sarif markdown github gitlab-sast gitlab-codequality)
different=0
for directory in "$@"; do
  name=$(basename "$directory")
  for version in old new; do
    mkdir -p "$out/$version/$name"
    given=(--format "text:$out/$version/$name/text.plain")
    for format in "${formats[@]}"; do given+=(--format "$format:$out/$version/$name/$format"); done
    PYTHONPATH=${!version} XDG_CACHE_HOME="$out/$version/cache" python -m pyrograph scan "$directory" --root "$directory" \
      --isolated --no-gitignore --exit-zero --quiet --jobs 2 --confidence low --threat-model all --profile audit "${given[@]}"
  done
  if diff -rq "$out/old/$name" "$out/new/$name"; then same=same; else same=DIFFERENT different=1; fi
  count=$(python -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["findings"]))' "$out/new/$name/json")
  echo "$name: $count findings, $same: $(cat "$out/new/$name/"* | sha256sum | cut -c1-16)"
done
if [ "$different" = 1 ]; then echo "the reports are in $out"; exit 1; fi
rm -rf "$out"
