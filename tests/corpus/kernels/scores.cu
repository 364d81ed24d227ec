// Scores of attention: s = scale Q K^T below the diagonal. A block does 16 x 16 of one head.
#include <cuda_runtime.h>

struct Shape {
  int heads, seq, dim;
  float scale;
};

__device__ int place(const Shape& shape, int head, int row) { return head * shape.seq + row; }

__global__ void scores(const float* q, const float* k, float* s, Shape shape) {
  const int tiles = (shape.seq + 15) / 16;
  const int head = blockIdx.x / (tiles * tiles);
  const int rest = blockIdx.x % (tiles * tiles);
  const int query = rest / tiles * 16 + threadIdx.y;
  const int key = rest % tiles * 16 + threadIdx.x;
  if (query >= shape.seq || key >= shape.seq) return;
  float sum = 0.0f;
  for (int i = 0; i < shape.dim; ++i)
    sum += q[place(shape, head, query) * shape.dim + i] * k[place(shape, head, key) * shape.dim + i];
  s[place(shape, head, query) * shape.seq + key] = key <= query ? sum * shape.scale : -1e30f;
}

void launch(const float* q, const float* k, float* s, int heads, int seq, int dim) {
  const Shape shape = {heads, seq, dim, 0.125f};
  const int tiles = (seq + 15) / 16;
  scores<<<heads * tiles * tiles, dim3(16, 16)>>>(q, k, s, shape);
}
