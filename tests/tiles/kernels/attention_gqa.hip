// Grouped-query attention, a wave of queries a block; heads first, so that a group shares its keys.
#include <hip/hip_runtime.h>

template <int D>
__global__ void gqa(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                    float* __restrict__ o, int seq, int q_heads, int kv_heads, float scale) {
  const int q_blocks = (seq + (int)blockDim.x - 1) / (int)blockDim.x;
  const int group = q_heads / kv_heads;
  // id = ((batch * kv_heads + kv_head) * q_blocks + q_block) * group + member
  int id = blockIdx.x;
  const int member = id % group;
  id /= group;
  const int q_block = id % q_blocks;
  id /= q_blocks;
  const int kv_head = id % kv_heads;
  const int batch = id / kv_heads;
  const int head = kv_head * group + member;

  const int row = q_block * blockDim.x + threadIdx.x;
  if (row >= seq) return;
  const float* Q = q + ((size_t)(batch * q_heads + head) * seq + row) * D;
  const float* K = k + (size_t)(batch * kv_heads + kv_head) * seq * D;
  const float* V = v + (size_t)(batch * kv_heads + kv_head) * seq * D;
  float* O = o + ((size_t)(batch * q_heads + head) * seq + row) * D;
  float acc[D] = {};
  float norm = 0.f;
  for (int s = 0; s < seq; ++s) {
    float dot = 0.f;
    for (int d = 0; d < D; ++d) dot += Q[d] * K[s * D + d];
    const float p = __expf(dot * scale);
    norm += p;
    for (int d = 0; d < D; ++d) acc[d] += p * V[s * D + d];
  }
  for (int d = 0; d < D; ++d) O[d] = acc[d] / norm;
}
