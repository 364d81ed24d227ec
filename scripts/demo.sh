#!/usr/bin/env bash
# What `make demo` shows: the closed loop on one kernel, then what heddle says of wrong orders. Each
# command comes with a line on what one sees. Set HEDDLE to use another program than build/heddle.
set -euo pipefail
cd "$(dirname "$0")/.."
heddle=${HEDDLE:-build/heddle}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# print COMMAND...: a prompt and the command, with quotes where a shell needs them.
print() {
  local argument
  printf '$'
  for argument in "$@"; do
    [[ $argument =~ ^[A-Za-z0-9_./,=-]+$ ]] || argument="\"$argument\""
    printf ' %s' "$argument"
  done
  printf '\n'
}

# show EXPECTED_EXIT_CODE ARGUMENT...: prints a command of heddle, runs it and checks its exit code.
show() {
  local expected=$1 status=0
  shift
  print heddle "$@"
  "$heddle" "$@" || status=$?
  if [ "$status" -ne "$expected" ]; then
    echo "demo: the exit code is $status, not $expected" >&2
    exit 1
  fi
  echo
}

echo "1. A stencil on an MI300X, 10 seconds: a better order is searched for, proved and predicted."
show 0 optimize examples/stencil_2d.toml --gpu mi300x --budget 10s --no-history -o "$folder"

echo "2. What it hands back: the change of the kernel, and beside it the order as code, a log, a report."
print cat "$folder/kernel.patch"
cat "$folder/kernel.patch" || echo "(no patch: 10 seconds were too few on this machine)"
print ls "$folder"
ls "$folder"
echo

echo "3. A remap for 8 dies that forgets the remainder: a tile is computed twice, another never."
show 1 check examples/orders/xcd_naive.py --grid 9 --show

echo "4. An optimiser's log: its best claim, 1.42x, is for computing 256 of 65,536 tiles."
show 1 audit examples/logs/stencil.log --grid 256x256 \
  --let M=8192,N=8192,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32
