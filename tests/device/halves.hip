// half, __half2, bfloat16: conversions, arithmetic, comparisons; loads and stores in one piece.
#include <hip/hip_bf16.h>
#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

__global__ void halves(const half* __restrict__ p, __half* q, float* f, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  __shared__ half tile[256];
  tile[threadIdx.x] = p[i];
  __syncthreads();
  half a = tile[255 - threadIdx.x];
  half b = p[i];
  half c = __hadd(a, b) * __hmul(a, b) - __hsub(a, b) / __hdiv(a, b);
  c = __hfma(a, b, c) + __hneg(a) + __habs(b) + __hmax(a, b) + __hmin(a, b);
  c += a;
  c *= 2.0f;
  c = c + 1;
  if (c > a && __hlt(a, b) && a != b && c < 3.0f) c = __float2half(f[i]);
  c = c + hexp(a) + hlog(b) + hsqrt(a) + hrsqrt(b) + hrcp(a) + hsin(a) + hcos(b);
  q[i] = c;
  f[i] = __half2float(a) + (float)b + a * 0.5f + __half2int_rn(b) + __half_as_ushort(c);
  q[i + 1] = __float2half_rn(f[i]) + __int2half_rn(i) + __ushort_as_half(0x3c00) + half(1.5);
  _Float16 native = static_cast<_Float16>(f[i]);
  q[i + 2] = native;
}

__global__ void pairs(const __half2* p, half2* q, float2* f) {
  const int i = threadIdx.x;
  half2 a = p[i];
  half2 b = __float2half2_rn(2.0f);
  half2 c = __hfma2(a, b, __halves2half2(__low2half(a), __high2half(b)));
  c = __hadd2(a, c) * b - __hsub2(a, b) + __hmul2(c, c) / b;
  c = __hmax2(c, __hmin2(a, b));
  c += h2exp(__half2half2(a.x)) + __lowhigh2highlow(c);
  q[i] = c;
  f[i] = __half22float2(c);
  q[i + 64] = __float22half2_rn(f[i]);
  q[i + 128] = __floats2half2_rn(__low2float(c), __high2float(c));
  q[i + 192].x = a.y;
}

__global__ void brains(const __hip_bfloat16* p, hip_bfloat16* q, float* f, __hip_bfloat162* r) {
  const int i = threadIdx.x;
  __hip_bfloat16 a = p[i];
  __hip_bfloat16 b = __float2bfloat16(f[i]);
  __hip_bfloat16 c = a * b + __hfma(a, b, a) - __hmax(a, b);
  c += b;
  q[i] = c > a ? c : __float2bfloat16_rn(__bfloat162float(a) + static_cast<float>(b));
  __hip_bfloat162 pair = r[i];
  pair = __hfma2(pair, pair, pair) + __hadd2(pair, __float2bfloat162_rn(1.0f));
  r[i + 64] = pair;
  f[i] = __bfloat1622float2(pair).x + __low2float(pair);
}
