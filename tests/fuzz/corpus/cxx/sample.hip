#include <hip/hip_runtime.h>
#include <vector>
#define CHECK(x)                                      \
  do {                                                \
    if ((x) != hipSuccess) { printf("it's\n"); }      \
  } while (0)
#define HOST_DEVICE __host__ __device__
using namespace std;

__constant__ float weights[64];
static __device__ float table[4] = {1, 2, 3, 4};
const int kTile = 1'000;
std::vector<int> sizes;
static int counter = 0;

template <typename T>
struct Buffer {
  T* data = nullptr;
  explicit Buffer(int n) : data{nullptr} { CHECK(hipMalloc(&data, n)); }
  ~Buffer() { hipFree(data); }
  HOST_DEVICE T& operator[](int i) const { return data[i]; }
  void launch() { fill<<<1, 64>>>(data); }
  static constexpr int width() { return 4; }
};

struct alignas(16) Pair { int a, b; } pair_of_host;
enum class Mode : int { fast, slow };

__device__ __forceinline__ float scale(float x, float by = 2.0f) { return x * by; }
constexpr int round_up(int n) { return (n + 3) / 4 * 4; }
std::vector<float> make(int n) { return std::vector<float>(n, '{'); }
auto helper() -> int { return []{ return 1; }(); }

namespace kernels {
namespace {
template <int B, typename T = std::vector<std::vector<int>>>
__global__ void __launch_bounds__(256, 2) scan(const T* __restrict__ a, int n = 4,
                                               void (*f)(int) = nullptr) {
  extern __shared__ T parts[];
  static __shared__ T other[B];
  if constexpr (B > 4) { parts[threadIdx.x] = a[blockIdx.x * B]; }
}
}  // namespace
}  // namespace kernels

extern "C" __global__ void fill(float* x) { x[blockIdx.x] = scale(1.0f); }

template <typename T> requires requires(T t) { t + 1; }
void run(T t) { kernels::scan<4><<<dim3(1), 64, 0>>>(t, 1, nullptr); }

#ifdef FANCY
int main(int argc, char** argv) {
#else
int main() {
#endif
  const char* text = R"(} unbalanced "here)";
  hipLaunchKernelGGL(fill, dim3(1), dim3(64), 0, 0, nullptr);
  return 0;
}
