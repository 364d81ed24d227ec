// The C++ library's headers beside the device's, and `using namespace std`.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <math.h>
#include <stdio.h>

using namespace std;

__global__ void with_library(float* f, double* d, int* n, std::uint64_t* u) {
  const int i = threadIdx.x;
  f[i] = std::sqrt(f[i]) + sqrt(f[i]) + sqrtf(f[i]) + std::exp(f[i]) + tanh(f[i]) +
         std::tanh(f[i]) + std::pow(f[i], 2.0f) + pow(f[i], f[i + 1]) + std::abs(f[i]) + abs(f[i]) +
         fabs(f[i]) + std::fma(f[i], f[i], f[i]) + std::max(f[i], 0.0f) + max(f[i], f[i + 1]) +
         min(f[i], 2.0f);
  d[i] = std::sqrt(d[i]) + sqrt(d[i]) + std::exp(d[i]) + sin(d[i]) + std::cos(d[i]) + pow(d[i], 2) +
         std::abs(d[i]) + fmax(d[i], 1.0) + std::fmin(d[i], 2.0) + floor(d[i]) + std::erf(d[i]);
  n[i] = std::min(n[i], 4) + max(n[i], 7) + std::abs(n[i]) + abs(n[i]) + isnan(f[i]) +
         std::isnan(d[i]) + isinf(f[i]) + INT_MAX % 7;
  u[i] = std::numeric_limits<float>::max() > f[i] ? std::uint64_t(1) : sizeof(std::array<int, 4>);
  f[i] += FLT_MAX > f[i] ? sqrt(n[i]) : std::sqrt(n[i]);
  assert(n[i] >= 0);
  printf("%d %f\n", n[i], f[i]);
}
