// Code that is compiled again for the wide registers that most x86-64 machines have.
//
//   HEDDLE_AVX2 void run_avx2() { run(); }          // run() and all it inlines, for AVX2
//   HEDDLE_AVX512 void run_avx512() { run(); }
//   switch (widest()) { ... }
//
// Rules
//   1. All versions compute the same: what is compiled again has integers only.
//   2. Where there is nothing wider than the usual (arm64), widest() is Width::usual.
#pragma once

#if defined(__x86_64__)
#define HEDDLE_AVX2 [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt"), gnu::flatten]]
#define HEDDLE_AVX512 [[gnu::target("avx512bw,avx512vl,bmi,bmi2,lzcnt,popcnt"), gnu::flatten]]
#else
#define HEDDLE_AVX2
#define HEDDLE_AVX512
#endif

namespace heddle::sim {

enum class Width { usual, avx2, avx512 };

/// The widest that this machine can run.
inline Width widest() {
#if defined(__x86_64__)
  static const Width width = [] {
    const bool bits = __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
                      __builtin_cpu_supports("lzcnt") != 0 && __builtin_cpu_supports("popcnt") != 0;
    if (!bits || __builtin_cpu_supports("avx2") == 0) return Width::usual;
    const bool wide =
        __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
    return wide ? Width::avx512 : Width::avx2;
  }();
  return width;
#else
  return Width::usual;
#endif
}

}  // namespace heddle::sim
