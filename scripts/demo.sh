#!/usr/bin/env bash
# What `make demo` shows: three commands on the examples, each with a line on what one sees.
# Set HEDDLE to use another program than build/heddle.
set -euo pipefail
cd "$(dirname "$0")/.."
heddle=${HEDDLE:-build/heddle}

# show EXPECTED_EXIT_CODE ARGUMENT...: echoes the command, runs it and checks its exit code.
show() {
  local expected=$1 status=0 argument
  shift
  printf '$ heddle'
  for argument in "$@"; do
    [[ $argument =~ ^[A-Za-z0-9_./,=-]+$ ]] || argument="\"$argument\""
    printf ' %s' "$argument"
  done
  printf '\n'
  "$heddle" "$@" || status=$?
  if [ "$status" -ne "$expected" ]; then
    echo "demo: the exit code is $status, not $expected" >&2
    exit 1
  fi
  echo
}

echo "1. A remap for 8 dies that forgets the remainder: a tile is computed twice, another never."
show 1 check examples/orders/xcd_naive.py --grid 9 --show

echo "2. heddle's own remap: a permutation on every one of 4,096 grids."
show 0 check 'xcd(8)' --grids 1..4096

echo "3. An optimiser's log: its best claim, 1.42x, is for computing 256 of 65,536 tiles."
show 1 audit examples/logs/stencil.log --grid 256x256 \
  --let M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32
