#!/bin/sh
# Builds the agent of this bundle where that is needed, and runs it: sh DIR/run.sh [--no-counters]
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
program=$folder/agent/heddle-agent
stale=yes
if [ -x "$program" ]; then
  stale=$(find "$folder/agent" \( -name '*.cpp' -o -name '*.h' \) -newer "$program" | head -n 1)
fi
if [ -n "$stale" ]; then
  compiler=${CXX:-c++}
  if ! command -v "${compiler%% *}" >/dev/null 2>&1; then
    echo "run.sh: there is no C++ compiler '$compiler'" >&2
    echo "  try: install g++ 12 or later, or name another one in CXX" >&2
    exit 4
  fi
  # To another name first: a build that is broken off leaves nothing that looks finished.
  $compiler -std=c++20 -O2 "$folder"/agent/*.cpp -o "$program.new" -ldl -lpthread || {
    echo "run.sh: the agent could not be built" >&2
    echo "  try: a compiler that knows C++20, named in CXX" >&2
    exit 4
  }
  mv "$program.new" "$program"
fi
exec "$program" "$folder" "$@"
