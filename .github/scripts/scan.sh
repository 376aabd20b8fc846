#!/usr/bin/env bash
# The steps of action.yml: install, scan everything, compare with the base, write outputs and the job's summary.
# Exit codes are those of pyrograph. tests/test_ci.py runs this script.
set -euo pipefail

mkdir -p "$GIVEN_FOLDER"
if [ -z "${PYROGRAPH:-}" ]; then # the tests set it
    "$GIVEN_PYTHON" -m venv "$GIVEN_FOLDER/venv"
    commands="$GIVEN_FOLDER/venv/bin"
    [ -d "$commands" ] || commands="$GIVEN_FOLDER/venv/Scripts" # on Windows
    "$commands/python" -m pip install --quiet --disable-pip-version-check "$ACTION_PATH"
    PYROGRAPH="$commands/pyrograph"
fi

# One value a line; empty lines are left out.
lines() {
    local line
    values=()
    while IFS= read -r line; do
        line="${line%$'\r'}"
        [ -z "$line" ] || values+=("$line")
    done <<<"$1"
}
lines "$GIVEN_OPTIONS"
options=(${values[@]+"${values[@]}"} --category "$GIVEN_CATEGORY")
lines "$GIVEN_PATHS"
paths=(${values[@]+"${values[@]}"})
if [ "$GIVEN_CACHE" = true ]; then options+=(--cache "$GIVEN_FOLDER/cache"); else options+=(--no-cache); fi
if [ "$GIVEN_FAIL_ON" = never ]; then verdict=(--exit-zero); else verdict=(--fail-on "$GIVEN_FAIL_ON"); fi

base="$GIVEN_BASE"
if [ -z "$base" ] && [ -n "${GITHUB_BASE_REF:-}" ]; then base="origin/$GITHUB_BASE_REF"; fi
if [ "$base" = none ]; then base=""; fi

sarif="$GIVEN_FOLDER/pyrograph.sarif"
json="$GIVEN_FOLDER/pyrograph.json"
markdown="$GIVEN_FOLDER/pyrograph.md"
reports=(--format "json:$json" --format "markdown:$markdown" --format text)
code=0
if [ -z "$base" ]; then
    "$PYROGRAPH" scan "${options[@]}" "${verdict[@]}" "${reports[@]}" --format "sarif:$sarif" -- "${paths[@]}" || code=$?
else
    # Code scanning compares the uploads of both branches itself, so it gets the report of the whole scan.
    "$PYROGRAPH" scan "${options[@]}" --exit-zero --quiet --format "sarif:$sarif" -- "${paths[@]}" || code=$?
    if [ "$code" -eq 0 ] || [ "$code" -eq 3 ]; then # 3: incomplete under --strict, which the comparison says again
        code=0
        named=()
        for path in "${paths[@]}"; do named+=(--path "$path"); done
        "$PYROGRAPH" diff "${options[@]}" "${verdict[@]}" "${reports[@]}" "${named[@]}" -- "$base" || code=$?
    fi
fi

for name in sarif json markdown; do
    if [ -f "${!name}" ]; then echo "$name=${!name}" >>"$GITHUB_OUTPUT"; fi
done
if [ -f "$markdown" ]; then cat "$markdown" >>"$GITHUB_STEP_SUMMARY"; fi
exit "$code"
