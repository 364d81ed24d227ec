#!/usr/bin/env bash
# The second step of action.yml: findings as annotations, SARIF and a summary.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
heddle=$(command -v heddle || echo "$here/../build/heddle")
read -ra jobs <<< "${HEDDLE_JOBS:?no job is named}"
read -ra values <<< "${HEDDLE_SET:-}"
options=()
for value in "${values[@]}"; do options+=(--set "$value"); done
[ "${HEDDLE_ALLOW_UNKNOWN:-false}" != true ] || options+=(--allow-unknown)
git rev-parse --verify --quiet "$HEDDLE_BASE^{commit}" > /dev/null ||
  git fetch --quiet --depth=1 origin "$HEDDLE_BASE"
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
echo "::add-matcher::$here/problem_matcher.json"
code=0
python3 "$here/heddle_ci.py" --heddle "$heddle" --base "$HEDDLE_BASE" --sarif "$HEDDLE_SARIF" \
  --markdown "$summary" "${options[@]}" "${jobs[@]}" || code=$?
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$summary" >> "$GITHUB_STEP_SUMMARY"
[ -z "${GITHUB_OUTPUT:-}" ] || echo "sarif=$HEDDLE_SARIF" >> "$GITHUB_OUTPUT"
echo "::remove-matcher owner=heddle::"
exit $code
