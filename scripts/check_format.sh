#!/usr/bin/env bash
# Fails where a source is not written as .clang-format says, and names the lines. `make format` mends it.
# Versions of clang-format differ, so version 14 decides; without it the answer is code 77, skipped.
# The device headers are C++ for other compilers, in columns by hand: they are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=14
for name in "clang-format-$wanted" clang-format; do
  if "$name" --version 2>/dev/null | grep -q "version $wanted\."; then format=$name; break; fi
done
[ -n "${format:-}" ] || { echo "format: there is no clang-format $wanted" >&2; exit 77; }
mapfile -t files < <(git ls-files '*.h' '*.cpp' | grep -v -E '^(device|tests/corpus|examples)/')
if [ "${1:-}" = --fix ]; then
  "$format" -i "${files[@]}"
else
  "$format" --dry-run -Werror "${files[@]}"
  echo "${#files[@]} files are formatted"
fi
