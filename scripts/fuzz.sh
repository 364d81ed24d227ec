#!/usr/bin/env bash
# Runs each fuzz target for a while (seconds: first argument, default 60), from the corpus in
# tests/fuzz/corpus; what it finds is left in build-fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
for target in order compact log triton points cxx counters rocpd kernel_counters mcp chat answer; do
  mkdir -p "build-fuzz/corpus-$target"
  # A database has pages.
  length=4096
  if [[ $target == rocpd ]]; then length=16384; fi
  echo "fuzz: $target, $seconds s" >&2
  (cd build-fuzz && ./fuzz_$target -max_total_time="$seconds" -timeout=30 -rss_limit_mb=2048 -max_len="$length" \
    -dict=../tests/fuzz/order.dict -print_final_stats=0 -verbosity=0 "corpus-$target" "../tests/fuzz/corpus/$target")
done
echo "fuzz: nothing found" >&2
