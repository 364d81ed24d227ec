// Code that is compiled a second time for the wide registers that most x86-64 machines have.
//
//   HEDDLE_WIDE void run_wide() { run(); }        // run() and all it inlines, for AVX2
//   ... has_wide() ? run_wide() : run()
//
// Rules
//   1. Both versions compute the same: there are no floating-point numbers in what is compiled
//   twice.
//   2. Where there is nothing wider than the usual (arm64), has_wide() is false.
#pragma once

#if defined(__x86_64__)
#define HEDDLE_WIDE [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt"), gnu::flatten]]
#else
#define HEDDLE_WIDE
#endif

namespace heddle::sim {

inline bool has_wide() {
#if defined(__x86_64__)
  static const bool has =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
      __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("lzcnt") != 0;
  return has;
#else
  return false;
#endif
}

}  // namespace heddle::sim
