#!/usr/bin/env bash
# Scores on the two public benchmarks; both are checked out elsewhere, with the scorers beside them.
#
#   bench/accuracy.sh SCORERS OWASP_CHECKOUT XAST_CHECKOUT
#
# SCORERS holds score_owasp.py and score_xast.py. Prints the scorers' last line (one JSON object) for each run.
set -euo pipefail
scorers=$1 owasp=$2 xast=$3
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
python -m pyrograph scan "$owasp" --root "$owasp" --isolated --no-gitignore --exit-zero --profile audit --confidence medium \
  --format "sarif:$out/owasp.sarif" --quiet
python "$scorers/score_owasp.py" "$out/owasp.sarif" --checkout "$owasp" --categories taint | tail -n 1
for pair in py3:sast-python3:python js:sast-js:javascript go:sast-go:go; do
  IFS=: read -r language folder rules <<<"$pair"
  python -m pyrograph scan "$xast/$folder" --root "$xast" --isolated --no-gitignore --no-default-excludes --exit-zero --confidence medium \
    --select command-injection --rules "$here/xast/$rules.toml" --format "sarif:$out/$language.sarif" --quiet
  python "$scorers/score_xast.py" "$out/$language.sarif" --checkout "$xast" --lang "$language" | tail -n 1
done
