// Bits, wide products, conversions and reinterpretations.
#include <hip/hip_runtime.h>

__global__ void bits(int* n, unsigned* u, long long* l, unsigned long long* v) {
  const int x = n[0];
  const unsigned y = u[0];
  n[1] = __popc(y) + __popcll(v[0]) + __clz(x) + __clzll(l[0]) + __ffs(x) + __ffsll(l[1]) +
         __ffs(y) + __ffsll(v[1]);
  u[1] = __brev(y) + __byte_perm(y, u[2], 0x5410) + __funnelshift_l(y, u[2], 5) +
         __funnelshift_r(y, u[2], 7) + __funnelshift_lc(y, u[2], 40) +
         __funnelshift_rc(y, u[2], 33);
  v[2] = __brevll(v[0]) + __umul64hi(v[0], v[1]);
  l[2] = __mul64hi(l[0], l[1]);
  n[2] =
      __mulhi(x, n[3]) + __mul24(x, n[3]) + __hadd(x, n[3]) + __rhadd(x, n[3]) + __dp4a(x, n[3], 1);
  u[3] = __umulhi(y, u[2]) + __umul24(y, u[2]) + __sad(x, n[3], y) + __usad(y, u[2], 1u) +
         __uhadd(y, 3u);
}

__global__ void conversions(float* f, double* d, int* n, unsigned* u, long long* l) {
  n[0] = __float_as_int(f[0]) + __float2int_rn(f[1]) + __float2int_rz(f[2]) + __float2int_rd(f[3]) +
         __float2int_ru(f[4]) + __double2int_rn(d[0]) + __double2hiint(d[1]) + __double2loint(d[2]);
  u[0] = __float_as_uint(f[0]) + __float2uint_rn(f[1]) + __double2uint_rz(d[1]);
  l[0] = __double_as_longlong(d[0]) + __float2ll_rn(f[0]) + __double2ll_rz(d[1]);
  f[5] = __int_as_float(n[1]) + __uint_as_float(u[1]) + __int2float_rn(n[2]) +
         __uint2float_rz(u[2]) + __ll2float_rn(l[1]) + __double2float_rn(d[3]);
  d[4] = __longlong_as_double(l[2]) + __int2double_rn(n[3]) + __uint2double_rn(u[3]) +
         __ll2double_rn(l[3]) + __hiloint2double(n[1], n[2]);
}

__global__ void hints(const float4* p, float4* q, const int* n, int* m, const double* d) {
  const int i = threadIdx.x;
  q[i] = __ldg(&p[i]);
  m[i] = __ldg(n + i) + __ldcg(&n[i + 1]) + __ldcs(&n[i + 2]) + __ldca(&n[i + 3]);
  __stcs(&q[i + 64], p[i]);
  __stcg(&m[i + 64], 5);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  m[i + 128] = static_cast<int>(clock64() - wall_clock64()) + static_cast<int>(clock());
  assert(__ldg(d) > 0);
  if (m[0] == 7) __trap();
  printf("thread %d: %f\n", i, __ldg(d + 1));
}
